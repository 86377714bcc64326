import { setTimeout as delay } from 'node:timers/promises';
import { condition, type Condition } from '../../../../contract/index.ts';
import {
  conditionLine,
  type Observation,
  type RuntimeCall,
  type RuntimeLogLine,
  type Task,
  type TaskInputs,
} from '../../index.ts';
import { deleteOldImages } from '../builds/built-images.ts';
import { databaseVariables } from '../databases/databases.ts';
import type { DockerContext, OwnObjects, NodeReach, RegistryAccess } from '../docker-context.ts';
import {
  dockerInfo,
  listDockerTasks,
  replicasOf,
  type DockerService,
  type DockerServiceSpec,
  type DockerTask,
} from '../api/index.ts';
import { engineStart } from '../engine-start.ts';
import { ensureNetwork, isNetworkGone } from './environment-network.ts';
import { credentialsForServiceImage } from '../builds/image-reach.ts';
import { isUp, hasFailed, isUnschedulable } from '../instance-states.ts';
import { boundTo } from './bound-to.ts';
import { requireFittingNode } from '../nodes/fitting-nodes.ts';
import { instanceFailure } from './instance-failure.ts';
import { newLines, type ReportedUntil } from '../observation/instance-logs.ts';
import { labelledDeployment } from '../labels.ts';
import { createFiles, deleteUnusedFiles } from './mounted-files.ts';
import { isLastObstructed } from '../cleanup/left-links.ts';
import { lostInstances } from '../nodes/lost-nodes.ts';
import { dockerServiceName, podName } from '../names.ts';
import { notLeaving } from '../nodes/leaving-node.ts';
import { placementFor } from '../nodes/placement-rules.ts';
import { type PollInterval, pollPause } from '../waits.ts';
import { readRecord, writeRecord, type DockerRecord } from '../record.ts';
import { rolloutFailure } from './rollout-failure.ts';
import { serviceSpecOf, specForRestart } from './service-spec.ts';
import { type Spreading, spreadInstances } from '../nodes/spreading.ts';
import { applySpec, findDockerService } from './services-of-ours.ts';
import { removeSpoiled } from '../cleanup/spoiled-containers.ts';
import { versionShown } from '../version.ts';
import { goBack, requireParts } from './rollback.ts';
import { probesOf, workloadOf } from '../workload.ts';
import { specToResume, resume } from './paused-update.ts';

/** How long all instances have to run before they count as up, in milliseconds. */
const settleMilliseconds = 2000;
/** How often to observe a rollout. Most finish in a moment. */
const poll: PollInterval = { least: 200, most: 500, part: 0.1 };
/** How long to wait for a network that is being deleted, in milliseconds. */
const networkMilliseconds = 500;
/** How often to try to create a network again that is being deleted. */
const networkAttempts = 120;

/** State that is kept between two observations. */
interface RolloutCursor {
  /** The last reported state of each instance, by the id of its task. */
  readonly told: Readonly<Record<string, string>>;
  readonly reported: ReportedUntil;
  /** Since when all instances run, or one waits for room, in milliseconds since the epoch. */
  readonly upSince?: number;
  /** The instances that run since then, by the ids of their tasks. */
  readonly up?: string;
  readonly unschedulableSince?: number;
  /** Since when its newest instance can't join its network, in milliseconds since the epoch. */
  readonly obstructedSince?: number;
  /** The observed starts of the engine, in milliseconds since the epoch, by its own clock. */
  readonly engineStarts?: readonly number[];
  /** The progress of spreading its instances over the nodes, once all run. */
  readonly spreading?: Spreading;
  /** Why the rollout fails; earlier versions recorded the sentence. After a failure, no other outcome is possible. */
  readonly failure?: Condition | string;
}

const firstCursor: RolloutCursor = { told: {}, reported: {} };
const readCursor = (cursor: string | null): RolloutCursor =>
  cursor === null ? firstCursor : (JSON.parse(cursor) as RolloutCursor);

/** Returns the record of the deployment under way, or of the running version. @throws Error if there is neither */
function recordOf({ record, runningRecord }: Task): DockerRecord {
  const found = readRecord(record) ?? readRecord(runningRecord);
  if (found === undefined)
    throw new Error('This cluster has no record of an earlier deployment: deploy the service first.');
  return found;
}

/**
 * Returns the variables and files of a service's instances.
 * @throws Error if the credentials of a database are missing
 */
function variablesOf({ service }: Task, { variables, database }: TaskInputs): TaskInputs['variables'] {
  if (service.kind !== 'database') return variables;
  if (database === undefined) throw new Error('The password of the database is not known.');
  return databaseVariables(service, database);
}

