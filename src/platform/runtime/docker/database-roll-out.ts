import type { Observation, RuntimeCall, Task } from '../index.ts';
import { dataVersionOf } from './databases.ts';
import type { DockerContext } from './docker-context.ts';
import { abandonPull, beginPull, observePull } from './pull.ts';
import { deleteUnusedFiles } from './mounted-files.ts';
import { readRecord } from './record.ts';
import { abandonRollOut, beginRollOut, observeRollOut } from './roll-out.ts';
import { findDockerService } from './services-of-ours.ts';
import { versionShown } from './version.ts';

/** The cursor between the pull and the rollout. */
const pulled = 'pulled';

/** Why the data of the running version can't be read by this one; undefined if it can. */
function dataRefusal({ service, runningRecord }: Task): string | undefined {
  const present = readRecord(runningRecord)?.dataVersion;
  const wanted = service.kind === 'database' ? dataVersionOf(service.spec) : undefined;
  if (present === undefined || wanted === undefined || present === wanted) return undefined;
  return `The data of ${service.name} is of major version ${present}, which version ${wanted} can't read. Nothing was changed. `
    + `Set the version back to ${present}; to move to ${wanted}, create a second database of that version, and copy the data with pg_dump and pg_restore.`;
}

/** Begins to pull the image of a database. The phase has its rollout too: databases have no phase for pulls. */
export async function beginDatabaseRollOut(context: DockerContext, task: Task, call: RuntimeCall): Promise<void> {
  if (dataRefusal(task) === undefined) await beginPull(context, task, call);
}

/** How far a database is: its image is pulled, recorded, and then rolled out. */
export async function observeDatabaseRollOut(context: DockerContext, task: Task, cursor: string | null, call: RuntimeCall): Promise<Observation> {
  const now = context.clock.now();
  const reason = dataRefusal(task);
  if (reason !== undefined) return { outcome: 'failed', reason, cursor: '', lines: [{ at: now, message: reason, pod: 'rollout', version: versionShown(task) }] };
  if (readRecord(task.record) === undefined) {
    const seen = await observePull(context, task, cursor, call);
    return seen.outcome === 'succeeded' ? { ...seen, outcome: 'ongoing', cursor: pulled, nextPollAt: now } : seen;
  }
  if (cursor === pulled) await beginRollOut(context, task, call);
  const seen = await observeRollOut(context, task, cursor === pulled ? null : cursor, call);
  // No phase follows that could fail: what the version before had is not needed any more.
  if (seen.outcome === 'succeeded') await deleteUnusedFiles(context, task.service, (await findDockerService(context, task.service, call.signal))?.Spec, call.signal);
  return seen;
}

/** Undoes what was begun. */
export async function abandonDatabaseRollOut(context: DockerContext, task: Task, signal: AbortSignal): Promise<void> {
  abandonPull(context, task);
  await abandonRollOut(context, task, signal);
}
