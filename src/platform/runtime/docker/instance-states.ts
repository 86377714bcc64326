import type { DockerTask } from './engine/index.ts';

/** The states in which a task has ended although its service should run. */
const endStates: readonly DockerTask['Status']['State'][] = ['failed', 'rejected', 'complete'];

/** The states of a task whose node has told that it ended, however it did. */
const toldEndStates: readonly DockerTask['Status']['State'][] = [...endStates, 'shutdown', 'remove'];

/** Whether an instance runs, and is to go on. */
export const isUp = ({ Status, DesiredState }: DockerTask): boolean => Status.State === 'running' && DesiredState === 'running';

/** What managers say of an instance that they take from a node which was drained or lost a label. */
const takenFromNode = 'assigned node no longer meets constraints';

/** Whether an instance has ended by itself. One that the engine was told to end doesn't count, nor does one that has to run on another node now. */
export const hasFailed = ({ Status, DesiredState }: DockerTask): boolean =>
  endStates.includes(Status.State) && !(Status.State === 'complete' && DesiredState === 'remove') && Status.Err !== takenFromNode;

/** Whether the node of an instance has told that it ended. */
export const hasToldEnd = ({ Status }: DockerTask): boolean => toldEndStates.includes(Status.State);

/** Whether an instance counts as ended. One whose node is lost does so for managers after a while, although nobody has told that it ended: it is orphaned. */
export const hasEnded = (task: DockerTask): boolean => hasToldEnd(task) || task.Status.State === 'orphaned';

/** Whether no node takes an instance. */
export const isUnplaced = ({ Status }: DockerTask): boolean => Status.State === 'pending' && (Status.Err ?? '').includes('no suitable node');
