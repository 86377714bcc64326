import { condition, type DataOf } from '../../../../contract/index.ts';
import { conditionLine, type RuntimeLogLine, type Task } from '../../index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import {
  type DockerNode,
  type DockerService,
  type DockerServiceSpec,
  type DockerTask,
  listDockerNodes,
  replicasOf,
} from '../api/index.ts';
import { fits } from './fitting-nodes.ts';
import { takesInstances } from './node-facts.ts';
import { isUp } from '../instance-states.ts';
import { isStopped } from '../labels.ts';
import { spreadLabel } from './placement.ts';
import { applySpec } from '../services/services-of-ours.ts';
import { versionShown } from '../version.ts';

/**
 * How long an additional instance has to run before the one that it replaces is stopped, and how long a move may take,
 * in milliseconds.
 */
const settleMilliseconds = 2000;
const moveMilliseconds = 20_000;

const nodesOf = (tasks: readonly DockerTask[]): ReadonlySet<string> =>
  new Set(tasks.flatMap(({ NodeID: id }) => id ?? []));

const named = (nodes: readonly DockerNode[]): string[] =>
  nodes.map(({ Description }) => Description.Hostname).toSorted();

/** How instances share nodes. */
type Crowding = Omit<DataOf<'INSTANCES_CROWDED'>, 'isMoving'>;

/**
 * Returns how instances share fewer nodes than they could use; undefined if they don't. If they are spread over a
 * label, nodes with the same value count as one.
 * @param tasks those that run
 * @param nodes all of the cluster
 */
export function crowdingOf(
  template: DockerServiceSpec['TaskTemplate'],
  tasks: readonly DockerTask[],
  nodes: readonly DockerNode[],
): Crowding | undefined {
  const label = spreadLabel(template);
  const placeOf = ({ ID: id, Spec }: DockerNode): string => (label === undefined ? id : (Spec.Labels?.[label] ?? ''));
  const taken = nodesOf(tasks);
  const here = nodes.filter(({ ID: id }) => taken.has(id));
  const used = new Set(here.map(placeOf));
  const free = nodes.filter((node) => !used.has(placeOf(node)) && takesInstances(node) && fits(node, template));
  if (used.size === 0 || used.size >= tasks.length || free.length === 0) return undefined;
  return {
    instances: tasks.length,
    nodes: named(here),
    label,
    values: label === undefined ? [] : [...used],
    free: named(free),
  };
}

/** Whether instances can be crowded, so that it is worth listing the nodes. */
export const mayBeCrowded = (template: DockerServiceSpec['TaskTemplate'], tasks: readonly DockerTask[]): boolean =>
  tasks.length > 1 && (spreadLabel(template) !== undefined || nodesOf(tasks).size < tasks.length);

/** The progress of spreading the instances of a rollout. */
export interface Spreading {
  /** How many moves were made or tried. */
  readonly moves: number;
  /** When the last move started, in milliseconds since the epoch. */
  readonly since: number;
}

/** The next step of spreading, and the lines that report it. */
interface SpreadingStep {
  readonly spreading: Spreading;
  readonly lines: readonly RuntimeLogLine[];
}

const scale = (context: OwnObjects, task: Task, Replicas: number, signal: AbortSignal): Promise<void> =>
  applySpec(context, task, (present) => present && { ...present.Spec, Mode: { Replicated: { Replicas } } }, { signal });

/**
 * Moves instances of a version that has just been rolled out, if they share fewer nodes than they could use: during a
 * rollout, the engine doesn't count old and new instances separately. One more is started, which the engine places
 * where there are the fewest, and one is stopped, which the engine takes from where there are the most. So no request
 * fails, and there is never more than one instance too many.
 * @param wanted how many instances there should be
 * @returns the step that was taken; undefined if nothing is left to do
 */
export async function spreadInstances(
  context: OwnObjects & Pick<DockerContext, 'clock'>,
  task: Task,
  service: DockerService,
  tasks: readonly DockerTask[],
  wanted: number,
  before: Spreading | undefined,
  signal: AbortSignal,
): Promise<SpreadingStep | undefined> {
  const now = context.clock.now();
  const up = tasks.filter(isUp);
  const place = { at: now, pod: 'rollout', version: versionShown(task) };
  const { moves, since } = before ?? { moves: 0, since: now };
  if (replicasOf(service.Spec) > wanted) {
    const isSettled =
      up.length > wanted && up.every(({ Status }) => now - Date.parse(Status.Timestamp) >= settleMilliseconds);
    const isLate = now - since > moveMilliseconds;
    if (isSettled || isLate) await scale(context, task, wanted, signal);
    return isLate && !isSettled
      ? {
          spreading: { moves: wanted, since },
          lines: [
            { ...place, message: 'No additional instance became ready in time: the instances stay where they are' },
          ],
        }
      : { spreading: { moves, since }, lines: [] };
  }
  // A rollback has to know that the previous version was stopped. A service that starts has no old instances that could
  // crowd the new ones.
  if (
    up.length !== wanted ||
    moves >= wanted ||
    isStopped(service.PreviousSpec?.Labels) ||
    !mayBeCrowded(service.Spec.TaskTemplate, up)
  )
    return undefined;
  const crowding = crowdingOf(service.Spec.TaskTemplate, up, await listDockerNodes(context.docker, {}, { signal }));
  if (crowding === undefined) return undefined;
  await scale(context, task, wanted + 1, signal);
  return {
    spreading: { moves: moves + 1, since: now },
    lines: [conditionLine(condition('INSTANCES_CROWDED', { ...crowding, isMoving: true }), place)],
  };
}
