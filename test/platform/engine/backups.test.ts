import { afterEach, beforeEach, expect, test } from 'vitest';
import { condition, readCondition } from '../../../src/contract/index.ts';
import {
  type BackupObservation,
  type BackupTask,
  type DatabaseBackups,
  type RecoveryPlan,
  onlyPostgres,
  runtimesOf,
  simulatedRuntimeName,
  RuntimeUnreachable,
} from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import { silentLog, systemRandom } from '../../../src/platform/common/index.ts';
import { mostRequestedBackups } from '../../../src/platform/engine/backups/backup-requests.ts';
import type { BackupSchedule } from '../../../src/platform/engine/index.ts';
import {
  addEnvironment,
  type EngineFixture,
  manualClock,
  type ManualClock,
  openEngineFixture,
} from './engine-fixture.ts';

const hour = 3_600_000;

let clock: ManualClock;
let fixture: EngineFixture;
let environmentId: string;
let shop: string;
/** What the runtime answers next, and what it was asked. */
let answers: (BackupObservation | Error)[];
let asked: BackupTask[];
let removed: string[];
let plan: RecoveryPlan;

const complete: BackupObservation = { outcome: 'succeeded', record: '{"at":"node-1"}', node: 'node-1', bytes: 1000 };

const backups: DatabaseBackups = {
  refusalOf: onlyPostgres,
  observe: async (task) => {
    asked.push(task);
    const answer = answers.shift() ?? complete;
    if (answer instanceof Error) throw answer;
    return answer;
  },
  remove: async ({ id }) => {
    removed.push(id);
    return { outcome: 'succeeded' };
  },
  plan: async () => plan,
};

async function open(schedule?: BackupSchedule): Promise<void> {
  const runtimes = runtimesOf({
    [simulatedRuntimeName]: { ...createSimulatedRuntime({ clock, timeScale: 0 }), backups },
  });
  fixture = await openEngineFixture({
    clock,
    engine: {
      runtimes,
      openSecret: () => 'a password',
      keyedDigest: (text) => text,
      ...(schedule && { backupSchedules: { [simulatedRuntimeName]: schedule } }),
    },
  });
  const added = await addEnvironment(fixture.db, 'staging', {
    shop: { kind: 'database' },
    cache: { kind: 'database', spec: { type: 'REDIS' } },
  });
  environmentId = added.environmentId;
  shop = added.ids['shop']!;
  await fixture.order({ environmentId, serviceIds: Object.values(added.ids) });
  await fixture.settled(clock);
}

const rows = () =>
  fixture.db.selectFrom('backup').selectAll().where('service_id', '=', shop).orderBy('created_at').execute();
const states = async (): Promise<string[]> => (await rows()).map(({ state }) => state);
/** When the oldest backup is due. */
const due = async (): Promise<number | null | undefined> => (await rows())[0]?.due_ms;

/** Why backups failed, or can't be deleted. */
const reasons = async () => (await rows()).flatMap(({ reason }) => (reason === null ? [] : [readCondition(reason)]));

const request = async (name = 'by hand'): Promise<string> => {
  const { id } = await fixture.db.write((trx) => fixture.engine.requestBackup(trx, shop, { name, message: '' }));
  fixture.engine.wake();
  return id;
};

const patience = { interval: 5 };

beforeEach(() => {
  clock = manualClock();
  [answers, asked, removed] = [[], [], []];
  plan = { node: 'node-2', lost: 'is gone', to: { node: 'node-3', place: 'three' }, oldVolume: 'old' };
});
afterEach(() => fixture.close());

test('a backup is made with what its runtime recorded before, and noted when it is complete', async () => {
  await open();
  answers = [{ outcome: 'ongoing', nextPollAt: clock.now(), record: 'begun' }, complete];
  const id = await request();
  await expect.poll(states, patience).toEqual(['complete']);
  expect(asked.map((task) => [task.id, task.record, task.database.service.id])).toEqual([
    [id, undefined, shop],
    [id, 'begun', shop],
  ]);
  expect(await rows()).toMatchObject([
    { name: 'by hand', node: 'node-1', bytes: 1000, record: '{"at":"node-1"}', due_ms: null, reason: null },
  ]);
});

test('one that fails says why; an engine that is away is asked again', async () => {
  await open();
  answers = [
    new RuntimeUnreachable('away'),
    { outcome: 'failed', why: condition('BACKUP_FAILED', { said: 'the disk is full' }) },
  ];
  await request();
  await expect.poll(() => asked.length, patience).toBe(1);
  expect(await states()).toEqual(['ongoing']);
  clock.advance(10_000);
  await expect.poll(states, patience).toEqual(['failed']);
  expect(await rows()).toMatchObject([{ node: null }]);
  expect(await reasons()).toMatchObject([{ reason: 'BACKUP_FAILED', details: { said: 'the disk is full' } }]);
  answers = [new Error('it broke')];
  await request();
  await expect.poll(states, patience).toEqual(['failed', 'failed']);
});

