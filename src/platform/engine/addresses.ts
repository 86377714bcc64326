import type { Selectable } from 'kysely';
import type { ServiceAddress } from '../runtime/index.ts';
import type { Db, ServiceTable } from '../store/index.ts';
import type { EngineContext } from './context.ts';
import { runtimeOfEnvironment } from './tasks.ts';

/** The addresses at which services of one environment are reached from outside, by service id. */
export async function addressesOfServices(
  context: Pick<EngineContext, 'runtimes'>,
  db: Db,
  environmentId: string,
  services: readonly Selectable<ServiceTable>[],
): Promise<ReadonlyMap<string, readonly ServiceAddress[]>> {
  const runtime = await runtimeOfEnvironment(context, db, environmentId);
  return new Map(
    services.map(({ id, name, kind, spec, deployed_record: record }) => [
      id,
      runtime.addressesOf({ id, name, kind, environmentId, spec: JSON.parse(spec) }, record ?? undefined),
    ]),
  );
}

/**
 * The domains under which this platform's clusters give services their addresses. No service may choose a domain that
 * overlaps with one of them.
 */
export const clusterDomains = ({ runtimes }: Pick<EngineContext, 'runtimes'>): readonly string[] => [
  ...new Set(runtimes.all.flatMap(([, { domain }]) => domain ?? [])),
];

/**
 * The target that DNS records for a service's domains must have; undefined on a cluster where that is only simulated.
 */
export async function domainTarget(
  context: Pick<EngineContext, 'runtimes'>,
  db: Db,
  { id, environment_id: environmentId }: Pick<Selectable<ServiceTable>, 'id' | 'environment_id'>,
): Promise<string | undefined> {
  return (await runtimeOfEnvironment(context, db, environmentId)).domainTarget?.({ id });
}
