import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { instantRuntime } from '../support/instant-runtime.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

interface Row {
  readonly environment: string;
  readonly mode?: string;
  readonly condition: string;
  readonly by?: string;
  readonly what?: string;
}

interface Overview {
  readonly within?: string;
  readonly total: number;
  readonly counts: Record<string, number>;
  readonly services?: Record<string, number>;
  readonly projects?: readonly string[];
  readonly results: readonly Row[];
  readonly locks?: readonly string[];
  readonly more_locks?: number;
  readonly unusable_clusters?: readonly string[];
  readonly cluster_alerts?: readonly string[];
  readonly unwatched?: string;
  readonly page: number;
  readonly pages: number;
}

/** What a client sees, and what it cost. */
async function look(client: TestClient, proxy: RecordingProxy, args: Record<string, unknown> = {}) {
  const before = proxy.requests.length;
  const result = await client.call('get_organization_overview', args);
  const overview = result.structuredContent as Overview;
  const tokens = Math.ceil((textOf(result).length + JSON.stringify(overview ?? {}).length) / 4);
  return { result, overview, text: textOf(result), tokens, asked: proxy.requests.slice(before) };
}

/** What is known with and without wide reads; who asked for a deployment is known of fewer without them. */
const compared = ({ results, ...rest }: Overview) => ({
  ...rest,
  not_read: undefined,
  results: results.map((row) => ({ ...row, by: undefined })),
});

/** Paths that only platforms with wide reads serve. */
const widePath = /\/organization\/[^/]+\/(services|environments)$|\/environment\/(overview|status)$/;

/** A proxy in front of a platform that has none of the paths of this form. */
const without = (url: string, missing: RegExp): Promise<RecordingProxy> =>
  startRecordingProxy(url, {
    beforeRequest: async (_, request, response) => {
      if (missing.test(request.url!.split('?')[0]!))
        response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
    },
  });

const opened: { close: () => Promise<void> }[] = [];
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
});

/** A client in front of a platform, behind a proxy. */
async function clientOn(proxy: RecordingProxy, token: string, ...rest: [policy?: Parameters<Connectors['modern']>[1]]) {
  const connectors = connectorsTo(proxy.url, token);
  opened.push(proxy, connectors);
  return connectors.modern(undefined, ...rest);
}

