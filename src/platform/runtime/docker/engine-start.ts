import type { DockerContext } from './docker-context.ts';
import { type DockerTask, inspectDockerNetwork, isDockerError } from './api/index.ts';

/** The network that an engine creates again whenever it starts. Nothing else shows when that was. */
const madeAtStart = 'bridge';

/**
 * Returns when the engine was started, by its own clock, in milliseconds since the epoch. Containers that ran before
 * have ended by then, because an engine that starts stops those that its predecessor left.
 * @returns undefined if it can't be determined: the engine is configured without that network
 */
export async function engineStart(
  { docker }: Pick<DockerContext, 'docker'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const at = Date.parse((await inspectDockerNetwork(docker, madeAtStart, { signal })).Created);
    return Number.isNaN(at) ? undefined : at;
  } catch (error) {
    if (isDockerError(error, 'not found')) return undefined;
    throw error;
  }
}

/**
 * The errors of a node that has only just been started: it does not yet know its swarm or its networks, or remains of a
 * network from before it was killed obstruct it.
 */
const notYet = /swarm is not active|missing network attachments|find a load balancer IP|network sandbox join failed/i;

/**
 * For how long after its start an engine may report these errors, in milliseconds, and how long before a start there may
 * have been another one.
 */
const startingMilliseconds = 60_000;

/**
 * Whether an instance could not be started because the engine itself had only just been started. Nothing of it ran.
 * @param starts when the engine was started, in milliseconds since the epoch
 */
export const cameTooEarly = (
  { Status: { State: state, Err: said = '', Timestamp: at } }: DockerTask,
  starts: readonly number[],
): boolean =>
  (state === 'rejected' || state === 'failed') &&
  notYet.test(said) &&
  starts.some((start) => Math.abs(Date.parse(at) - start) < startingMilliseconds);

/**
 * Whether an ended instance had started before a start of the engine, and was found ended after it: the instance ended
 * with the engine.
 * @param began when it started, in milliseconds since the epoch
 * @param starts when the engine was started
 */
export const endedWithEngine = ({ Status }: DockerTask, began: number, starts: readonly number[]): boolean =>
  starts.some((start) => began < start && start <= Date.parse(Status.Timestamp));
