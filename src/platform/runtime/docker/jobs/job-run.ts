import { condition, type Condition } from '../../../../contract/index.ts';
import { ConditionError, type Observation, type ResolvedVariable, type RuntimeCall, type Task } from '../../index.ts';
import { deleteOldImages } from '../builds/built-images.ts';
import type { DockerContext, OwnObjects, NodeReach, RegistryAccess } from '../docker-context.ts';
import {
  createDockerService,
  deleteDockerService,
  dockerInfo,
  ignoring,
  isDockerError,
  listDockerTasks,
  type DockerService,
  type DockerContainerSpec,
  type DockerServiceSpec,
} from '../api/index.ts';
import { hasEnded } from '../instance-states.ts';
import { ensureNetwork, isNetworkGone } from '../services/environment-network.ts';
import { credentialsForServiceImage } from '../builds/image-reach.ts';
import { requireFittingNode } from '../nodes/fitting-nodes.ts';
import { remainsOf } from '../cleanup/forgotten-containers.ts';
import { jobCommandOf, jobSpecOf, withJobCommand } from './job.ts';
import { readRunProgress, runGoesOn, seenOfRun, type RunProgress } from './job-progress.ts';
import { watchRun } from './job-watch.ts';
import { deploymentLabels, labelledDeployment, serviceLabels } from '../labels.ts';
import { imageNodeOf } from '../services/bound-to.ts';
import { createFiles, deleteFilesOfDeployment } from '../services/mounted-files.ts';
import { placementFor } from '../nodes/placement-rules.ts';
import { done, nothing, type TaskHandler } from '../task-handler.ts';
import { readRecord, writeRecord, type DockerRecord } from '../record.ts';
import { runRulesOf } from './run-rules.ts';
import { isBuilt } from '../builds/service-source.ts';
import { findDockerService } from '../services/services-of-ours.ts';
import { homeNode } from '../terraform/home.ts';
import { countsText, plannedChanges, digestOfVariables } from '../terraform/plan.ts';
import { modeOf, terraformVariables } from '../terraform/workload.ts';
import type { PlacementParts } from '../nodes/placement.ts';
import { serviceSpecOf } from '../services/service-spec.ts';

/** The inputs of a run's spec besides the task. */
interface RunParts {
  readonly record: DockerRecord;
  readonly variables: readonly ResolvedVariable[];
  readonly files: Pick<DockerContainerSpec, 'Secrets' | 'Configs'>;
  /**
   * Where the run may be placed: on the node with its image if no registry has it; for Terraform, on the node with its
   * volume.
   */
  readonly placement?: PlacementParts;
}

/**
 * Returns the engine's service for one run: one instance, which is not restarted. The engine's own restarts are off,
 * because the engine would also start another instance while it can't reach the node of one that still runs. The spec
 * contains no secret. The engine's job mode is not used: it leaves the containers of a deleted job running, and those
 * that have exited until the engine restarts.
 */
function runSpecFor(context: Pick<DockerContext, 'platformId'>, task: Task, parts: RunParts): DockerServiceSpec {
  // A failed attempt is no reason to stop: the next one is an update too.
  const UpdateConfig = { Parallelism: 1, Order: 'stop-first' as const, FailureAction: 'continue' as const };
  const spec = serviceSpecOf(context, task, parts);
  return { ...spec, UpdateConfig, TaskTemplate: { ...spec.TaskTemplate, RestartPolicy: { Condition: 'none' } } };
}

/**
 * How long, in milliseconds, a run waits for an earlier run that has finished or timed out but that no process is
 * looking after.
 */
const abandonedMilliseconds = 60_000;

/** Deletes the engine's service of a run, if it still exists. */
export async function deleteRun(
  { docker }: Pick<DockerContext, 'docker'>,
  { ID: id }: Pick<DockerService, 'ID'>,
  signal: AbortSignal,
): Promise<void> {
  await deleteDockerService(docker, id, { signal }).catch(ignoring('not found'));
}

const isOf = (task: Task, present: DockerService | undefined): present is DockerService =>
  present !== undefined && labelledDeployment(present.Spec.Labels) === task.deploymentId;

/**
 * Deletes the engine's objects of a deployment's run: the service, its secrets and configs. The run of another
 * deployment is left alone.
 */
async function abandonRun(context: OwnObjects, task: Task, signal: AbortSignal): Promise<void> {
  const present = await findDockerService(context, task.service, signal);
  if (isOf(task, present)) await deleteRun(context, present, signal);
  await deleteFilesOfDeployment(context, task, signal);
}

