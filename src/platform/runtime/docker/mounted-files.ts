import type { ResolvedVariable, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { createDockerConfig, createDockerSecret, deleteDockerConfig, deleteDockerSecret, isDockerError, listDockerConfigs, listDockerSecrets, type DockerContainerSpec, type DockerFileSpec, type DockerLabels, type DockerServiceSpec } from './engine/index.ts';
import { deploymentLabels, labelFilter, serviceLabels } from './labels.ts';
import { fileName } from './names.ts';
import { containerProgram } from './programs.ts';
import { encodeSecretVariables, secretVariablesPath } from './secret-variables.ts';

type Files = Pick<DockerContainerSpec, 'Secrets' | 'Configs'>;

/** Any user of the container may use it: programs seldom run as root. */
const mounted = (path: string, mode: number) => ({ Name: path, UID: '0', GID: '0', Mode: mode });

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
  variables.flatMap(({ value, isSecret, mountPath }) => (mountPath === undefined ? [] : [{ path: mountPath, content: Buffer.from(value), isSecret }]))
    .map((file, index) => ({ ...file, name: fileName(task.service, task.deploymentId, String(index)), mode: readable }));

/** Whether a variable reaches the process as a variable, and must not show on the engine. */
export const isSecretVariable = ({ isSecret, mountPath }: ResolvedVariable): boolean => isSecret && mountPath === undefined;

/** The programs that a service needs beside its own, and the file that they read. */
function programFiles(task: Task, variables: readonly ResolvedVariable[], { architecture, probes }: ProgramNeeds): FileToMount[] {
  const secret = variables.filter(isSecretVariable);
  const programs = [...(secret.length > 0 ? ['entrypoint' as const] : []), ...(probes ? ['probe' as const] : [])];
  const file = { name: fileName(task.service, task.deploymentId, 'variables'), path: secretVariablesPath, mode: readable, isSecret: true };
  return [
    ...programs.map((name) => ({ ...containerProgram(name, architecture), name: fileName(task.service, task.deploymentId, name), isSecret: false })),
    ...(secret.length > 0 ? [{ ...file, content: encodeSecretVariables(secret) }] : []),
  ];
}

/** What decides which programs a service needs. */
export interface ProgramNeeds {
  /** The kind of CPU of the nodes. */
  readonly architecture: string;
  readonly probes: boolean;
}

/** Creates a secret or config, or finds the one that an interrupted attempt created. Their content never changes. */
async function ensure(create: () => Promise<string>, find: () => Promise<readonly { readonly ID: string; readonly Spec: { readonly Name: string } }[]>, name: string): Promise<string> {
  try {
    return await create();
  } catch (error) {
    if (!isDockerError(error, 'conflict')) throw error;
    const found = (await find()).find(({ Spec }) => Spec.Name === name);
    if (found === undefined) throw error;
    return found.ID;
  }
}

/** Gives the files of a service to the engine, and returns how the service mounts them. @throws Error if a variable can't be had, which it names without its value */
export async function createFiles(context: DockerContext, task: Task, variables: readonly ResolvedVariable[], needs: ProgramNeeds, signal: AbortSignal): Promise<Files> {
  const { docker, platformId } = context;
  const call = { signal };
  const labels = deploymentLabels(platformId, task);
  const secrets: NonNullable<Files['Secrets']>[number][] = [];
  const configs: NonNullable<Files['Configs']>[number][] = [];
  for (const { name, path, mode, content, isSecret } of [...variableFiles(task, variables), ...programFiles(task, variables, needs)]) {
    const spec: DockerFileSpec = { name, labels, content };
    const File = mounted(path, mode);
    if (isSecret) {
      // oxlint-disable-next-line no-await-in-loop -- a few, in order.
      const id = await ensure(() => createDockerSecret(docker, spec, call), () => listDockerSecrets(docker, labelFilter(labels), call), name);
      secrets.push({ SecretID: id, SecretName: name, File });
    } else {
      // oxlint-disable-next-line no-await-in-loop -- a few, in order.
      const id = await ensure(() => createDockerConfig(docker, spec, call), () => listDockerConfigs(docker, labelFilter(labels), call), name);
      configs.push({ ConfigID: id, ConfigName: name, File });
    }
  }
  return { Secrets: secrets, Configs: configs };
}

const usedBy = (spec: DockerServiceSpec | undefined): ReadonlySet<string> => {
  const { Secrets = [], Configs = [] } = spec?.TaskTemplate.ContainerSpec ?? {};
  return new Set([...Secrets.map(({ SecretID }) => SecretID), ...Configs.map(({ ConfigID }) => ConfigID)]);
};

/** Deletes something, unless it is gone or in use. */
const drop = async (remove: () => Promise<void>): Promise<void> => {
  await remove().catch((error: unknown) => {
    if (!isDockerError(error, 'not found', 'refused')) throw error;
  });
};

/** Deletes the secrets and configs with all of these labels, apart from those that are used. What is still in use stays for the next time. */
async function deleteFiles({ docker }: DockerContext, labels: DockerLabels, used: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  const filters = labelFilter(labels);
  const [secrets, configs] = await Promise.all([listDockerSecrets(docker, filters, { signal }), listDockerConfigs(docker, filters, { signal })]);
  await Promise.all([
    ...secrets.filter(({ ID }) => !used.has(ID)).map(({ ID }) => drop(() => deleteDockerSecret(docker, ID, { signal }))),
    ...configs.filter(({ ID }) => !used.has(ID)).map(({ ID }) => drop(() => deleteDockerConfig(docker, ID, { signal }))),
  ]);
}

/** Deletes what a service has of secrets and configs, apart from those that a spec uses, or another one that may come back. */
export const deleteUnusedFiles = (context: DockerContext, service: Task['service'], inUse: DockerServiceSpec | undefined, signal: AbortSignal, mayComeBack?: DockerServiceSpec): Promise<void> =>
  deleteFiles(context, serviceLabels(context.platformId, service), new Set([...usedBy(inUse), ...usedBy(mayComeBack)]), signal);

/** Deletes the secrets and configs that one deployment of a service made. */
export const deleteFilesOfDeployment = (context: DockerContext, task: Pick<Task, 'service' | 'deploymentId'>, signal: AbortSignal): Promise<void> =>
  deleteFiles(context, deploymentLabels(context.platformId, task), new Set(), signal);
