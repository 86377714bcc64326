import { DatabaseSync } from 'node:sqlite';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOperations, type OperationName, isAtRest } from '../../../src/contract/index.ts';
import { databaseFile, keyFile } from '../../../src/platform/store/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { startPlatform } from '../../../src/platform/index.ts';
import { eventually } from '../../support/eventually.ts';
import { directoryForRecords } from '../../support/memory-directory.ts';
import { type Json, startTestPlatform, type TestPlatform, unknownId } from '../../support/test-platform.ts';
import { deletesServices, sentSecrets, validRequests } from './valid-requests.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
});
afterAll(() => platform.close());

interface Event extends Json {
  readonly event_type: string;
  readonly change: string;
  readonly original_change: string | null;
}

const list = async (
  query: Json = {},
): Promise<{
  events: Event[];
  links: { previous: string | null; next: string | null };
  events_since: string;
  organization_max_limit_reached: boolean;
}> =>
  (await platform.must('list_events', { organization_id: platform.organizationId, page_size: 100, ...query })) as never;

const eventsOf = async (query: Json): Promise<Event[]> => (await list(query)).events;

/** The events of all pages, newest first. */
async function everyEvent(): Promise<Event[]> {
  const all: Event[] = [];
  for (let page = await list(); ; page = await list({ continue_token: page.links.next.split('=')[1] })) {
    all.push(...page.events);
    if (page.links.next === null) return all;
  }
}

const newest = async (): Promise<Event> => (await list()).events[0]!;

const parsed = ({ change, original_change }: Event): { now: Json; before: Json | null } => ({
  now: JSON.parse(change) as Json,
  before: original_change === null ? null : (JSON.parse(original_change) as Json),
});

describe('an event', () => {
  test('says who changed what, from what to what, and where', async () => {
    const { seed } = platform;
    const input = {
      environment_id: seed['environment_id'],
      environment_variable_id: seed['environment_variable_id'],
      key: 'LOG_LEVEL',
      value: 'debug',
    };
    await platform.must('update_environment_variable', input);
    const event = await newest();
    expect(event).toMatchObject({
      event_type: 'UPDATE',
      target_type: 'ENVIRONMENT',
      target_id: seed['environment_id'],
      target_name: 'staging',
      sub_target_type: 'VARIABLE',
      origin: 'API',
      triggered_by: 'admin of the tests',
      project_name: 'shop',
      environment_name: 'staging',
    });
    expect(parsed(event)).toEqual({
      now: { key: 'LOG_LEVEL', value: 'debug' },
      before: { key: 'LOG_LEVEL', value: 'info' },
    });
  });

  test('of a service has the members that changed, and no others', async () => {
    const request = {
      name: 'worker',
      image_name: 'library/worker',
      tag: '2.0',
      registry_id: platform.seed['registry_id'],
      healthchecks: {},
      container_id: platform.seed['container_id'],
    };
    await platform.must('update_container', { ...request, memory: 768 });
    await platform.must('update_container', { ...request, memory: 1536 });
    const event = await newest();
    expect(event).toMatchObject({ event_type: 'UPDATE', target_type: 'CONTAINER', target_name: 'worker' });
    expect(parsed(event)).toEqual({ now: { memory: 1536 }, before: { memory: 768 } });
  });

  test('does not count as changed what a replacement only renames or sends in another order', async () => {
    const port = {
      internal_port: 8080,
      external_port: 443,
      publicly_accessible: true,
      protocol: 'HTTP',
      is_default: true,
      name: 'web',
    };
    const request = {
      name: 'worker',
      image_name: 'library/worker',
      tag: '2.0',
      registry_id: platform.seed['registry_id'],
      healthchecks: {},
      container_id: platform.seed['container_id'],
      memory: 1536,
    };
    await platform.must('update_container', { ...request, ports: [port] });
    await platform.must('update_container', {
      ...request,
      memory: 1024,
      ports: [Object.fromEntries(Object.entries(port).toReversed())],
    });
    expect(parsed(await newest())).toEqual({ now: { memory: 1024 }, before: { memory: 1536 } });
  });

  test('does not count as changed what a replacement fills in or leaves out of what is so by default', async () => {
    const { id } = await platform.must('create_application', {
      environment_id: platform.seed['environment_id'],
      name: 'defaults',
      git_repository: { url: 'https://git.acme.example/shop/new.git', branch: 'main' },
    });
    const whole = await platform.must('get_application', { application_id: id });
    await platform.must('update_application', { ...whole, healthchecks: {}, application_id: id, memory: 768 });
    expect(parsed(await newest())).toEqual({ now: { memory: 768 }, before: { memory: 512 } });
    await platform.must('update_application', {
      ...whole,
      healthchecks: {},
      application_id: id,
      memory: 768,
      auto_deploy: true,
    });
    expect(parsed(await newest())).toEqual({ now: { auto_deploy: true }, before: { auto_deploy: false } });
    const { icon_uri: _, auto_deploy: __, labels_groups: ___, ...less } = whole;
    await platform.must('update_application', { ...less, healthchecks: {}, application_id: id, memory: 768 });
    expect(parsed(await newest())).toEqual({ now: {}, before: { auto_deploy: true } });
  });

  test('of work names its services', async () => {
    await platform.must('restart_services', {
      environment_id: platform.seed['environment_id'],
      container_ids: [platform.seed['container_id']],
    });
    const event = await newest();
    expect(event).toMatchObject({ event_type: 'TRIGGER_RESTART', target_type: 'ENVIRONMENT' });
    expect(parsed(event).now).toEqual({ services: ['worker'], deployment_id: expect.any(String) as string });
  });

  test('of a refused change is not there', async () => {
    const before = (await list()).events.length;
    const { status } = await platform.call('update_environment_variable', {
      environment_id: platform.seed['environment_id'],
      environment_variable_id: unknownId,
      key: 'X',
      value: 'y',
    });
    expect(status).toBe(404);
    expect((await list()).events).toHaveLength(before);
  });

  test('hides the value of a variable whose name says that it is a secret', async () => {
    await platform.must('create_environment_variable', {
      application_id: platform.seed['application_id'],
      key: 'SMTP_PASSWORD',
      value: 'plain-but-secret',
    });
    expect(parsed(await newest()).now).toMatchObject({ key: 'SMTP_PASSWORD', value: '[hidden]' });
    await platform.must('update_container', {
      name: 'worker',
      image_name: 'library/worker',
      tag: '2.1',
      registry_id: platform.seed['registry_id'],
      healthchecks: {},
      container_id: platform.seed['container_id'],
      arguments: ['--db-password=plain-but-secret', '--url=https://me:plain-but-secret@db.example'],
    });
    expect(JSON.stringify(platform.dump()['audit_event'])).not.toContain('plain-but-secret');
  });
});

