import { ApiError, type Client } from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import { createNameResolver } from '../../server/resolve/index.ts';
import { createScopeResolver, type Scope } from '../../server/guard/index.ts';
import { configuredPolicy, configuredScope, resourcesNamedIn, policyResourceText } from '../wiring/policy.ts';
import { answerTimeout, currentClient } from './current-client.ts';
import { type DoctorFinding, findingBuilder } from '../../platform/common/index.ts';
import { CallFailure } from '../../server/failure/index.ts';
import { createReader } from '../../server/context/index.ts';
import { missingResources } from '../wiring/missing-resources.ts';

const scope = findingBuilder('pin');

const scopeText = ({ project, environment }: Scope): string =>
  [project && `the project "${project.name}"`, environment && `the environment "${environment.name}"`]
    .filter(Boolean)
    .join(' and ');

/** Checks that the configured project and environment exist. */
async function scopeFinding(client: Client, configured: Scope): Promise<DoctorFinding> {
  const deadline = Date.now() + answerTimeout;
  const reader = createReader((operation, input) => client.call(operation, input, { attempts: 1, deadline }));
  try {
    await createScopeResolver(configured, createNameResolver()).resolve({ principal: 'doctor', reader, now: Date.now });
    return scope.good(`${scopeText(configured)} exists`);
  } catch (error) {
    if (error instanceof CallFailure && error.failure.kind === 'not_possible')
      return scope.bad(error.failure.what, 'Every call would be refused: correct it, or leave it out.');
    if (error instanceof ApiError)
      return scope.skipped(`${scopeText(configured)} could not be looked for: ${error.reason}`);
    throw error;
  }
}

/** Checks the scope of the options; no findings if none is set. */
export async function scopeFindings(config: Config): Promise<DoctorFinding[]> {
  const configured = configuredScope(config);
  if (!configured) return [];
  // Problems with the platform's address or token are reported by the platform check.
  const client = (await currentClient(config).catch(() => undefined))?.client;
  if (!client)
    return [
      scope.note(
        `whether ${scopeText(configured)} exists is unknown until a platform runs`,
        'Check again when it does, or make a call.',
      ),
    ];
  try {
    return [await scopeFinding(client, configured)];
  } finally {
    await client.close();
  }
}

const policyResources = findingBuilder('policy places');

const correctionAdvice = 'Correct the name, unless you will create it later: until then the rule matches nothing.';

/** Checks that the projects and environments named in the policy exist; no findings if it names none. */
export async function policyResourceFindings(config: Config): Promise<DoctorFinding[]> {
  // Problems with the policy, the platform's address or its token are reported by their own checks.
  const named = resourcesNamedIn(await configuredPolicy(config).catch(() => ({ readOnly: false })));
  if (named.length === 0) return [];
  const client = (await currentClient(config).catch(() => undefined))?.client;
  if (!client)
    return [
      policyResources.note(
        `whether ${named.map(policyResourceText).join(' and ')} exists is unknown until a platform runs`,
        'Check again when it does.',
      ),
    ];
  try {
    const missing = await missingResources(named, client);
    if (missing.length === 0) return [policyResources.good(`${named.map(policyResourceText).join(', ')}: there`)];
    return missing.map((one) =>
      policyResources.note(`${policyResourceText(one)} could not be found`, correctionAdvice),
    );
  } catch (error) {
    if (error instanceof ApiError)
      return [policyResources.skipped(`what the policy names could not be looked for: ${error.reason}`)];
    throw error;
  } finally {
    await client.close();
  }
}
