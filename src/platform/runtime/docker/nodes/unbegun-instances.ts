import type { DockerContext } from '../docker-context.ts';
import type { DockerTask } from '../engine/index.ts';
import { onItsNode } from './node-failure.ts';

/** How long a node may take to begin with an instance, in milliseconds: longer than managers need to miss a node that is lost. */
const beginningMilliseconds = 60_000;

/** Whether an instance should run, and its node has not begun to prepare it. */
const waitsForItsNode = ({ Status: { State: state }, DesiredState }: DockerTask): boolean => DesiredState === 'running' && (state === 'assigned' || state === 'accepted');

/**
 * That a node does not begin with an instance, as sentences; undefined if all do, or may still. A node whose disk was full can have forgotten
 * one for good: managers wait for it without end.
 * @param what should have begun, where a sentence begins, such as "The job"
 * @param since what instances were before is not what they are; in milliseconds since the epoch
 */
export async function unbegunText(context: Pick<DockerContext, 'docker' | 'clock'>, what: string, tasks: readonly DockerTask[], since: number, signal: AbortSignal): Promise<string | undefined> {
  const task = tasks.find((each) => waitsForItsNode(each) && context.clock.now() - Math.max(Date.parse(each.Status.Timestamp), since) > beginningMilliseconds);
  return task && `${what} was not begun${await onItsNode(context, task, signal)} for ${beginningMilliseconds / 1000} seconds. Free space on the disk there if it is full, and deploy again; if it happens again, restart the engine there.`;
}
