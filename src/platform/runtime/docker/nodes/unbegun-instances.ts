import { condition, type Condition } from '../../../../contract/index.ts';
import type { DockerContext } from '../docker-context.ts';
import type { DockerTask } from '../api/index.ts';
import { nodeOf } from './node-failure.ts';

/**
 * How long a node may take to start preparing an instance, in milliseconds: longer than managers need to detect a lost
 * node.
 */
const beginningMilliseconds = 60_000;

/** Whether an instance should run, and its node has not started to prepare it. */
const waitsForItsNode = ({ Status: { State: state }, DesiredState }: DockerTask): boolean =>
  DesiredState === 'running' && (state === 'assigned' || state === 'accepted');

/**
 * The condition that a node does not start with an instance; undefined if all do, or still may. A node whose disk was
 * full may have forgotten one for good: managers then wait for it forever.
 * @param what should have started, for the start of a sentence, such as "The job"
 * @param since the start of the period that counts, in milliseconds since the epoch: earlier states of instances are
 *   ignored
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
