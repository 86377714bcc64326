import { type DockerClient, inspectDockerSwarm, isDockerError, updateDockerSwarm } from '../api/index.ts';
import { answerMilliseconds } from '../waits.ts';

/**
 * How often the nodes of a swarm say that they are there, in nanoseconds: what is the default, and the least that
 * engines take.
 */
const usualHeartbeat = 5e9;
export const fastHeartbeat = 1e9;

/**
 * How long a node that is lost is not missed at most, in nanoseconds: it has to miss two heartbeats, and has just sent
 * one.
 */
export const missedAfter = (heartbeat: number): number => 3 * heartbeat;

/** How often the nodes of a swarm say that they are there, in nanoseconds. */
export async function heartbeatOf(docker: DockerClient, signal?: AbortSignal): Promise<number> {
  const { Spec } = await inspectDockerSwarm(docker, {
    timeoutMilliseconds: answerMilliseconds,
    ...(signal && { signal }),
  });
  return Spec.Dispatcher?.HeartbeatPeriod ?? usualHeartbeat;
}

/**
 * Sees to it that a node that is lost is missed within three seconds, by the heartbeat of the whole swarm. Only where
 * whoever runs the platform asked for it: the swarm may have services of others. It is never set back.
 * @returns what was changed, as a sentence; nothing if it was so
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
    // Somebody else changed the swarm at the same moment: the next look finds what is left to do.
    if (isDockerError(error, 'stale')) return [];
    throw error;
  }
  return [
    `the heartbeat of the swarm at ${docker.address} was set from ${present / 1e9} s to ${fastHeartbeat / 1e9} s, because its cluster has "failover: fast"; docker swarm update --dispatcher-heartbeat ${present / 1e9}s sets it back, once that is left out`,
  ];
}
