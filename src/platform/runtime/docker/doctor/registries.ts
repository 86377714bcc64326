import { missingImage } from '../agent/program/allowed-requests.ts';
import { inspectDockerDistribution, isDockerError, isThisMachine } from '../api/index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import type { ExaminedEngine } from './examined-engine.ts';
import { ownRegistryFinding } from './own-registry.ts';
import { tryPush } from './registry-push.ts';

const registryCheck = findingBuilder('registry');

/** The address of the public registry's API. */
const publicRegistryApi = 'https://registry-1.docker.io';

/** The time limit for a registry's answer, in milliseconds. */
const timeoutMilliseconds = 15_000;

const denial = /unauthorized|authentication required|denied|no basic auth/i;
const absence = /manifest unknown|name unknown|not found/i;

/**
 * Whether an engine's error about an image that no registry has comes from the registry, which was therefore reached.
 */
export const isOfRegistry = (reason: string): boolean => denial.test(reason) || absence.test(reason);

/** Checks whether the engine reaches a registry, and is authorized. Requests an image that doesn't exist. */
async function reachFinding({ docker, credentialsFor }: ExaminedEngine, host: string): Promise<DoctorFinding> {
  const credentials = credentialsFor(host);
  try {
    await inspectDockerDistribution(docker, `${host}/${missingImage}`, credentials, { timeoutMilliseconds });
  } catch (error) {
    if (!isDockerError(error)) throw error;
    if (denial.test(error.reason) && credentials !== undefined)
      return registryCheck.note(
        `${host} answers the engine, and refuses ${credentials.username}`,
        'Correct the credentials in the clusters file, unless the registry responds like this for every missing image.',
      );
    if (!isOfRegistry(error.reason)) {
      return registryCheck.bad(
        `the engine gets no response from ${host}: ${error.reason}`,
        'Start the registry, or correct its address. A registry without TLS has to be among the insecure registries of the engine.',
      );
    }
  }
  return registryCheck.good(`${host} answers the engine`);
}

/** Whether an address is a loopback address. @param host with a port, if it has one */
const isLoopback = (host: string): boolean => isThisMachine(host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1'));

/**
 * Checks whether images can be pushed to a registry that answers. Only this machine can try, which may reach it in a
 * different way than the engine.
 */
async function pushFinding(
  { registryUrl, repository, credentialsFor }: ExaminedEngine,
  host: string,
): Promise<DoctorFinding> {
  const credentials = credentialsFor(host);
  const url =
    host === 'docker.io'
      ? publicRegistryApi
      : (registryUrl(host) ?? `${isLoopback(host) ? 'http' : 'https'}://${host}`);
  const tried = await tryPush({ url, repository, credentials });
  if (tried.is === 'taken') return registryCheck.good(`${host} answers the engine, and accepts images`);
  if (tried.is === 'unknown')
    return registryCheck.good(
      `${host} answers the engine; whether it accepts images can't be tested from this machine (${tried.why})`,
    );
  const who = credentials === undefined ? 'without credentials' : `of ${credentials.username}`;
  return registryCheck.bad(
    `${host} answers the engine, and refuses images ${who}: ${tried.why}`,
    'Give credentials that may push, with its host under "registries" in the clusters file.',
  );
}

/** Checks the external registry for built images. @param machines how many need it */
async function foreignRegistryFinding(
  examined: ExaminedEngine,
  host: string,
  machines: number,
): Promise<DoctorFinding> {
  const reach = await reachFinding(examined, host);
  const found = reach.state === 'good' ? await pushFinding(examined, host) : reach;
  if (found.state === 'bad' || machines === 1 || !isLoopback(host)) return found;
  return registryCheck.note(
    `${found.says}; each of the ${machines} machines reaches itself by that address`,
    'Give the registry an address by which all machines reach it, unless each of them forwards this one to it. The platform runs such a registry itself with "registry: {}" in the clusters file.',
  );
}

/** Checks the registry for built images. @param machines how many need it */
export async function buildRegistryFinding(examined: ExaminedEngine, machines: number): Promise<DoctorFinding> {
  if (examined.ownRegistry !== undefined) return ownRegistryFinding(examined, examined.ownRegistry);
  if (examined.registry !== undefined) return foreignRegistryFinding(examined, examined.registry, machines);
  if (machines === 1) return registryCheck.good('none for built images, and none is needed on one machine');
  return registryCheck.bad(
    `none for built images, and ${machines} machines can't share those that one of them builds`,
    'In the clusters file, let the platform run one ("registry: {}"), or name yours ("build_registry"); --registry names one for this check.',
  );
}

/** Checks the registries that services may use. */
export const registryFindings = (examined: ExaminedEngine): Promise<DoctorFinding[]> =>
  Promise.all(
    [...new Set(examined.registries)]
      .filter((host) => host !== examined.registry)
      .map((host) => reachFinding(examined, host)),
  );