test('what can not be backed up is refused in words', async () => {
  await open();
  answers = [{ outcome: 'ongoing', nextPollAt: clock.now() + hour }];
  const id = await request();
  await expect(request()).rejects.toThrow(
    `its backup "by hand" of ${new Date(clock.now()).toISOString()} (${id}) is under way`,
  );
  const cache = await fixture.db
    .selectFrom('service')
    .select('id')
    .where('name', '=', 'cache')
    .executeTakeFirstOrThrow();
  await expect(
    fixture.db.write((trx) => fixture.engine.requestBackup(trx, cache.id, { name: 'b', message: '' })),
  ).rejects.toThrow('only databases of type POSTGRESQL are backed up');
  await fixture.order({ environmentId, serviceIds: [cache.id], action: 'STOP' });
  await expect(fixture.db.write((trx) => fixture.engine.deleteBackup(trx, shop, id))).rejects.toThrow(
    'is under way: delete it when it has ended',
  );
});

test('a database has a number of backups on request at most, beside those of a schedule and failed ones', async () => {
  await open();
  const at = new Date(clock.now()).toISOString();
  const made = (name: string, more: object = {}) => ({
    id: systemRandom.uuid(),
    service_id: shop,
    name,
    message: '',
    state: 'complete' as const,
    is_scheduled: 0 as const,
    created_at: at,
    due_ms: null,
    ...more,
  });
  const rest = Array.from({ length: mostRequestedBackups - 1 }, (_, index) => made(`backup ${index}`));
  const others = [
    made('of the schedule', { is_scheduled: 1 }),
    made('failed', { state: 'failed', reason: 'the disk was full' }),
  ];
  await fixture.db.write((trx) =>
    trx
      .insertInto('backup')
      .values([...rest, ...others])
      .execute(),
  );
  const oldest = made('first', { created_at: '2020-01-01T00:00:00.000Z' });
  await fixture.db.write((trx) => trx.insertInto('backup').values(oldest).execute());
  await expect(request()).rejects.toThrow(
    `it has ${mostRequestedBackups} requested backups, which is the maximum. Delete those that are no longer needed with DELETE /database/${shop}/backup/{backupId}; the oldest is "first" of 2020-01-01T00:00:00.000Z (${oldest.id}).`,
  );
  await fixture.db.write((trx) => fixture.engine.deleteBackup(trx, shop, oldest.id));
  await expect(request()).resolves.toEqual(expect.any(String));
});

test('a schedule backs up what runs, keeps as many as it says, and those that somebody asked for', async () => {
  await open({ everyHours: 24, keep: 2 });
  const { engine } = fixture;
  const pass = async (hours: number): Promise<void> => {
    clock.advance(hours * hour);
    engine.wake();
  };
  await pass(1);
  await expect.poll(states, patience).toEqual(['complete']);
  // Which of two is the older one, their times tell.
  clock.advance(60_000);
  await request('kept');
  await expect.poll(states, patience).toEqual(['complete', 'complete']);
  // That one counts as the last: the next is due a day later.
  await pass(23);
  await pass(1.1);
  await expect.poll(states, patience).toEqual(['complete', 'complete', 'complete']);
  const [first] = await rows();
  await pass(24.1);
  await expect.poll(() => removed, patience).toEqual([first!.id]);
  await expect
    .poll(
      async () => (await rows()).map(({ is_scheduled: isScheduled, name }) => (isScheduled ? 'scheduled' : name)),
      patience,
    )
    .toEqual(['kept', 'scheduled', 'scheduled']);
  expect(asked.every(({ database }) => database.service.id === shop)).toBe(true);
});

test('one that failed by schedule is tried again after an hour', async () => {
  answers = [{ outcome: 'failed', why: condition('BACKUP_FAILED', { said: 'the database was busy' }) }];
  await open({ everyHours: 24, keep: 2 });
  clock.advance(hour / 2);
  fixture.engine.wake();
  await expect.poll(states, patience).toEqual(['failed']);
  clock.advance(hour * 1.1);
  fixture.engine.wake();
  await expect.poll(states, patience).toEqual(['failed', 'complete']);
});

test('a deletion takes what is stored along', async () => {
  await open();
  const id = await request();
  await expect.poll(states, patience).toEqual(['complete']);
  await fixture.db.write((trx) => fixture.engine.deleteBackup(trx, shop, id));
  fixture.engine.wake();
  await expect.poll(states, patience).toEqual([]);
  expect(removed).toEqual([id]);
});