/** Waits until no deployment of the environment is under way, or it is gone. */
const untilIdle = async (of: TestPlatform): Promise<void> =>
  eventually(async () => {
    const { status, body } = await of.call('get_environment_status', { environment_id: of.seed['environment_id'] });
    const states = Object.values((body ?? {}) as Record<string, unknown>).flat() as { state?: string }[];
    if (status === 200) expect(states.filter(({ state = '' }) => !isAtRest(state))).toEqual([]);
  });

/** Makes a valid request of each operation, and expects one event of it, without a secret. */
async function expectEvents(
  of: TestPlatform,
  names: readonly OperationName[],
  before?: () => Promise<void>,
): Promise<void> {
  const requests = validRequests({ ...of.seed, organization_id: of.organizationId }, 'e');
  for (const name of names) {
    await before?.();
    const asked = () => (of.dump()['audit_event'] as Event[]).filter(({ event_type: type }) => !type.endsWith('ED'));
    const count = asked().length;
    const { status, text } = await of.call(name, requests[name]);
    expect(status, `${name}: ${text}`).toBeLessThan(300);
    const all = asked();
    expect(all, name).toHaveLength(count + 1);
    expect(all.at(-1), name).toMatchObject({
      triggered_by: 'admin of the tests',
      target_name: expect.stringMatching(/./) as string,
    });
  }
  const stored = JSON.stringify(of.dump()['audit_event']);
  for (const secret of sentSecrets) expect(stored).not.toContain(secret);
}

describe('the end of a deployment', () => {
  test('has one event for each service, by its outcome, that names who asked for it', async () => {
    const own = await startTestPlatform({ scenarios: ['missing-variable'] });
    const { container_id: id } = own.seed;
    const ends = async (target: unknown) =>
      ((await own.must('list_events', { organization_id: own.organizationId, page_size: 100 }))['events'] as Event[])
        .filter(({ event_type: type, target_id }) => target_id === target && type.endsWith('ED'))
        .map(({ event_type }) => event_type)
        .toReversed();
    const expectEnds = (target: unknown, ...types: string[]) =>
      eventually(async () => expect(await ends(target)).toEqual(types));
    expect(await ends(id)).toEqual([]);
    await own.must('deploy_container', { container_id: id, image_tag: '2.4.1' });
    await expectEnds(id, 'DEPLOYED');
    await own.must('restart_services', { environment_id: own.seed['environment_id'], container_ids: [id] });
    await expectEnds(id, 'DEPLOYED', 'RESTARTED');
    await own.must('stop_services', { environment_id: own.seed['environment_id'], container_ids: [id] });
    await expectEnds(id, 'DEPLOYED', 'RESTARTED', 'STOPPED');
    const failing = seedId('service/payments/staging/payments-api');
    await own.must('deploy_application', { application_id: failing });
    await expectEnds(failing, 'DEPLOY_FAILED');
    const event = ((await own.must('list_events', { organization_id: own.organizationId }))['events'] as Event[])[0]!;
    expect(event).toMatchObject({
      target_type: 'APPLICATION',
      target_name: 'payments-api',
      project_name: 'payments',
      environment_name: 'staging',
      triggered_by: 'admin of the tests',
      origin: 'API',
    });
    expect(parsed(event)).toMatchObject({
      now: { state: 'DEPLOYMENT_ERROR', deployment_id: expect.any(String) as string },
      before: null,
    });
    await own.close();
  });
});

