import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../../../src/platform/common/index.ts';
import { createLeaderLocks, LeaderLockLost } from '../../../src/platform/engine/leader-locks.ts';
import { createLease } from '../../../src/platform/engine/index.ts';
import {
  type Observation,
  type Runtime,
  type RuntimeCall,
  runtimesOf,
  simulatedRuntimeName,
  type Task,
} from '../../../src/platform/runtime/index.ts';
import { type DataStore, RecordsUnavailable } from '../../../src/platform/store/index.ts';
import { addEnvironment, type EngineFixture, openEngineFixture } from './engine-fixture.ts';

const opened: EngineFixture[] = [];
const open = async (...options: Parameters<typeof openEngineFixture>): Promise<EngineFixture> => {
  const fixture = await openEngineFixture(...options);
  opened.push(fixture);
  return fixture;
};

afterEach(async () => {
  await Promise.all(opened.splice(0).map((fixture) => fixture.close()));
});

/** The same records, as those of several processes. */
const shared = ({ db }: EngineFixture, isShared = true): DataStore =>
  Object.assign(Object.create(db) as DataStore, { isShared });

/** A runtime that runs everything to its end at once, and tells what it was asked to do. */
const recordingRuntime = (
  simulated: Runtime,
  observe: (task: Task, call: RuntimeCall) => Promise<Observation>,
): Runtime => ({ ...simulated, begin: async () => undefined, observe: (task, _, call) => observe(task, call) });

const nothing = async (): Promise<void> => undefined;

const done: Observation = { outcome: 'succeeded', lines: [], cursor: '' };

/** Takes a worker's claims away, as the others do when its lease has expired. */
const expire = (db: DataStore): Promise<unknown> => db.deleteFrom('worker').execute();

test('what a worker brings back after another one has taken over is not written, and it may not go on', async () => {
  const held: { task: Task; call: RuntimeCall; release: () => void }[] = [];
  const fixture = await open({ started: false });
  const runtime = recordingRuntime(fixture.runtime, async (task, call) => {
    if (held.length > 0) return done;
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push({ task, call, release: resolve });
    await promise;
    return { ...done, lines: [{ at: 0, message: 'from the one that was away', pod: 'p', version: '' }] };
  });
  const runtimes = runtimesOf({ [simulatedRuntimeName]: runtime });
  const away = fixture.anotherEngine({ runtimes });
  const other = fixture.anotherEngine({ runtimes });
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  await away.start();
  const id = await fixture.order({ environmentId, serviceIds: [ids['web']!] });
  away.wake();
  await expect.poll(() => held.length).toBe(1);
  await held[0]!.call.confirm();

  await expire(fixture.db);
  await other.start();
  await fixture.settled();
  await expect(held[0]!.call.confirm()).rejects.toThrow(/has moved on/);
  held[0]!.release();
  await away.stop();
  await other.stop();

  expect(
    await fixture.db.selectFrom('deployment').select('status').where('id', '=', id).executeTakeFirstOrThrow(),
  ).toEqual({ status: 'SUCCESS' });
  expect(
    await fixture.db
      .selectFrom('log_line')
      .select('message')
      .where('message', '=', 'from the one that was away')
      .execute(),
  ).toEqual([]);
  const states = await fixture.db
    .selectFrom('deployment_event')
    .select('state')
    .where('deployment_id', '=', id)
    .orderBy('seq')
    .execute();
  expect(states.map(({ state }) => state)).toEqual(['DEPLOYMENT_QUEUED', 'DEPLOYING', 'DEPLOYED']);
});

test('fencing tokens grow with each deployment, and with each worker that takes one over', async () => {
  const tokens: number[] = [];
  const fixture = await open({ started: false });
  const runtime = recordingRuntime(fixture.runtime, async (task) => {
    tokens.push(task.fencingToken);
    // The claim is lost in the middle of the first deployment.
    if (tokens.length === 1) await expire(fixture.db);
    return done;
  });
  const engine = fixture.anotherEngine({ runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }) });
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  await engine.start();
  for (let turn = 0; turn < 2; turn += 1) await fixture.order({ environmentId, serviceIds: [ids['web']!] });
  engine.wake();
  await fixture.settled();
  await engine.stop();
  expect(tokens.length).toBeGreaterThan(2);
  expect(tokens).toEqual(tokens.toSorted((one, another) => one - another));
  expect(new Set(tokens).size).toBeGreaterThan(2);
});

