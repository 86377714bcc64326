import type { DockerContext } from './docker-context.ts';
import { type DockerTask, inspectDockerNetwork, isDockerError } from './api/index.ts';

/** The network that an engine makes anew whenever it starts. Nothing else tells when that was. */
const madeAtStart = 'bridge';

/**
 * When the engine was started, by its own clock: milliseconds since the epoch. What ran before has ended by then,
 * because an engine that starts ends the containers that its predecessor left.
 * @returns undefined if it doesn't tell: it was configured to have no such network
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
 * What a node says that has only just been started: as far as it knows, it is in no swarm, or has no networks; or it is
 * in its own way with what it left of a network when it was killed.
 */
const notYet = /swarm is not active|missing network attachments|find a load balancer IP|network sandbox join failed/i;

/** How long an engine may say that after it was started, in milliseconds. */
const startingMilliseconds = 60_000;

/**
 * Whether an instance could not be started because the engine had only just been started itself. Nothing of it ran.
 * @param starts when the engine was started, in milliseconds since the epoch
 */
export const cameTooEarly = (
  { Status: { State: state, Err: said = '', Timestamp: at } }: DockerTask,
  starts: readonly number[],
): boolean =>
  (state === 'rejected' || state === 'failed') &&
  notYet.test(said) &&
  starts.some((start) => start <= Date.parse(at) && Date.parse(at) < start + startingMilliseconds);

/**
 * Whether an instance that ended began before a start of the engine, and was found ended after it: the engine's end
 * took it along.
 * @param began when it began, in milliseconds since the epoch
 * @param starts when the engine was started
 */
export const endedWithEngine = ({ Status }: DockerTask, began: number, starts: readonly number[]): boolean =>
  starts.some((start) => began < start && start <= Date.parse(Status.Timestamp));
