import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectReferencesHold, openTestStore } from '../../support/test-store.ts';
import { addWebhook, expectNothingLostOrDoubled, killWorker, orderMany, startWorker } from './crash-workers.ts';
import { addEnvironment, addOrganization, manualClock, openEngineFixture } from './engine-fixture.ts';
import { isLanding } from '../../suites.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'crash-'));
  const db = await openTestStore(dataDir);
  await addOrganization(db);
  await db.destroy();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

test('two workers killed at random moments lose and double nothing', async () => {
  const fixture = await openEngineFixture({ dataDir, started: false });
  await addWebhook(fixture.db, 'http://127.0.0.1:9/');
  const deployments = await orderMany(fixture, isLanding ? 6 : 12, 4);
  const ended = async () =>
    (
      await fixture.db
        .selectFrom('deployment')
        .select(({ fn }) => fn.count<number>('ended_at').as('ended'))
        .executeTakeFirstOrThrow()
    ).ended;
  const workers = await Promise.all([startWorker(dataDir, 0.02), startWorker(dataDir, 0.02)]);
  for (const share of [0.2, 0.5]) {
    await fixture.until(undefined, async () => (await ended()) > deployments * share);
    await killWorker(workers.shift()!);
    workers.push(await startWorker(dataDir, 0.02));
  }
  await fixture.settled();
  await Promise.all(workers.map(killWorker));
  await expectNothingLostOrDoubled(fixture.db, deployments);
  await fixture.close();
});

test('what a killed process held is taken up at once, not when its lease runs out', async () => {
  const first = await openEngineFixture({ dataDir, started: false });
  const { environmentId, ids } = await addEnvironment(first.db, 'resumed', { app: { kind: 'application' } });
  await first.order({ environmentId, serviceIds: [ids['app']!] });
  const worker = await startWorker(dataDir, 1000);
  const owner = async () => (await first.db.selectFrom('deployment').select('owner').executeTakeFirstOrThrow()).owner;
  await first.until(undefined, async () => (await owner()) !== null);
  const dead = await owner();
  await killWorker(worker);
  // A clock that stands still: the dead worker's lease never runs out on it.
  const clock = manualClock(Date.now());
  const second = await openEngineFixture({ dataDir, clock, timeScale: 1000 });
  await first.until(undefined, async () => (await owner()) !== dead);
  // What it held is due once its step is over.
  clock.advance(1500 * 1000);
  await first.until(undefined, async () => (await owner()) !== null);
  expect(await first.db.selectFrom('worker').select('id').execute()).toEqual([{ id: await owner() }]);
  await second.close();
  // A graceful stop hands over what it held.
  expect(await owner()).toBe(null);
  await first.close();
});

test('a deletion that was cut off by a power cut is carried to its end, once', async () => {
  const fixture = await openEngineFixture({ dataDir, started: false });
  const { db } = fixture;
  await addWebhook(db, 'http://127.0.0.1:9/');
  const environments = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      addEnvironment(db, `place ${index}`, {
        app: { kind: 'application' },
        db: { kind: 'database' },
        job: { kind: 'job' },
      }),
    ),
  );
  for (const { environmentId, ids } of environments)
    await fixture.order({ environmentId, serviceIds: Object.values(ids), action: 'DELETE', takesEnvironment: true });
  const left = async () => (await db.selectFrom('environment').select('id').execute()).length;
  for (const share of [6, 3]) {
    const worker = await startWorker(dataDir, 0.05);
    await fixture.until(undefined, async () => (await left()) <= share);
    await killWorker(worker);
    // Environments go with their services, whenever the process dies.
    const services = await db.selectFrom('service').select('environment_id').execute();
    expect(services).toHaveLength((await left()) * 3);
  }
  const last = await startWorker(dataDir, 0);
  await fixture.settled();
  await killWorker(last);
  expect(await left()).toBe(0);
  const ends = await db
    .selectFrom('deployment_event')
    .select('announced')
    .where('announced', '=', 'DEPLOYMENT_SUCCEEDED')
    .execute();
  expect(ends).toHaveLength(environments.length * 3);
  await expectReferencesHold(db);
  await fixture.close();
});
