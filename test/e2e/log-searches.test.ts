import type { Client } from '@modelcontextprotocol/client';
import { eventually } from '../support/eventually.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
/** Paths that the platform doesn't have. */
let lacks: RegExp | undefined;
const opened: Connectors[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (lacks?.test(request.url!.split('?')[0]!))
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end(JSON.stringify({ status: 404, message: 'no such page' }));
    },
  });
});
afterEach(async () => {
  lacks = undefined;
  for (const connectors of opened.splice(0)) await connectors.close();
});
afterAll(async () => {
  await proxy.close();
  await platform.close();
});

/** Calls a tool through a client that has read nothing yet. */
async function ask(tool: string, args: Json) {
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(connectors);
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  const data = (result.structuredContent ?? {}) as Json;
  return {
    text: textOf(result),
    data,
    lines: (data['results'] ?? []) as string[],
    logs: (data['logs'] ?? []) as Json[],
  };
}

const search = (args: Json) => ask('search_logs', args);

const checkout = 'shop/production/checkout-api';

/** The last lines of it as they are, oldest first. */
const lastLines = async (tail: number): Promise<readonly Json[]> => {
  const application_id = seedId(`service/${checkout}`);
  return (await ask('get_application_logs', { application_id, tail, raw: true })).data['results'] as Json[];
};
const minute = expect.stringMatching(/^\d{4}-/) as string;