describe('every change', () => {
  // The seed has no project without environments to delete: projects.test.ts has that. What is sent to a receiver that
  // isn't stored changes nothing on the platform.
  const others: readonly string[] = ['delete_project', 'test_new_alert_receiver'];
  const changes = allOperations
    .filter(({ effect, name }) => effect !== 'read' && !others.includes(name))
    .map(({ name }) => name as OperationName);
  const deletions = changes.filter(deletesServices);
  // What is deleted, or on a locked cluster, refuses what comes after.
  const last: readonly OperationName[] = [
    ...changes.filter((name) => name.startsWith('delete_') && !deletions.includes(name)),
    'lock_cluster',
    'unlock_cluster',
  ];

  test('has exactly one event, and none has a secret', () =>
    expectEvents(platform, [...changes.filter((one) => !last.includes(one) && !deletions.includes(one)), ...last]));

  test('so has the deletion of a service or an environment, which waits until none is deployed', async () => {
    const another = await startTestPlatform();
    await expectEvents(another, deletions, () => untilIdle(another));
    await another.close();
  });
});

describe('a list of events', () => {
  test('is narrowed by who, what kind, target, place and time', async () => {
    const all = await everyEvent();
    // The earlier one is of the cluster that is locked from the start.
    expect((await eventsOf({ event_type: 'LOCK' })).map((event) => [event.event_type, event['triggered_by']])).toEqual([
      ['LOCK', 'admin of the tests'],
      ['LOCK', 'Bo Lindqvist'],
    ]);
    expect(await eventsOf({ triggered_by: 'nobody' })).toEqual([]);
    expect(await eventsOf({ target_type: 'CONTAINER', target_id: platform.seed['container_id'] })).toEqual(
      all.filter(({ target_id }) => target_id === platform.seed['container_id']),
    );
    expect(await eventsOf({ service_environment_id: platform.seed['environment_id'] })).toEqual(
      all.filter(({ environment_id }) => environment_id === platform.seed['environment_id']),
    );
    const at = String(all[3]!['timestamp']);
    expect(await eventsOf({ to_timestamp: at })).toEqual(
      all.filter(({ timestamp }) => String(timestamp) <= at).slice(0, 100),
    );
    expect(await eventsOf({ from_timestamp: at })).toEqual(all.filter(({ timestamp }) => String(timestamp) >= at));
    expect(
      (await platform.call('list_events', { organization_id: platform.organizationId, target_id: unknownId })).status,
    ).toBe(400);
    expect(
      (await platform.call('list_events', { organization_id: platform.organizationId, continue_token: 'made up' }))
        .status,
    ).toBe(400);
  });

  test('is turned by its tokens, forth and back', async () => {
    const all = (await list()).events;
    const first = await list({ page_size: 3 });
    expect(first.links.previous).toBeNull();
    const second = await list({ page_size: 3, continue_token: first.links.next!.split('=')[1] });
    expect([...first.events, ...second.events]).toEqual(all.slice(0, 6));
    const back = await list({ page_size: 3, step_back_token: second.links.previous!.split('=')[1] });
    expect(back.events).toEqual(first.events);
    expect(back.links.previous).toBeNull();
    const last = await list({ to_timestamp: (await everyEvent()).at(-1)!['timestamp'] });
    expect(last.links).toEqual({ previous: null, next: null });
  });

  test('stays over a restart, and says since when events are kept', async () => {
    const before = await list();
    expect(Date.parse(before.events_since)).toBeLessThanOrEqual(Date.parse(String(before.events.at(-1)!['timestamp'])));
    platform = await platform.restart();
    expect(await list()).toEqual(before);
  });
});

test('an old directory opens without events but those of deployments that it goes on with, and says since when there are any', async () => {
  const fixture = join(import.meta.dirname, '../../fixtures/data-0002');
  const dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-events-'));
  const database = new DatabaseSync(join(dataDir, databaseFile));
  database.exec(await readFile(join(fixture, 'records.sql'), 'utf8'));
  database.close();
  await copyFile(join(fixture, keyFile), join(dataDir, keyFile));
  const began = Date.now();
  const old = await startPlatform({ dataDir, timeScale: 0 });
  const answer = await fetch(`${old.url}/organization/${old.organizationId}/events`, {
    headers: { authorization: 'Token token-of-the-fixture' },
  });
  const body = (await answer.json()) as { events: Event[]; events_since: string };
  expect(body.events.filter(({ event_type: type }) => !type.endsWith('ED'))).toEqual([]);
  expect(body.events.every(({ timestamp }) => Date.parse(String(timestamp)) >= began)).toBe(true);
  expect(Date.parse(body.events_since)).toBeGreaterThanOrEqual(began);
  await old.close();
  await rm(dataDir, { recursive: true });
});
