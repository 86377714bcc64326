import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryForRecords } from '../../support/memory-directory.ts';
import { expectReferencesHold, openTestStore } from '../../support/test-store.ts';
import type { Db } from '../../../src/platform/store/index.ts';
import { addWebhook } from './crash-workers.ts';
import {
  addEnvironment,
  addOrganization,
  clusterId,
  manualClock,
  openEngineFixture,
  organizationId,
  type EngineFixture,
  type EngineFixtureOptions,
} from './engine-fixture.ts';

let dataDir: string;
let fixture: EngineFixture;

beforeEach(async () => {
  dataDir = await mkdtemp(join(directoryForRecords, 'deletions-'));
  const db = await openTestStore(dataDir);
  await addOrganization(db);
  await db.destroy();
});

afterEach(async () => {
  await fixture.close();
  await rm(dataDir, { recursive: true, force: true });
});

const open = async (options: EngineFixtureOptions = {}): Promise<EngineFixture> =>
  (fixture = await openEngineFixture({ dataDir, ...options }));

const at = '2026-01-05T08:00:00.000Z';
let made = 0;

const addVariable = async (
  db: Db,
  owner: { service_id?: string; environment_id?: string },
  more: { key: string; linked_variable_id?: string; sealed_value?: string },
): Promise<string> => {
  const id = `00000000-0000-4000-8000-${String((made += 1)).padStart(12, '9')}`;
  await db
    .insertInto('variable')
    .values({
      id,
      created_at: at,
      updated_at: at,
      project_id: null,
      environment_id: null,
      service_id: null,
      scope: owner.service_id ? 'APPLICATION' : 'ENVIRONMENT',
      variable_type: 'VALUE',
      value: more.sealed_value === undefined ? 'x' : null,
      sealed_value: null,
      mount_path: null,
      description: null,
      enable_interpolation_in_file: null,
      linked_variable_id: null,
      owned_by: null,
      ...owner,
      ...more,
    })
    .execute();
  return id;
};

const addRule = (db: Db, target_id: string) =>
  db
    .insertInto('alert_rule')
    .values({
      id: `00000000-0000-4000-8000-${String((made += 1)).padStart(12, '8')}`,
      created_at: at,
      updated_at: at,
      organization_id: organizationId,
      name: `rule ${made}`,
      cluster_id: clusterId,
      description: '',
      tag: 'x',
      condition: JSON.stringify({ kind: 'CUSTOM', promql: 'up', operator: 'NONE', threshold: 0, function: 'NONE' }),
      for_duration: 'PT1M',
      severity: 'HIGH',
      enabled: 1,
      alert_receiver_ids: '[]',
      presentation: '{}',
      source: 'MANAGED',
      state: 'OK',
      target_type: 'APPLICATION',
      target_id,
      is_up_to_date: 1,
      starts_at: null,
    })
    .execute();

const deleteServices = (environmentId: string, serviceIds: readonly string[], takesEnvironment = false) =>
  fixture.order({ environmentId, serviceIds, action: 'DELETE', takesEnvironment });

const count = async (
  table: 'service' | 'environment' | 'variable' | 'alert_rule' | 'timer' | 'log_line' | 'list_total',
  column: string,
  value: string,
  db: Db = fixture.db,
): Promise<number> =>
  (
    await sql<{
      rows: number;
    }>`SELECT count(*) AS rows FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${value}`.execute(db)
  ).rows[0]!.rows;

const expectIntact = (): Promise<void> => expectReferencesHold(fixture.db);

