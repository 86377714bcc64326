import { statSync } from 'node:fs';
import { DockerError, type DockerInfo, dockerInfo, isDockerError } from '../api/index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { diskFinding } from './disk.ts';
import { publicPortsFinding } from './public-ports.ts';
import { registryFindings } from './registries.ts';
import { swarmFindings } from './swarm.ts';
import { type ExaminedEngine, sizeText } from './examined-engine.ts';
import { imageFindings, proxyImageCheck } from './needed-images.ts';
import { objectsFindings } from './platform-objects.ts';

const engine = findingBuilder('engine');
const access = findingBuilder('access');
const memory = findingBuilder('memory');
const warnings = findingBuilder('engine settings');

/** The memory of a host below which a few services already fill it, in bytes. */
const minMemoryBytes = 1e9;

const adviceByKind: Partial<Record<DockerError['kind'], string>> = {
  unreachable:
    'Start the engine, or correct its address. This user must be allowed to use the socket: run as root, or as a member of its group.',
  timeout: 'Check the log of the engine, and restart it.',
  version: 'Check again afterwards.',
  'no leader': 'Start the managers that are down.',
};

/** The findings about an engine that doesn't answer. */
const unusable = (error: DockerError): DoctorFinding[] => [
  engine.bad(error.reason, adviceByKind[error.kind] ?? 'Check that this is the address of a Docker engine.'),
  ...[
    'access',
    'memory',
    'disk of the engine',
    'swarm',
    'registry',
    'public ports',
    proxyImageCheck,
    'objects of platforms',
  ].map((check) => findingBuilder(check).skipped('the engine does not answer')),
];

/** Checks who else can use the engine: any such user is root on its host. */
function accessFinding({ address }: ExaminedEngine): DoctorFinding {
  if (address.kind === 'tcp') {
    if (address.tls) return access.good('over TLS, with a certificate');
    return access.note(
      'without TLS: every user of this machine can use the engine, and so become root',
      'Use its socket, or give it TLS files.',
    );
  }
  const isOpenToAll = (statSync(address.path).mode & 0o002) !== 0;
  if (isOpenToAll)
    return access.note(
      `every user of this machine can use ${address.path}, and so become root`,
      `chmod o-rwx ${address.path}`,
    );
  return access.good(`${address.path}; anyone who may use it is root on this machine`);
}

const memoryFinding = ({ MemTotal: bytes, NCPU: cpus }: DockerInfo): DoctorFinding => {
  const has = `${sizeText(bytes)} of memory, ${cpus} ${cpus === 1 ? 'CPU' : 'CPUs'}`;
  return bytes >= minMemoryBytes
    ? memory.good(has)
    : memory.note(has, 'Use a larger machine: the engine itself takes about 130 MB, and each service its own.');
};

/** The advice for a warning of the engine. Some concern the swarm, which other findings cover. */
const warningAdvice = (text: string): string =>
  /\bmanagers?\b/i.test(text)
    ? 'See the findings about the managers.'
    : 'Change the settings of the engine or of its kernel, if services need it.';

/** The engine's warnings, such as limits that its kernel doesn't support. */
const warningFindings = ({ Warnings: texts }: DockerInfo): DoctorFinding[] =>
  // They contain the line ends and indentation of terminal output.
  (texts ?? [])
    .map((text) =>
      text
        .replace(/^WARNING: /, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .map((text) => warnings.note(text, warningAdvice(text)));

/** Checks the objects of platforms, which only managers know. */
const objectsIfManager = async (
  examined: ExaminedEngine,
  { Swarm: { LocalNodeState: state, ControlAvailable: isManager } }: DockerInfo,
): Promise<DoctorFinding[]> =>
  state === 'active' && isManager
    ? objectsFindings(examined)
    : [findingBuilder('objects of platforms').skipped('only managers of an active swarm know them')];

/**
 * Checks an engine. Everything that this starts there or in the registry is cleaned up: an upload, and containers that
 * reach agents.
 */
export async function engineFindings(examined: ExaminedEngine): Promise<readonly DoctorFinding[]> {
  const { docker } = examined;
  try {
    const spoken = await docker.apiVersion();
    const { Version: version, Os: system } = await docker.version();
    if (system !== 'linux')
      return [engine.bad(`Docker ${version} runs containers of ${system}`, 'Use an engine on Linux.')];
    const info = await dockerInfo(docker);
    return [
      engine.good(`Docker ${version} at ${docker.address}; API ${spoken}`),
      accessFinding(examined),
      memoryFinding(info),
      ...warningFindings(info),
      await diskFinding(examined, info),
      ...(await swarmFindings(examined, info)),
      ...(await registryFindings(examined)),
      await publicPortsFinding(examined),
      ...(await imageFindings(examined)),
      ...(await objectsIfManager(examined, info)),
    ];
  } catch (error) {
    if (isDockerError(error)) return unusable(error);
    throw error;
  }
}
