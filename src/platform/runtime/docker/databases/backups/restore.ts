import { setTimeout as delay } from 'node:timers/promises';
import { type Condition, condition } from '../../../../../contract/index.ts';
import { type Observation, type Task, toldLine } from '../../../index.ts';
import type { DockerContext, OwnObjects } from '../../docker-context.ts';
import {
  createDockerService,
  deleteDockerService,
  ignoring,
  type DockerService,
  inspectDockerService,
  listDockerTasks,
  updateDockerService,
} from '../../api/index.ts';
import { hasFailed, isUnschedulable, hasEnded, isUp } from '../../instance-states.ts';
import { ensureNetwork } from '../../services/environment-network.ts';
import { instanceFailure } from '../../services/instance-failure.ts';
import { runLabels } from '../../labels.ts';
import { deleteFilesOfDeployment } from '../../services/mounted-files.ts';
import { volumeName } from '../../names.ts';
import { boundNode } from '../../nodes/placement.ts';
import { imagePull } from '../../services/pull.ts';
import { readRecord } from '../../record.ts';
import { abandonRollOut, beginRollOut, observeRollOut, specOfTask } from '../../services/roll-out.ts';
import { credentialsForImage } from '../../builds/image-reach.ts';
import { inSequence, nothing, type TaskHandler } from '../../task-handler.ts';
import { versionShown } from '../../version.ts';
import { dataStorage } from '../databases.ts';
import { readBackupRecord } from './backup-record.ts';
import { cleanOneShot, observeOneShot, roomMilliseconds } from './one-shot.ts';
import { newVolumeText, nodeNameOf, removeNewVolume } from './new-volume.ts';
import { restoreScript } from './scripts.ts';

const pollMilliseconds = 500;

/** The number of failures of the empty server after which the restoration fails. */
const mostFailures = 3;

/** How long a container that has just exited may hold the volume that the backup was copied into, in milliseconds. */
const heldMilliseconds = 20_000;

/** The name of the server that a backup is copied into. Other services of the environment don't know it. */
const serverName = ({ deploymentId }: Pick<Task, 'deploymentId'>): string => `infra-restore-${deploymentId}`;

const runId = ({ deploymentId }: Pick<Task, 'deploymentId'>): string => `${deploymentId}-restore`;

/** The database of a task, and the backup to restore it from. @throws Error for any other task */
function restorationOf({ service, restoration }: Task) {
  if (service.kind !== 'database' || restoration === undefined)
    throw new Error('This deployment restores no database.');
  return { database: service, ...restoration, from: readBackupRecord(restoration.record) };
}

const ongoing = (context: Pick<DockerContext, 'clock'>, task: Task, messages: readonly string[] = []): Observation => {
  const now = context.clock.now();
  return { outcome: 'ongoing', cursor: 'begun', nextPollAt: now + pollMilliseconds, ...told(context, task, messages) };
};

const told = (
  { clock }: Pick<DockerContext, 'clock'>,
  task: Task,
  all: readonly (Condition | string)[],
): Pick<Observation, 'lines'> => ({
  lines: all.map((each) => toldLine(each, { at: clock.now(), pod: 'restore', version: versionShown(task) })),
});

const succeeded = (context: Pick<DockerContext, 'clock'>, task: Task, ...messages: string[]): Observation => ({
  outcome: 'succeeded',
  cursor: 'done',
  ...told(context, task, messages),
});

const failed = (context: Pick<DockerContext, 'clock'>, task: Task, cause: Condition): Observation => {
  const why = condition('NOT_RESTORED', { backup: task.restoration!.backup, cause });
  return { outcome: 'failed', why, cursor: 'failed', ...told(context, task, [why]) };
};

const findServer = (
  { docker }: Pick<DockerContext, 'docker'>,
  task: Task,
  signal: AbortSignal,
): Promise<DockerService | undefined> =>
  inspectDockerService(docker, serverName(task), { signal }).catch(ignoring('not found'));