test('a deleted service passes through its states, and takes all that is its own with it when it ends', async () => {
  const { db, engine } = await open();
  const { environmentId, ids } = await addEnvironment(db, 'one', {
    app: { kind: 'application' },
    other: { kind: 'application' },
    nightly: { kind: 'job' },
  });
  const [app, other, nightly] = [ids['app']!, ids['other']!, ids['nightly']!];
  await fixture.order({ environmentId, serviceIds: Object.values(ids) });
  await fixture.settled();
  const own = await addVariable(db, { service_id: app }, { key: 'OWN' });
  await addVariable(db, { service_id: app }, { key: 'SECRET', sealed_value: 'sealed' });
  await addVariable(db, { service_id: other }, { key: 'ALIAS', linked_variable_id: own });
  await addVariable(db, { environment_id: environmentId }, { key: 'STAYS' });
  await addRule(db, app);
  expect(await count('timer', 'subject_id', nightly)).toBe(1);

  const deployment = await deleteServices(environmentId, [app, nightly]);
  expect(await engine.serviceStatus(db, app)).toMatchObject({
    state: 'DELETE_QUEUED',
    status_details: { action: 'DELETE', status: 'QUEUED' },
  });
  await fixture.settled();

  for (const id of [app, nightly]) {
    await expect(engine.serviceStatus(db, id)).rejects.toMatchObject({ status: 404 });
    for (const [table, column] of [
      ['service', 'id'],
      ['variable', 'service_id'],
      ['alert_rule', 'target_id'],
      ['timer', 'subject_id'],
      ['log_line', 'service_id'],
      ['list_total', 'owner_id'],
    ] as const) {
      expect([table, await count(table, column, id)]).toEqual([table, 0]);
    }
  }
  const events = await db
    .selectFrom('deployment_event')
    .select(['state', 'announced'])
    .where('deployment_id', '=', deployment)
    .where('service_id', '=', app)
    .orderBy('seq')
    .execute();
  expect(events.filter(({ state }) => !state.startsWith('WAITING'))).toEqual([
    { state: 'DELETE_QUEUED', announced: 'DEPLOYMENT_STARTED' },
    { state: 'DELETING', announced: null },
    { state: 'DELETED', announced: 'DEPLOYMENT_SUCCEEDED' },
  ]);
  // What saw a variable of it has to be deployed again; what is the environment's stays.
  expect(await engine.serviceStatus(db, other)).toMatchObject({
    state: 'DEPLOYED',
    service_deployment_status: 'OUT_OF_DATE',
  });
  expect(await count('variable', 'service_id', other)).toBe(0);
  expect(await count('variable', 'environment_id', environmentId)).toBe(1);
  expect(await engine.environmentStatus(db, environmentId)).toMatchObject({ state: 'DEPLOYED' });
  // Who reads what happened in the environment finds it.
  const [latest] = (await engine.environmentHistory(db, environmentId, { page: 1, pageSize: 1 })).results;
  expect(latest).toMatchObject({
    status: 'DELETED',
    status_details: { action: 'DELETE', status: 'SUCCESS' },
    services: [{ name: 'app' }, { name: 'nightly' }],
  });
  const { spec } = await db
    .selectFrom('deployment_service')
    .select('spec')
    .where('service_id', '=', app)
    .executeTakeFirstOrThrow();
  expect(spec).toBe(null);
  await expectIntact();
});

test('its name is free again at once, and a service of the same name is another one', async () => {
  const { db } = await open();
  const { environmentId, ids } = await addEnvironment(db, 'one', { app: { kind: 'container' } });
  await deleteServices(environmentId, [ids['app']!]);
  await fixture.settled();
  const again = {
    id: '00000000-0000-4000-8000-00000000aaaa',
    created_at: at,
    updated_at: at,
    environment_id: environmentId,
    kind: 'container',
    name: 'APP',
    spec: '{}',
    deployed_state: 'READY',
    deployment_status: 'NEVER_DEPLOYED',
    deployed_spec: null,
    deployed_commit: null,
    last_deployment_id: null,
    last_deployment_at: null,
  } as const;
  await db.insertInto('service').values(again).execute();
  expect(await fixture.engine.serviceStatus(db, again.id)).toMatchObject({
    state: 'READY',
    status_details: { status: 'NEVER' },
  });
});

