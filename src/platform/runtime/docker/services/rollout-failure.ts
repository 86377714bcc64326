import { condition, type Condition } from '../../../../contract/index.ts';
import type { Task } from '../../index.ts';
import type { DockerContext, NodeReach, RegistryAccess } from '../docker-context.ts';
import { cameTooEarly, endedWithEngine } from '../engine-start.ts';
import type { DockerService, DockerTask } from '../api/index.ts';
import { hasFailed } from '../instance-states.ts';
import { unschedulable } from '../nodes/fitting-nodes.ts';
import { unbegun } from '../nodes/unbegun-instances.ts';
import { instanceFailure, unreadiness } from './instance-failure.ts';
import { isObstructed } from '../cleanup/left-links.ts';
import { placementMilliseconds } from '../waits.ts';
import { probesOf, workloadOf } from '../workload.ts';

/** How many failures of instances a rollout tolerates. */
const toleratedFailures = 2;
/** How long a rollout may wait until obstructions of its instances are removed, in milliseconds. */
const obstructionMilliseconds = 30_000;
/**
 * The time to start an instance in addition to what its probe allows, and the minimum for both: a probe reports after
 * 30 s what it waits for.
 */
const startMilliseconds = 10_000;
const leastReadyMilliseconds = 45_000;

/** The facts about a rollout besides the engine's service. */
interface RolloutFacts {
  /** The instances of the new version, including those that ended. */
  readonly mine: readonly DockerTask[];
  /** Since when one of them waits for room, in milliseconds since the epoch. */
  readonly unschedulableSince?: number;
  /** Since when the newest one can't join its network, in milliseconds since the epoch. */
  readonly obstructedSince?: number;
  /**
   * The starts of the engine that were observed during the rollout, the latest last. In milliseconds since the epoch,
   * by its own clock.
   */
  readonly engineStarts: readonly number[];
}

/**
 * Returns why a rollout has failed; undefined while it hasn't. Instances that ended with the engine don't count as
 * failures of the new version.
 */
export async function rolloutFailure(
  context: NodeReach & RegistryAccess & Pick<DockerContext, 'clock'>,
  task: Task,
  service: DockerService,
  { mine, unschedulableSince, obstructedSince, engineStarts }: RolloutFacts,
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const wentWithEngine = (each: DockerTask): boolean =>
    cameTooEarly(each, engineStarts) || endedWithEngine(each, Date.parse(each.CreatedAt), engineStarts);
  const failed = mine
    .filter((each) => hasFailed(each) && !isObstructed(each) && !wentWithEngine(each))
    .toSorted((one, other) => other.Status.Timestamp.localeCompare(one.Status.Timestamp));
  if (failed.length > 0 && (failed.length > toleratedFailures || service.UpdateStatus?.State === 'paused')) {
    return condition('INSTANCES_FAILED', {
      instances: failed.length,
      cause: await instanceFailure(context, failed[0]!, signal),
    });
  }
  if (obstructedSince !== undefined && context.clock.now() - obstructedSince > obstructionMilliseconds) {
    return condition('INSTANCES_NOT_STARTED', {
      cause: await instanceFailure(context, mine.find(isObstructed)!, signal),
    });
  }
  const waiting =
    unschedulableSince !== undefined && context.clock.now() - unschedulableSince > placementMilliseconds
      ? await unschedulable(context, 'an instance', mine, signal)
      : undefined;
  if (waiting !== undefined) return waiting;
  // The state of an instance from before the last engine start is outdated.
  const known = engineStarts.at(-1) ?? 0;
  const forgotten = await unbegun(context, 'An instance of the new version', mine, known, signal);
  if (forgotten !== undefined) return forgotten;
  const late = mine.find(
    ({ Status, DesiredState }) =>
      Status.State === 'starting' &&
      DesiredState === 'running' &&
      Date.parse(Status.Timestamp) >= known &&
      context.clock.now() - Date.parse(Status.Timestamp) > readyLimit(task),
  );
  return late && condition('NOT_READY_IN_TIME', { cause: await unreadiness(context, late, signal) });
}

/**
 * Returns how long an instance may take to get ready, in milliseconds: what its readiness probe allows, and some time
 * for its start.
 */
function readyLimit(task: Task): number {
  const { readiness_probe: ready } = probesOf(workloadOf(task));
  if (ready === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(
    (ready.initial_delay_seconds + ready.failure_threshold * ready.period_seconds + ready.timeout_seconds) * 1000 +
      startMilliseconds,
    leastReadyMilliseconds,
  );
}