/** An empty server with the new volume of the database, under a name that no other service knows. */
const emptyServer: TaskHandler = {
  begin: async (context, task, call) => {
    if (await findServer(context, task, call.signal)) return;
    const { database } = restorationOf(task);
    await ensureNetwork(context, task.service.environmentId, call.signal);
    const { Labels: _, ...spec } = await specOfTask(context, task, call);
    const labels = runLabels(context.platformId, database, runId(task));
    const server = {
      ...spec,
      Name: serverName(task),
      Labels: labels,
      TaskTemplate: {
        ...spec.TaskTemplate,
        ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, Labels: labels },
        Networks: (spec.TaskTemplate.Networks ?? []).map(({ Target }) => ({ Target })),
      },
    };
    // Never at the same time as the database itself, which may use the volume by now.
    await call.confirm();
    await createDockerService(
      context.docker,
      server,
      credentialsForImage(context, spec.TaskTemplate.ContainerSpec.Image),
      { signal: call.signal },
    ).catch(ignoring('conflict'));
  },
  observe: async (context, task, cursor, { signal }) => {
    const server = await findServer(context, task, signal);
    if (server === undefined) return failed(context, task, condition('EMPTY_SERVER_REMOVED', {}));
    const tasks = await listDockerTasks(context.docker, { service: [server.ID] }, { signal });
    await context.leftLinks.removeFor(tasks, signal);
    if (tasks.some(isUp)) return succeeded(context, task, `Copying the backup ${task.restoration!.backup}`);
    const failures = tasks.filter(hasFailed);
    if (failures.length >= mostFailures)
      return failed(
        context,
        task,
        condition('EMPTY_SERVER_FAILED', { cause: await instanceFailure(context, failures[0]!, signal) }),
      );
    const unschedulable = tasks.find(isUnschedulable);
    if (unschedulable && context.clock.now() - Date.parse(server.CreatedAt) > roomMilliseconds)
      return failed(
        context,
        task,
        condition('SCRIPT_WITHOUT_ROOM', { said: unschedulable.Status.Err ?? 'the engine gave no reason' }),
      );
    return ongoing(
      context,
      task,
      cursor === null
        ? [
            `Starting an empty server, which other services can't reach, with ${await newVolumeText(context, task, signal)}`,
          ]
        : [],
    );
  },
  abandon: nothing,
};

/** Copies the backup into that server: all of it, or nothing. */
const copy: TaskHandler = {
  begin: nothing,
  observe: async (context, task, _cursor, { inputs, confirm, signal }) => {
    const { database, backupId, from } = restorationOf(task);
    const credentials = async () => {
      const { database: found } = await inputs();
      if (found === undefined) throw new Error('The password of the database is not known.');
      return found;
    };
    const seen = await observeOneShot(
      context,
      {
        id: runId(task),
        database,
        image: readRecord(task.record)!.image,
        script: restoreScript,
        backupId,
        nodeId: from.nodeId,
        server: { host: serverName(task), credentials },
        onlyReads: true,
        limitSeconds: task.phase.limitSeconds,
        confirm,
      },
      signal,
    );
    if (seen.outcome === 'failed') return failed(context, task, seen.why);
    return seen.outcome === 'ongoing' ? ongoing(context, task) : succeeded(context, task, 'Copied completely');
  },
  abandon: nothing,
};

/** Stops that server. The database may use its volume only when no process of it is left. */
const endServer: TaskHandler = {
  begin: nothing,
  observe: async (context, task, _cursor, { signal }) => {
    const server = await findServer(context, task, signal);
    await cleanOneShot(context, { id: runId(task) }, signal);
    if (server === undefined) return succeeded(context, task);
    if (server.Spec.Mode?.Replicated?.Replicas !== 0) {
      await updateDockerService(
        context.docker,
        server.ID,
        server.Version.Index,
        { ...server.Spec, Mode: { Replicated: { Replicas: 0 } } },
        undefined,
        { signal },
      ).catch(ignoring('stale'));
      return ongoing(context, task);
    }
    const tasks = await listDockerTasks(context.docker, { service: [server.ID] }, { signal });
    if (!tasks.every(hasEnded)) return ongoing(context, task);
    await deleteDockerService(context.docker, server.ID, { signal });
    return succeeded(context, task);
  },
  abandon: nothing,
};

