import { beforeEach, expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { proxiedForEach } from '../support/connected-platform.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import type { RecordingProxy } from '../support/recording-proxy.ts';
import type { TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let client: TestClient;
/** Changes the answers of the platform. */
let alter: (path: string, body: unknown) => unknown;

beforeEach(() => {
  alter = (_, body) => body;
});
proxiedForEach(
  { alter: (method, path, body) => (method === 'GET' ? alter(path, body) : body) },
  (proxied) => ({ platform, proxy, client } = proxied),
);

const application_id = seedId('service/shop/staging/checkout-api');

const createDatabase = async (): Promise<string> =>
  String(
    (
      await platform.must('create_database', {
        environment_id: platform.seed['environment_id'],
        name: 'visits',
        type: 'REDIS',
        version: '7',
        mode: 'CONTAINER',
      })
    )['id'],
  );

const keyOf = (databaseId: string): string => `DATABASE_${databaseId.slice(0, 8).toUpperCase()}_HOST`;

/** Adds an alias of a database's host to what the application sees. */
const withAlias =
  (databaseId: string) =>
  (path: string, body: unknown): unknown => {
    if (!path.endsWith(`/application/${application_id}/environmentVariable`)) return body;
    const { results } = body as { results: Json[] };
    const host = results.find(({ key }) => key === keyOf(databaseId))!;
    return {
      results: [
        ...results,
        {
          ...host,
          id: seedId('alias'),
          key: 'VISITS_HOST',
          scope: 'APPLICATION',
          variable_type: 'ALIAS',
          aliased_variable: { ...host },
        },
      ],
    };
  };

const deploy = async (args: Json, tool = 'deploy_database') => {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return {
    answer: result.structuredContent as Json,
    text: textOf(result),
    next: (result._meta?.[metaKeys.next] ?? []) as { tool: string; arguments: Json }[],
  };
};

test.each([
  ['deploy_database', 'database_id', false],
  ['deploy_database', 'database_id', true],
  ['deploy_service', 'service', false],
  ['deploy_service', 'service', true],
] as const)(
  '%s of a new database tells which services do not see its variables: %s, waiting %s',
  async (tool, member, wait) => {
    const id = await createDatabase();
    alter = withAlias(id);
    const { answer, text, next } = await deploy({ [member]: id, ...(wait && { wait }) }, tool);
    const told = answer['variables_not_seen_by'] as string[];
    expect(told).toContain('checkout-api, until it is deployed again; it uses them as VISITS_HOST');
    expect(told).toContain('search, until it is deployed again');
    // A database has no variables, and a job that runs again sees them.
    expect(told.join('\n')).not.toMatch(/orders-db|nightly-report/);
    expect(text).toContain('checkout-api, until it is deployed again');
    expect(next).toContainEqual(
      expect.objectContaining({ tool: 'deploy_service', arguments: { service: application_id } }),
    );
  },
);

test('what was deployed since sees them, and of a database that was deployed before nothing is told, for no read', async () => {
  const id = await createDatabase();
  await platform.must('deploy_application', { application_id });
  await expect
    .poll(async () => (await platform.must('get_application_status', { application_id }))['state'])
    .toBe('RUNNING');
  const { answer } = await deploy({ database_id: id, wait: true });
  expect(String(answer['variables_not_seen_by'])).toContain('search');
  expect(String(answer['variables_not_seen_by'])).not.toContain('checkout-api');
  const before = proxy.requests.length;
  const again = await deploy({ database_id: id, wait: true });
  expect(again.answer).not.toHaveProperty('variables_not_seen_by');
  expect(proxy.requests.slice(before).filter((line) => line.includes('environmentVariable'))).toEqual([]);
});

test('nothing is told where the platform gives databases no variables', async () => {
  const id = await createDatabase();
  alter = (path, body) =>
    /variable(?:\?|$)/i.test(path)
      ? { results: (body as { results: Json[] }).results.filter(({ key }) => !String(key).startsWith('DATABASE_')) }
      : body;
  const { answer, next } = await deploy({ database_id: id, wait: true });
  expect(answer).not.toHaveProperty('variables_not_seen_by');
  expect(next.map(({ tool }) => tool)).not.toContain('deploy_service');
});