describe('the organization that a platform starts with', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startTestPlatform();
    opened.push(platform);
  });

  const lookWith = async (
    policy?: Parameters<Connectors['modern']>[1],
    args: Record<string, unknown> = {},
    missing?: RegExp,
  ) => {
    const proxy = missing ? await without(platform.url, missing) : await startRecordingProxy(platform.url);
    return look(await clientOn(proxy, platform.tokens.read, policy), proxy, args);
  };

  test('is seen by a token that may only read, in six requests and two for its cron job, worst first', async () => {
    const { overview, asked, text } = await lookWith();
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(8);
    expect(overview.results[0]).toMatchObject({
      environment: 'data/development',
      condition: 'failed',
      what: expect.stringContaining('failed: importer') as string,
    });
    expect(overview.results.map(({ environment }) => environment)).toEqual(
      expect.arrayContaining(['shop/production', 'shop/staging']),
    );
    expect(overview.services!['failed']).toBeGreaterThan(0);
    expect(text).toContain('Next: get_environment_overview {"environment":"data/development"}');
  });

  test('comes to the same where the platform has no wide reads, in more requests', async () => {
    const [wide, narrow] = [await lookWith(), await lookWith(undefined, {}, widePath)];
    expect(compared(narrow.overview)).toEqual(compared(wide.overview));
    const importer = { environment: 'data/development', by: 'Cleo Marchetti' };
    for (const { overview } of [wide, narrow])
      expect(overview.results).toContainEqual(expect.objectContaining(importer));
    expect(narrow.asked.length).toBeGreaterThan(wide.asked.length);
  });

  test('says what it could not look at', async () => {
    const { overview, text } = await lookWith(
      undefined,
      {},
      /\/(services|statuses|alert-rules|lock)$|\/environment\/(overview|status)$|\/cluster\/[^/]+\/status$/,
    );
    expect(new Set(overview.results.map(({ condition }) => condition))).toEqual(new Set(['not looked at']));
    expect(text).toContain('Not read: get_environment_status');
    expect(text).toContain('Not read: list_alert_rules');
    expect(text).toMatch(/Whether \d of the \d clusters (is|are) locked could not be read/);
  });

  test('is judged by the states of whole environments where the platform tells no others, and says so', async () => {
    const { overview, text } = await lookWith(undefined, {}, /\/(services|statuses)$/);
    expect(overview.results.find(({ environment }) => environment === 'data/development')).toMatchObject({
      condition: 'failed',
    });
    expect(text).toMatch(/environments are judged by the platform's state of the whole/);
  });

  test.each([
    ['project', { project: { name: 'shop', setBy: 'INFRA_PROJECT' } }, ['shop/production', 'shop/staging']],
    ['environment', { environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } }, ['shop/staging']],
  ] as const)('is only that %s where the server is kept to it', async (_, scope, expected) => {
    const { overview, result } = await lookWith({ readOnly: false, scope });
    expect(overview.results.map(({ environment }) => environment).toSorted(), textOf(result)).toEqual(expected);
    expect(JSON.stringify(result)).not.toContain('importer');
  });

  test('shows nothing of what a policy keeps from being read', async () => {
    const { overview, result, text } = await lookWith(await policyFrom('deny: [{ mode: PRODUCTION }]'));
    expect(overview.results.find(({ environment }) => environment === 'shop/production')).toBeUndefined();
    expect(overview.results.find(({ environment }) => environment === 'data/development')).toMatchObject({
      condition: 'failed',
    });
    expect(text).toMatch(/policy\.yaml, deny\[0\].*Left out: environments /s);
    const denied = await lookWith(await policyFrom('deny: [{ project: data }]'));
    expect(denied.overview.results.map(({ environment }) => environment).toSorted()).toEqual([
      'shop/production',
      'shop/staging',
    ]);
    expect(JSON.stringify(denied.result)).not.toContain('importer');
    expect(JSON.stringify(result)).toContain('importer');
    const allowed = await lookWith(await policyFrom('allow: [{ project: shop }]'), { project: 'shop' });
    expect(allowed.overview.results.map(({ environment }) => environment).toSorted(), allowed.text).toEqual([
      'shop/production',
      'shop/staging',
    ]);
  });

  test('tells of alerts of which nobody is told, and of clusters on which nothing can run', async () => {
    const { overview, text } = await lookWith();
    expect(overview.unusable_clusters).toEqual([expect.stringContaining('INVALID_CREDENTIALS') as string]);
    expect(text).toContain(overview.unusable_clusters![0]);
    const told = [...(overview.cluster_alerts ?? []), ...overview.results.map(({ what }) => what ?? '')].join('\n');
    for (const alert of [
      'cluster main: disk-filling (UNROUTED: nobody is told)',
      'report-late (SUPPRESSED: nobody is told)',
    ])
      expect(told).toContain(alert);
    expect(text).toMatch(/Alert about cluster main: disk-filling \(UNROUTED: nobody is told\) since \d{4}-/);
    expect(overview.unusable_clusters![0]).toContain('since when is not told');
    const { what } = overview.results.find(({ environment }) => environment === 'data/development')!;
    expect(what).toMatch(/^failed: importer; alerting: importer-down since \d{4}-\S+Z;/);
  });

  test('tells which alert rules watch nothing, so that their silence is not read as quiet', async () => {
    const { overview, text } = await lookWith();
    expect(overview.unwatched).toBe(
      'old-latency (GHOST: deleted here, left in the alerting system), node-memory (UNDEPLOYED: not in the alerting system)',
    );
    expect(text).toContain(
      `That these alert rules don't fire says nothing, they watch nothing: ${overview.unwatched}.`,
    );
  });

  test('is as complete for a project: its clusters with their alerts, and that others were not looked at', async () => {
    const { overview: all } = await lookWith();
    const scope = { project: { name: 'shop', setBy: 'INFRA_PROJECT' } } as const;
    const asked = await lookWith(undefined, { project: 'shop' });
    expect(asked.overview.unwatched).toBe(all.unwatched);
    expect(asked.overview.cluster_alerts).toEqual(all.cluster_alerts);
    const kept = await lookWith({ readOnly: false, scope });
    expect(kept.text).toContain('Left out: alert rules outside of what this server is kept to.');
    for (const { overview, text } of [asked, kept]) {
      expect(overview).toMatchObject({ within: 'project shop', total: 2 });
      expect(text).toContain('Only project shop and the clusters that host it were looked at.');
      // A cluster that hosts nothing of it.
      expect(JSON.stringify(overview)).not.toContain('INVALID_CREDENTIALS');
    }
    expect(all).not.toHaveProperty('within');
  });

  test('shows alerts that fire and what is locked', async () => {
    const changed = await startTestPlatform();
    opened.push(changed);
    await changed.must('lock_cluster', {
      cluster_id: changed.seed['cluster_id'],
      reason: 'an incident',
      ttl_in_days: 1,
    });
    const proxy = await startRecordingProxy(changed.url, {
      alter: (_, path, body) => {
        const { results = [], ...rest } = body as { results?: object[] };
        return path.endsWith('/alert-rules')
          ? { ...rest, results: results.map((rule) => ({ ...rule, state: 'NOTIFIED' })) }
          : body;
      },
    });
    const { overview } = await look(await clientOn(proxy, changed.token), proxy);
    expect(overview.locks).toEqual([
      expect.stringMatching(/^cluster main by admin of the tests since \S+ until \S+: an incident$/),
      // The platform starts with a lock of a cluster that hosts nothing.
      expect.stringMatching(/^cluster batch by Bo Lindqvist since /),
    ]);
    expect(overview.results.filter(({ what }) => what?.includes('locked')).length).toBeGreaterThan(1);
    expect(JSON.stringify(overview.results)).toMatch(/alerting: /);
  });
});

