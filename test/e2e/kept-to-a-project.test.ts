import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let kept: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.read);
  kept = await connectors.modern(undefined, {
    readOnly: true,
    scope: { project: { name: 'shop', setBy: '--project' } },
  });
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

test.each([
  ['list_deployments', {}, '2 environments of shop'],
  ['list_deployments', { state: 'DEPLOYED' }, '2 environments of shop'],
  ['list_services', {}, '2 environments of shop'],
  ['list_database_backups', {}, '2 environments of shop'],
  ['list_environment_variables', { key: 'REGION' }, 'shop'],
])('without a place, %s %j looks only at the project, and says so', async (name, args, where) => {
  const result = await kept.call(name, args);
  const answer = (result.structuredContent ?? {}) as Json;
  const paths = ((answer['results'] ?? []) as Json[]).map(({ path }) => String(path));
  expect(paths, textOf(result)).not.toEqual([]);
  expect(paths.filter((path) => path !== 'shop' && !path.startsWith('shop/'))).toEqual([]);
  expect(answer['looked_at'], textOf(result)).toBe(where);
  expect(textOf(result)).toContain(`Looked at: ${where}.`);
});

test.each([
  ['list_deployments', { environment: 'shop/staging' }],
  ['list_deployments', { service: 'shop/staging/search' }],
  ['list_services', { environment: 'shop/staging' }],
  ['list_environment_variables', { key: 'REGION', service: 'shop/staging/search' }],
])('a place that is given stays the place: %s %j', async (name, args) => {
  const result = await kept.call(name, args);
  expect(result.isError, textOf(result)).toBeFalsy();
});

test.each([
  ['list_deployments', { project: 'data' }],
  ['list_services', { project: 'data' }],
  ['list_services', { environment: 'data/development' }],
  ['list_database_backups', { project: 'data' }],
  ['list_database_backups', { database: 'data/development/events-db' }],
])('nothing outside is looked at: %s %j', async (name, args) => {
  expect((await kept.call(name, args)).isError).toBe(true);
});

test('a call that needs a place is not widened to the project', async () => {
  expect((await kept.call('list_environment_variables', {})).isError).toBe(true);
});
