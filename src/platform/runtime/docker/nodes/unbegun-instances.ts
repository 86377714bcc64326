import { condition, type Condition } from '../../../../contract/index.ts';
import type { DockerContext } from '../docker-context.ts';
import type { DockerTask } from '../api/index.ts';
import { nodeOf } from './node-failure.ts';

/**
 * How long a node may take to begin with an instance, in milliseconds: longer than managers need to miss a node that is
 * lost.
 */
const beginningMilliseconds = 60_000;

/** Whether an instance should run, and its node has not begun to prepare it. */
const waitsForItsNode = ({ Status: { State: state }, DesiredState }: DockerTask): boolean =>
  DesiredState === 'running' && (state === 'assigned' || state === 'accepted');

/**
 * That a node does not begin with an instance; undefined if all do, or may still. A node whose disk was full can have
 * forgotten one for good: managers wait for it without end.
 * @param what should have begun, where a sentence begins, such as "The job"
 * @param since what instances were before is not what they are; in milliseconds since the epoch
 */
export async function unbegun(
  context: Pick<DockerContext, 'docker' | 'clock'>,
  what: string,
  tasks: readonly DockerTask[],
  since: number,
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const task = tasks.find(
    (each) =>
      waitsForItsNode(each) &&
      context.clock.now() - Math.max(Date.parse(each.Status.Timestamp), since) > beginningMilliseconds,
  );
  return (
    task &&
    condition('INSTANCE_NOT_BEGUN', {
      what,
      node: await nodeOf(context, task, signal),
      seconds: beginningMilliseconds / 1000,
    })
  );
}