/**
 * Creates a run on the engine.
 * @returns false if something temporary prevented it: another run, or a network that is being deleted
 */
async function create(
  context: OwnObjects & NodeReach & RegistryAccess & Pick<DockerContext, 'secretFor' | 'placement'>,
  task: Task,
  { inputs, confirm, signal }: RuntimeCall,
): Promise<boolean> {
  const record = readRecord(task.record);
  if (record === undefined)
    throw new Error(`The image of this ${task.service.kind} is not known on this cluster: deploy it first.`);
  const { docker } = context;
  await ensureNetwork(context, task.service.environmentId, signal);
  const given = await inputs();
  const { Architecture: architecture } = await dockerInfo(docker, { signal });
  const isTerraform = task.service.kind === 'terraform';
  if (isTerraform && modeOf(task) === 'apply' && digestOfVariables(context, given.variables) !== record.planVariables)
    throw new ConditionError(condition('VARIABLES_CHANGED', { isPlanned: true }));
  const { readiness_probe: ready, liveness_probe: live } =
    (isTerraform ? undefined : jobSpecOf(task).healthchecks) ?? {};
  const variables = isTerraform ? terraformVariables(given.variables) : given.variables;
  const rules = placementFor(context.placement, task.service, given);
  const placement = {
    ...rules,
    boundTo: isTerraform ? await homeNode(context, task, record, rules, signal) : imageNodeOf(record),
  };
  try {
    const files = await createFiles(
      context,
      task,
      variables,
      { architecture, probes: ready !== undefined || live !== undefined },
      signal,
    );
    const spec = runSpecFor(context, task, { record, variables, files, placement });
    await requireFittingNode(context, spec.TaskTemplate, signal);
    // A second run of something that has already run can't be undone.
    await confirm();
    await createDockerService(docker, spec, credentialsForServiceImage(context, record.image, given.registry), {
      signal,
    });
    return true;
  } catch (error) {
    if (isDockerError(error, 'conflict') || isNetworkGone(error)) return false;
    // If another worker has taken over the deployment, the files may already belong to that worker.
    await confirm()
      .then(() => deleteFilesOfDeployment(context, task, signal))
      .catch(() => undefined);
    throw error;
  }
}

/** Whether no process handles an earlier run: it ended, or exceeded its time limit, long ago. */
async function isForgotten(
  { docker, clock }: Pick<DockerContext, 'clock' | 'docker'>,
  task: Task,
  present: DockerService,
  waitingSince: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (clock.now() - waitingSince < abandonedMilliseconds) return false;
  const tasks = await listDockerTasks(docker, { service: [present.ID] }, { signal });
  return (
    tasks.every(hasEnded) ||
    clock.now() - Date.parse(present.CreatedAt) > runRulesOf(task).limit.seconds * 1000 + abandonedMilliseconds
  );
}

/** Starts a run once no other run of the service is under way: there are never two at once. */
async function start(
  context: DockerContext,
  task: Task,
  present: DockerService | undefined,
  progress: RunProgress,
  call: RuntimeCall,
): Promise<Observation> {
  const { waitingSince = context.clock.now() } = progress;
  if (present !== undefined && (await isForgotten(context, task, present, waitingSince, call.signal)))
    await deleteRun(context, present, call.signal);
  const { isAwaited, lost } = await remainsOf(
    context,
    task.service,
    serviceLabels(context.platformId, task.service),
    call.signal,
  );
  if (present !== undefined || isAwaited) {
    return runGoesOn(
      context,
      task,
      { ...progress, waitingSince },
      progress.waitingSince === undefined
        ? { messages: [`Waiting until an earlier run of ${runRulesOf(task).noun} has ended`] }
        : {},
    );
  }
  if (task.isPlan) {
    const variables = digestOfVariables(context, (await call.inputs()).variables);
    // Recorded before the run starts, so that a crash can't lose it.
    if (variables !== progress.variables) return runGoesOn(context, task, { ...progress, variables });
  }
  if (!(await create(context, task, call))) return runGoesOn(context, task, progress);
  const beside = lost.map((cause) => condition('EARLIER_RUN_MAY_GO_ON', { cause }));
  return runGoesOn(
    context,
    task,
    { ...progress, since: context.clock.now() },
    { messages: [`Running ${task.service.name}`], conditions: beside },
  );
}

