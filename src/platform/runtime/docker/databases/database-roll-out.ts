import { condition, type Condition } from '../../../../contract/index.ts';
import { conditionLine, type Observation, type RuntimeCall, type RuntimeOperation, type Task } from '../../index.ts';
import { restoreDatabaseBackup } from './backups/restore.ts';
import { dataVersionOf } from './databases.ts';
import type { DockerContext, OwnObjects, RegistryAccess } from '../docker-context.ts';
import {
  deleteDockerSecret,
  deleteDockerService,
  ignoring,
  listDockerSecrets,
  listDockerServices,
} from '../api/index.ts';
import { labelFilter, runOfLabels } from '../labels.ts';
import { abandonPull, beginPull, observePull, type PullContext } from '../services/pull.ts';
import { deleteUnusedFiles } from '../services/mounted-files.ts';
import { readRecord } from '../record.ts';
import { abandonRollOut, beginRollOut, observeRollOut } from '../services/roll-out.ts';
import { findDockerService } from '../services/services-of-ours.ts';
import { serviceRemoval } from '../services/take-down.ts';
import type { TaskHandler } from '../task-handler.ts';
import { versionShown } from '../version.ts';

/** The cursor between the pull and the rollout. */
const pulled = 'pulled';

/** The condition that this version can't read the data of the running one; undefined if it can. */
function dataRefusal({ service, runningRecord }: Task): Condition | undefined {
  const present = readRecord(runningRecord)?.dataVersion;
  const wanted = service.kind === 'database' ? dataVersionOf(service.spec) : undefined;
  if (present === undefined || wanted === undefined || present === wanted) return undefined;
  return condition('DATA_VERSION_MISMATCH', { service: service.name, present, wanted });
}

/** Starts to pull the image of a database. The phase also includes its rollout: databases have no phase for pulls. */
async function beginDatabaseRollOut(context: PullContext, task: Task, call: RuntimeCall): Promise<void> {
  if (dataRefusal(task) === undefined) await beginPull(context, task, call);
}

/** Observes the rollout of a database: its image is pulled, recorded, and then rolled out. */
async function observeDatabaseRollOut(
  context: DockerContext,
  task: Task,
  cursor: string | null,
  call: RuntimeCall,
): Promise<Observation> {
  const now = context.clock.now();
  const why = dataRefusal(task);
  if (why !== undefined)
    return {
      outcome: 'failed',
      why,
      cursor: '',
      lines: [conditionLine(why, { at: now, pod: 'rollout', version: versionShown(task) })],
    };
  if (readRecord(task.record) === undefined) {
    const seen = await observePull(context, task, cursor, call);
    return seen.outcome === 'succeeded' ? { ...seen, outcome: 'ongoing', cursor: pulled, nextPollAt: now } : seen;
  }
  if (cursor === pulled) await beginRollOut(context, task, call);
  const seen = await observeRollOut(context, task, cursor === pulled ? null : cursor, call);
  // No phase follows that could fail: the files of the previous version are no longer needed.
  if (seen.outcome === 'succeeded')
    await deleteUnusedFiles(
      context,
      task.service,
      (await findDockerService(context, task.service, call.signal))?.Spec,
      call.signal,
    );
  return seen;
}

/** Undoes the pull and the rollout. */
async function abandonDatabaseRollOut(
  context: OwnObjects & RegistryAccess & Pick<DockerContext, 'work'>,
  task: Task,
  signal: AbortSignal,
): Promise<void> {
  abandonPull(context, task);
  await abandonRollOut(context, task, signal);
}

const rollOut: TaskHandler = {
  begin: beginDatabaseRollOut,
  observe: observeDatabaseRollOut,
  abandon: abandonDatabaseRollOut,
};

const rollOutOf = ({ restoration }: Task): TaskHandler => (restoration === undefined ? rollOut : restoreDatabaseBackup);

/** Removes the runs for a database, such as a backup. */
async function endRuns({ docker }: Pick<DockerContext, 'docker'>, task: Task, signal: AbortSignal): Promise<void> {
  const labels = labelFilter(runOfLabels(task.service));
  const [services, secrets] = [
    await listDockerServices(docker, labels, { signal }),
    await listDockerSecrets(docker, labels, { signal }),
  ];
  const deletions = [
    ...services.map(
      ({ ID }) =>
        () =>
          deleteDockerService(docker, ID, { signal }),
    ),
    ...secrets.map(
      ({ ID }) =>
        () =>
          deleteDockerSecret(docker, ID, { signal }),
    ),
  ];
  for (const remove of deletions) {
    // A secret can be removed once its service is.
    await remove().catch(ignoring('not found', 'refused'));
  }
}

/** The operations that differ for databases. */
export const databaseOperations: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>> = {
  rollOut: {
    begin: (context, task, call) => rollOutOf(task).begin(context, task, call),
    observe: (context, task, cursor, call) => rollOutOf(task).observe(context, task, cursor, call),
    abandon: (context, task, signal) => rollOutOf(task).abandon(context, task, signal),
  },
  remove: {
    ...serviceRemoval,
    begin: async (context, task, call) => {
      await endRuns(context, task, call.signal);
      await serviceRemoval.begin(context, task, call);
    },
  },
};