test('a deletion waits, and is logged once, while the cluster makes no backups', async () => {
  await open();
  await request();
  await expect.poll(states, patience).toEqual(['complete']);
  const simulated = createSimulatedRuntime({ clock, timeScale: 0 });
  const runtime: { backups?: DatabaseBackups } & typeof simulated = { ...simulated };
  delete runtime.backups;
  const warned: object[] = [];
  await fixture.engine.stop();
  const engine = fixture.anotherEngine({
    runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }),
    log: { ...silentLog, warn: (fields: object) => warned.push(fields) },
  });
  await fixture.db.write((trx) => engine.deleteBackup(trx, shop, asked[0]!.id));
  await engine.start();
  await expect.poll(due, patience).toBeGreaterThan(clock.now());
  clock.advance(120_000);
  engine.wake();
  await expect.poll(due, patience).toBeGreaterThan(clock.now());
  expect(await states()).toEqual(['deleting']);
  expect(await reasons()).toMatchObject([{ reason: 'BACKUP_KEPT' }]);
  expect(warned).toMatchObject([{ backup_id: asked[0]!.id }]);
  runtime.backups = backups;
  clock.advance(120_000);
  engine.wake();
  await expect.poll(states, patience).toEqual([]);
  expect(removed).toEqual([asked[0]!.id]);
  await engine.stop();
});

const requester = { origin: 'API', triggeredBy: 'a test' } as const;
const restore = async (withoutWaiting = false, backupId?: string) => {
  const recovery = await fixture.engine.recovery(fixture.db, shop, backupId);
  return fixture.db.write((trx) => fixture.engine.restore(trx, shop, requester, recovery, withoutWaiting));
};

test('a database is brought back from the newest complete backup, which is kept until that has ended', async () => {
  await open();
  await request('older');
  await expect.poll(states, patience).toEqual(['complete']);
  clock.advance(hour);
  const id = await request('newer');
  await expect.poll(states, patience).toEqual(['complete', 'complete']);
  const { id: deployment } = await restore();
  const row = await fixture.db
    .selectFrom('deployment_service')
    .select('restoration')
    .where('deployment_id', '=', deployment)
    .executeTakeFirstOrThrow();
  expect(JSON.parse(row.restoration!)).toMatchObject({ backupId: id, record: '{"at":"node-1"}', place: 'three' });
  await expect(fixture.db.write((trx) => fixture.engine.deleteBackup(trx, shop, id))).rejects.toThrow(
    'is being brought back from the backup',
  );
  fixture.engine.wake();
  await fixture.settled(clock);
  const lines = await fixture.db
    .selectFrom('log_line')
    .select('message')
    .where('deployment_id', '=', deployment)
    .execute();
  expect(lines.map(({ message }) => message).join('\n')).toContain('Restored the backup "newer"');
  await fixture.db.write((trx) => fixture.engine.deleteBackup(trx, shop, id));
});

test('it is refused in words without a complete backup, where the runtime refuses, and while waiting may help', async () => {
  await open();
  await expect(restore()).rejects.toThrow('shop has no complete backup');
  answers = [{ outcome: 'failed', why: condition('BACKUP_FAILED', { said: 'no room' }) }];
  const failed = await request();
  await expect.poll(states, patience).toEqual(['failed']);
  await expect(restore(false, failed)).rejects.toThrow('is not complete (failed: no room)');
  clock.advance(1000);
  await request();
  await expect.poll(states, patience).toEqual(['failed', 'complete']);
  const { to: _, ...refused } = plan;
  plan = { ...refused, refusal: 'The backup is on a node that is lost.' };
  await expect(restore()).rejects.toThrow('The backup is on a node that is lost.');
  plan = { ...refused, to: { node: 'node-3', place: 'three' }, mayComeBack: 'It may be back soon.' };
  await expect(restore()).rejects.toThrow(
    'It may be back soon. To bring it back from the backup all the same, without what was written since, set "without_waiting" to true.',
  );
  await expect(restore(false, '00000000-0000-4000-8000-0000000000ff')).rejects.toThrow('No backup has the id');
  expect(await restore(true)).toMatchObject({ serviceIds: [shop] });
});

test('a backup whose runtime can not tell its nodes is no reason to bring anything back', async () => {
  await open();
  await request();
  await expect.poll(states, patience).toEqual(['complete']);
  const failing = { ...backups, plan: async () => Promise.reject(new Error('the engine is away')) };
  const runtimes = runtimesOf({
    [simulatedRuntimeName]: { ...createSimulatedRuntime({ clock, timeScale: 0 }), backups: failing },
  });
  const recovery = await fixture.anotherEngine({ runtimes }).recovery(fixture.db, shop);
  expect(recovery).toMatchObject({ refusal: "The state of its nodes can't be determined: the engine is away" });
});