test('what can not be read of the records while a task begins or is observed is no failure of the task', async () => {
  const fixture = await open({ started: false });
  let failures = 0;
  const runtime = recordingRuntime(fixture.runtime, async () => {
    failures += 1;
    if (failures <= 1) throw new RecordsUnavailable('The database is away.', undefined);
    return done;
  });
  const engine = fixture.anotherEngine({ runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }) });
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { db: { kind: 'database' } });
  await engine.start();
  const id = await fixture.order({ environmentId, serviceIds: [ids['db']!] });
  engine.wake();
  await fixture.settled();
  await engine.stop();
  expect(
    await fixture.db.selectFrom('deployment').select('status').where('id', '=', id).executeTakeFirstOrThrow(),
  ).toEqual({ status: 'SUCCESS' });
  expect(failures).toBe(2);
});

test('nor is a cluster out of reach because the records can not be read', async () => {
  const fixture = await open({ started: false });
  let looks = 0;
  const looking = Promise.withResolvers<void>();
  const runtime: Runtime = {
    ...fixture.runtime,
    observationInterval: 1,
    observeRunning: async () => {
      looks += 1;
      if (looks === 3) looking.resolve();
      if (looks < 3) throw new RecordsUnavailable('The database is away.', undefined);
      return [];
    },
  };
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { db: { kind: 'database' } });
  await fixture.db
    .updateTable('service')
    .set({
      deployed_record: '{}',
      deployed_state: 'DEPLOYED',
      deployed_spec: '{}',
      last_deployment_id: 'd',
      last_deployment_at: '2026-01-05T08:00:00.000Z',
    })
    .where('environment_id', '=', environmentId)
    .where('id', '=', ids['db']!)
    .execute();
  const told: string[] = [];
  const engine = fixture.anotherEngine({
    runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }),
    log: { ...silentLog, warn: (_, message) => void told.push(message) },
  });
  await engine.start();
  await looking.promise;
  await engine.stop();
  expect(told).not.toContain('the services of a cluster can not be observed');
  expect(await fixture.db.selectFrom('unreachable_cluster').selectAll().execute()).toEqual([]);
});

test('one worker has a leader lock at a time; one that lost it writes nothing; without others nothing has to be taken', async () => {
  const fixture = await open({ started: false });
  const db = shared(fixture);
  const clock = { now: Date.now };
  const [first, second] = [
    createLeaderLocks(db, createLease(db, clock, 'first')),
    createLeaderLocks(db, createLease(db, clock, 'second')),
  ];
  const leaderLock = await first.take('looking');
  expect(await second.take('looking')).toBeUndefined();
  expect([await first.hasAny(), await second.hasAny()]).toEqual([true, false]);
  await leaderLock!.write(nothing);

  await expire(fixture.db);
  const taken = await second.take('looking');
  await expect(leaderLock!.write(nothing)).rejects.toThrow(LeaderLockLost);
  await taken!.write(nothing);
  expect(await first.take('looking')).toBeUndefined();
  expect(await first.take('removing')).toBeDefined();

  const alone = createLeaderLocks(shared(fixture, false), createLease(fixture.db, clock, 'third'));
  await (await alone.take('looking'))!.write(nothing);
  expect(await alone.hasAny()).toBe(false);
});

test('a leader lock that is lost and taken again by the same worker is another one', async () => {
  const fixture = await open({ started: false });
  const db = shared(fixture);
  const leaderLocks = createLeaderLocks(db, createLease(db, { now: Date.now }, 'first'));
  const before = await leaderLocks.take('looking');
  await expire(fixture.db);
  const after = await leaderLocks.take('looking');
  await expect(before!.write(nothing)).rejects.toThrow(LeaderLockLost);
  await after!.write(nothing);
});
