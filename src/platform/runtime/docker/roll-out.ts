import { setTimeout as delay } from 'node:timers/promises';
import type { Observation, RuntimeCall, RuntimeLogLine, Task, TaskInputs } from '../index.ts';
import { deleteOldImages } from './built-images.ts';
import { databaseVariables } from './databases.ts';
import type { DockerContext } from './docker-context.ts';
import { deleteDockerService, dockerInfo, isDockerError, listDockerTasks, type DockerService, type DockerServiceSpec, type DockerTask, updateDockerService } from './engine/index.ts';
import { engineStart } from './engine-start.ts';
import { ensureNetwork } from './environment-network.ts';
import { instanceFailure, hasFailed, isUnplaced } from './instance-failure.ts';
import { newLines, type ReportedUntil } from './instance-logs.ts';
import { labelledDeployment, isStopped } from './labels.ts';
import { createFiles, deleteUnusedFiles } from './mounted-files.ts';
import { isLastObstructed } from './left-links.ts';
import { dockerServiceName, podName } from './names.ts';
import { boundNode } from './placement.ts';
import { type PollInterval, pollPause } from './poll.ts';
import { readRecord, writeRecord, type DockerRecord } from './record.ts';
import { rolloutFailure } from './rollout-failure.ts';
import { serviceSpecOf, specForRestart, stoppedSpec } from './service-spec.ts';
import { applySpec, findDockerService, requireFence } from './services-of-ours.ts';
import { versionShown } from './version.ts';
import { probesOf, workloadOf } from './workload.ts';

/** How long all instances have to run before they count as up, in milliseconds. */
const settleMilliseconds = 2000;
/** How often to look at a rollout. Most are over in a moment. */
const poll: PollInterval = { least: 200, most: 500, part: 0.1 };
/** How long to wait for a network that is just being deleted, in milliseconds. */
const networkMilliseconds = 500;
/** How often to create a network again that is just being deleted. */
const networkAttempts = 120;

/** What is remembered between two observations. */
interface RolloutCursor {
  /** What was told of each instance, by the id of its task. */
  readonly told: Readonly<Record<string, string>>;
  readonly reported: ReportedUntil;
  /** Since when all instances run, or one waits for room; in milliseconds since the epoch. */
  readonly upSince?: number;
  readonly unplacedSince?: number;
  /** Since when its newest instance can't join its network; in milliseconds since the epoch. */
  readonly obstructedSince?: number;
  /** When the engine was started, as far as was seen; in milliseconds since the epoch, by its own clock. */
  readonly engineStarts?: readonly number[];
  /** Why it fails. From then on the way back is gone. */
  readonly failure?: string;
}

const firstCursor: RolloutCursor = { told: {}, reported: {} };
const readCursor = (cursor: string | null): RolloutCursor => (cursor === null ? firstCursor : (JSON.parse(cursor) as RolloutCursor));

/** The record of the deployment under way, or of the version that runs. @throws Error if neither is there */
function recordOf({ record, runningRecord }: Task): DockerRecord {
  const found = readRecord(record) ?? readRecord(runningRecord);
  if (found === undefined) throw new Error('What was deployed before is not known on this cluster: deploy the service first.');
  return found;
}

/** What the instances of a service get as variables and files. @throws Error if the credentials of a database are not there */
function variablesOf({ service }: Task, { variables, database }: TaskInputs): TaskInputs['variables'] {
  if (service.kind !== 'database') return variables;
  if (database === undefined) throw new Error('The password of the database is not known.');
  return databaseVariables(service, database);
}

/** The node that has the volumes of the version before. Another manager may be asked by now. */
const volumeNodeOf = ({ runningRecord }: Task): string | undefined => {
  const spec = readRecord(runningRecord)?.spec;
  return spec && boundNode(spec.TaskTemplate);
};

