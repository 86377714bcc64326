import type { DockerTask } from './api/index.ts';

/** The states in which a task has ended although its service should run. */
const endStates: readonly DockerTask['Status']['State'][] = ['failed', 'rejected', 'complete'];

/** The states of a task whose node has reported its end, whatever its cause. */
const toldEndStates: readonly DockerTask['Status']['State'][] = [...endStates, 'shutdown', 'remove'];

/** Whether an instance runs, and should continue to run. */
export const isUp = ({ Status, DesiredState }: DockerTask): boolean =>
  Status.State === 'running' && DesiredState === 'running';

/** The managers' message for an instance that they remove from a node which was drained or lost a label. */
const takenFromNode = 'assigned node no longer meets constraints';

/**
 * Whether an instance has ended by itself. An instance that the engine was told to stop doesn't count, nor does one
 * that has to run on another node now.
 */
export const hasFailed = ({ Status, DesiredState }: DockerTask): boolean =>
  endStates.includes(Status.State) &&
  !(Status.State === 'complete' && DesiredState === 'remove') &&
  Status.Err !== takenFromNode;

/** The exit code of a program that was terminated by SIGTERM. */
const terminated = 143;

/**
 * Whether the engine stopped an instance after another one had replaced it, for example on a drained node. A busy node
 * can report such an end as a failure.
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

/** Whether the node of an instance has reported its end. */
export const hasToldEnd = ({ Status }: DockerTask): boolean => toldEndStates.includes(Status.State);

/**
 * Whether an instance counts as ended. If its node is lost, managers mark it as orphaned after a while, although its
 * end was not reported: it then counts too.
 */
export const hasEnded = (task: DockerTask): boolean => hasToldEnd(task) || task.Status.State === 'orphaned';

/** Whether no node can take an instance. */
export const isUnschedulable = ({ Status }: DockerTask): boolean =>
  Status.State === 'pending' && (Status.Err ?? '').includes('no suitable node');
