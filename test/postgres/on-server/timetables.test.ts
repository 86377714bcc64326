import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog, systemRandom } from '../../../src/platform/common/index.ts';
import { createEngine, type Engine, anyAddress } from '../../../src/platform/engine/index.ts';
import { runtimesOf, simulatedRuntimeName } from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import type { DataStore } from '../../../src/platform/store/index.ts';
import { addEnvironment, addOrganization, manualClock } from '../../platform/engine/engine-fixture.ts';
import { addRule } from '../../platform/engine/timetable-fixture.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';

// A Wednesday morning.
const clock = manualClock(Date.parse('2026-10-21T10:00:00.000Z'));

let database: OwnDatabase;
let platforms: { readonly db: DataStore; readonly engine: Engine }[];

beforeEach(async () => {
  database = await ownDatabase();
  platforms = await Promise.all(
    [1, 2, 3].map(async () => {
      const db = await openPostgresRecords(database.address, { maximumConnections: 4 });
      const runtime = createSimulatedRuntime({ clock, timeScale: 0 });
      const engine = createEngine({
        db,
        clock,
        random: systemRandom,
        log: silentLog,
        timeScale: 0,
        runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }),
        webhookTargets: anyAddress,
        openSecret: (sealed) => sealed,
        keyedDigest: (text) => text,
      });
      return { db, engine };
    }),
  );
});
afterEach(async () => {
  for (const { db, engine } of platforms) {
    await engine.stop();
    await db.destroy();
  }
  await database.drop();
});

test('platforms on one database stop and start an environment once, and the others go on when some end', async () => {
  const [{ db, engine }, ...others] = platforms as [(typeof platforms)[number], ...typeof platforms];
  await addOrganization(db);
  const { environmentId, ids } = await addEnvironment(db, 'staging', {
    web: { kind: 'container' },
    orders: { kind: 'database' },
  });
  for (const platform of platforms) await platform.engine.start();
  const states = async (): Promise<unknown[]> =>
    (await db.selectFrom('service').select('deployed_state').orderBy('name').execute()).map(
      ({ deployed_state: state }) => state,
    );
  /** Lets time pass, and the deployments that are due then, until the services are in this state. */
  const until = (state: string) =>
    expect
      .poll(async () => {
        const next = await db
          .selectFrom('deployment')
          .select(({ fn }) => fn.min('due_ms').as('due'))
          .executeTakeFirst();
        if (next?.due && next.due > clock.now() && next.due < clock.now() + 60_000)
          clock.advance(next.due - clock.now());
        return states();
      })
      .toEqual([state, state]);
  const at = (moment: string) => clock.advance(Date.parse(moment) - clock.now());

  await db.write((trx) =>
    engine.request(trx, {
      action: 'DEPLOY',
      origin: 'API',
      triggeredBy: 'tester',
      environmentId,
      serviceIds: Object.values(ids),
    }),
  );
  engine.wake();
  await until('DEPLOYED');
  await addRule(db, environmentId, clock.now());
  at('2026-10-21T17:00:00.000Z');
  await until('STOPPED');
  at('2026-10-22T05:00:00.000Z');
  await until('DEPLOYED');
  for (const other of others) {
    await other.engine.stop();
    await other.db.destroy();
  }
  platforms = platforms.slice(0, 1);
  at('2026-10-22T17:00:00.000Z');
  await until('STOPPED');
  const actions = await db
    .selectFrom('deployment')
    .select('action')
    .where('triggered_by', '=', 'timetable')
    .orderBy('seq')
    .execute();
  expect(actions.map(({ action }) => action)).toEqual(['STOP', 'DEPLOY', 'STOP']);
});