/** The result of a run that succeeded. */
interface RunResult {
  readonly message?: string;
  readonly failure?: Condition;
  readonly record?: string;
}

/** Returns the result of a run that succeeded: a plan is recorded for the deployment that applies it. */
async function resultOf(
  context: Pick<DockerContext, 'secretFor'>,
  task: Task,
  { plan: read, variables: planned }: RunProgress,
  inputs: RuntimeCall['inputs'],
): Promise<RunResult> {
  if (task.service.kind !== 'terraform') return { message: 'Job finished with exit code 0' };
  const mode = modeOf(task);
  if (mode !== 'plan')
    return {
      message: mode === 'apply' ? 'Terraform has applied the plan' : 'Terraform has destroyed what it had created',
    };
  const { variables } = await inputs();
  if (digestOfVariables(context, variables) !== planned)
    return { failure: condition('VARIABLES_CHANGED', { isPlanned: false }) };
  const plan = plannedChanges(read, variables);
  if (plan === undefined) return { failure: condition('PLAN_UNREADABLE', {}) };
  return {
    message: `Planned: ${countsText(plan)}. The next deployment applies exactly this plan, ${plan.digest}.`,
    record: writeRecord({ ...readRecord(task.record)!, plan, planVariables: planned }),
  };
}

/**
 * Finishes a run whose log is complete, once none of its instances runs any more. A run of which nothing ever ran
 * starts again.
 */
async function finish(
  context: DockerContext,
  task: Task,
  progress: RunProgress,
  ended: Condition | undefined,
  { inputs, signal }: RuntimeCall,
): Promise<Observation> {
  await abandonRun(context, task, signal);
  if ((await remainsOf(context, task.service, deploymentLabels(context.platformId, task), signal)).isAwaited)
    return runGoesOn(context, task, progress);
  if (progress.end?.neverBegan)
    return runGoesOn(context, task, readRunProgress(null), { messages: ['Nothing of it ran: the run starts again'] });
  const made = ended === undefined ? await resultOf(context, task, progress, inputs) : {};
  const failure = ended ?? made.failure;
  if (failure !== undefined)
    return { ...seenOfRun(context, task, progress, { conditions: [failure] }), outcome: 'failed', why: failure };
  const left = isBuilt(task.service)
    ? await deleteOldImages(
        context,
        task.service,
        [task.record, task.runningRecord].flatMap((record) => readRecord(record)?.image ?? []),
        signal,
      )
    : [];
  return {
    ...seenOfRun(context, task, progress, { messages: [made.message ?? '', ...left] }),
    outcome: 'succeeded',
    ...(made.record !== undefined && { record: made.record }),
  };
}

const takenAway = (task: Task): Condition => condition('RUN_TAKEN_AWAY', { what: runRulesOf(task).noun });

/** Returns the task with the command for the action on the service; undefined if the action runs none. */
function withCommand(asked: Task): Task | undefined {
  if (asked.service.kind === 'terraform') return asked;
  const command = jobCommandOf(asked);
  return command && withJobCommand(asked, command);
}

async function observeRun(
  context: DockerContext,
  asked: Task,
  cursor: string | null,
  call: RuntimeCall,
): Promise<Observation> {
  const progress = readRunProgress(cursor);
  const task = withCommand(asked);
  if (task === undefined) {
    const messages =
      asked.action === 'DEPLOY' ? ['Not run: it runs when it is stopped or deleted, as its schedule says'] : [];
    return { ...seenOfRun(context, asked, progress, { messages }), outcome: 'succeeded' };
  }
  if (progress.end?.isTold) return finish(context, task, progress, progress.end.failure, call);
  const present = await findDockerService(context, task.service, call.signal);
  if (isOf(task, present)) return watchRun(context, task, progress, present, call);
  return progress.since === undefined
    ? start(context, task, present, progress, call)
    : finish(context, task, progress, progress.end?.failure ?? takenAway(task), call);
}

/**
 * One run of a job or of Terraform to its end, with the command for the action on the service. A run that was already
 * started is continued: it is identified by its label.
 */
export const runToEnd: TaskHandler = { begin: nothing, observe: observeRun, abandon: abandonRun };

/**
 * The last run of a service that is deleted, such as the one that destroys Terraform's resources. A service without a
 * record has none.
 */
export const lastRun: TaskHandler = {
  ...runToEnd,
  observe: async (context, task, cursor, call) =>
    task.record === undefined ? done : runToEnd.observe(context, task, cursor, call),
};
