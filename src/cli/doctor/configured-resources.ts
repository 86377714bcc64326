import { createClient, type Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Config } from '../config/read-config.ts';
import { createNameResolver } from '../../server/resolve/name-resolver.ts';
import type { Scope } from '../../server/guard/scope/scope.ts';
import { createScopeResolver } from '../../server/guard/scope/scope-resolver.ts';
import { configuredPolicy, configuredScope } from '../wiring/policy.ts';
import { type DoctorFinding, findingBuilder } from './finding.ts';
import { CallFailure } from '../../server/failure/failure.ts';
import { createReader } from '../../server/context/reader.ts';
import { credentialOf } from '../../client/credential.ts';
import { endpointOf } from '../wiring/data-dir-claim.ts';
import { storedToken } from '../wiring/embedded-client.ts';
import { createLog } from '../wiring/log.ts';
import { remoteConnection } from '../wiring/remote-connection.ts';
import { missingResources } from '../wiring/missing-resources.ts';
import { resourcesNamedIn, policyResourceText } from '../wiring/policy-resources.ts';

/** Longest that an answer is waited for, in milliseconds. */
const answerTimeout = 10_000;

/** A client of the platform that is there now, with a token that is there now; undefined where one of both is not. */
async function currentClient(config: Config): Promise<Client | undefined> {
  const log = createLog('silent');
  if (config.baseUrl !== undefined) {
    const connection = await remoteConnection(config, log);
    const { client } = await connection.connect();
    if (connection.secrets().length > 0) return client;
    await connection.close();
    return undefined;
  }
  const [endpoint, token] = await Promise.all([endpointOf(config.dataDir), storedToken(config.dataDir)]);
  return endpoint && token ? createClient({ baseUrl: endpoint.url, credential: credentialOf(token), timeouts: { headers: answerTimeout, body: answerTimeout }, log }) : undefined;
}

const scope = findingBuilder('pin');

const scopeText = ({ project, environment }: Scope): string => [project && `the project "${project.name}"`, environment && `the environment "${environment.name}"`].filter(Boolean).join(' and ');

/** What became of looking for the place. */
async function scopeFinding(client: Client, kept: Scope): Promise<DoctorFinding> {
  const deadline = Date.now() + answerTimeout;
  const reader = createReader((operation, input) => client.call(operation, input, { attempts: 1, deadline }));
  try {
    await createScopeResolver(kept, createNameResolver()).resolve({ principal: 'doctor', reader, now: Date.now });
    return scope.good(`${scopeText(kept)} is there`);
  } catch (error) {
    if (error instanceof CallFailure && error.failure.kind === 'not_possible') return scope.bad(error.failure.what, 'Every call would be refused: correct it, or leave it out.');
    if (error instanceof ApiError) return scope.skipped(`${scopeText(kept)} could not be looked for: ${error.reason}`);
    throw error;
  }
}

/** Whether what the options keep every call to is there; nothing where they keep calls to no place. */
export async function scopeFindings(config: Config): Promise<DoctorFinding[]> {
  const kept = configuredScope(config);
  if (!kept) return [];
  // What is wrong with the platform's address or token, the platform's own finding says.
  const client = await currentClient(config).catch(() => undefined);
  if (!client) return [scope.note(`whether ${scopeText(kept)} is there can't be told before a platform serves`, 'Look again once it does, or make a call.')];
  try {
    return [await scopeFinding(client, kept)];
  } finally {
    await client.close();
  }
}

const policyResources = findingBuilder('policy places');

const correctionAdvice = 'Correct it, unless it is yet to be made: until then the rule holds for nothing.';

/** Whether the projects and environments are there that rules of the policy are about; nothing where there are no such rules. */
export async function policyResourceFindings(config: Config): Promise<DoctorFinding[]> {
  // What is wrong with the policy, the platform's address or its token, their own findings say.
  const named = resourcesNamedIn(await configuredPolicy(config).catch(() => ({ readOnly: false })));
  if (named.length === 0) return [];
  const client = await currentClient(config).catch(() => undefined);
  if (!client) return [policyResources.note(`whether ${named.map(policyResourceText).join(' and ')} is there can't be told before a platform serves`, 'Look again once it does.')];
  try {
    const missing = await missingResources(named, client);
    if (missing.length === 0) return [policyResources.good(`${named.map(policyResourceText).join(', ')}: there`)];
    return missing.map((one) => policyResources.note(`${policyResourceText(one)} could not be found`, correctionAdvice));
  } catch (error) {
    if (error instanceof ApiError) return [policyResources.skipped(`what the policy names could not be looked for: ${error.reason}`)];
    throw error;
  } finally {
    await client.close();
  }
}
