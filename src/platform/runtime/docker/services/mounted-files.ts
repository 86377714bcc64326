import type { ResolvedVariable, Task } from '../../index.ts';
import type { OwnObjects } from '../docker-context.ts';
import {
  createDockerConfig,
  createDockerSecret,
  createOrFind,
  listDockerConfigs,
  listDockerSecrets,
  type DockerContainerSpec,
  type DockerFileSpec,
  type DockerServiceSpec,
} from '../api/index.ts';
import { deleteFilesBut, mountedFile } from '../file-objects.ts';
import { deploymentLabels, labelFilter, serviceLabels } from '../labels.ts';
import { fileName } from '../names.ts';
import { containerProgram } from '../programs/programs.ts';
import { encodeSecretVariables, secretVariablesPath } from './secret-variables.ts';

type Files = Pick<DockerContainerSpec, 'Secrets' | 'Configs'>;

interface FileToMount {
  readonly name: string;
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
  readonly isSecret: boolean;
}

const readable = 0o444;

/** The variables that are files. */
const variableFiles = (task: Task, variables: readonly ResolvedVariable[]): FileToMount[] =>
  variables
    .flatMap(({ value, isSecret, mountPath }) =>
      mountPath === undefined ? [] : [{ path: mountPath, content: Buffer.from(value), isSecret }],
    )
    .map((file, index) => ({
      ...file,
      name: fileName(task.service, task.deploymentId, String(index)),
      mode: readable,
    }));

/** Whether a variable is passed to the process as a variable, and must not be visible on the engine. */
export const isSecretVariable = ({ isSecret, mountPath }: ResolvedVariable): boolean =>
  isSecret && mountPath === undefined;

/** The programs that a service needs besides its own, and the file that they read. */
function programFiles(
  task: Task,
  variables: readonly ResolvedVariable[],
  { architecture, probes }: ProgramNeeds,
): FileToMount[] {
  const secret = variables.filter(isSecretVariable);
  const programs = [...(secret.length > 0 ? ['entrypoint' as const] : []), ...(probes ? ['probe' as const] : [])];
  const file = {
    name: fileName(task.service, task.deploymentId, 'variables'),
    path: secretVariablesPath,
    mode: readable,
    isSecret: true,
  };
  return [
    ...programs.map((name) => ({
      ...containerProgram(name, architecture),
      name: fileName(task.service, task.deploymentId, name),
      isSecret: false,
    })),
    ...(secret.length > 0 ? [{ ...file, content: encodeSecretVariables(secret) }] : []),
  ];
}

/** The facts that decide which programs a service needs. */
export interface ProgramNeeds {
  /** The CPU architecture of the nodes. */
  readonly architecture: string;
  readonly probes: boolean;
}

/**
 * Creates the files of a service on the engine, and returns how the service mounts them.
 * @throws Error if a variable is not possible; the error names the variable without its value
 */
export async function createFiles(
  context: OwnObjects,
  task: Task,
  variables: readonly ResolvedVariable[],
  needs: ProgramNeeds,
  signal: AbortSignal,
): Promise<Files> {
  const { docker, platformId } = context;
  const call = { signal };
  const labels = deploymentLabels(platformId, task);
  const secrets: NonNullable<Files['Secrets']>[number][] = [];
  const configs: NonNullable<Files['Configs']>[number][] = [];
  for (const { name, path, mode, content, isSecret } of [
    ...variableFiles(task, variables),
    ...programFiles(task, variables, needs),
  ]) {
    const spec: DockerFileSpec = { name, labels, content };
    const File = mountedFile(path, mode);
    if (isSecret) {
      const id = await createOrFind(
        () => createDockerSecret(docker, spec, call),
        () => listDockerSecrets(docker, labelFilter(labels), call),
        name,
      );
      secrets.push({ SecretID: id, SecretName: name, File });
    } else {
      const id = await createOrFind(
        () => createDockerConfig(docker, spec, call),
        () => listDockerConfigs(docker, labelFilter(labels), call),
        name,
      );
      configs.push({ ConfigID: id, ConfigName: name, File });
    }
  }
  return { Secrets: secrets, Configs: configs };
}

/**
 * Deletes the secrets and configs of a service, except those that a spec uses, or another spec to which a rollback is
 * possible.
 */
export const deleteUnusedFiles = (
  context: OwnObjects,
  service: Task['service'],
  inUse: DockerServiceSpec | undefined,
  signal: AbortSignal,
  mayComeBack?: DockerServiceSpec,
): Promise<void> =>
  deleteFilesBut(context.docker, labelFilter(serviceLabels(context.platformId, service)), [inUse, mayComeBack], signal);

/** Deletes the secrets and configs that one deployment of a service created. */
export const deleteFilesOfDeployment = (
  context: OwnObjects,
  task: Pick<Task, 'service' | 'deploymentId'>,
  signal: AbortSignal,
): Promise<void> => deleteFilesBut(context.docker, labelFilter(deploymentLabels(context.platformId, task)), [], signal);
