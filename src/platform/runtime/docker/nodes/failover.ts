import { type DockerClient, inspectDockerSwarm, isDockerError, updateDockerSwarm } from '../api/index.ts';
import { answerMilliseconds } from '../waits.ts';

/** The heartbeat periods of a swarm's nodes, in nanoseconds: the default, and the shortest that engines accept. */
const usualHeartbeat = 5e9;
export const fastHeartbeat = 1e9;

/**
 * The longest time until a lost node is detected, in nanoseconds: it has to miss two heartbeats, and may just have sent
 * one.
 */
export const missedAfter = (heartbeat: number): number => 3 * heartbeat;

/** Reads the heartbeat period of a swarm's nodes, in nanoseconds. */
export async function heartbeatOf(docker: DockerClient, signal?: AbortSignal): Promise<number> {
  const { Spec } = await inspectDockerSwarm(docker, {
    timeoutMilliseconds: answerMilliseconds,
    ...(signal && { signal }),
  });
  return Spec.Dispatcher?.HeartbeatPeriod ?? usualHeartbeat;
}

/**
 * Makes managers detect a lost node within three seconds, by the heartbeat period of the whole swarm. Only used if the
 * operator configured it: the swarm may have services of others. It is never set back.
 * @returns the change as a sentence; nothing if none was needed
 */
export async function speedUpFailover(docker: DockerClient, signal: AbortSignal): Promise<string[]> {
  const { Version, Spec } = await inspectDockerSwarm(docker, { timeoutMilliseconds: answerMilliseconds, signal });
  const present = Spec.Dispatcher?.HeartbeatPeriod ?? usualHeartbeat;
  if (present <= fastHeartbeat) return [];
  try {
    await updateDockerSwarm(
      docker,
      Version.Index,
      { ...Spec, Dispatcher: { ...Spec.Dispatcher, HeartbeatPeriod: fastHeartbeat } },
      { timeoutMilliseconds: answerMilliseconds, signal },
    );
  } catch (error) {
    // Another client changed the swarm at the same moment: the next round does what is still needed.
    if (isDockerError(error, 'stale')) return [];
    throw error;
  }
  return [
    `the heartbeat of the swarm at ${docker.address} was set from ${present / 1e9} s to ${fastHeartbeat / 1e9} s, because its cluster has "failover: fast"; docker swarm update --dispatcher-heartbeat ${present / 1e9}s sets it back, once that is left out`,
  ];
}
