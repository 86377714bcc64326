import { afterEach, beforeEach, expect, test } from 'vitest';
import { timetableChanged } from '../../../src/platform/engine/timetable.ts';
import {
  addEnvironment,
  clusterId,
  type EngineFixture,
  type ManualClock,
  manualClock,
  openEngineFixture,
} from './engine-fixture.ts';
import { addRule, nextTimer } from './timetable-fixture.ts';

// A Wednesday.
const start = '2026-10-21T10:00:00.000Z';

let clock: ManualClock;
let fixture: EngineFixture;
let environmentId: string;
let ids: Record<string, string>;

const moveTo = async (moment: string): Promise<void> => {
  clock.advance(Date.parse(moment) - clock.now());
  await quiet();
};

/** Resolves once no timer and no deployment is due any more. */
async function quiet(): Promise<void> {
  await fixture.until(clock, async () => {
    const timers = await fixture.db.selectFrom('timer').select('kind').where('due_ms', '<=', clock.now()).execute();
    const open = await fixture.db.selectFrom('deployment').select('id').where('ended_at', 'is', null).execute();
    return timers.length === 0 && open.length === 0;
  });
}

const states = async (): Promise<Record<string, string>> => {
  const rows = await fixture.db
    .selectFrom('service')
    .select(['name', 'deployed_state'])
    .where('environment_id', '=', environmentId)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.name, row.deployed_state]));
};

const byTimetable = async () =>
  (
    await fixture.db
      .selectFrom('deployment')
      .select(['action', 'created_at'])
      .where('triggered_by', '=', 'timetable')
      .orderBy('seq')
      .execute()
  ).map(({ action, created_at: at }) => [action, at]);

const events = async () =>
  (
    await fixture.db
      .selectFrom('audit_event')
      .select(['event_type', 'change'])
      .where('target_id', '=', environmentId)
      .orderBy('seq')
      .execute()
  ).map(({ event_type: type, change }) => [type, JSON.parse(change) as Record<string, string>] as const);

beforeEach(async () => {
  clock = manualClock(Date.parse(start));
  fixture = await openEngineFixture({ clock });
  ({ environmentId, ids } = await addEnvironment(fixture.db, 'staging', {
    web: { kind: 'container' },
    orders: { kind: 'database' },
    old: { kind: 'container' },
  }));
  await fixture.order({ environmentId, serviceIds: Object.values(ids) });
  await fixture.settled(clock);
  await fixture.order({ environmentId, serviceIds: [ids['old']!], action: 'STOP' });
  await fixture.settled(clock);
});
afterEach(() => fixture.close());

/** Weekdays from 07:00 to 19:00 in Paris. */
const withRule = (more = {}) => addRule(fixture.db, environmentId, clock.now(), more);

test('stops what runs in the evening, and starts that again in the morning, also where clocks change in between', async () => {
  await withRule();
  await moveTo('2026-10-21T17:00:00.000Z');
  expect(await states()).toEqual({ web: 'STOPPED', orders: 'STOPPED', old: 'STOPPED' });
  await moveTo('2026-10-22T05:00:00.000Z');
  expect(await states()).toEqual({ web: 'DEPLOYED', orders: 'DEPLOYED', old: 'STOPPED' });
  // Over the weekend it stays stopped, and summer time ends.
  await moveTo('2026-10-23T17:00:00.000Z');
  await moveTo('2026-10-26T05:59:59.999Z');
  expect(await states()).toEqual({ web: 'STOPPED', orders: 'STOPPED', old: 'STOPPED' });
  await moveTo('2026-10-26T06:00:00.000Z');
  expect(await states()).toMatchObject({ web: 'DEPLOYED', old: 'STOPPED' });
  expect((await byTimetable()).map(([action]) => action)).toEqual(['STOP', 'DEPLOY', 'STOP', 'DEPLOY']);
  expect((await events())[0]).toEqual([
    'TRIGGER_STOP',
    { due: '2026-10-21T17:00:00.000Z', deployment_id: expect.any(String) },
  ]);
});

