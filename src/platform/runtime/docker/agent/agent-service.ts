import { createHash } from 'node:crypto';
import { mebibyte } from '../../../common/index.ts';
import {
  createDockerConfig,
  createDockerNetwork,
  createDockerSecret,
  createDockerService,
  deleteDockerNetwork,
  deleteDockerService,
  type DockerClient,
  hostOfImage,
  ignoring,
  type DockerRegistryCredentials,
  type DockerService,
  type DockerServiceSpec,
  inspectDockerService,
  listDockerConfigs,
  listDockerNetworks,
  listDockerSecrets,
  updateDockerService,
} from '../api/index.ts';
import { agentLabels, agentUntil, anyAgentOf, isMadeHere, labelledAgent, withAgentUntil } from '../labels.ts';
import { agentFileName, agentServiceName } from '../names.ts';
import type { AgentAuthority } from './authority.ts';
import { agentFiles } from './program/files.ts';
import { deleteFilesBut, mountedFile } from '../file-objects.ts';
import { agentProgram } from './compiled.ts';

/** The inputs of the agents' service. */
export interface AgentParts {
  readonly docker: DockerClient;
  readonly platformId: string;
  readonly authority: AgentAuthority;
  /** The full reference (registry/name:tag) of an image with Node.js 22 or newer. */
  readonly image: string;
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The port of the agents in their own network. */
export const agentPort = 2376;

/** How long the agents' certificate is valid, and how long before its end it is renewed, in milliseconds. */
const lifetime = 30 * 24 * 3_600_000;
const renewal = 10 * 24 * 3_600_000;

const versionOf = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 12);

/** The service, without its files and labels. */
const specOf = ({ platformId, image }: AgentParts): DockerServiceSpec => ({
  Name: agentServiceName(platformId),
  TaskTemplate: {
    ContainerSpec: {
      Image: image,
      Command: ['node', '--max-old-space-size=48'],
      Args: [agentFiles.program, platformId, String(agentPort)],
      User: '0:0',
      Dir: '/',
      Env: ['NODE_OPTIONS='],
      ReadOnly: true,
      Init: true,
      StopGracePeriod: 2e9,
      CapabilityDrop: ['ALL'],
      Healthcheck: { Test: ['NONE'] },
      Mounts: [{ Type: 'bind', Source: agentFiles.socket, Target: agentFiles.socket }],
    },
    Resources: { Limits: { MemoryBytes: 128 * mebibyte, NanoCPUs: 5e8, Pids: 64 } },
    RestartPolicy: { Condition: 'any', Delay: 2e9 },
    Networks: [{ Target: agentServiceName(platformId) }],
    LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '2' } },
  },
  Mode: { Global: {} },
  UpdateConfig: { Parallelism: 1, Order: 'stop-first', FailureAction: 'continue' },
  EndpointSpec: { Mode: 'dnsrr' },
});

/** A fingerprint of the settings, the program and the authority that a service is created from. */
const madeFrom = (parts: AgentParts): string =>
  versionOf(JSON.stringify([specOf(parts), agentProgram, parts.authority.certificate]));

