import type { Observation, RuntimeCall, Task } from '../index.ts';
import { deleteOldImages } from './built-images.ts';
import type { DockerContext } from './docker-context.ts';
import { createDockerService, deleteDockerService, dockerInfo, isDockerError, listDockerTasks, type DockerService } from './engine/index.ts';
import { ensureNetwork } from './environment-network.ts';
import { isContained } from './forgotten-containers.ts';
import { hasEnded } from './job-attempts.ts';
import { jobCommandOf, jobSpecOf, withJobCommand } from './job.ts';
import { readRunProgress, runGoesOn, seenOfRun, type RunProgress } from './job-progress.ts';
import { jobSpecFor } from './job-spec.ts';
import { watchRun } from './job-watch.ts';
import { deploymentLabels, labelledDeployment, serviceLabels } from './labels.ts';
import { createFiles, deleteFilesOfDeployment } from './mounted-files.ts';
import type { TaskHandler } from './task-handler.ts';
import { readRecord } from './record.ts';
import { isBuilt } from './service-source.ts';
import { findDockerService } from './services-of-ours.ts';

/** How long a run waits for an earlier one that has ended or is too late, and that nobody takes care of; in milliseconds. */
const abandonedMilliseconds = 60_000;

/** Deletes the engine's service of a run, unless it is gone. */
export async function deleteRun({ docker }: DockerContext, { ID: id }: Pick<DockerService, 'ID'>, signal: AbortSignal): Promise<void> {
  await deleteDockerService(docker, id, { signal }).catch((error: unknown) => {
    if (!isDockerError(error, 'not found')) throw error;
  });
}

const isOf = (task: Task, present: DockerService | undefined): present is DockerService => present !== undefined && labelledDeployment(present.Spec.Labels) === task.deploymentId;

/** Deletes what the engine has of a deployment's run: the service, its secrets and configs. The run of another deployment is left alone. */
async function abandonRun(context: DockerContext, task: Task, signal: AbortSignal): Promise<void> {
  const present = await findDockerService(context, task.service, signal);
  if (isOf(task, present)) await deleteRun(context, present, signal);
  await deleteFilesOfDeployment(context, task, signal);
}

/** Gives a run to the engine. @returns false if something was in its way that passes: another run, or a network that is just going */
async function create(context: DockerContext, task: Task, { inputs, confirm, signal }: RuntimeCall): Promise<boolean> {
  const record = readRecord(task.record);
  if (record === undefined) throw new Error('The image of this job is not known on this cluster: deploy the job first.');
  const { docker, credentialsFor } = context;
  await ensureNetwork(context, task.service.environmentId, signal);
  const { variables } = await inputs();
  const { Architecture: architecture, Swarm } = await dockerInfo(docker, { signal });
  const { readiness_probe: ready, liveness_probe: live } = jobSpecOf(task).healthchecks ?? {};
  try {
    const files = await createFiles(context, task, variables, { architecture, probes: ready !== undefined || live !== undefined }, signal);
    // A second run of what has run already can't be taken back.
    await confirm();
    await createDockerService(docker, jobSpecFor(context, task, { record, variables, files, nodeId: Swarm.NodeID }), credentialsFor(record.image.split('/')[0]!), { signal });
    return true;
  } catch (error) {
    if (isDockerError(error, 'conflict') || (isDockerError(error) && /network \S+ not found/.test(error.reason))) return false;
    // Where another worker has taken the deployment over, the files may be its own by now.
    await confirm().then(() => deleteFilesOfDeployment(context, task, signal)).catch(() => undefined);
    throw error;
  }
}

/** Whether nobody takes care of a run that is in the way: it has ended, or exceeded the limit of time, long ago. */
async function isForgotten({ docker, clock }: DockerContext, task: Task, present: DockerService, waitingSince: number, signal: AbortSignal): Promise<boolean> {
  if (clock.now() - waitingSince < abandonedMilliseconds) return false;
  const tasks = await listDockerTasks(docker, { service: [present.ID] }, { signal });
  return tasks.every(hasEnded) || clock.now() - Date.parse(present.CreatedAt) > jobSpecOf(task).max_duration_seconds * 1000 + abandonedMilliseconds;
}

/** Begins a run once no other one of the job runs: there are never two at once. */
async function start(context: DockerContext, task: Task, present: DockerService | undefined, progress: RunProgress, call: RuntimeCall): Promise<Observation> {
  const { waitingSince = context.clock.now() } = progress;
  if (present !== undefined && (await isForgotten(context, task, present, waitingSince, call.signal))) await deleteRun(context, present, call.signal);
  if (present !== undefined || (await isContained(context, serviceLabels(context.platformId, task.service), call.signal))) {
    return runGoesOn(context, task, { ...progress, waitingSince }, progress.waitingSince === undefined ? { messages: ['Waiting until an earlier run of the job has ended'] } : {});
  }
  if (!(await create(context, task, call))) return runGoesOn(context, task, progress);
  return runGoesOn(context, task, { ...progress, since: context.clock.now() }, { messages: [`Running ${task.service.name}`] });
}

/** Ends a run whose log is here, when nothing of it runs any more. One of which nothing ever ran begins again. */
async function finish(context: DockerContext, task: Task, progress: RunProgress, failure: string | undefined, signal: AbortSignal): Promise<Observation> {
  await abandonRun(context, task, signal);
  if (await isContained(context, deploymentLabels(context.platformId, task), signal)) return runGoesOn(context, task, progress);
  if (progress.end?.neverBegan) return runGoesOn(context, task, readRunProgress(null), { messages: ['Nothing of it ran: it begins again'] });
  if (failure !== undefined) return { ...seenOfRun(context, task, progress, { messages: [failure] }), outcome: 'failed', reason: failure };
  if (isBuilt(task.service)) await deleteOldImages(context, task.service, [task.record, task.runningRecord].flatMap((record) => readRecord(record)?.image ?? []), signal);
  return { ...seenOfRun(context, task, progress, { messages: ['Job finished with exit code 0'] }), outcome: 'succeeded' };
}

const takenAway = 'The run was ended from outside: the job was stopped, or somebody removed it on the engine.';

async function observeRun(context: DockerContext, asked: Task, cursor: string | null, call: RuntimeCall): Promise<Observation> {
  const progress = readRunProgress(cursor);
  const command = jobCommandOf(asked);
  if (command === undefined) {
    const messages = asked.action === 'DEPLOY' ? ['Not run: it runs when it is stopped or deleted, as its schedule says'] : [];
    return { ...seenOfRun(context, asked, progress, { messages }), outcome: 'succeeded' };
  }
  const task = withJobCommand(asked, command);
  if (progress.end?.isTold) return finish(context, task, progress, progress.end.failure, call.signal);
  const present = await findDockerService(context, task.service, call.signal);
  if (isOf(task, present)) return watchRun(context, task, progress, call.signal);
  return progress.since === undefined ? start(context, task, present, progress, call) : finish(context, task, progress, progress.end?.failure ?? takenAway, call.signal);
}

/** One run of a job to its end, with the command that belongs to what is done to the job. A run that was begun before is continued: it is known by its label. */
export const runJob: TaskHandler = { begin: async () => undefined, observe: observeRun, abandon: abandonRun };
