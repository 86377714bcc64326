import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestStore } from '../support/test-store.ts';
import {
  addWebhook,
  expectNothingLostOrDoubled,
  killWorker,
  orderMany,
  startWorker,
} from '../platform/engine/crash-workers.ts';
import { addOrganization, openEngineFixture } from '../platform/engine/engine-fixture.ts';

const environments = 500;
const ordersEach = 4;
const kills = 8;

test('2,000 deployments by two workers, killed eight times at random moments: nothing lost, doubled or stuck', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crash-'));
  const empty = await openTestStore(dataDir);
  await addOrganization(empty);
  await empty.destroy();
  const told = new Map<string, number>();
  const receiver = createServer((request, response) => {
    const id = String(request.headers['x-webhook-delivery']);
    told.set(id, (told.get(id) ?? 0) + 1);
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const fixture = await openEngineFixture({ dataDir, started: false });
  await addWebhook(fixture.db, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  const deployments = await orderMany(fixture, environments, ordersEach);
  const ended = async () =>
    (
      await fixture.db
        .selectFrom('deployment')
        .select(({ fn }) => fn.count<number>('ended_at').as('ended'))
        .executeTakeFirstOrThrow()
    ).ended;
  const workers = await Promise.all([startWorker(dataDir, 0.02), startWorker(dataDir, 0.02)]);
  for (let count = 1; count <= kills; count += 1) {
    const share = (count - Math.random()) / (kills + 1);
    await fixture.until(undefined, async () => (await ended()) >= deployments * share);
    await killWorker(workers.shift()!);
    workers.push(await startWorker(dataDir, 0.02));
  }
  await fixture.settled();
  await fixture.until(
    undefined,
    async () =>
      (await fixture.db.selectFrom('webhook_delivery').select('id').where('due_ms', 'is not', null).limit(1).execute())
        .length === 0,
  );
  await Promise.all(workers.map(killWorker));
  await expectNothingLostOrDoubled(fixture.db, deployments);
  const deliveries = await fixture.db.selectFrom('webhook_delivery').select('id').execute();
  expect(deliveries.filter(({ id }) => !told.has(id))).toEqual([]);
  await fixture.close();
  receiver.closeAllConnections();
  receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});
