import { condition, type Condition, firstPart } from '../../../../../contract/index.ts';
import { mebibyte } from '../../../../common/index.ts';
import type { DatabaseCredentials, RunningDatabase } from '../../../index.ts';
import { dataDirectoryOf } from '../databases.ts';
import type { DockerContext, OwnObjects, RegistryAccess } from '../../docker-context.ts';
import {
  createDockerSecret,
  createDockerService,
  createOrFind,
  deleteDockerSecret,
  deleteDockerService,
  type DockerServiceSpec,
  type DockerTask,
  inspectDockerService,
  ignoring,
  isDockerError,
  listDockerNodes,
  listDockerSecrets,
  listDockerTasks,
  readDockerServiceLogs,
} from '../../api/index.ts';
import { isUnschedulable } from '../../instance-states.ts';
import { ensureNetwork } from '../../services/environment-network.ts';
import { labelFilter, runLabels, serviceLabels } from '../../labels.ts';
import { networkName, volumeName } from '../../names.ts';
import { credentialsForImage } from '../../builds/image-reach.ts';
import { boundNode, placementOf } from '../../nodes/placement.ts';
import { backupsPath, passwordFile } from './scripts.ts';
import { mountedFile } from '../../file-objects.ts';

/** A script that runs once, with the tools of a database's image and a volume with backups, on one node. */
export interface OneShot {
  /** Unique among all runs; at most 48 characters. */
  readonly id: string;
  readonly database: RunningDatabase['service'];
  readonly image: string;
  readonly script: string;
  /** The id of the backup that it works with. */
  readonly backupId: string;
  readonly nodeId: string;
  /** The server that the tools connect to, and the credentials; absent if there is none. */
  readonly server?: { readonly host: string; readonly credentials: () => Promise<DatabaseCredentials> };
  /**
   * Whether it only reads backups. The content of a backup comes from anyone who could write to the database, and is
   * executed when it is restored.
   */
  readonly onlyReads?: true;
  /** The time limit, in seconds. */
  readonly limitSeconds: number;
  /** Confirms that it is still wanted, right before it starts. */
  readonly confirm?: () => Promise<void>;
}

/** The progress of a run. A run that has ended exists until it is cleaned up. */
export type OneShotProgress =
  | { readonly outcome: 'ongoing' }
  | { readonly outcome: 'succeeded'; readonly lines: readonly string[] }
  | { readonly outcome: 'failed'; readonly why: Condition };

/** How long a server or script may wait for room on its node, in milliseconds. */
export const roomMilliseconds = 60_000;

/** How long the log of a finished run may take to appear, in milliseconds. */
const logMilliseconds = 5000;

const nameOf = ({ id }: Pick<OneShot, 'id'>): string => `infra-run-${id}`;

/** A password in the file format of PostgreSQL's tools, for any server. */
const pgpass = (password: string): string => `*:*:*:*:${password.replaceAll(/[\\:]/g, String.raw`\$&`)}\n`;

/** Creates the secret of a run, or finds that of an interrupted attempt. @returns its id */
async function ensureSecret(
  { docker, platformId }: OwnObjects,
  run: OneShot,
  content: string,
  signal: AbortSignal,
): Promise<string> {
  const labels = runLabels(platformId, run.database, run.id);
  return createOrFind(
    () => createDockerSecret(docker, { name: nameOf(run), labels, content: Buffer.from(content) }, { signal }),
    () => listDockerSecrets(docker, labelFilter(labels), { signal }),
    nameOf(run),
  );
}

/** The engine's service of a run. It contains no secret. */
function specOf(
  { platformId }: Pick<DockerContext, 'platformId'>,
  run: OneShot,
  access: { readonly secretId: string; readonly name: string; readonly user: string } | undefined,
): DockerServiceSpec {
  const { database, image, script, backupId, nodeId, server, onlyReads = false } = run;
  const labels = runLabels(platformId, database, run.id);
  const connection =
    access && server
      ? [
          `PGHOST=${server.host}`,
          `PGDATABASE=${access.name}`,
          `PGUSER=${access.user}`,
          `PGPASSFILE=${passwordFile}`,
          'PGCONNECT_TIMEOUT=10',
        ]
      : [];
  return {
    Name: nameOf(run),
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Command: ['/bin/sh', '-c', script],
        Env: [`BACKUP=${backupId}`, ...connection],
        User: '0',
        Labels: labels,
        Init: true,
        Healthcheck: { Test: ['NONE'] },
        Mounts: [
          {
            Type: 'volume',
            Source: volumeName(database, 'backups'),
            Target: backupsPath,
            ReadOnly: onlyReads,
            VolumeOptions: { Labels: serviceLabels(platformId, database) },
          },
          // The image declares a volume there, and would get an anonymous one.
          { Type: 'tmpfs', Target: dataDirectoryOf(database.spec), TmpfsOptions: { SizeBytes: mebibyte } },
        ],
        ...(access && {
          Secrets: [{ SecretID: access.secretId, SecretName: nameOf(run), File: mountedFile(passwordFile, 0o400) }],
        }),
      },
      Resources: {
        Limits: { NanoCPUs: Math.max(database.spec.cpu, 500) * 1e6, MemoryBytes: 512 * mebibyte, Pids: 256 },
      },
      RestartPolicy: { Condition: 'none' },
      Networks: [{ Target: networkName(database.environmentId) }],
      LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '1' } },
      ...placementOf({ boundTo: nodeId }),
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  };
}

