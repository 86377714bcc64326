import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { type Json, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const key = 'LS0tLS1CRUdJTiBLRVktLS0tLW1hZGUtdXA=';
const kubeconfig = `apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-key-data: ${key}\n`;

const opened: { close: () => Promise<void> }[] = [];
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  opened.push(platform);
});
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
});

/** A client of a platform that sends the kubeconfig with every answer about clusters. */
async function leaky(): Promise<{ readonly client: TestClient; readonly requests: readonly string[] }> {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) => {
      if (path.includes('/advancedSettings'))
        return { ...(body as Json), 'cluster.kubeconfig': kubeconfig, kubeConfig: kubeconfig };
      return path.split('?')[0]!.endsWith('/cluster')
        ? { results: (body as { results: Json[] }).results.map((row) => ({ ...row, kubeconfig })) }
        : body;
    },
  });
  const connectors = connectorsTo(proxy.url, platform.tokens.read);
  opened.push(proxy, connectors);
  return { client: await connectors.modern(), requests: proxy.requests };
}

test('a cluster is shown with its settings, its lock and what it hosts', async () => {
  const connectors = connectorsTo(platform.url, platform.tokens.read);
  opened.push(connectors);
  const client = await connectors.modern();
  const result = await client.call('get_cluster', { cluster: 'main' });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(result.structuredContent).toMatchObject({
    name: 'main',
    next_version: '1.33',
    is_locked: false,
    hosts: expect.stringContaining('shop/staging'),
    advanced_settings: { 'build.timeout_max_sec': 3600, 'lock.maximum_days': 5 },
  });
  const locked = await client.call('get_cluster', { cluster: 'batch' });
  expect(locked.structuredContent).toMatchObject({
    is_locked: true,
    locked_by: expect.any(String),
    lock_reason: expect.any(String),
  });
});

test('a kubeconfig that a platform sends unasked is in no answer, and nothing asks for one', async () => {
  const { client, requests } = await leaky();
  for (const [tool, args] of [
    ['get_cluster', { cluster: 'main' }],
    ['list_clusters', {}],
    ['find_resource', { name: 'main' }],
  ] as const) {
    const result = await client.call(tool, args);
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(JSON.stringify(result)).not.toContain(key);
    expect(JSON.stringify(result)).not.toContain('client-key-data');
  }
  expect(requests.filter((request) => /kubeconfig/i.test(request))).toEqual([]);
});

test('settings that a platform does not tell are said to be missing', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (request.url!.includes('/advancedSettings'))
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const connectors = connectorsTo(proxy.url, platform.tokens.read);
  opened.push(proxy, connectors);
  const result = await (await connectors.modern()).call('get_cluster', { cluster: 'main' });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(textOf(result)).toContain('Its advanced settings can not be read on this platform');
  expect(result.structuredContent).not.toHaveProperty('advanced_settings');
});
