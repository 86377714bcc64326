import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { addWebhook } from './crash-workers.ts';
import { expectReferencesHold } from '../../support/test-store.ts';
import { addEnvironment, manualClock, openEngineFixture, type EngineFixture } from './engine-fixture.ts';

const hour = 3_600_000;

let fixture: EngineFixture;
afterEach(() => fixture.close());

const deploymentsOf = async (serviceId: string): Promise<string[]> => {
  const rows = await fixture.db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('service_id', '=', serviceId)
    .orderBy('deployment.seq')
    .execute();
  return rows.map(({ id }) => id);
};

const deploy = async (environmentId: string, serviceIds: string[]): Promise<string> => {
  const id = await fixture.order({ environmentId, serviceIds });
  await fixture.settled();
  return id;
};

const rowsOf = async (
  table: 'deployment_event' | 'deployment_step' | 'log_line' | 'webhook_delivery',
  id: string,
): Promise<number> =>
  (
    await fixture.db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .where('deployment_id', '=', id)
      .executeTakeFirstOrThrow()
  ).rows;

test('the newest deployments of each service are kept with all that belongs to them, older ones go', async () => {
  const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const clock = manualClock();
  fixture = await openEngineFixture({ clock, engine: { retention: { deploymentsPerService: 3, batch: 2 } } });
  await addWebhook(fixture.db, `http://127.0.0.1:${port}/`);
  const { environmentId, ids } = await addEnvironment(fixture.db, 'busy', {
    often: { kind: 'container' },
    seldom: { kind: 'container' },
  });
  const [often, seldom] = [ids['often']!, ids['seldom']!];

  const together = await deploy(environmentId, [often, seldom]);
  const latest = await deploy(environmentId, [seldom]);
  const alone: string[] = [];
  for (let turn = 0; turn < 7; turn += 1) alone.push(await deploy(environmentId, [often]));
  const oldest = alone[0]!;
  expect(await rowsOf('webhook_delivery', oldest)).toBe(2);
  expect(await fixture.engine.settled()).toBe(null);

  clock.advance(hour);
  // Two batches of what is too much.
  expect(await fixture.engine.settled()).toBe(null);
  expect(await deploymentsOf(often)).toEqual([together, ...alone.slice(-3)]);
  expect(await deploymentsOf(seldom)).toEqual([together, latest]);
  for (const table of ['deployment_event', 'deployment_step', 'log_line', 'webhook_delivery'] as const) {
    expect([table, await rowsOf(table, oldest)]).toEqual([table, 0]);
    expect([table, (await rowsOf(table, alone.at(-3)!)) > 0]).toEqual([table, true]);
  }
  expect((await fixture.engine.serviceHistory(fixture.db, often, { page: 1, pageSize: 20 })).results).toHaveLength(4);
  expect(await fixture.engine.serviceStatus(fixture.db, often)).toMatchObject({
    state: 'DEPLOYED',
    deployment_request_id: alone.at(-1),
  });
  await expectReferencesHold(fixture.db);
  receiver.close();
});

test('events that are not delivered yet are kept until they are', async () => {
  const clock = manualClock();
  fixture = await openEngineFixture({ clock, timeScale: 1, engine: { retention: { deploymentsPerService: 1 } } });
  // Nobody listens there: every attempt fails.
  await addWebhook(fixture.db, 'http://127.0.0.1:9/');
  const { environmentId, ids } = await addEnvironment(fixture.db, 'told', { app: { kind: 'container' } });
  const order = async () => {
    const id = await fixture.order({ environmentId, serviceIds: [ids['app']!] });
    await fixture.settled(clock);
    return id;
  };
  const first = await order();
  const second = await order();
  await fixture.db
    .updateTable('webhook_delivery')
    .set({ due_ms: clock.now() + 10 * hour })
    .where('deployment_id', '=', first)
    .execute();
  clock.advance(hour);
  await fixture.engine.settled();
  expect(await deploymentsOf(ids['app']!)).toEqual([first, second]);
  await fixture.db.updateTable('webhook_delivery').set({ due_ms: null }).where('deployment_id', '=', first).execute();
  clock.advance(hour);
  await fixture.engine.settled();
  expect(await deploymentsOf(ids['app']!)).toEqual([second]);
});

test('the newest audit events are kept, and since when they are whole is noted', async () => {
  const clock = manualClock();
  fixture = await openEngineFixture({ clock, engine: { retention: { auditEvents: 3, batch: 2 } } });
  const row = {
    organization_id: 'o',
    event_type: 'UPDATE',
    target_type: 'PROJECT',
    target_id: null,
    target_name: 'shop',
    sub_target_type: null,
    change: '{}',
    original_change: null,
    origin: 'API',
    triggered_by: 'somebody',
    user_agent: null,
    project_id: null,
    project_name: null,
    environment_id: null,
    environment_name: null,
  };
  const times = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `2026-01-0${day}T00:00:00.000Z`);
  for (const created_at of times)
    await fixture.db
      .insertInto('audit_event')
      .values({ ...row, created_at })
      .execute();
  clock.advance(hour);
  await fixture.engine.settled();
  const kept = await fixture.db.selectFrom('audit_event').select('created_at').orderBy('created_at').execute();
  expect(kept.map(({ created_at }) => created_at)).toEqual(times.slice(-3));
  const settings = await fixture.db
    .selectFrom('setting')
    .select(['name', 'value'])
    .where('name', 'in', ['events_removed', 'events_since'])
    .orderBy('name')
    .execute();
  expect(settings).toEqual([
    { name: 'events_removed', value: 'yes' },
    { name: 'events_since', value: times[5] },
  ]);
});
