import type { Meter } from '../../runtime/index.ts';
import { type Db, inBatches } from '../../store/index.ts';
import type { RepeatedWork } from '../background-loop.ts';
import type { EngineContext } from '../context.ts';
import { LeaderLockLost, type LeaderLocks } from '../leader-locks.ts';
import type { NodeFigures, ServiceFigures } from './figures.ts';
import { createWindow, type Window } from './window.ts';

const says = {
  failure: 'the services of a cluster could not be measured',
  recovery: 'the services of a cluster are measured again',
};

/** Saves the resource usage of services, one row each. Services that were deleted in the meantime are left out. */
async function saveServices(trx: Db, figures: ReadonlyMap<string, ServiceFigures>, at: number): Promise<void> {
  for (const ids of inBatches([...figures.keys()])) {
    const present = await trx
      .selectFrom('service')
      .select('id')
      .where('id', 'in', [...ids])
      .execute();
    const rows = present.map(({ id }) => ({ service_id: id, at_ms: at, figures: JSON.stringify(figures.get(id)) }));
    if (rows.length === 0) continue;
    await trx
      .insertInto('service_measurement')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('service_id')
          .doUpdateSet((eb) => ({ at_ms: eb.ref('excluded.at_ms'), figures: eb.ref('excluded.figures') })),
      )
      .execute();
  }
}

/** Stores when a cluster was last measured and what its nodes use, replacing the earlier rows. */
async function saveCluster(
  trx: Db,
  runtime: string,
  figures: ReadonlyMap<string, NodeFigures>,
  at: number,
): Promise<void> {
  const clusters = await trx.selectFrom('cluster').select('id').where('runtime', '=', runtime).execute();
  for (const { id: clusterId } of clusters) {
    await trx
      .insertInto('measured_cluster')
      .values({ cluster_id: clusterId, at_ms: at })
      .onConflict((conflict) => conflict.column('cluster_id').doUpdateSet({ at_ms: at }))
      .execute();
    await trx.deleteFrom('node_measurement').where('cluster_id', '=', clusterId).execute();
    const rows = [...figures].map(([node, each]) => ({
      cluster_id: clusterId,
      node_id: node,
      at_ms: at,
      figures: JSON.stringify(each),
    }));
    if (rows.length > 0) await trx.insertInto('node_measurement').values(rows).execute();
  }
}

/** Measures the clusters whose runtimes support that, in one worker each, and saves each round in one transaction. */
export function measuringOf(
  { clock, runtimes }: Pick<EngineContext, 'clock' | 'runtimes'>,
  leaderLocks: LeaderLocks,
): readonly RepeatedWork[] {
  const measuring = (name: string, meter: Meter): RepeatedWork => {
    let session: { readonly measure: ReturnType<Meter['begin']>; readonly window: Window } | undefined;
    return {
      interval: meter.interval,
      says,
      about: { runtime: name },
      run: async (signal) => {
        const leaderLock = await leaderLocks.take(`measuring ${name}`);
        // Another worker measures. A worker that takes over starts from scratch.
        if (leaderLock === undefined) {
          session = undefined;
          return;
        }
        session ??= { measure: meter.begin(), window: createWindow() };
        const { measure, window } = session;
        window.add(clock.now(), await measure(signal));
        const at = clock.now();
        try {
          await leaderLock.write(async (trx) => {
            await saveServices(trx, window.services(), at);
            await saveCluster(trx, name, window.nodes(), at);
          });
        } catch (error) {
          if (!(error instanceof LeaderLockLost)) throw error;
          session = undefined;
        }
      },
    };
  };
  return runtimes.all.flatMap(([name, { meter }]) => (meter === undefined ? [] : [measuring(name, meter)]));
}