test('does not start what was started and stopped by a person, and stops nothing twice', async () => {
  await withRule();
  await moveTo('2026-10-21T17:00:00.000Z');
  for (const action of ['DEPLOY', 'STOP'] as const) {
    await fixture.order({ environmentId, serviceIds: Object.values(ids), action });
    await fixture.settled(clock);
  }
  await moveTo('2026-10-22T05:00:00.000Z');
  expect(await states()).toMatchObject({ web: 'STOPPED', orders: 'STOPPED' });
  await moveTo('2026-10-22T17:00:00.000Z');
  expect((await byTimetable()).map(([action]) => action)).toEqual(['STOP']);
});

test('of the times that were missed while no platform ran, the last one is caught up, and its event says so', async () => {
  await withRule();
  await fixture.engine.stop();
  // Two evenings and a morning later.
  clock.advance(Date.parse('2026-10-22T20:00:00.000Z') - clock.now());
  const other = fixture.anotherEngine();
  await other.start();
  await quiet();
  await other.stop();
  expect(await byTimetable()).toEqual([['STOP', '2026-10-22T20:00:00.000Z']]);
  expect(await states()).toMatchObject({ web: 'STOPPED' });
  expect(await events()).toEqual([
    [
      'TRIGGER_STOP',
      {
        due: '2026-10-22T17:00:00.000Z',
        deployment_id: expect.any(String),
        message: expect.stringContaining('no platform was running'),
      },
    ],
  ]);
  expect(await nextTimer(fixture.db, environmentId)).toBe('2026-10-23T05:00:00.000Z');
});

test('a stop that is refused is told once, and made once it can be', async () => {
  await withRule();
  await fixture.db
    .insertInto('cluster_lock')
    .values({
      cluster_id: clusterId,
      reason: 'audit',
      locked_at: '2026-10-20T20:00:00.000Z',
      owner_name: 'Ada',
      ttl_in_days: 1,
    })
    .execute();
  for (const moment of ['17:00', '17:10', '18:00']) await moveTo(`2026-10-21T${moment}:00.000Z`);
  expect(await states()).toMatchObject({ web: 'DEPLOYED' });
  expect(await events()).toEqual([
    ['STOP_FAILED', { due: '2026-10-21T17:00:00.000Z', message: expect.stringContaining('locked by Ada') }],
  ]);
  await moveTo('2026-10-21T20:05:00.000Z');
  expect(await states()).toMatchObject({ web: 'STOPPED', orders: 'STOPPED' });
  expect((await events()).map(([type]) => type)).toEqual(['STOP_FAILED', 'TRIGGER_STOP']);
});

test('one that is switched off leaves no timer, and an environment that is deleted none either', async () => {
  await withRule();
  expect(await nextTimer(fixture.db, environmentId)).toBe('2026-10-21T17:00:00.000Z');
  await fixture.db.updateTable('deployment_rule').set({ auto_stop: 0 }).execute();
  await fixture.db.write((trx) => timetableChanged(trx, environmentId, clock.now()));
  expect(await nextTimer(fixture.db, environmentId)).toBeUndefined();

  await withRule({ auto_stop: 1 });
  await fixture.order({ environmentId, serviceIds: Object.values(ids), action: 'DELETE', takesEnvironment: true });
  await fixture.settled(clock);
  expect(await nextTimer(fixture.db, environmentId)).toBeUndefined();
  expect(await fixture.db.selectFrom('deployment_rule').selectAll().execute()).toEqual([]);
});

test('several workers stop and start an environment once', async () => {
  await withRule();
  const others = [fixture.anotherEngine(), fixture.anotherEngine()];
  for (const other of others) await other.start();
  for (const moment of ['2026-10-21T17:00:00.000Z', '2026-10-22T05:00:00.000Z', '2026-10-22T17:00:00.000Z'])
    await moveTo(moment);
  for (const other of others) await other.stop();
  expect((await byTimetable()).map(([action]) => action)).toEqual(['STOP', 'DEPLOY', 'STOP']);
});
