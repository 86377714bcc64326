import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { databaseFile } from '../../src/platform/store/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** What the platform answers in place of a copied environment, and in place of the record of one. */
let altered: { readonly clone?: (body: Json) => Json; readonly read?: (body: Json) => Json };
/** How it refuses to copy. */
let refusal: { readonly status: number; readonly message: string } | undefined;

beforeEach(async () => {
  [altered, refusal] = [{}, undefined];
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, { url = '' }, response) => {
      if (refusal && url.endsWith('/clone'))
        response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    },
    alter: (method, path, body) => {
      if (method === 'POST' && path.endsWith('/clone')) return altered.clone?.(body as Json) ?? body;
      return (
        (method === 'GET' &&
          /^\/environment\/[^/]+$/.test(path) &&
          (body as Json)['name'] === 'copy' &&
          altered.read?.(body as Json)) ||
        body
      );
    },
  });
  connectors = connectorsTo(proxy.url, platform.tokens.admin);
});

afterEach(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

async function cloning(args: Json) {
  const result = await (
    await connectors.modern(userAnswering(agree))
  ).call('clone_environment', { environment_id: 'shop/staging', name: 'copy', ...args });
  return {
    text: textOf(result),
    isError: result.isError === true,
    failure: failureIn(result),
    answer: (result.structuredContent ?? {}) as Json,
  };
}

const copies = (): unknown[] => (platform.dump()['environment'] as Json[]).filter(({ name }) => name === 'copy');
const production = seedId('cluster/production');
const without = (body: Json, ...members: readonly string[]): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));

describe('a copy that the platform refuses', () => {
  test('because its cluster is too small names the service and the limit, and leaves nothing behind', async () => {
    const db = new DatabaseSync(join(platform.dataDir, databaseFile));
    db.prepare('UPDATE cluster SET maximum_memory = 600 WHERE id = ?').run(production);
    db.close();
    const before = platform.dump();
    const { isError, text } = await cloning({ mode: 'STAGING', cluster_id: 'production' });
    expect(isError).toBe(true);
    expect(text).toMatch(/cluster production: .*memory.* maximum of 600/);
    expect(text).toContain('clone_environment');
    expect(platform.dump()).toEqual(before);
    // It is the cluster that is too small, not the copy that can't be made.
    expect((await cloning({ mode: 'STAGING', cluster_id: 'main' })).isError).toBe(false);
  });

  test.each([
    [400, 'The cluster edge-lab is not ready: its credentials are invalid'],
    [409, 'The cluster edge-lab is not ready: it is being upgraded'],
  ])('with %i because its cluster is not ready says so', async (status, message) => {
    refusal = { status, message };
    const { isError, text } = await cloning({ mode: 'STAGING', cluster_id: 'edge-lab' });
    expect(isError).toBe(true);
    expect(text).toContain(message);
    expect(text).not.toContain('copy is there');
    expect(copies()).toEqual([]);
  });
});

const notAsAsked = { kind: 'not_as_asked', outcome: 'done' };

describe('a copy that is made otherwise than asked', () => {
  const wanted = { mode: 'STAGING', cluster_id: 'production', project_id: 'data' };

  test.each<[string, (body: Json) => Json, string, string]>([
    ['in another mode', (body) => ({ ...body, mode: 'DEVELOPMENT' }), 'another mode than STAGING', 'is DEVELOPMENT'],
    [
      'in another project',
      (body) => ({ ...body, project: { id: seedId('project/shop') } }),
      `than project ${seedId('project/data')}`,
      `is in project ${seedId('project/shop')}`,
    ],
    [
      'on another cluster',
      (body) => ({ ...body, cluster_id: seedId('cluster/main'), cluster_name: 'main' }),
      `than cluster ${production}`,
      `is on cluster main (id ${seedId('cluster/main')})`,
    ],
  ])('%s is told with where it is, and that it is there', async (_, change, what, seen) => {
    altered = { clone: change };
    const { failure, text } = await cloning(wanted);
    expect(failure).toEqual(notAsAsked);
    expect(text).toContain(what);
    expect(text).toContain(seen);
    const [made] = copies() as Json[];
    expect(text).toContain(String(made!['id']));
  });

  test('where the answer does not tell the cluster, the environment is read, and told to be on another one', async () => {
    altered = {
      clone: (body) => without(body, 'cluster_id', 'cluster_name'),
      read: (body) => ({ ...body, cluster_id: seedId('cluster/main'), cluster_name: 'main' }),
    };
    const { failure, text } = await cloning(wanted);
    expect([failure, text]).toEqual([notAsAsked, expect.stringContaining(`than cluster ${production}`)]);
  });

  test('without the place being asked for, that of the original is expected', async () => {
    altered = { clone: (body) => ({ ...body, mode: 'PRODUCTION' }) };
    expect(await cloning({})).toMatchObject({
      failure: notAsAsked,
      text: expect.stringContaining('another mode than STAGING') as string,
    });
  });

  test('where nothing tells the cluster, the answer says that it is not known', async () => {
    altered = {
      clone: (body) => without(body, 'cluster_id', 'cluster_name'),
      read: (body) => without(body, 'cluster_id', 'cluster_name'),
    };
    const { isError, text } = await cloning(wanted);
    expect(isError, text).toBe(false);
    expect(text).toMatch(/Not known: .*cluster/);
  });
});