describe('an organization of 200 environments', () => {
  const total = 200;
  let platform: TestPlatform;
  let proxy: RecordingProxy;
  let client: TestClient;

  beforeAll(async () => {
    platform = await startTestPlatform();
    opened.push(platform);
    const [shop] = rowsOf(await platform.must('list_projects', { organization_id: platform.organizationId }));
    const projects = [String(shop!['id'])];
    for (let index = 0; index < 9; index += 1)
      projects.push(
        String(
          (
            await platform.must('create_project', {
              organization_id: platform.organizationId,
              name: `team-with-a-longer-name-${index}`,
            })
          )['id'],
        ),
      );
    const present = rowsOf(
      await platform.must('list_environments_of_organization', { organization_id: platform.organizationId }),
    );
    for (let index = present.length; index < total; index += 1) {
      const { id: environment_id } = await platform.must('create_environment', {
        project_id: projects[index % projects.length],
        name: `environment-of-the-feature-branch-${index}`,
        mode: index % 3 === 0 ? 'PRODUCTION' : 'STAGING',
        cluster_id: platform.seed['cluster_id'],
      });
      for (const name of [
        'first-service-of-the-environment',
        'second-service-of-the-environment',
        'third-service-of-the-environment',
      ]) {
        await platform.must('create_database', {
          environment_id,
          name,
          type: 'REDIS',
          version: '7',
          mode: 'CONTAINER',
        });
      }
    }
    proxy = await startRecordingProxy(platform.url);
    client = await clientOn(proxy, platform.tokens.read);
  });

  test('takes six requests and two for each of six cron jobs, and 2,000 tokens, and counts what is not shown', async () => {
    const { overview, asked, tokens, text } = await look(client, proxy);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(18);
    expect(tokens, text).toBeLessThanOrEqual(2_000);
    expect(overview.total).toBe(total);
    expect(Object.values(overview.counts).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(overview.results[0]).toMatchObject({ condition: 'failed' });
    expect(text).toContain('Next: get_organization_overview {"page":2}');
  });

  test('is reached as a whole, page by page', async () => {
    const pages = [];
    const { overview: first } = await look(client, proxy);
    for (let page = 1; page <= first.pages; page += 1) pages.push(await look(client, proxy, { page }));
    const all = pages.flatMap(({ overview }) => overview.results.map(({ environment }) => environment));
    expect(all).toHaveLength(total);
    expect(new Set(all).size).toBe(total);
    for (const { tokens } of pages) expect(tokens).toBeLessThanOrEqual(2_000);
  });

  test('is looked at as far as requests go where there are no wide reads, and says how much was left out', async () => {
    const narrow = await without(platform.url, widePath);
    const { overview, text, tokens, asked } = await look(await clientOn(narrow, platform.tokens.read), narrow);
    const left = overview.counts['not looked at']!;
    expect(asked.length).toBeLessThanOrEqual(60);
    expect(overview.total).toBe(total);
    expect(text).toContain(
      `${left} environments were not looked into, to spare requests: give the project or environment to look there.`,
    );
    expect(tokens).toBeLessThanOrEqual(2_000);
  });
});

describe('a platform on which nothing has been created', () => {
  test('leads to a project, and a project without environments to one', async () => {
    const cluster = { name: 'local', description: '', version: 'docker', createRuntime: () => instantRuntime };
    const platform = await startTestPlatform({ realClusters: { clusters: [cluster], registries: [] } });
    const proxy = await startRecordingProxy(platform.url);
    opened.push(platform);
    const client = await clientOn(proxy, platform.token);
    const { overview, text } = await look(client, proxy);
    expect(overview.total).toBe(0);
    expect(text).toContain('Next: list_projects {}');
    expect(text).toContain('create_project {} and its name');
    await client.call('create_project', { name: 'shop' });
    expect((await look(client, proxy, { project: 'shop' })).text).toMatch(
      /create_environment \{"project":"[\da-f-]{36}"\} and its name and mode/,
    );
  });
});
