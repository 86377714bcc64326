import { createHash } from 'node:crypto';
import {
  createDockerSecret,
  createDockerService,
  createOrFind,
  type DockerClient,
  type DockerRegistryCredentials,
  type DockerService,
  type DockerServiceSpec,
  hostOfImage,
  listDockerSecrets,
  updateDockerService,
} from '../api/index.ts';
import {
  labelFilter,
  type RegistryFacts,
  registryFactsOf,
  registryLabels,
  type RegistryPart,
  withRegistryFacts,
} from '../labels.ts';
import { cleanerName, forwarderName, registryName } from '../names.ts';
import { placementOf } from '../nodes/placement.ts';
import { caddyVariables } from '../proxy/caddy-config.ts';
import {
  forwarderFiles,
  imagesFolder,
  type RegistryFile,
  registryFiles,
  type RegistryParts,
} from './registry-files.ts';
import { registryHost } from './settings.ts';
import { deleteFilesBut, mountedFile } from '../file-objects.ts';

/** The inputs for changes to a registry's services. */
export interface RegistryEngine extends RegistryParts {
  readonly docker: DockerClient;
  /** Returns the credentials for other registries. @param host with its port */
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
}

/** A service of a registry without its files and labels. */
interface Draft {
  readonly part: RegistryPart;
  readonly files: readonly RegistryFile[];
  readonly spec: Pick<DockerServiceSpec, 'Name' | 'Mode' | 'UpdateConfig' | 'EndpointSpec' | 'TaskTemplate'>;
}

const second = 1e9;

const container = { CapabilityDrop: ['ALL'], StopGracePeriod: 10 * second, Healthcheck: { Test: ['NONE'] } } as const;

/**
 * All of them use the network of their host: engines trust plain http only on its loopback address, and from there the
 * ports of other nodes can be reached.
 */
const onHost = {
  Networks: [{ Target: 'host' }],
  LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
} as const;

const goesOn = {
  UpdateConfig: { Parallelism: 1, Order: 'stop-first', FailureAction: 'continue', Monitor: second },
  EndpointSpec: { Mode: 'dnsrr' },
} as const;

const imagesVolume = ({ platformId }: RegistryParts) =>
  ({
    Type: 'volume',
    Source: registryName(platformId),
    Target: imagesFolder,
    VolumeOptions: { Labels: registryLabels(platformId, 'registry') },
  }) as const;

/** The service that stores the images, on one node. */
export function registryDraft(parts: RegistryParts, nodeId: string, isReadOnly: boolean): Draft {
  const files = registryFiles(parts, isReadOnly);
  return {
    part: 'registry',
    files,
    spec: {
      Name: registryName(parts.platformId),
      Mode: { Replicated: { Replicas: 1 } },
      ...goesOn,
      TaskTemplate: {
        ...onHost,
        ...placementOf({ boundTo: nodeId }),
        RestartPolicy: { Condition: 'any', Delay: second },
        ContainerSpec: {
          ...container,
          Image: parts.settings.image,
          Command: ['registry', 'serve', files[0].path],
          Mounts: [imagesVolume(parts)],
        },
      },
    },
  };
}

/** The service that forwards to the registry, on every node. @param address of the node with the images */
export function forwarderDraft(parts: RegistryParts, address: string): Draft {
  const files = forwarderFiles(parts, address);
  return {
    part: 'forwarder',
    files,
    spec: {
      Name: forwarderName(parts.platformId),
      Mode: { Global: {} },
      ...goesOn,
      TaskTemplate: {
        ...onHost,
        RestartPolicy: { Condition: 'any', Delay: second },
        ContainerSpec: {
          ...container,
          Image: parts.settings.forwarderImage,
          Command: ['caddy', 'run', '--config', files[0].path],
          Env: caddyVariables,
        },
      },
    },
  };
}

/** The job that frees the space of deleted images, once, while the registry is read-only. */
export function cleanerDraft(parts: RegistryParts, nodeId: string): Draft {
  const files = registryFiles(parts, true);
  return {
    part: 'cleaner',
    files,
    spec: {
      Name: cleanerName(parts.platformId),
      Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } },
      TaskTemplate: {
        ...onHost,
        ...placementOf({ boundTo: nodeId }),
        RestartPolicy: { Condition: 'none' },
        ContainerSpec: {
          ...container,
          Image: parts.settings.image,
          Command: ['registry', 'garbage-collect', files[0].path],
          Mounts: [imagesVolume(parts)],
        },
      },
    },
  };
}

const madeFrom = ({ spec, files }: Draft): string =>
  createHash('sha256')
    .update(JSON.stringify([spec, files.map(({ name }) => name)]))
    .digest('hex')
    .slice(0, 16);

/** Creates files as secrets on the engine. @returns how containers mount them: only root reads them */
async function secretsOf({ docker, platformId }: RegistryEngine, files: readonly RegistryFile[], signal: AbortSignal) {
  const labels = registryLabels(platformId, 'registry');
  return Promise.all(
    files.map(async ({ name, path, content }) => ({
      SecretID: await createOrFind(
        () => createDockerSecret(docker, { name, labels, content }, { signal }),
        () => listDockerSecrets(docker, labelFilter(labels), { signal }),
        name,
      ),
      SecretName: name,
      File: mountedFile(path, 0o400),
    })),
  );
}

/** Deletes the files that no service uses any more: the engine refuses to delete those in use. */
export const deleteUnusedSecrets = ({ docker, platformId }: RegistryEngine, signal: AbortSignal): Promise<void> =>
  deleteFilesBut(docker, labelFilter(registryLabels(platformId, 'registry')), [], signal);

/**
 * Updates a service of the registry to its draft, if they differ.
 * @param present the service on the engine; undefined if there is none
 * @returns whether anything changed
 */
export async function applyDraft(
  engine: RegistryEngine,
  present: DockerService | undefined,
  draft: Draft,
  facts: Pick<RegistryFacts, 'isReadOnly' | 'cleanedAt'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { docker, platformId, settings, credentialsFor } = engine;
  const made = madeFrom(draft);
  if (present !== undefined && registryFactsOf(present.Spec.Labels).made === made) return false;
  const {
    spec: { TaskTemplate: task, ...spec },
    part,
  } = draft;
  const labels = registryLabels(platformId, part);
  const complete = {
    ...spec,
    Labels: withRegistryFacts(labels, { made, host: registryHost(settings), ...facts }),
    TaskTemplate: {
      ...task,
      ContainerSpec: { ...task.ContainerSpec, Labels: labels, Secrets: await secretsOf(engine, draft.files, signal) },
    },
  };
  const credentials = credentialsFor(hostOfImage(task.ContainerSpec.Image));
  if (present === undefined) await createDockerService(docker, complete, credentials, { signal });
  else await updateDockerService(docker, present.ID, present.Version.Index, complete, credentials, { signal });
  return true;
}
