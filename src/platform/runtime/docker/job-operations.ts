import type { Observation, RuntimeOperation, Task } from '../index.ts';
import { abandonBuild, beginBuild, observeBuild } from './build.ts';
import { beginFetch, observeFetch, removeSource } from './fetch-source.ts';
import { isContained } from './forgotten-containers.ts';
import { deleteRun, runJob } from './job-run.ts';
import { inSequence, type TaskHandler } from './task-handler.ts';
import { abandonPull, beginPull, observePull } from './pull.ts';
import { serviceLabels } from './labels.ts';
import { readRecord } from './record.ts';
import { isBuilt } from './service-source.ts';
import { findDockerService } from './services-of-ours.ts';
import { beginRemove, observeTakeDown } from './take-down.ts';
import { versionShown } from './version.ts';

const pollMilliseconds = 300;

const nothing = async (): Promise<void> => undefined;

const done: Observation = { outcome: 'succeeded', lines: [], cursor: '' };

/** An operation that prepares what is recorded of a deployment. A run of a version that was deployed before has it: the same image runs each time. */
const unlessRecorded = (prepare: TaskHandler): TaskHandler => ({
  begin: async (context, task, call) => (readRecord(task.record) === undefined ? prepare.begin(context, task, call) : undefined),
  observe: async (context, task, cursor, call) => (readRecord(task.record) === undefined ? prepare.observe(context, task, cursor, call) : done),
  abandon: prepare.abandon,
});

const pull: TaskHandler = { begin: beginPull, observe: observePull, abandon: abandonPull };

const build = inSequence({ begin: beginFetch, observe: observeFetch, abandon: removeSource }, { begin: beginBuild, observe: observeBuild, abandon: abandonBuild });

const imageHandlerOf = ({ service }: Task): TaskHandler => (isBuilt(service) ? build : pull);

/** How a job gets its image: from its repository, or from a registry. */
const image = unlessRecorded({
  begin: (context, task, call) => imageHandlerOf(task).begin(context, task, call),
  observe: (context, task, cursor, call) => imageHandlerOf(task).observe(context, task, cursor, call),
  abandon: (context, task, signal) => imageHandlerOf(task).abandon(context, task, signal),
});

/** Ends what runs of a job, whichever deployment began it. */
const endRun: TaskHandler = {
  begin: async (context, task, { signal }) => {
    const present = await findDockerService(context, task.service, signal);
    if (present !== undefined) await deleteRun(context, present, signal);
  },
  observe: async (context, task, cursor, { signal }) => {
    const now = context.clock.now();
    const line = (message: string) => ({ at: now, message, pod: 'job', version: versionShown(task) });
    const begun = cursor === null ? [line(`Stopping ${task.service.name}`)] : [];
    if (await isContained(context, serviceLabels(context.platformId, task.service), signal)) return { outcome: 'ongoing', lines: begun, cursor: 'begun', nextPollAt: now + pollMilliseconds };
    return { outcome: 'succeeded', lines: [...begun, line('No run is under way')], cursor: 'begun' };
  },
  abandon: nothing,
};

const remove: TaskHandler = { begin: beginRemove, observe: observeTakeDown, abandon: nothing };

/** The run that belongs to a job's end. A job that was never deployed has none. */
const lastRun: TaskHandler = { ...runJob, observe: async (context, task, cursor, call) => (task.record === undefined ? done : runJob.observe(context, task, cursor, call)) };

/** What the operations are for jobs, where that differs: the engine has something of a job only while it runs. */
export const jobOperations: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>> = {
  run: inSequence(image, runJob),
  restart: runJob,
  stop: inSequence(endRun, lastRun),
  remove: inSequence(endRun, lastRun, remove),
};
