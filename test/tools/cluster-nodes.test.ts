import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listClusters } from '../../tools/cluster/clusters.ts';
import { connectorsTo } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { type Json, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const node = {
  id: 'n1',
  name: 'node-1',
  role: 'MANAGER',
  availability: 'ACTIVE',
  state: 'READY',
  state_since: '2026-11-23T05:00:00Z',
  address: '10.0.0.7',
  labels: { disk: 'ssd' },
  cpu: 4000,
  cpu_allotted: 300,
  memory: 8000,
  memory_allotted: 192,
  instances: 3,
};
const lost = {
  ...node,
  id: 'n2',
  name: 'node-2',
  role: 'WORKER',
  state: 'DOWN',
  instances: 0,
  cpu_allotted: 0,
  memory_allotted: 0,
  address: undefined,
  labels: undefined,
};

const clusters = [
  {
    id: 'c1',
    name: 'local',
    status: 'DEPLOYED',
    warnings: ['The node node-2 has been down since 2026-11-23T05:00:00Z or earlier.'],
    nodes: [node, lost],
  },
  { id: 'c2', name: 'other', status: 'DEPLOYED' },
];

test('clusters are told in a table, and below it what is wrong with them, and their machines', () => {
  const { render } = listClusters;
  const view = render.view({ results: clusters });
  expect(render.text(view)).toBe(`2 clusters
name | id | status
local | c1 | DEPLOYED
other | c2 | DEPLOYED
local: The node node-2 has been down since 2026-11-23T05:00:00Z or earlier.
Nodes of local; CPU in thousandths, memory in MB:
name | role | state | state_since | availability | address | labels | instances | cpu_allotted | cpu | memory_allotted | memory
node-1 | MANAGER | READY | 2026-11-23T05:00:00Z | ACTIVE | 10.0.0.7 | {"disk":"ssd"} | 3 | 300 | 4000 | 192 | 8000
node-2 | WORKER | DOWN | 2026-11-23T05:00:00Z | ACTIVE |  |  | 0 | 0 | 4000 | 0 | 8000`);
  expect(view['results']).toMatchObject([
    { name: 'local', nodes: [{ name: 'node-1' }, { name: 'node-2', state: 'DOWN' }] },
    { name: 'other' },
  ]);
});

describe('the overviews', () => {
  const opened: { close: () => Promise<void> }[] = [];
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform();
    opened.push(platform);
  });
  afterAll(async () => {
    for (const one of opened.toReversed()) await one.close();
  });

  /** What each overview says of a platform whose clusters are changed like this, or can't be listed. */
  async function overviews(alter: (cluster: Json) => Json, status?: number): Promise<string[]> {
    const proxy = await startRecordingProxy(platform.url, {
      alter: (_, path, body) =>
        path.split('?')[0]!.endsWith('/cluster') ? { results: (body as { results: Json[] }).results.map(alter) } : body,
      beforeRequest: async (_, request, response) => {
        if (status !== undefined && /\/cluster(?:\?|$)/.test(request.url!))
          response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
      },
    });
    const connectors = connectorsTo(proxy.url, platform.tokens.read);
    opened.push(proxy, connectors);
    const client = await connectors.modern();
    return Promise.all(
      (
        [
          ['get_organization_overview', {}],
          ['get_environment_overview', { environment: 'shop/staging' }],
          ['get_environment_status', { environment_id: 'shop/staging' }],
        ] as const
      ).map(async ([tool, args]) => {
        const result = await client.call(tool, args);
        expect(result.isError, textOf(result)).toBeFalsy();
        return textOf(result);
      }),
    );
  }

  test('tell the machines of the clusters that host the environments, where there are any', async () => {
    const told = await overviews((cluster) => ({ ...cluster, nodes: [node, lost] }));
    for (const text of told)
      expect(text).toMatch(
        /: 1 of 2 take instances; node-2 is DOWN since 2026-11-23T05:00:00Z (?:\(\w+ ago\) )?or earlier; room left: 3\.7 CPUs, 7808 MB\./,
      );
    for (const text of told.slice(1)) expect(text.match(/Nodes of /g)).toHaveLength(1);
  });

  test('say nothing of machines where there are none, and that they could not look where they could not', async () => {
    for (const text of await overviews((cluster) => cluster)) expect(text).not.toMatch(/Nodes of|machines of clusters/);
    for (const text of await overviews((cluster) => cluster, 403)) expect(text).toContain('Not read: list_clusters');
    for (const text of await overviews((cluster) => cluster, 404)) expect(text).not.toMatch(/Nodes of|list_clusters/);
  });
});
