import type { KnownResources, Runtime } from '../runtime/index.ts';
import type { EngineContext } from './context.ts';

/**
 * How long after a sweep the next one is due, in milliseconds; and after one that could not check everywhere, because a
 * machine may be back by then.
 */
const intervalMilliseconds = 3_600_000;

const earlierMilliseconds = 300_000;

/** How many records are read: those of the newest deployments. Older ones count as unknown. */
const mostRecords = 5000;

/** Removes resources from clusters that no record refers to. */
export interface Sweeps {
  /** Sweeps the clusters of a runtime if that is due: after the start, and once an hour from then on. */
  whenDue(name: string, runtime: Runtime, signal: AbortSignal): Promise<void>;
}

/**
 * Creates the sweeps of clusters, which report what they find in the platform's log. Unchanged results aren't logged
 * again.
 */
export function createSweeps({ db, clock, log }: EngineContext): Sweeps {
  const last = new Map<string, { readonly next: number; readonly told: string }>();

  const known = (): Promise<KnownResources> =>
    db.read(async (trx) => ({
      serviceIds: new Set((await trx.selectFrom('service').select('id').execute()).map(({ id }) => id)),
      environmentIds: new Set((await trx.selectFrom('environment').select('id').execute()).map(({ id }) => id)),
      records: (
        await trx
          .selectFrom('deployment')
          .innerJoin('deployment_service', 'deployment_service.deployment_id', 'deployment.id')
          .select(['deployment_service.service_id as serviceId', 'deployment_service.record'])
          .orderBy('deployment.seq', 'desc')
          .limit(mostRecords)
          .execute()
      ).flatMap(({ serviceId, record }) => (record === null ? [] : [{ serviceId, record }])),
    }));

  return {
    whenDue: async (name, runtime, signal) => {
      const before = last.get(name);
      const now = clock.now();
      if (before && now < before.next) return;
      const { removed, left, unasked = [], images = {} } = await runtime.sweep(known, signal);
      const told = JSON.stringify([left, unasked]);
      last.set(name, { next: now + (unasked.length > 0 ? earlierMilliseconds : intervalMilliseconds), told });
      if (removed.length > 0)
        log.warn({ runtime: name, removed }, 'resources that belonged to no service were removed');
      if (Object.keys(images).length > 0)
        log.info({ runtime: name, images }, 'unneeded images were removed to stay within their size limit');
      if (told === before?.told) return;
      if (left.length > 0)
        log.warn(
          { runtime: name, left },
          'resources that belong to no service were left: remove them manually once they are no longer needed',
        );
      if (unasked.length > 0)
        log.warn(
          { runtime: name, unasked },
          'these places could not be checked for resources that belong to no service',
        );
    },
  };
}