async function begin(context: OwnObjects & RegistryAccess, run: OneShot, signal: AbortSignal): Promise<void> {
  const { docker } = context;
  await ensureNetwork(context, run.database.environmentId, signal);
  const credentials = await run.server?.credentials();
  const access = credentials && {
    ...credentials,
    secretId: await ensureSecret(context, run, pgpass(credentials.password), signal),
  };
  await run.confirm?.();
  await createDockerService(docker, specOf(context, run, access), credentialsForImage(context, run.image), {
    signal,
  }).catch((error: unknown) => {
    // Another attempt has just started it.
    if (!isDockerError(error, 'conflict')) throw error;
  });
}

/** The log of a run, as far as it can be read. */
async function linesOf(
  { docker }: Pick<DockerContext, 'docker'>,
  run: OneShot,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    for await (const { text } of readDockerServiceLogs(docker, nameOf(run), {
      tail: 40,
      signal,
      timeoutMilliseconds: logMilliseconds,
    }))
      lines.push(text);
  } catch (error) {
    if (!isDockerError(error, 'not found', 'timeout', 'failed')) throw error;
  }
  return lines;
}

const endedAt = ({ Status }: DockerTask): number => Date.parse(Status.Timestamp);

/** Why a run failed, with the end of its output. */
const failureOf = ({ Status }: DockerTask, lines: readonly string[]): Condition => {
  const said = firstPart(
    lines
      .slice(-3)
      .map((line) => line.trim())
      .join(' '),
    500,
  );
  return said === ''
    ? condition('SCRIPT_ENDED', { said: Status.Err ?? `exit code ${Status.ContainerStatus?.ExitCode ?? 'unknown'}` })
    : condition('SCRIPT_FAILED', { said });
};

/** Why an unfinished run can't continue; undefined if it can. */
async function problemOf(
  { docker, clock }: Pick<DockerContext, 'clock' | 'docker'>,
  run: OneShot,
  tasks: readonly DockerTask[],
  createdAt: number,
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const node = (await listDockerNodes(docker, { id: [run.nodeId] }, { signal })).find(({ ID }) => ID === run.nodeId);
  const passed = clock.now() - createdAt;
  if (node === undefined || node.Status.State === 'down')
    return condition('SCRIPT_NODE_LOST', { node: node?.Description.Hostname ?? run.nodeId });
  if (passed > roomMilliseconds && tasks.some(isUnschedulable))
    return condition('SCRIPT_WITHOUT_ROOM', {
      node: node.Description.Hostname,
      said: tasks.find(isUnschedulable)?.Status.Err ?? 'the engine gave no reason',
    });
  return passed > run.limitSeconds * 1000 ? condition('SCRIPT_OVERDUE', { seconds: run.limitSeconds }) : undefined;
}

/** Starts a run unless it exists, and reports its progress. */
export async function observeOneShot(
  context: OwnObjects & RegistryAccess & Pick<DockerContext, 'clock' | 'leftLinks'>,
  run: OneShot,
  signal: AbortSignal,
): Promise<OneShotProgress> {
  const { docker, clock } = context;
  const present = await inspectDockerService(docker, nameOf(run), { signal }).catch(ignoring('not found'));
  if (present === undefined) {
    await begin(context, run, signal);
    return { outcome: 'ongoing' };
  }
  if (boundNode(present.Spec.TaskTemplate) !== run.nodeId)
    throw new Error(`The engine has a service ${nameOf(run)} that was created for something else. Remove it.`);
  const tasks = await listDockerTasks(docker, { service: [present.ID] }, { signal });
  await context.leftLinks.removeFor(tasks, signal);
  const ended =
    tasks.find(({ Status: { State: state } }) => state === 'complete') ??
    tasks.find(({ Status: { State: state } }) => state === 'failed' || state === 'rejected');
  if (ended === undefined) {
    const problem = await problemOf(context, run, tasks, Date.parse(present.CreatedAt), signal);
    return problem === undefined ? { outcome: 'ongoing' } : { outcome: 'failed', why: problem };
  }
  const lines = await linesOf(context, run, signal);
  if (lines.length === 0 && clock.now() - endedAt(ended) < logMilliseconds) return { outcome: 'ongoing' };
  return ended.Status.State === 'complete'
    ? { outcome: 'succeeded', lines }
    : { outcome: 'failed', why: failureOf(ended, lines) };
}

/** Removes a run and its secret, whether it has ended or not. Does nothing if it doesn't exist. */
export async function cleanOneShot(
  { docker }: Pick<DockerContext, 'docker'>,
  run: Pick<OneShot, 'id'>,
  signal: AbortSignal,
): Promise<void> {
  await deleteDockerService(docker, nameOf(run), { signal }).catch(ignoring('not found'));
  await deleteDockerSecret(docker, nameOf(run), { signal }).catch(ignoring('not found', 'refused'));
}