/** The spec that a deployment rolls out, or that a restart sends again. */
async function specOfTask(context: DockerContext, task: Task, { inputs, signal }: RuntimeCall): Promise<DockerServiceSpec> {
  const record = recordOf(task);
  if (task.phase.operation === 'restart' && record.spec) return specForRestart(context, task, record.spec);
  const given = await inputs();
  const variables = variablesOf(task, given);
  const { Swarm, Architecture } = await dockerInfo(context.docker, { signal });
  const { readiness_probe: ready, liveness_probe: live } = probesOf(workloadOf(task));
  const files = await createFiles(context, task, variables, { architecture: Architecture, probes: ready !== undefined || live !== undefined }, signal);
  const routes = await context.proxy.routesFor(workloadOf(task), given, signal);
  return serviceSpecOf(context, task, { record, variables, files, routes, nodeId: (workloadOf(task).storage.length > 0 ? volumeNodeOf(task) : undefined) ?? Swarm.NodeID });
}

/** Sends the new version to the engine, unless an attempt before has done so. A version that was stopped stays marked as such, for the way back. */
export async function beginRollOut(context: DockerContext, task: Task, call: RuntimeCall): Promise<void> {
  const { signal } = call;
  await ensureNetwork(context, task.service.environmentId, signal);
  if (labelledDeployment((await findDockerService(context, task.service, signal))?.Spec.Labels) === task.deploymentId) return;
  const spec = await specOfTask(context, task, call);
  await call.confirm();
  for (let attempt = 1; ; attempt += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- each attempt follows the one before.
      await applySpec(context, task, () => spec, { signal, credentials: credentialsOf(context, spec) });
      return;
    } catch (error) {
      // The last service of the environment has just taken the network along.
      if (attempt === networkAttempts || !(isDockerError(error) && /network \S+ not found/.test(error.reason))) throw error;
      // oxlint-disable-next-line no-await-in-loop
      await delay(networkMilliseconds, undefined, { signal });
      // oxlint-disable-next-line no-await-in-loop
      await ensureNetwork(context, task.service.environmentId, signal);
    }
  }
}

const credentialsOf = (context: DockerContext, spec: DockerServiceSpec) => context.credentialsFor(spec.TaskTemplate.ContainerSpec.Image.split('/')[0]!);

/** The state of one instance, in words. */
const toldOf = ({ Status }: DockerTask): string => (Status.State === 'running' ? 'is running' : Status.State === 'starting' ? 'is starting' : Status.State);

/** One line for each instance whose state is worth telling, and changed. */
async function instanceLines(context: DockerContext, task: Task, mine: readonly DockerTask[], told: RolloutCursor['told'], signal: AbortSignal): Promise<{ lines: RuntimeLogLine[]; told: RolloutCursor['told'] }> {
  const version = versionShown(task);
  const changed = mine.filter((each) => ['starting', 'running'].includes(each.Status.State) || hasFailed(each)).filter((each) => told[each.ID] !== toldOf(each));
  const lines = await Promise.all(changed.map(async (each) => {
    const pod = podName(task.service, each.Slot, each.ID);
    const message = hasFailed(each) ? `Instance ${pod} failed: ${await instanceFailure(context, each, signal)}` : `Instance ${pod} ${toldOf(each)}`;
    return { at: context.clock.now(), message, pod, version };
  }));
  return { lines, told: { ...told, ...Object.fromEntries(changed.map((each) => [each.ID, toldOf(each)])) } };
}

/** Goes back to the version that ran before, as it was; a service that never ran is removed. */
async function goBack(context: DockerContext, task: Task, signal: AbortSignal): Promise<void> {
  const present = await findDockerService(context, task.service, signal);
  if (present === undefined || labelledDeployment(present.Spec.Labels) !== task.deploymentId) return;
  requireFence(present, task.fencingToken);
  const good = readRecord(task.runningRecord)?.spec;
  if (good === undefined) await deleteDockerService(context.docker, present.ID, { signal });
  else await applySpec(context, task, () => (isStopped(present.PreviousSpec?.Labels) ? stoppedSpec(good) : good), { signal, credentials: credentialsOf(context, good) });
  await deleteUnusedFiles(context, task.service, good, signal);
}

