import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import { failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { type RecordingProxyOptions } from '../../support/recording-proxy.ts';
import { closedAfterEach } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
const opened = closedAfterEach();

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** Starts a server whose user declines every question. */
async function startServer(policy: string, options: RecordingProxyOptions = {}) {
  const user = userAnswering(() => ({ action: 'decline' }));
  const server = await startGuardedServer(platform, { policy, user, ...options });
  opened.push(server);
  const call = async (tool: string, args: Json) => {
    const result = await server.call(tool, args);
    return {
      text: textOf(result),
      isDenied: failureIn(result)?.kind === 'denied',
      asked: user.questions.map(({ message }) => message),
    };
  };
  return { call, proxy: server.proxy };
}

const mainCluster = seedId('cluster/main');
const productionCluster = seedId('cluster/production');
const shopProduction = seedId('environment/shop/production');
const isProjects = (path: string): boolean => /^\/organization\/[^/]+\/project$/.test(path);
const isEnvironments = (path: string): boolean => /^\/project\/[^/]+\/environment$/.test(path);

/** Alters the rows of the lists of environments. */
const environments = (alter: (rows: Json[]) => Json): RecordingProxyOptions => ({
  alter: (method, path, body) =>
    method === 'GET' && isEnvironments(path) ? alter((body as { results: Json[] }).results) : body,
});

describe('a rule about a place holds for a change of the cluster that hosts it', () => {
  const rules = [
    'deny: [{ project: shop }]',
    'deny: [{ environment: shop/production }]',
    `deny: [{ environment: ${shopProduction} }]`,
    'deny: [{ project: shop, environment: production }]',
    'deny: [{ project: shop, mode: PRODUCTION }]',
    'freeze: [{ cron: "* * * * *", time_zone: UTC, duration: PT1H, environment: shop/production }]',
  ];
  const changes: [string, Json][] = [
    ['upgrade_cluster', {}],
    ['lock_cluster', { reason: 'incident' }],
    ['unlock_cluster', {}],
  ];

  test.each(rules.flatMap((rule) => changes.map(([tool, args]) => [rule, tool, args] as const)))(
    '%s: %s',
    async (rule, tool, args) => {
      const { call, proxy } = await startServer(rule);
      for (const how of [{}, { dry_run: true }])
        expect(await call(tool, { cluster_id: productionCluster, ...args, ...how })).toMatchObject({
          isDenied: true,
          asked: [],
        });
      expect(proxy.writes()).toEqual([]);
    },
  );

  test('and where it hosts no production', async () => {
    expect(
      await (
        await startServer('deny: [{ project: data }]')
      ).call('lock_cluster', { cluster_id: mainCluster, reason: 'incident' }),
    ).toMatchObject({ isDenied: true });
  });
});

describe('and for nothing else', () => {
  test.each([
    ['what is hosted elsewhere', 'deny: [{ project: data }]', productionCluster],
    ['another environment of the project', 'deny: [{ environment: shop/staging }]', productionCluster],
    ['a place of another mode', 'deny: [{ environment: shop/staging, mode: PRODUCTION }]', mainCluster],
    ['a mode alone that it does not make the cluster', 'deny: [{ mode: STAGING }]', mainCluster],
    [
      'a mode alone of production that hosts others too',
      'allow: [{ tier: read }, { mode: PRODUCTION }]',
      productionCluster,
    ],
  ])('%s: %s', async (_, rule, cluster_id) => {
    const { isDenied, asked } = await (
      await startServer(rule)
    ).call('lock_cluster', { cluster_id, reason: 'incident' });
    expect([isDenied, asked.length]).toEqual([false, 1]);
  });

  test('what is created beside it on the same cluster', async () => {
    const { call } = await startServer('deny: [{ project: shop }]');
    const { isDenied } = await call('create_environment', {
      project_id: 'data',
      name: 'next',
      mode: 'DEVELOPMENT',
      cluster_id: mainCluster,
      dry_run: true,
    });
    expect(isDenied).toBe(false);
  });
});

describe('in doubt it holds, where', () => {
  const paged = { pagination: { page: 1, page_size: 1, total_count: 2, total_pages: 2 } };
  test.each<[string, RecordingProxyOptions]>([
    ['environments are not all shown', environments(() => ({ results: [], ...paged }))],
    [
      'projects are not all shown',
      { alter: (method, path, body) => (method === 'GET' && isProjects(path) ? { results: [], ...paged } : body) },
    ],
    [
      'there are very many projects, and no whole list of all environments',
      {
        alter: (_method, path, body) =>
          /^\/organization\/[^/]+\/environments$/.test(path)
            ? { results: [], ...paged }
            : isProjects(path)
              ? {
                  results: Array.from({ length: 50 }, (_, index) => ({
                    id: seedId(`project/many-${index}`),
                    name: `many-${index}`,
                  })),
                }
              : isEnvironments(path)
                ? { results: [] }
                : body,
      },
    ],
    [
      'clusters are not shown',
      { alter: (method, path, body) => (method === 'GET' && path.endsWith('/cluster') ? { results: [] } : body) },
    ],
    ['nothing outside the document can be read', { mode: 'unknown' }],
  ])('%s', async (_, options) => {
    const { call, proxy } = await startServer('deny: [{ environment: elsewhere/live }]', options);
    const { isDenied, text } = await call('upgrade_cluster', { cluster_id: productionCluster });
    expect(isDenied, text).toBe(true);
    expect(text).toMatch(/^upgrade_cluster .*Where it belongs .*in doubt/s);
    expect(proxy.writes()).toEqual([]);
  });

  test('an environment does not say its cluster', async () => {
    const { call } = await startServer(
      'deny: [{ environment: shop/production }]',
      environments((rows) => ({ results: rows.map((row) => ({ ...row, cluster_id: undefined })) })),
    );
    expect(await call('upgrade_cluster', { cluster_id: mainCluster })).toMatchObject({ isDenied: true });
  });
});

const byAnotherRule = 'deny: [{ environment: elsewhere/live }]';

test('a plan tells what the cluster hosts, production first, and of very many how many more', async () => {
  const few = await (
    await startServer(byAnotherRule)
  ).call('lock_cluster', { cluster_id: productionCluster, reason: 'incident' });
  expect(few.asked[0]).toMatch(
    new RegExp(`^Touches environment production of project shop, PRODUCTION \\(id ${shopProduction}\\)\\.$`, 'm'),
  );
  const many = environments((rows) => ({
    results: rows.flatMap((row) =>
      row['id'] === shopProduction
        ? [
            ...Array.from({ length: 12 }, (_, index) => ({
              ...row,
              id: seedId(`environment/${index}`),
              name: `review-${index}`,
              mode: 'STAGING',
            })),
            row,
          ]
        : [row],
    ),
  }));
  const { asked } = await (
    await startServer(byAnotherRule, many)
  ).call('lock_cluster', { cluster_id: productionCluster, reason: 'incident' });
  const lines = asked[0]!.split('\n').filter((line) => line.startsWith('Touches '));
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([
    11,
    expect.stringContaining('environment production of'),
    'Touches 3 more environments that the cluster hosts.',
  ]);
});

test.each(['deny: [{ tool: stop_environment, environment: shop/production }]', 'deny: [{ mode: STAGING }]'])(
  'a rule that does not ask what it hosts costs no search: %s',
  async (rule) => {
    const { call, proxy } = await startServer(rule);
    await call('lock_cluster', { cluster_id: productionCluster, reason: 'incident' });
    expect(proxy.requests.filter((line) => line.endsWith('/environment'))).toEqual([]);
  },
);
