import type { Healthchecks } from '../../../contract/resources/service.ts';
import type * as z from 'zod';
import { killedByLiveness, neverReady, outOfMemory } from './failures.ts';
import type { Scene, Script } from './script.ts';

type Probe = NonNullable<z.output<typeof Healthchecks>['readiness_probe']>;

/** Less memory than any runtime starts in, in MB. */
const leastMemory = 64;

const portOf = ({ type }: Probe): number | undefined => (type.http ?? type.tcp ?? type.grpc)?.port;

/** The port a probe asks at although the service says that it listens on others. A service that names no port may listen anywhere. */
const missedPort = (probe: Probe | undefined, listening: readonly number[]): number | undefined => {
  const port = probe && portOf(probe);
  return port !== undefined && listening.length > 0 && !listening.includes(port) ? port : undefined;
};

/** What the configuration itself makes go wrong when instances of an application or container start, if anything. */
export function rolloutFault(scene: Scene): Script | undefined {
  const { service } = scene.task;
  if (service.kind !== 'application' && service.kind !== 'container') return undefined;
  const { memory, min_running_instances, ports, healthchecks } = service.spec;
  if (min_running_instances === 0) return undefined;
  if (memory < leastMemory) return outOfMemory(scene, memory);
  const listening = ports.map((port) => port.internal_port);
  const { readiness_probe: readiness, liveness_probe: liveness } = healthchecks ?? {};
  const unready = missedPort(readiness, listening);
  if (readiness && unready !== undefined) return neverReady(scene, readiness, unready, listening);
  const dead = missedPort(liveness, listening);
  return liveness && dead !== undefined ? killedByLiveness(scene, liveness, dead, listening) : undefined;
}