/**
 * Lets a rollout go on that the engine has paused because of an instance that it could not start itself, just after its own
 * start: it takes the same spec as a new update. Whoever changes the service at the same moment does so too.
 */
async function goOn(context: DockerContext, { ID: id, Version, Spec }: DockerService, signal: AbortSignal): Promise<void> {
  await updateDockerService(context.docker, id, Version.Index, Spec, credentialsOf(context, Spec), { signal }).catch((error: unknown) => {
    if (!isDockerError(error, 'stale', 'not found')) throw error;
  });
}

const isUp = ({ Status, DesiredState }: DockerTask): boolean => Status.State === 'running' && DesiredState === 'running';

/** Reports how far a rollout or a restart is. On failure, the old version serves again before the phase ends. */
export async function observeRollOut(context: DockerContext, task: Task, text: string | null, { signal }: RuntimeCall): Promise<Observation> {
  const now = context.clock.now();
  const cursor = readCursor(text);
  if (cursor.failure !== undefined) {
    await goBack(context, task, signal);
    return { outcome: 'failed', reason: cursor.failure, lines: [{ at: now, message: cursor.failure, pod: 'rollout', version: versionShown(task) }], cursor: JSON.stringify(cursor) };
  }
  const service = await findDockerService(context, task.service, signal);
  if (service === undefined || labelledDeployment(service.Spec.Labels) !== task.deploymentId) {
    const reason = 'Somebody removed or replaced the service on the engine during the rollout.';
    return { outcome: 'failed', reason, lines: [{ at: now, message: reason, pod: 'rollout', version: versionShown(task) }], cursor: JSON.stringify(cursor) };
  }
  const start = await engineStart(context, signal);
  const known = cursor.engineStarts ?? [];
  const engineStarts = start === undefined || known.includes(start) ? known : [...known, start];
  const tasks = await listDockerTasks(context.docker, { service: [dockerServiceName(task.service)] }, { signal });
  const mine = tasks.filter(({ Spec }) => labelledDeployment(Spec.ContainerSpec.Labels) === task.deploymentId);
  const wanted = service.Spec.Mode?.Replicated?.Replicas ?? 0;
  await context.leftLinks.removeFor(mine, signal);
  const allUp = mine.filter(isUp).length >= wanted && tasks.filter(isUp).every((each) => mine.includes(each));
  const instances = await instanceLines(context, task, mine, cursor.told, signal);
  const logged = await newLines(context, task, mine, cursor.reported, signal);
  // What was so before the engine was started again counts no more.
  const { upSince = now, unplacedSince = now, obstructedSince = now } = engineStarts === known ? cursor : firstCursor;
  const next = { told: instances.told, reported: logged.reported, engineStarts, ...(allUp && { upSince }), ...(mine.some(isUnplaced) && { unplacedSince }), ...(isLastObstructed(mine) && { obstructedSince }) };
  const failure = await rolloutFailure(context, task, service, { ...next, mine }, signal);
  const settled = wanted === 0 ? now : upSince + settleMilliseconds;
  const seen = { lines: [...logged.lines, ...instances.lines], cursor: JSON.stringify({ ...next, ...(failure !== undefined && { failure }) }) };
  if (failure === undefined && allUp && now >= settled) {
    // A later phase can fail too: the way back stays open.
    await deleteUnusedFiles(context, task.service, service.Spec, signal, readRecord(task.runningRecord)?.spec);
    await deleteOldImages(context, task.service, [task.record, task.runningRecord].flatMap((record) => readRecord(record)?.image ?? []), signal);
    return { ...seen, outcome: 'succeeded', record: writeRecord({ ...recordOf(task), spec: service.Spec }) };
  }
  if (failure === undefined && service.UpdateStatus?.State === 'paused') await goOn(context, service, signal);
  const pause = Math.min(pollPause(poll, now - task.beganAt), allUp ? settled - now : poll.most);
  return { ...seen, outcome: 'ongoing', nextPollAt: now + (failure === undefined ? pause : 0) };
}

/** Undoes a rollout that isn't wanted any more. */
export const abandonRollOut = goBack;