test('an environment goes with everything in it, at once and at the end', async () => {
  const clock = manualClock();
  const { db, engine } = await open({ clock, timeScale: 1 });
  const { environmentId, ids } = await addEnvironment(db, 'one', {
    app: { kind: 'application' },
    db: { kind: 'database' },
    web: { kind: 'helm' },
  });
  const inEnvironment = await addVariable(db, { environment_id: environmentId }, { key: 'SHARED' });
  await addVariable(db, { service_id: ids['app']! }, { key: 'SHARED', linked_variable_id: inEnvironment });
  await addRule(db, environmentId);
  await deleteServices(environmentId, Object.values(ids), true);
  const states: string[] = [];
  await fixture.until(clock, async () => {
    const { services, environments, state } = await db.read(async (trx) => ({
      services: await count('service', 'environment_id', environmentId, trx),
      environments: await count('environment', 'id', environmentId, trx),
      state: await engine.environmentStatus(trx, environmentId).then(
        (status) => status.state,
        () => undefined,
      ),
    }));
    // Never some without the others.
    expect([services, environments]).toEqual(environments === 1 ? [3, 1] : [0, 0]);
    if (state !== undefined) states.push(state);
    return environments === 0;
  });
  expect([...new Set(states)].filter((state) => state !== 'WAITING_DELETING')).toEqual(
    expect.arrayContaining(['DELETE_QUEUED', 'DELETING']),
  );
  await expect(engine.environmentStatus(db, environmentId)).rejects.toMatchObject({ status: 404 });
  for (const [table, column] of [
    ['variable', 'environment_id'],
    ['alert_rule', 'target_id'],
    ['list_total', 'owner_id'],
  ] as const)
    expect([table, await count(table, column, environmentId)]).toEqual([table, 0]);
  await expectIntact();
});

/** The recorded ends of what was in an environment, and of it, oldest first. */
const endsIn = async (db: Db, environmentId: string): Promise<string[]> =>
  (
    await db
      .selectFrom('audit_event')
      .select(['event_type', 'target_name'])
      .where('environment_id', '=', environmentId)
      .orderBy('seq')
      .execute()
  ).map(({ event_type: type, target_name: name }) => `${type} ${name}`);

test('the end of an environment is recorded, after those of its services', async () => {
  const { db } = await open();
  const { environmentId, ids } = await addEnvironment(db, 'one', { app: { kind: 'application' } });
  await deleteServices(environmentId, Object.values(ids), true);
  await fixture.settled();
  expect(await endsIn(db, environmentId)).toEqual(['DELETED app', 'DELETED one']);
});

test('an empty environment is gone with the request', async () => {
  const { db } = await open();
  const { environmentId } = await addEnvironment(db, 'empty', {});
  await deleteServices(environmentId, [], true);
  expect(await count('environment', 'id', environmentId)).toBe(0);
});

test('where a service can not be taken down, it and the environment stay; what was taken down is gone', async () => {
  const { db, engine } = await open({
    faults: ({ task, seconds }) =>
      task.service.kind === 'database' ? { seconds, lines: [], failure: 'The volume is still attached.' } : undefined,
  });
  const { environmentId, ids } = await addEnvironment(db, 'one', {
    app: { kind: 'application' },
    db: { kind: 'database' },
  });
  await deleteServices(environmentId, Object.values(ids), true);
  await fixture.settled();
  expect(await engine.serviceStatus(db, ids['db']!)).toMatchObject({
    state: 'DELETE_ERROR',
    status_details: { action: 'DELETE', status: 'ERROR' },
  });
  expect(await engine.environmentStatus(db, environmentId)).toMatchObject({ state: 'DELETE_ERROR' });
  expect(await count('service', 'id', ids['app']!)).toBe(0);
  expect(await endsIn(db, environmentId)).toEqual(['DELETED app', 'DELETE_FAILED db', 'DELETE_FAILED one']);
  // It can be tried again, or used again.
  await fixture.order({ environmentId, serviceIds: [ids['db']!], action: 'DELETE' });
});

