import { afterAll, beforeAll, expect, test } from 'vitest';
import { condition, type Condition } from '../../src/contract/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { type Json, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const none = condition('INSTANCES_MISSING', { running: 0, wanted: 1, isKnown: true });
const waiting = condition('WAITING_FOR_NODE', { node: 'node-2', since: '2026-11-20T10:20:00Z' });
const together = condition('INSTANCES_CROWDED', {
  instances: 2,
  nodes: ['node-1'],
  values: [],
  free: ['node-2'],
  isMoving: false,
});
const hasBackup = condition('DATA_ON_NODE', {
  backup: { name: 'nightly', at: '2026-11-20T03:00:00.000Z', node: 'node-1' },
  isBackedUpHere: true,
});
const hasNone = condition('DATA_ON_NODE', { isBackedUpHere: true });
const [away, crowded] = [waiting.message, together.message];

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** What statuses seem to be, by the ids of services. */
let seeming: Readonly<Record<string, Json>>;

const masked = (row: Json): Json => ({ ...row, ...seeming[String(row['id'])] });
const maskedIn = (body: Json): Json =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? (value as Json[]).map(masked) : value]),
  );

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) => {
      if (method !== 'GET') return body;
      if (path.endsWith('/statuses')) return maskedIn(body as Json);
      return path.endsWith('/status') ? masked(body as Json) : body;
    },
  });
  connectors = connectorsTo(proxy.url, platform.tokens.read);
});
afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

/** The members of a status that tell conditions. */
const telling = (...conditions: readonly Condition[]): Json => ({
  conditions,
  warnings: conditions.map(({ message }) => message),
});

const lost = (note: Condition): Json => ({
  state: 'UNAVAILABLE',
  running: { instances: 0, wanted_instances: 1, restarts: 1, ...telling(none, waiting, note) },
});

/**
 * What a tool tells of a database whose node is lost, and of a container that shares a node.
 * @param note what is known of backups
 */
async function told(tool: string, args: Json, note = hasBackup) {
  seeming = {
    [platform.seed['database_id']!]: lost(note),
    [platform.seed['container_id']!]: {
      state: 'DEPLOYED',
      service_deployment_status: 'UP_TO_DATE',
      running: { instances: 2, wanted_instances: 2, restarts: 0, ...telling(together) },
    },
  };
  const result = await (await connectors.modern()).call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return {
    text: textOf(result),
    answer: result.structuredContent as Json,
    next: (result._meta?.[metaKeys.next] ?? []) as Json[],
  };
}

test('a service is shown with how many instances of it run, and what is not as it should be', async () => {
  const { text, answer, next } = await told('get_service', { service: 'shop/staging/orders-db' });
  expect(answer['status']).toMatchObject({
    state: 'UNAVAILABLE',
    instances: 0,
    wanted_instances: 1,
    warnings: [none.message, away, hasBackup.message],
  });
  const shown = text.replaceAll(/ \(\d+\w ago\)/g, '').split('\n');
  for (const line of ['instances: 0 of 1', `warning: ${away}`, `warning: ${hasBackup.message}`])
    expect(shown).toContain(line);
  expect(next).toMatchObject([{ tool: 'restore_database', arguments: { database: platform.seed['database_id'] } }]);
  const running = await told('get_service', { service: 'shop/staging/search' });
  expect(running.answer['status']).toMatchObject({ instances: 2, wanted_instances: 2, warnings: [crowded] });
  expect(running.text).toContain(`instances: 2 of 2\nwarning: ${crowded}`);
  expect(running.next).toEqual([]);
});

test('an overview says why what is unavailable is, of what backup there is, and what does not run as it should', async () => {
  const { text, answer, next } = await told('get_environment_overview', { environment: 'shop/staging' });
  const rows = Object.fromEntries((answer['results'] as Json[]).map((row) => [row['name'], row]));
  expect(rows['orders-db']).toMatchObject({
    condition: 'unavailable',
    reason: away,
    backup: '"nightly" of 2026-11-20T03:00:00.000Z on node-1',
  });
  expect(rows['search']).toMatchObject({ condition: 'healthy', reason: `it runs, but: ${crowded}` });
  expect(rows['search']).not.toHaveProperty('backup');
  expect(text).toMatch(
    /\norders-db \| database \| unavailable \| An instance waits for the node node-2, which .* or earlier: it can only run there\. \| "nightly" of /,
  );
  expect(next[0]).toMatchObject({ tool: 'restore_database', arguments: { database: platform.seed['database_id'] } });
});

test('where there is no backup, a diagnosis is proposed', async () => {
  const { answer, next } = await told('get_environment_overview', { environment: 'shop/staging' }, hasNone);
  expect((answer['results'] as Json[]).find(({ name }) => name === 'orders-db')).toMatchObject({ backup: 'none' });
  expect(next[0]).toMatchObject({ tool: 'diagnose_deployment', arguments: { service: platform.seed['database_id'] } });
  expect((await told('get_service', { service: 'shop/staging/orders-db' }, hasNone)).next).toMatchObject([
    { tool: 'diagnose_deployment' },
  ]);
});

test('the statuses of an environment have the most telling warning of each service', async () => {
  const { text, answer } = await told('get_environment_status', { environment_id: 'shop/staging' });
  expect((answer['databases'] as Json[]).find(({ name }) => name === 'orders-db')).toMatchObject({
    state: 'UNAVAILABLE',
    warning: away,
  });
  expect((answer['containers'] as Json[]).find(({ name }) => name === 'search')).toMatchObject({ warning: crowded });
  expect(text).toMatch(/\ndatabase \| orders-db \| UNAVAILABLE \| not known \| An instance waits for the node node-2/);
  expect(text.indexOf('orders-db')).toBeLessThan(text.indexOf('checkout-api'));
});

test('a diagnosis names the newest backup, and proposes to bring the database back from it', async () => {
  const { answer, next } = await told('diagnose_deployment', { service: 'shop/staging/orders-db' });
  expect(answer['cause']).toMatchObject({
    code: 'database_node_lost',
    sentence: expect.stringContaining('"nightly" of 2026-11-20T03:00:00.000Z on "node-1"'),
  });
  expect(next[0]).toMatchObject({ tool: 'restore_database' });
  expect(JSON.stringify(next)).not.toContain('locked');
});
