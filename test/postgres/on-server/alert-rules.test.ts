import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock, silentLog, systemRandom } from '../../../src/platform/common/index.ts';
import { serviceSettled } from '../../../src/platform/engine/alert-rules.ts';
import type { EngineContext } from '../../../src/platform/engine/index.ts';
import { runtimesOf, simulatedRuntimeName } from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import type { DataStore } from '../../../src/platform/store/index.ts';
import { addEnvironment, addOrganization, clusterId, organizationId } from '../../platform/engine/engine-fixture.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';

let database: OwnDatabase;
let db: DataStore;
beforeEach(async () => {
  database = await ownDatabase();
  db = await openPostgresRecords(database.address, { maximumConnections: 4 });
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

const at = '2026-01-01T00:00:00.000Z';

test('services that end side by side do not wait for each other where a rule that watches their cluster is to be evaluated anyway', async () => {
  await addOrganization(db);
  const [one, other] = [
    await addEnvironment(db, 'one', { web: { kind: 'container' } }),
    await addEnvironment(db, 'other', { web: { kind: 'container' } }),
  ];
  await db
    .insertInto('alert_rule')
    .values({
      id: 'rule',
      created_at: at,
      updated_at: at,
      organization_id: organizationId,
      cluster_id: clusterId,
      name: 'rule',
      description: '',
      tag: '',
      condition: '{"promql":"1"}',
      for_duration: 'PT1M',
      severity: 'LOW',
      enabled: 1,
      alert_receiver_ids: '[]',
      presentation: '{}',
      source: 'MANAGED',
      state: 'NOTIFIED',
      target_type: 'CLUSTER',
      target_id: clusterId,
      is_up_to_date: 1,
      starts_at: at,
    })
    .execute();
  const context: EngineContext = {
    db,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    timeScale: 0,
    openSecret: (sealed) => sealed,
    keyedDigest: (text) => text,
    runtimes: runtimesOf({ [simulatedRuntimeName]: createSimulatedRuntime({ clock: systemClock, timeScale: 0 }) }),
  };
  const settle = (place: typeof one, meanwhile: () => Promise<void>) =>
    db.write(async (trx) => {
      await serviceSettled(context, trx, place.ids['web']!, place.environmentId);
      await meanwhile();
    });
  const dueTimes = () => db.selectFrom('timer').select('due_ms').where('subject_id', '=', 'rule').execute();
  await settle(one, async () => {});
  const due = await dueTimes();
  expect(due).toHaveLength(1);
  // The second one ends within the first, which would wait for itself.
  let isEnded = false;
  await settle(one, () =>
    settle(other, async () => {
      isEnded = true;
    }),
  );
  expect(isEnded).toBe(true);
  expect(await dueTimes()).toEqual(due);
});