test('what a deployment is changing is not deleted, and what is being deleted is not changed', async () => {
  const { db } = await open({ started: false });
  const { environmentId, ids } = await addEnvironment(db, 'one', {
    app: { kind: 'application' },
    idle: { kind: 'container' },
  });
  const [app, idle] = [ids['app']!, ids['idle']!];
  const deployment = await fixture.order({ environmentId, serviceIds: [app] });
  const refusal = {
    status: 400,
    message: expect.stringMatching(new RegExp(`app .*under way.*DEPLOYMENT_QUEUED.*${deployment}`)) as unknown,
  };
  await expect(deleteServices(environmentId, [app])).rejects.toMatchObject(refusal);
  await expect(deleteServices(environmentId, [app, idle], true)).rejects.toMatchObject({ status: 400 });
  const deletion = await deleteServices(environmentId, [idle]);
  for (const action of ['DEPLOY', 'RESTART', 'STOP', 'DELETE'] as const) {
    await expect(fixture.order({ environmentId, serviceIds: [idle], action })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`is being deleted (deployment ${deletion})`) as unknown,
    });
  }
  await fixture.order({ environmentId, serviceIds: [app] });
});

test('a job that is being deleted does not run by its schedule', async () => {
  const clock = manualClock();
  const { db, engine } = await open({ clock, timeScale: 1 });
  const { environmentId, ids } = await addEnvironment(db, 'one', { nightly: { kind: 'job' } });
  const nightly = ids['nightly']!;
  await fixture.order({ environmentId, serviceIds: [nightly] });
  await fixture.settled(clock);
  await engine.stop();
  await deleteServices(environmentId, [nightly]);
  const { due_ms: due } = await db
    .selectFrom('timer')
    .select('due_ms')
    .where('subject_id', '=', nightly)
    .executeTakeFirstOrThrow();
  clock.advance(due - clock.now());
  const another = fixture.anotherEngine();
  await another.start();
  await fixture.settled(clock);
  expect(await db.selectFrom('deployment').select('queue').where('queue', '<>', environmentId).execute()).toEqual([]);
  await another.stop();
});

test('webhooks are told of the end of a service that is gone by then', async () => {
  const told: { event_type: string; payload: { status: string; service_name: string } }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request
      .on('data', (chunk: Buffer) => void (body += chunk.toString()))
      .on('end', () => {
        told.push(JSON.parse(body) as (typeof told)[number]);
        response.end();
      });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { db } = await open();
  await addWebhook(db, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  const { environmentId, ids } = await addEnvironment(db, 'one', { app: { kind: 'container' } });
  await deleteServices(environmentId, Object.values(ids), true);
  await expect
    .poll(() => told.map(({ event_type: event, payload }) => [event, payload.service_name, payload.status]))
    .toEqual([
      ['DEPLOYMENT_STARTED', 'app', 'DELETE_QUEUED'],
      ['DEPLOYMENT_SUCCEEDED', 'app', 'DELETED'],
    ]);
  receiver.close();
});

test('what is left of a deleted environment is removed once webhooks have been told', async () => {
  const clock = manualClock();
  const { db, engine } = await open({ clock, engine: { retention: { deploymentsPerService: 5 } } });
  const { environmentId, ids } = await addEnvironment(db, 'one', { app: { kind: 'container' } });
  await deleteServices(environmentId, Object.values(ids), true);
  await fixture.settled(clock);
  expect(await db.selectFrom('deployment').select('id').execute()).toHaveLength(1);
  // The first removal has looked, so that the next one is due in an hour.
  await engine.settled();
  clock.advance(3_600_000);
  await engine.settled();
  expect(await db.selectFrom('deployment').select('id').execute()).toEqual([]);
});
