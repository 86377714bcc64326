import type { DockerTask } from './api/index.ts';

/** The states in which a task has ended although its service should run. */
const endStates: readonly DockerTask['Status']['State'][] = ['failed', 'rejected', 'complete'];

/** The states of a task whose node has told that it ended, however it did. */
const toldEndStates: readonly DockerTask['Status']['State'][] = [...endStates, 'shutdown', 'remove'];

/** Whether an instance runs, and is to go on. */
export const isUp = ({ Status, DesiredState }: DockerTask): boolean =>
  Status.State === 'running' && DesiredState === 'running';

/** What managers say of an instance that they take from a node which was drained or lost a label. */
const takenFromNode = 'assigned node no longer meets constraints';

/**
 * Whether an instance has ended by itself. One that the engine was told to end doesn't count, nor does one that has to
 * run on another node now.
 */
export const hasFailed = ({ Status, DesiredState }: DockerTask): boolean =>
  endStates.includes(Status.State) &&
  !(Status.State === 'complete' && DesiredState === 'remove') &&
  Status.Err !== takenFromNode;

/** The exit code of a program that ended when the engine told it to. */
const terminated = 143;

/**
 * Whether the engine ended an instance after another one had taken its place, such as on a node that was drained. A
 * busy node can tell such an end as a failure.
 * @param tasks those of its service, at least
 */
export const wasReplaced = (
  { ID: id, ServiceID, Slot, CreatedAt, Status: { ContainerStatus, Timestamp } }: DockerTask,
  tasks: readonly DockerTask[],
): boolean =>
  ContainerStatus?.ExitCode === terminated &&
  tasks.some(
    (other) =>
      other.ID !== id &&
      other.ServiceID === ServiceID &&
      other.Slot === Slot &&
      Date.parse(other.CreatedAt) > Date.parse(CreatedAt) &&
      Date.parse(other.CreatedAt) < Date.parse(Timestamp),
  );

/** Whether the node of an instance has told that it ended. */
export const hasToldEnd = ({ Status }: DockerTask): boolean => toldEndStates.includes(Status.State);

/**
 * Whether an instance counts as ended. One whose node is lost does so for managers after a while, although nobody has
 * told that it ended: it is orphaned.
 */
export const hasEnded = (task: DockerTask): boolean => hasToldEnd(task) || task.Status.State === 'orphaned';

/** Whether no node takes an instance. */
export const isUnschedulable = ({ Status }: DockerTask): boolean =>
  Status.State === 'pending' && (Status.Err ?? '').includes('no suitable node');
