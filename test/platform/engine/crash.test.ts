import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestStore } from '../../support/test-store.ts';
import { addWebhook, expectNothingLostOrDoubled, killWorker, orderMany, startWorker } from './crash-workers.ts';
import { addEnvironment, addOrganization, manualClock, openEngineFixture } from './engine-fixture.ts';

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
  const deployments = await orderMany(fixture, 12, 4);
  const ended = async () => (await fixture.db.selectFrom('deployment').select(({ fn }) => fn.count<number>('ended_at').as('ended')).executeTakeFirstOrThrow()).ended;
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
