import { condition } from '../../../../contract/index.ts';
import { ConditionError, type Observation, type RuntimeCall, type Task, type TaskInputs } from '../../index.ts';
import { databaseImage, dataStorage, dataVersionOf } from '../databases/databases.ts';
import { hostOfRegistry, publicRegistry, requireAllowedRegistry } from '../builds/image-reach.ts';
import type { DockerContext } from '../docker-context.ts';
import {
  inspectDockerDistribution,
  inspectDockerImage,
  isDockerError,
  pullDockerImage,
  type DockerRegistryCredentials,
} from '../api/index.ts';
import { observeWork } from '../observe-work.ts';
import { volumeName } from '../names.ts';
import { type DockerRecord, readRecord, writeRecord } from '../record.ts';
import type { TaskHandler } from '../task-handler.ts';

/** The location of an image: the host of its registry, and its name there with the tag. */
interface ImageReference {
  readonly host: string;
  readonly repository: string;
  readonly tag: string;
}

/** Returns the image that a service names. @throws Error for a service that names none */
function imageOf(service: Task['service']): {
  readonly image_name: string;
  readonly tag: string;
  readonly registry_id?: string | undefined;
} {
  const image =
    service.kind === 'container' ? service.spec : service.kind === 'job' ? service.spec.source.image : undefined;
  if (image === undefined) throw new Error(`The image of this ${service.kind} isn't pulled.`);
  return image;
}

/**
 * Returns the location of a service's image; without a registry, it is in the public one.
 * @throws Error if its registry no longer exists
 */
function referenceOf(
  { databaseImages }: Pick<DockerContext, 'databaseImages'>,
  { service }: Task,
  { registry }: TaskInputs,
): ImageReference {
  if (service.kind === 'database') return databaseImage(service.spec, databaseImages);
  const { image_name: repository, tag, registry_id: registryId } = imageOf(service);
  if (registry === undefined && registryId !== undefined)
    throw new Error('The registry of the image no longer exists: choose another one for the service.');
  return { host: registry === undefined ? publicRegistry : hostOfRegistry(registry), repository, tag };
}

const keyOf = ({ deploymentId, service }: Task): string => `pull/${deploymentId}/${service.id}`;

/**
 * Returns why an image can't be pulled, from the registry's response, because an engine hardly distinguishes failures
 * of a pull.
 */
function refusalOf(error: unknown, image: string, registry: string): Error {
  const denied = (): Error => new ConditionError(condition('PULL_DENIED', { image, registry }), { cause: error });
  if (isDockerError(error, 'unreachable', 'no manager', 'no leader')) return error;
  if (isDockerError(error, 'not found'))
    return new ConditionError(condition('IMAGE_NOT_FOUND', { image, registry }), { cause: error });
  if (isDockerError(error, 'refused')) return denied();
  if (isDockerError(error, 'failed') && /unauthorized|denied|no basic auth/i.test(error.reason)) return denied();
  if (isDockerError(error, 'timeout'))
    return new ConditionError(condition('IMAGE_NOT_PULLED', { image, said: error.reason, silent: registry }), {
      cause: error,
    });
  if (isDockerError(error))
    return new ConditionError(condition('IMAGE_NOT_PULLED', { image, said: error.reason }), { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

/** Resolves the tag to a digest, and pulls that. */
async function pull(
  { docker: engines }: Pick<DockerContext, 'docker'>,
  { host, repository, tag }: ImageReference,
  credentials: DockerRegistryCredentials | undefined,
  say: (message: string) => void,
  signal: AbortSignal,
): Promise<DockerRecord> {
  const name = `${host}/${repository}`;
  const reference = `${name}:${tag}`;
  try {
    // The image is inspected on the engine that pulled it.
    const docker = await engines.engine();
    const {
      Descriptor: { digest },
    } = await inspectDockerDistribution(docker, reference, credentials, { signal });
    const image = `${name}@${digest}`;
    say(`Pulling ${reference} (${digest})`);
    for await (const { status, id } of pullDockerImage(docker, image, credentials, { signal })) {
      if (status !== undefined && id !== undefined && /^(?:Pull complete|Already exists)$/.test(status))
        say(`${id}: ${status}`);
    }
    const { Config: config } = await inspectDockerImage(docker, image, { signal });
    say(`Pulled ${reference}`);
    return { image, entrypoint: [...(config?.Entrypoint ?? [])], command: [...(config?.Cmd ?? [])] };
  } catch (error) {
    throw refusalOf(error, reference, host);
  }
}

/** The data of a database that a later deployment needs. A restoration uses a new volume. */
const dataOf = ({
  service,
  deploymentId,
  restoration,
  runningRecord,
}: Task): Pick<DockerRecord, 'dataVersion' | 'data'> =>
  service.kind !== 'database'
    ? {}
    : {
        dataVersion: dataVersionOf(service.spec),
        data: restoration
          ? { volume: volumeName(service, `${dataStorage}-${deploymentId.slice(0, 13)}`), nodeId: restoration.place }
          : readRecord(runningRecord)?.data,
      };

/** The parts of the context that a pull takes. */
export type PullContext = Pick<
  DockerContext,
  'databaseImages' | 'work' | 'docker' | 'credentialsFor' | 'isKnownRegistry'
>;

/** Starts to pull the image of a service. */
export async function beginPull(context: PullContext, task: Task, { inputs }: RuntimeCall): Promise<void> {
  const given = await inputs();
  const reference = referenceOf(context, task, given);
  const { host } = reference;
  // The images of databases are the operator's.
  const registry = task.service.kind === 'database' ? undefined : given.registry;
  const credentials = registry?.credentials
    ? { ...registry.credentials, serveraddress: host }
    : context.credentialsFor(host);
  context.work.begin(keyOf(task), async (say, signal) => {
    if (registry) await requireAllowedRegistry(context, host);
    return pull(context, reference, credentials, say, signal);
  });
}

/** Reports the progress of a pull. A pull that another process started is started again. */
export async function observePull(
  context: PullContext & Pick<DockerContext, 'clock'>,
  task: Task,
  cursor: string | null,
  call: RuntimeCall,
): Promise<Observation> {
  const key = keyOf(task);
  const observation = await observeWork(context, task, cursor, {
    key,
    pod: 'registry',
    begin: () => beginPull(context, task, call),
    onSuccess: (result) => ({ record: writeRecord({ ...(result as DockerRecord), ...dataOf(task) }) }),
  });
  if (observation.outcome !== 'ongoing') context.work.drop(key);
  return observation;
}

/** Stops a pull that is no longer needed. */
export const abandonPull = ({ work }: Pick<DockerContext, 'work'>, task: Task): void => work.drop(keyOf(task));

/** Pulls the image of a service. */
export const imagePull: TaskHandler = { begin: beginPull, observe: observePull, abandon: abandonPull };