describe('a search of an environment', () => {
  test('finds what its services log, not only what their deployments did', async () => {
    const { data, lines, logs, text } = await search({ environment: 'shop/production' });
    // Every fortieth of the thousand lines of both is a warning, in three lines.
    expect(data, text).toMatchObject({ matched: 51, different: 3, levels: { error: 0, warn: 51 } });
    const repeated = / (search|checkout-api)-.* slow query .*\(× 25 with other numbers: \d+–\d+ ms, first at 2/;
    expect(lines.flatMap((line) => repeated.exec(line)?.[1] ?? []).toSorted()).toEqual(['checkout-api', 'search']);
    expect(new Set(logs.map(({ service }) => service))).toEqual(new Set(['checkout-api', 'orders-db', 'search']));
  });

  test('takes one request for each of its services, and two for itself', async () => {
    const before = proxy.requests.length;
    await search({ environment: seedId('environment/shop/production') });
    const ends = proxy.requests.slice(before).map((request) => request.split('?')[0]!.split('/').at(-1)!);
    expect(ends.filter((end) => ['log', 'logs', 'services'].includes(end)).toSorted()).toEqual([
      'log',
      'log',
      'log',
      'logs',
      'services',
    ]);
  });

  test('says of which services it knows the lines of the latest deployment only', async () => {
    lacks = /^\/application\/[^/]+\/log$/;
    const { lines, logs, text } = await search({ environment: 'shop/production', pattern: 'image|DONE', limit: 200 });
    expect(logs.filter(({ not_read }) => not_read)).toEqual([
      expect.objectContaining({ service: 'checkout-api', lines: expect.any(Number) as number }),
    ]);
    expect(lines.join('\n')).toMatch(/ checkout-api build-/);
    expect(text).toContain(`Not among them are those of application ${seedId('service/shop/production/checkout-api')}`);
  });
});

test('a search of an environment without services says that there was nothing to search', async () => {
  await platform.must('create_environment', {
    project_id: platform.seed['project_id'],
    cluster_id: platform.seed['cluster_id'],
    name: 'bare',
    mode: 'DEVELOPMENT',
  });
  for (const args of [{}, { level: 'error', since: 'PT1H' }]) {
    const { data, text } = await search({ environment: 'shop/bare', ...args });
    expect(data).toMatchObject({ matched: 0, searched: 0, without_logs: true });
    expect(text).toMatch(/^\W*(?:<[^>]+>\s*)?Nothing was searched: /);
    expect(text).not.toContain('accepted');
  }
});

describe('the period of a search', () => {
  test('is told: since when there are lines, and that there are no more', async () => {
    const { logs, text } = await search({ service: checkout });
    expect(logs).toEqual([{ lines: 1000, instances: 1, from: minute, is_full: true, instances_since: minute }]);
    expect(text).toContain(
      `Searched: 1000 lines from ${String(logs[0]!['from'])} on, of 1 instance, the most that the platform shows. Nothing is known of before. Instances without a line there are not counted.`,
    );
  });

  test('of an empty log begins with the deployment, and no count is given', async () => {
    const { data, text } = await search({ service: 'shop/staging/storefront' });
    expect(data).toMatchObject({ matched: 0, searched: 0, logs: [{ lines: 0, never_deployed: true }] });
    expect(text).toContain('Searched: empty, never deployed.');
    expect(text).not.toContain('0 of 0');
  });

  test('has lost nothing while the first instances of a service run, though its deployment was before', async () => {
    const service = 'shop/staging/session-cache';
    const { logs, text } = await search({ service, pattern: '.' });
    expect(logs).toEqual([expect.objectContaining({ from: minute, instances_since: minute })]);
    expect(text).not.toContain('is lost');
    const deployed = await ask('deploy_service', { service, wait: true });
    expect(deployed.data['outcome'], deployed.text).toBe('succeeded');
    expect((await search({ service, pattern: '.' })).text).toContain('What earlier instances logged is lost');
  });

  test('lacks what instances logged before a deployment replaced them', async () => {
    const service = 'shop/staging/checkout-api';
    const before = await search({ service, pattern: '.' });
    const deployed = await ask('deploy_service', { service, wait: true });
    expect(deployed.data['outcome'], deployed.text).toBe('succeeded');
    const { logs, text, data } = await search({ service, pattern: '.' });
    expect(Number(data['searched'])).toBeLessThan(Number(before.data['searched']));
    const [{ from, instances_since: since } = {}] = logs;
    expect(Date.parse(String(since))).toBeGreaterThan(Date.parse(String(from)));
    expect(text).toContain('What earlier instances logged is lost: a deployment, restart or stop ended them.');
  });
});

describe('the lines of a log', () => {
  const application_id = seedId('service/shop/staging/checkout-api');

  test('are shown with their period, and with what a deployment took away', async () => {
    const { data, text } = await ask('get_application_logs', { application_id });
    expect(data['logs']).toEqual((await search({ service: 'shop/staging/checkout-api' })).logs);
    const [{ from, lines } = {}] = data['logs'] as Json[];
    expect(text).toContain(`Read: ${String(lines)} lines from ${String(from)} on`);
    expect(text).toContain('What earlier instances logged is lost');
  });

  test('are messages, of which those that repeat are shown once, as a search counts them', async () => {
    const [{ data, text }, found] = [
      await ask('get_application_logs', { application_id }),
      await search({ service: 'shop/staging/checkout-api', level: 'debug', limit: 200 }),
    ];
    expect(data).toMatchObject({ messages: found.data['searched'], different: found.data['different'] });
    const repeated = (data['results'] as Json[]).filter(({ repeats }) => repeats);
    expect(repeated.length).toBeGreaterThan(0);
    expect(text.match(/\(× \d+/g)).toHaveLength(repeated.length);
    const { data: last } = await ask('get_application_logs', { application_id, tail: 2 });
    expect(last).toMatchObject({ shown: 2, messages: found.data['searched'] });
  });

  test('are raw where that is asked for, as many as are asked for', async () => {
    const { data } = await ask('get_application_logs', { application_id, raw: true });
    const [{ lines } = {}] = data['logs'] as Json[];
    expect(data['results']).toHaveLength(Math.min(Number(lines), Number(data['shown_rows'] ?? lines)));
    const { data: last } = await ask('get_application_logs', { application_id, tail: 3, raw: true });
    expect(last['results']).toEqual((data['results'] as Json[]).slice(-3));
  });

  test('are the last ones as they are where a search has nothing to look for, whatever the kind', async () => {
    await eventually(async () => {
      const [before, { data, lines, text }, after] = [
        await lastLines(6),
        await search({ service: checkout, level: 'debug', limit: 6 }),
        await lastLines(6),
      ];
      // What runs goes on logging.
      expect(before).toEqual(after);
      expect(data).toMatchObject({ each: true, shown: 6 });
      // A message of several lines has its time on each.
      expect([...new Set(lines.map((line) => line.split(' ')[1]))]).toEqual([
        ...new Set(before.map(({ created_at: time }) => time)),
      ]);
      expect(text).not.toContain('(× ');
    });
    const container = await search({ service: 'shop/production/search', level: 'debug', limit: 20 });
    expect([container.data['shown'], container.text]).toEqual([20, expect.not.stringContaining('(× ')]);
    // Every other search folds.
    const found = await search({ service: 'shop/production/search', level: 'info' });
    expect(found.data).not.toHaveProperty('each');
    expect(found.text).toContain('(× ');
  });

  test('are only warnings and worse where nobody says more, which the answer says', async () => {
    const plain = await search({ service: 'shop/production/search' });
    expect([plain.data['default_level'], plain.text]).toEqual(['warn', expect.stringContaining('level debug')]);
    const levelled = await search({ service: 'shop/production/search', level: 'warn' });
    expect(levelled.data).not.toHaveProperty('default_level');
  });

  test('have their period as a resource, too', async () => {
    const connectors = connectorsTo(proxy.url, platform.token);
    opened.push(connectors);
    const { client } = (await connectors.modern()) as unknown as { client: Pick<Client, 'readResource'> };
    const { contents } = await client.readResource({
      uri: `infra://service/application/${seedId('service/shop/staging/checkout-api')}/logs`,
    });
    const text = contents.map((content) => ('text' in content ? content.text : '')).join('\n');
    expect(text).toMatch(/^Read: \d+ lines from \d{4}-\S+ on, .*\d+ messages, \d+ different/m);
  });

  test('go with a deployment, which the plan of one for a whole environment says', async () => {
    const { text } = await ask('deploy_service', { environment: 'shop/staging', dry_run: true });
    expect(text).toContain('What the running instances logged is lost once others replace them.');
  });

  test('go with a deployment of several services, too, whatever their kind', async () => {
    const services = [{ service: 'shop/staging/session-cache' }];
    const { text } = await ask('deploy_service', { services, dry_run: true });
    expect(text).toContain('What the running instances logged is lost once others replace them.');
  });

  test('are said to be none since the last deployment, or for lack of one', async () => {
    const { text } = await ask('get_application_logs', { application_id: seedId('service/shop/staging/storefront') });
    expect(text).toContain('Read: empty, never deployed.');
  });
});

test.each([
  ['deploy_service', () => ({ service: 'shop/production/search' })],
  [
    'deploy_service',
    () => ({ services: [{ service: 'shop/production/search' }, { service: 'shop/production/checkout-api' }] }),
  ],
  [
    'restart_services',
    () => ({ environment: 'shop/production', containers: [seedId('service/shop/production/search')] }),
  ],
])('the plan of %s says that lines of logs go with the running instances', async (tool, args) => {
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(connectors);
  const user = userAnswering(() => ({ action: 'decline' }));
  await (await connectors.modern(user)).call(tool, args());
  expect(user.questions[0]?.message).toContain('What the running instances logged is lost once others replace them.');
});

// What runs goes on logging: a message may come between two searches of one attempt.
describe('a search that finds nothing says how many each filter by itself would find', () => {
  test('of those that are given', () =>
    eventually(async () => {
      const filters = { since: 'PT1H', level: 'error', text: 'disk' };
      const alone = await Promise.all(
        Object.entries(filters).map(async ([name, value]) => {
          // Without a level, text is looked for in messages of all levels, and a period has the default level.
          const { data } = await search({
            service: checkout,
            [name]: value,
            ...(name === 'since' && { level: 'debug' }),
          });
          return [name, data['matched']];
        }),
      );
      const { data, text } = await search({ service: checkout, ...filters });
      expect(data).toMatchObject({ matched: 0, met_alone: Object.fromEntries(alone) as object });
      expect(text).toContain(
        `0 of ${String(data['searched'])} messages match. Each filter by itself leaves: ${alone.map((each) => each.join(' ')).join(', ')}.`,
      );
    }));

  test('and of the level that nobody gave', () =>
    eventually(async () => {
      const { text } = await search({ service: checkout, since: 'PT1S' });
      expect(text).toMatch(/ leaves: since 0, level \(warn by default\) \d+\./);
    }));
});

describe('the oldest matches', () => {
  test('come first, with the deployment before them', async () => {
    const newest = await search({ service: checkout });
    const { data, lines, text } = await search({ service: checkout, oldest: true });
    const first = data['first_match'] as { time: string; deployment_before: Json; change_before: Json };
    const { time, deployment_before: before, change_before: change } = first;
    // There are no events from before the platform recorded any.
    expect(change).toEqual({ not_known: 'none_recorded' });
    expect(lines[0]).toContain(time);
    expect(newest.lines[0]).toContain(`first at ${time}`);
    expect(newest.data).not.toHaveProperty('first_match');
    expect(before).toMatchObject({
      action: 'DEPLOY',
      state: 'DEPLOYED',
      services: expect.arrayContaining(['search']) as string[],
    });
    expect(Date.parse(String(before['at']))).toBeLessThan(Date.parse(time));
    expect(text).toMatch(/^Before it: DEPLOY of .*checkout-api.* by Cleo Marchetti at .* \(DEPLOYED\)\.$/m);
  });

  test('come with the last change before them', async () => {
    const { data: created } = await ask('create_environment_variable', {
      environment: 'shop/staging',
      key: 'BEFORE_IT',
      value: 'on',
    });
    const service = 'shop/staging/session-cache';
    const deployed = await ask('deploy_service', { service, wait: true });
    expect(deployed.data['outcome'], deployed.text).toBe('succeeded');
    const searched = { pattern: '.', since: created['created_at'], oldest: true };
    for (const where of [{ service }, { environment: 'shop/staging' }]) {
      const { data, text } = await search({ ...where, ...searched });
      expect(data['first_match'], text).toMatchObject({
        change_before: { at: minute, what: 'created variable BEFORE_IT of environment', where: 'shop/staging' },
      });
      expect(text).toMatch(/^Last change before it: created variable BEFORE_IT /m);
    }
  });

  test('are kept where not all fit', async () => {
    const { data, lines } = await search({
      environment: 'shop/staging',
      pattern: '.',
      context: 20,
      limit: 200,
      oldest: true,
    });
    expect(data).toHaveProperty('shown_rows');
    expect(lines[0]).toMatch(/^> /);
  });
});
