import { listDockerContainers } from '../api/index.ts';
import { forwarderName } from '../names.ts';
import { findRegistry, readRegistryState, type RegistryState } from '../registry/registry-state.ts';
import { registryHost, type RegistrySettings } from '../registry/settings.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { holderOf } from './public-ports.ts';
import type { ExaminedEngine } from './examined-engine.ts';
import { imageAdvice, findImage } from './needed-images.ts';

const registryCheck = findingBuilder('registry');

/** The finding about a registry that exists. */
function stateFinding(
  { node, isReadOnly, problem, remedy, withoutForwarder }: RegistryState,
  host: string,
): DoctorFinding {
  if (isReadOnly && remedy === undefined)
    return registryCheck.good(`the platform's own, on ${node}, is being cleaned: pushes wait for a moment`);
  if (problem !== undefined)
    return registryCheck.bad(
      `the platform's own accepts no images: ${problem.message}`,
      `${remedy === undefined ? '' : `${remedy} `}The platform has to run; built applications can't be deployed meanwhile.`,
    );
  if (withoutForwarder.length > 0)
    return registryCheck.bad(
      `the platform's own runs on ${node}, and nothing forwards to it on ${withoutForwarder.join(', ')}`,
      `See why with docker service ps, for the service ${forwarderName('…')}. Another program must not listen on ${host}.`,
    );
  return registryCheck.good(`the platform's own, at ${host} of every node; ${node} keeps its images`);
}

/** Checks the registry that the platform runs itself, or will run. */
export async function ownRegistryFinding(examined: ExaminedEngine, settings: RegistrySettings): Promise<DoctorFinding> {
  const { docker } = examined;
  const host = registryHost(settings);
  const state = await readRegistryState(docker, await findRegistry(docker, undefined));
  if (state !== undefined) return stateFinding(state, host);
  const holder = await holderOf(settings.port, await listDockerContainers(docker), examined);
  if (holder !== undefined)
    return registryCheck.bad(
      `the platform's own can't be set up at ${host}: ${holder} has that port`,
      'Free it, or set "registry: { port: … }" in the clusters file.',
    );
  const images = await Promise.all(
    [settings.image, settings.forwarderImage].map((image) => findImage(examined, image)),
  );
  const missing = images.filter(({ isMissing }) => isMissing).map(({ says }) => says);
  if (missing.length > 0)
    return registryCheck.bad(
      `the platform's own is set up when the platform starts, and needs images: ${missing.join('; ')}`,
      `Each node needs them: ${imageAdvice}`,
    );
  return registryCheck.good(
    `the platform's own is set up at ${host} of every node when the platform starts; its images are available`,
  );
}
