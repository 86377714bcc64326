import type { Condition } from '../../../../contract/index.ts';
import { type RuntimeOperation, type Task, toldLine } from '../../index.ts';
import { abandonBuild, beginBuild, observeBuild } from '../builds/build.ts';
import { beginFetch, observeFetch, removeSource } from '../builds/fetch-source.ts';
import { remainsOf } from '../cleanup/forgotten-containers.ts';
import { deleteRun, lastRun, runToEnd } from './job-run.ts';
import { done, inSequence, nothing, type TaskHandler } from '../task-handler.ts';
import { imagePull } from '../services/pull.ts';
import { serviceLabels } from '../labels.ts';
import { readRecord } from '../record.ts';
import { isBuilt } from '../builds/service-source.ts';
import { findDockerService } from '../services/services-of-ours.ts';
import { serviceRemoval } from '../services/take-down.ts';
import { versionShown } from '../version.ts';

const pollMilliseconds = 300;

/**
 * Skips an operation whose result is already in the deployment's record, as for a run of a version that was deployed
 * before: each run uses the same image.
 */
const unlessRecorded = (prepare: TaskHandler): TaskHandler => ({
  begin: async (context, task, call) =>
    readRecord(task.record) === undefined ? prepare.begin(context, task, call) : undefined,
  observe: async (context, task, cursor, call) =>
    readRecord(task.record) === undefined ? prepare.observe(context, task, cursor, call) : done,
  abandon: prepare.abandon,
});

const build = inSequence(
  { begin: beginFetch, observe: observeFetch, abandon: removeSource },
  { begin: beginBuild, observe: observeBuild, abandon: abandonBuild },
);

const imageHandlerOf = ({ service }: Task): TaskHandler => (isBuilt(service) ? build : imagePull);

/** Gets the image for a run from a repository or registry, or reuses the one already recorded. */
export const imageUnlessRecorded = unlessRecorded({
  begin: (context, task, call) => imageHandlerOf(task).begin(context, task, call),
  observe: (context, task, cursor, call) => imageHandlerOf(task).observe(context, task, cursor, call),
  abandon: (context, task, signal) => imageHandlerOf(task).abandon(context, task, signal),
});

/** Stops the current run of a job, whichever deployment started it. */
const endRun: TaskHandler = {
  begin: async (context, task, { signal }) => {
    const present = await findDockerService(context, task.service, signal);
    if (present !== undefined) await deleteRun(context, present, signal);
  },
  observe: async (context, task, cursor, { signal }) => {
    const now = context.clock.now();
    const line = (told: Condition | string) => toldLine(told, { at: now, pod: 'job', version: versionShown(task) });
    const begun = cursor === null ? [line(`Stopping ${task.service.name}`)] : [];
    const { isAwaited, lost } = await remainsOf(
      context,
      task.service,
      serviceLabels(context.platformId, task.service),
      signal,
    );
    if (isAwaited) return { outcome: 'ongoing', lines: begun, cursor: 'begun', nextPollAt: now + pollMilliseconds };
    return {
      outcome: 'succeeded',
      lines: [...begun, ...(lost.length === 0 ? ['No run is under way'] : lost).map(line)],
      cursor: 'begun',
    };
  },
  abandon: nothing,
};

/** The operations that differ for jobs: the engine has objects of a job only while it runs. */
export const jobOperations: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>> = {
  run: inSequence(imageUnlessRecorded, runToEnd),
  restart: runToEnd,
  stop: inSequence(endRun, lastRun),
  remove: inSequence(endRun, lastRun, serviceRemoval),
};