/** The agents' service; undefined if there is none. @throws Error if another owner's service has its name */
export async function findAgentService(
  { docker, platformId }: Pick<AgentParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<DockerService | undefined> {
  const found = await inspectDockerService(docker, agentServiceName(platformId), { signal }).catch(
    ignoring('not found'),
  );
  if (found && !isMadeHere(found.Spec.Labels, platformId))
    throw new Error(
      `The engine has a service ${found.Spec.Name} that this platform didn't create. Remove it: the agents need that name.`,
    );
  return found;
}

/** Creates the network unless it exists. Only agents and tunnels are on it, and it is internal. */
async function ensureAgentNetwork(
  { docker, platformId }: AgentParts,
  labels: DockerServiceSpec['Labels'],
  signal: AbortSignal,
): Promise<void> {
  const name = agentServiceName(platformId);
  if ((await listDockerNetworks(docker, anyAgentOf(platformId), { signal })).length > 0) return;
  await createDockerNetwork(
    docker,
    { Name: name, Driver: 'overlay', Attachable: true, Internal: true, Labels: labels },
    { signal },
  ).catch(ignoring('conflict'));
}

/** Creates a config unless it exists. @returns its reference for the agents' spec */
async function ensureConfig(
  { docker, platformId }: AgentParts,
  part: 'authority' | 'program',
  content: string,
  path: string,
  labels: DockerServiceSpec['Labels'],
  signal: AbortSignal,
) {
  const name = agentFileName(platformId, part, versionOf(content));
  const find = async (): Promise<string | undefined> =>
    (await listDockerConfigs(docker, { name: [name] }, { signal }))[0]?.ID;
  const id =
    (await find()) ?? (await createDockerConfig(docker, { name, labels, content: Buffer.from(content) }, { signal }));
  return { ConfigID: id, ConfigName: name, File: mountedFile(path, 0o444) };
}

/**
 * Ensures that every node that takes instances has an agent that matches the settings, with a certificate that stays
 * valid for some time.
 */
export async function ensureAgents(parts: AgentParts, signal: AbortSignal): Promise<void> {
  const { docker, platformId, authority, image, credentialsFor, now } = parts;
  const present = await findAgentService(parts, signal);
  const made = madeFrom(parts);
  if (present && labelledAgent(present.Spec.Labels) === made && agentUntil(present.Spec.Labels) - now() > renewal)
    return;
  const labels = agentLabels(platformId, made);
  // Left by failed attempts.
  await deleteFilesBut(docker, anyAgentOf(platformId), [present?.Spec], signal);
  await ensureAgentNetwork(parts, labels, signal);
  const configs = [
    await ensureConfig(parts, 'program', agentProgram, agentFiles.program, labels, signal),
    await ensureConfig(parts, 'authority', authority.certificate, agentFiles.authority, labels, signal),
  ];
  const { cert, key, until } = authority.issue('server', lifetime, now());
  const secretName = agentFileName(platformId, 'certificate', versionOf(cert));
  const secret = await createDockerSecret(
    docker,
    { name: secretName, labels, content: Buffer.from(`${cert}${key}`) },
    { signal },
  );
  const plain = specOf(parts);
  const spec: DockerServiceSpec = {
    ...plain,
    Labels: withAgentUntil(labels, until),
    TaskTemplate: {
      ...plain.TaskTemplate,
      ContainerSpec: {
        ...plain.TaskTemplate.ContainerSpec,
        Labels: labels,
        Configs: configs,
        Secrets: [{ SecretID: secret, SecretName: secretName, File: mountedFile(agentFiles.certificate, 0o400) }],
      },
    },
  };
  const credentials = credentialsFor(hostOfImage(image));
  await (
    present
      ? updateDockerService(docker, present.ID, present.Version.Index, spec, credentials, { signal })
      : createDockerService(docker, spec, credentials, { signal })
  ).catch(ignoring('conflict', 'stale'));
  await deleteFilesBut(docker, anyAgentOf(platformId), [(await findAgentService(parts, signal))?.Spec], signal);
}

/**
 * Removes the agents and everything that belongs to them.
 * @returns whether nothing is left: the network stays until the last agent has stopped
 */
export async function removeAgents(
  parts: Pick<AgentParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { docker, platformId } = parts;
  const present = await findAgentService(parts, signal);
  if (present) await deleteDockerService(docker, present.ID, { signal }).catch(ignoring('not found'));
  await deleteFilesBut(docker, anyAgentOf(platformId), [], signal);
  const networks = await listDockerNetworks(docker, anyAgentOf(platformId), { signal });
  await Promise.all(
    networks.map(({ Id: id }) =>
      deleteDockerNetwork(docker, id, { signal }).catch(ignoring('not found', 'refused', 'failed')),
    ),
  );
  const left = await Promise.all([
    listDockerNetworks(docker, anyAgentOf(platformId), { signal }),
    listDockerSecrets(docker, anyAgentOf(platformId), { signal }),
    listDockerConfigs(docker, anyAgentOf(platformId), { signal }),
  ]);
  return left.every((each) => each.length === 0);
}