/** The log message about the old data. */
async function oldDataText(
  context: Pick<DockerContext, 'docker'>,
  { runningRecord, service }: Task,
  signal: AbortSignal,
): Promise<string> {
  const before = readRecord(runningRecord);
  const volume = before?.data?.volume ?? volumeName(service, dataStorage);
  const id = before?.spec && boundNode(before.spec.TaskTemplate);
  return `The previous data is unchanged, in the volume ${volume} on the node ${id === undefined ? 'that it ran on' : await nodeNameOf(context, id, signal)}. Nothing uses it any more. If it is no longer needed, remove it there: docker volume rm ${volume}`;
}

/** Starts the database itself with that volume: from now on other services reach it. */
const serve: TaskHandler = {
  begin: beginRollOut,
  observe: async (context, task, cursor, call) => {
    const seen = await observeRollOut(context, task, cursor, call);
    if (seen.outcome !== 'succeeded') return seen;
    return {
      ...seen,
      lines: [
        ...seen.lines,
        ...told(context, task, [
          `Brought back from the backup ${task.restoration!.backup}`,
          await oldDataText(context, task, call.signal),
        ]).lines,
      ],
    };
  },
  abandon: abandonRollOut,
};

const steps = inSequence(imagePull, emptyServer, copy, endServer, serve);

/** Removes everything that a restoration created and nothing needs any more, except the volume. */
async function clear(context: OwnObjects, task: Task, signal: AbortSignal): Promise<void> {
  await cleanOneShot(context, { id: runId(task) }, signal);
  await deleteDockerService(context.docker, serverName(task), { signal }).catch(ignoring('not found'));
  await deleteFilesOfDeployment(context, task, signal);
}

/** A failed restoration whose volume is being removed. */
interface Failure {
  /** Earlier versions of the platform stored the sentence. */
  readonly failure: Condition | string;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

const readFailure = (cursor: string | null): Failure | undefined =>
  cursor?.startsWith('{"failure"') ? (JSON.parse(cursor) as Failure) : undefined;

/** Removes the volume of a failed restoration as soon as nothing holds it, and ends the restoration. */
async function giveUp(
  context: OwnObjects & Pick<DockerContext, 'clock' | 'nodeEngines'>,
  task: Task,
  { failure, since }: Failure,
  cursor: string,
  signal: AbortSignal,
): Promise<Observation> {
  const now = context.clock.now();
  const { isHeld, text } = await removeNewVolume(context, task, signal);
  if (isHeld && now - since < heldMilliseconds) return { ...ongoing(context, task), cursor };
  const why = typeof failure === 'string' ? condition('OTHER', { told: failure }) : failure;
  return { outcome: 'failed', why, cursor, ...told(context, task, text === undefined ? [] : [text]) };
}

/**
 * Restores a database from a backup, on the confirmed node. It gets a new, empty volume there, and other services reach
 * it once all of the backup is in it. Its old data is left alone.
 */
export const restoreDatabaseBackup: TaskHandler = {
  begin: steps.begin,
  observe: async (context, task, cursor, call) => {
    const failure = readFailure(cursor);
    if (failure) return giveUp(context, task, failure, cursor!, call.signal);
    const seen = await steps.observe(context, task, cursor, call);
    if (seen.outcome !== 'failed') return seen;
    await clear(context, task, call.signal);
    return {
      ...ongoing(context, task),
      lines: seen.lines,
      cursor: JSON.stringify({ failure: seen.why, since: context.clock.now() } satisfies Failure),
    };
  },
  abandon: async (context, task, signal) => {
    await steps.abandon(context, task, signal);
    await clear(context, task, signal);
    // The log gets no more lines: it names the volume from the start.
    for (let tries = 0; tries < heldMilliseconds / pollMilliseconds; tries += 1) {
      // Sequential: until nothing holds it.
      if (!(await removeNewVolume(context, task, signal)).isHeld) break;
      await delay(pollMilliseconds, undefined, { signal });
    }
  },
};