/** Returns the spec that a deployment rolls out, or that a restart sends again. */
export async function specOfTask(
  context: OwnObjects & NodeReach & Pick<DockerContext, 'placement' | 'proxy'>,
  task: Task,
  { inputs, signal }: RuntimeCall,
): Promise<DockerServiceSpec> {
  const record = recordOf(task);
  if (task.phase.operation === 'restart' && record.spec) return specForRestart(context, task, record.spec);
  const given = await inputs();
  const variables = variablesOf(task, given);
  const placement = placementFor(context.placement, task.service, given);
  const node = await boundTo(context, task, record, placement, signal);
  const { Architecture } = await dockerInfo(context.docker, { signal });
  const { readiness_probe: ready, liveness_probe: live } = probesOf(workloadOf(task));
  const files = await createFiles(
    context,
    task,
    variables,
    { architecture: Architecture, probes: ready !== undefined || live !== undefined },
    signal,
  );
  const routes = await context.proxy.routesFor(workloadOf(task), given, signal);
  return serviceSpecOf(context, task, { record, variables, files, routes, placement: { ...placement, boundTo: node } });
}

/**
 * Sends the new version to the engine, unless an earlier attempt has done so. For a rollback, the engine keeps the mark
 * that the previous version was stopped.
 */
export async function beginRollOut(
  context: OwnObjects & NodeReach & RegistryAccess & Pick<DockerContext, 'placement' | 'proxy'>,
  task: Task,
  call: RuntimeCall,
): Promise<void> {
  const { signal } = call;
  await ensureNetwork(context, task.service.environmentId, signal);
  const present = await findDockerService(context, task.service, signal);
  if (labelledDeployment(present?.Spec.Labels) === task.deploymentId) return;
  const spec = await specOfTask(context, task, call);
  const { registry } = task.service.kind === 'container' ? await call.inputs() : {};
  const credentials = credentialsForServiceImage(context, spec.TaskTemplate.ContainerSpec.Image, registry);
  if (task.phase.operation === 'restart' && present === undefined)
    await requireParts(context, task.service, spec, signal);
  await requireFittingNode(context, spec.TaskTemplate, signal);
  await call.confirm();
  for (let attempt = 1; ; attempt += 1) {
    try {
      // In sequence: each attempt follows the previous one.
      await applySpec(context, task, () => spec, { signal, credentials });
      return;
    } catch (error) {
      // The network has just been deleted with the last service of the environment.
      if (attempt === networkAttempts || !isNetworkGone(error)) throw error;
      await delay(networkMilliseconds, undefined, { signal });
      await ensureNetwork(context, task.service.environmentId, signal);
    }
  }
}

type Lost = Awaited<ReturnType<typeof lostInstances>>;

/** The state of one instance, as text. */
const reportedState = ({ ID, Status }: DockerTask, lost: Lost): string => {
  if (lost.has(ID)) return 'is gone';
  return Status.State === 'running' ? 'is running' : Status.State === 'starting' ? 'is starting' : Status.State;
};

/** Returns one line for each instance whose state has changed and is reported. */
async function instanceLines(
  context: NodeReach & RegistryAccess & Pick<DockerContext, 'clock'>,
  task: Task,
  mine: readonly DockerTask[],
  lost: Lost,
  told: RolloutCursor['told'],
  signal: AbortSignal,
): Promise<{ lines: RuntimeLogLine[]; told: RolloutCursor['told'] }> {
  const version = versionShown(task);
  const changed = mine
    .filter((each) => ['starting', 'running'].includes(each.Status.State) || lost.has(each.ID) || hasFailed(each))
    .filter((each) => told[each.ID] !== reportedState(each, lost));
  const lines = await Promise.all(
    changed.map(async (each) => {
      const pod = podName(task.service, each.Slot, each.ID);
      const place = { at: context.clock.now(), pod, version };
      const loss = lost.get(each.ID);
      if (hasFailed(each))
        return conditionLine(
          condition('INSTANCE_FAILED', { instance: pod, cause: await instanceFailure(context, each, signal) }),
          place,
        );
      return loss
        ? conditionLine(condition('INSTANCE_LOST', { instance: pod, cause: loss.why }), place)
        : { ...place, message: `Instance ${pod} ${reportedState(each, lost)}` };
    }),
  );
  return {
    lines,
    told: { ...told, ...Object.fromEntries(changed.map((each) => [each.ID, reportedState(each, lost)])) },
  };
}

/** How many instances a rollout or a restart should end with: one more may run while they are spread. */
function wantedInstances(task: Task, { Spec }: DockerService): number {
  const present = replicasOf(Spec);
  const recorded = task.phase.operation === 'restart' ? recordOf(task).spec?.Mode?.Replicated?.Replicas : undefined;
  return Math.min(present, recorded ?? workloadOf(task).instances);
}

/** Reports the progress of a rollout or a restart. On failure, the old version serves again before the phase ends. */
export async function observeRollOut(
  context: DockerContext,
  task: Task,
  text: string | null,
  { signal }: RuntimeCall,
): Promise<Observation> {
  const now = context.clock.now();
  const cursor = readCursor(text);
  const failedFor = (why: Condition): Observation => ({
    outcome: 'failed',
    why,
    lines: [conditionLine(why, { at: now, pod: 'rollout', version: versionShown(task) })],
    cursor: JSON.stringify(cursor),
  });
  if (cursor.failure !== undefined) {
    const cause = typeof cursor.failure === 'string' ? condition('OTHER', { told: cursor.failure }) : cursor.failure;
    const missing = await goBack(context, task, signal);
    return failedFor(missing.length === 0 ? cause : condition('NOT_ROLLED_BACK', { cause, missing: [...missing] }));
  }
  const service = await findDockerService(context, task.service, signal);
  if (service === undefined || labelledDeployment(service.Spec.Labels) !== task.deploymentId) {
    return failedFor(condition('REPLACED_EXTERNALLY', {}));
  }
  const start = await engineStart(context, signal);
  const known = cursor.engineStarts ?? [];
  const engineStarts = start === undefined || known.includes(start) ? known : [...known, start];
  const tasks = await listDockerTasks(context.docker, { service: [dockerServiceName(task.service)] }, { signal });
  const mine = tasks.filter(({ Spec }) => labelledDeployment(Spec.ContainerSpec.Labels) === task.deploymentId);
  const wanted = wantedInstances(task, service);
  const lost = await lostInstances(context, mine, signal);
  await context.leftLinks.removeFor(mine, signal);
  await removeSpoiled(context, mine, signal);
  const allUp = mine.filter(isUp).length >= wanted && tasks.filter(isUp).every((each) => mine.includes(each));
  const instances = await instanceLines(context, task, mine, lost, cursor.told, signal);
  const logged = await newLines(context, task, mine, cursor.reported, signal);
  // Times from before an engine restart no longer count.
  const {
    upSince: before = now,
    unschedulableSince = now,
    obstructedSince = now,
  } = engineStarts === known ? cursor : firstCursor;
  // The time starts again when an instance replaces a failed one. While instances are spread, changes are expected.
  const up = mine
    .filter(isUp)
    .map(({ ID }) => ID)
    .toSorted()
    .join(' ');
  const upSince = cursor.up === up || cursor.spreading !== undefined ? before : now;
  const next = {
    told: instances.told,
    reported: logged.reported,
    engineStarts,
    ...(allUp && { upSince, up }),
    ...(mine.some(isUnschedulable) && { unschedulableSince }),
    ...(isLastObstructed(mine) && { obstructedSince }),
  };
  // The version is good once all have run: a later failure of an additional instance is no reason for a rollback.
  const failure =
    cursor.spreading === undefined
      ? await rolloutFailure(context, task, service, { ...next, mine }, signal)
      : undefined;
  const settled = wanted === 0 ? now : upSince + settleMilliseconds;
  const step =
    failure === undefined && allUp && now >= settled
      ? await spreadInstances(context, task, service, tasks, wanted, cursor.spreading, signal)
      : undefined;
  const spreading = step?.spreading ?? cursor.spreading;
  const seen = {
    lines: [...logged.lines, ...instances.lines, ...(step?.lines ?? [])],
    cursor: JSON.stringify({ ...next, ...(spreading && { spreading }), ...(failure !== undefined && { failure }) }),
  };
  if (failure === undefined && allUp && now >= settled && step === undefined) {
    // A later phase may still fail: a rollback has to stay possible.
    await deleteUnusedFiles(context, task.service, service.Spec, signal, readRecord(task.runningRecord)?.spec);
    const left = await deleteOldImages(
      context,
      task.service,
      [task.record, task.runningRecord].flatMap((record) => readRecord(record)?.image ?? []),
      signal,
    );
    const lines = [
      ...seen.lines,
      ...left.map((message) => ({ at: now, message, pod: 'rollout', version: versionShown(task) })),
    ];
    return {
      ...seen,
      lines,
      outcome: 'succeeded',
      record: writeRecord({ ...recordOf(task), spec: notLeaving(service.Spec) }),
    };
  }
  const resumed = failure === undefined ? specToResume(service, mine, lost) : undefined;
  if (resumed) await resume(context, service, resumed, signal);
  const pause = Math.min(pollPause(poll, now - task.beganAt), allUp && now < settled ? settled - now : poll.most);
  return { ...seen, outcome: 'ongoing', nextPollAt: now + (failure === undefined ? pause : 0) };
}

/** Undoes a rollout that is no longer wanted. */
export async function abandonRollOut(
  context: OwnObjects & RegistryAccess,
  task: Task,
  signal: AbortSignal,
): Promise<void> {
  await goBack(context, task, signal);
}
