import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.read);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

async function list(args: Json, from: Connectors = connectors) {
  const result = await (await from.modern()).call('list_deployments', args);
  const answer = (result.structuredContent ?? {}) as Json;
  return { text: textOf(result), isError: result.isError === true, answer, rows: (answer['results'] ?? []) as Json[] };
}

/** The same of a platform that refuses some requests, or whose answers are altered. */
async function listBehind(
  args: Json,
  {
    refuses = () => undefined,
    alter = (_, body) => body,
  }: { refuses?: (path: string) => number | undefined; alter?: (path: string, body: unknown) => unknown },
) {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) => alter(path, body),
    beforeRequest: async (_, request: IncomingMessage, response) => {
      const status = refuses(request.url!);
      if (status !== undefined)
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.read);
  const answered = await list(args, others);
  await others.close();
  await proxy.close();
  return { ...answered, requests: proxy.requests };
}

const historyOf = (environmentId: string) => new RegExp(`^/environment/${environmentId}/deploymentHistory`);
const anyHistory = /^\/environment\/[^/]+\/deploymentHistory/;

const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

test('everything is listed newest first, each with its place, who, when and how long', async () => {
  const { rows, answer } = await list({});
  expect(rows.map(({ path, state }) => [path, state])).toEqual([
    ['shop/staging', 'DEPLOYED'],
    ['shop/staging', 'DEPLOYED'],
    ['shop/staging', 'DEPLOYED'],
    ['shop/production', 'DEPLOYED'],
    ['data/development', 'DEPLOYMENT_ERROR'],
  ]);
  expect(rows.map(({ mode }) => mode)).toEqual(['STAGING', 'STAGING', 'STAGING', 'PRODUCTION', 'DEVELOPMENT']);
  expect(rows[0]).toMatchObject({ by: 'Cleo Marchetti', at: expect.any(String), seconds: expect.any(Number) });
  expect(answer['looked_at']).toBe('3 environments');
});

const paths = async (args: Json) => (await list(args)).rows.map(({ path }) => path);

test('a project, a state and a time narrow it down', async () => {
  expect(await paths({ project: 'data' })).toEqual(['data/development']);
  expect(await paths({ state: 'error' })).toEqual(['data/development']);
  expect(await paths({ state: 'FAILED' })).toEqual(['data/development']);
  expect(await paths({ since: 'P2DT12H' })).toEqual(['shop/staging', 'shop/staging']);
});

test.each([
  [{ environment: 'shop/staging', since: dayAgo(1.5) }, 'shop/staging', 'services'],
  [{ service: 'data/development/importer', state: 'ERROR' }, 'data/development/importer', 'state'],
])('of one place that is given, its path is said once, and not in every row: %j', async (args, path, member) => {
  const { rows, answer, text } = await list(args);
  expect(rows).toHaveLength(1);
  expect(rows[0]).not.toHaveProperty('path');
  expect(rows[0]).toHaveProperty(member);
  expect(answer['looked_at']).toBe(path);
  expect(text).toContain(`Looked at: ${path}`);
});

test('pages of everything follow each other', async () => {
  const all = await list({});
  const second = await list({ page: 2, page_size: 2 });
  expect(second.rows).toEqual(all.rows.slice(2, 4));
});

test.each([{}, { environment: 'shop/staging' }, { environment: 'shop/staging', since: 'P30D' }])(
  'of %j, a full page says how far back it goes, and one that has all does not',
  async (args) => {
    const { rows, answer, text } = await list({ ...args, page_size: 2 });
    expect(answer['back_to']).toBe(rows.at(-1)!['at']);
    expect(text).toMatch(/^These go back to .*, and there may be older ones\.$/m);
    expect((await list({ ...args, page_size: 100 })).answer).not.toHaveProperty('back_to');
  },
);

test('that none is found says where, since when, and which states there are', async () => {
  const { text, answer } = await list({ project: 'shop', state: 'ERROR', since: 'P30D' });
  expect(answer).toMatchObject({ results: [], none: 'ERROR', looked_at: '2 environments of shop', states: 'DEPLOYED' });
  expect(text).toMatch(
    /No deployment with the state ERROR since .* in 2 environments of shop; states there are: DEPLOYED; the oldest that was read is from /,
  );
});

test.each([403, 404, 500])('an environment that cannot be read (%i) is named, found or not', async (status) => {
  const { environment_id: staging } = platform.seed;
  const { rows, text } = await listBehind(
    { state: 'CANCELED' },
    { refuses: (path) => (historyOf(staging!).test(path) ? status : undefined) },
  );
  expect(rows).toEqual([]);
  expect(text).toContain('in 2 environments');
  expect(text).toContain('Could not be read, and are missing here: shop/staging.');
});

test('what is older than the pages that were read is not called absent', async () => {
  let [row, page]: [Json | undefined, number] = [undefined, 0];
  const { text, answer } = await listBehind(
    { environment: 'shop/staging', state: 'ERROR' },
    {
      alter: (path, body) => {
        if (!anyHistory.test(path)) return body;
        page += 1;
        row ??= (body as { results: Json[] }).results[0];
        const results = Array.from({ length: 100 }, (_, index) => ({
          ...row,
          auditing_data: { ...(row!['auditing_data'] as Json), created_at: dayAgo(page * 100 + index) },
        }));
        return { page, page_size: 100, results };
      },
    },
  );
  expect(answer, text).toMatchObject({ results: [], cut: 'shop/staging', whole_since: expect.any(String) });
  expect(text).toMatch(/Not all was read of shop\/staging: what is older than .* may be missing\./);
  expect(page).toBe(5);
});

test('without the list of all environments, those of each project are asked', async () => {
  const { rows } = await listBehind(
    {},
    { refuses: (path) => (/^\/organization\/[^/]+\/environments/.test(path) ? 404 : undefined) },
  );
  expect(rows).toEqual((await list({})).rows);
});

test.each([{ since: 'yesterday' }, { project: 'shop', environment: 'shop/staging' }])('%j is refused', async (args) => {
  expect((await list(args)).isError).toBe(true);
});

test('the end of a history is told, of what the platform has on record, and only where it is reached', async () => {
  const ended = /No older ones are on record\./;
  const service = 'shop/staging/checkout-api';
  const all = await list({ service });
  expect(all.rows).toHaveLength(3);
  expect(all.text).toMatch(ended);
  const first = await list({ service, page_size: 2 });
  expect(first.text).toMatch(/there may be older ones/);
  expect(first.text).not.toMatch(ended);
  expect((await list({ service, page_size: 2, page: 2 })).text).toMatch(ended);
  expect((await list({ service: 'data/development/migrate-schema' })).text).toContain('None is on record.');
});

test('two deployments are compared, the earlier one first, with their steps and what is not known of them', async () => {
  const service = 'shop/staging/checkout-api';
  const [newest, , oldest] = (await list({ service })).rows;
  const { rows, text } = await list({ service, compare: [newest!['id'], oldest!['id']] });
  expect(rows).toContainEqual({ what: 'at', first: oldest!['at'], second: newest!['at'] });
  const inAll = Number(newest!['seconds']) - Number(oldest!['seconds']);
  expect(rows.at(-1)).toEqual({
    what: 'seconds in all',
    first: oldest!['seconds'],
    second: newest!['seconds'],
    difference: `${inAll < 0 ? '' : '+'}${inAll} s`,
  });
  expect(rows).toContainEqual(
    expect.objectContaining({ what: 'BUILD', difference: expect.stringMatching(/^[+-]\d+ s$/) }),
  );
  expect(text).toContain('Not compared: variables and settings.');
  expect(text).toContain('it has none of the time between the two');
  expect(text).not.toContain('list_events');
  const event = { id: service, event_type: 'UPDATE', timestamp: String(newest!['at']) };
  const withEvents = await listBehind(
    { service, compare: [newest!['id'], oldest!['id']] },
    { alter: (path, body) => (path.includes('/events') ? { ...(body as Json), events: [event] } : body) },
  );
  expect(withEvents.text).toContain('only events tell which were changed in between');
  expect(withEvents.text).toContain('list_events');
});

test('deployments that are not there, or of no one place, are not compared', async () => {
  const compare = ['nothing', 'of these'];
  const ofOthers = await list({ service: 'shop/staging/checkout-api', compare });
  expect(ofOthers.text).toContain('none with the id nothing or of these');
  expect((await list({ project: 'shop', compare })).isError).toBe(true);
  expect((await list({ service: 'shop/staging/checkout-api', compare: [...compare, 'third'] })).isError).toBe(true);
});

const newest = async (environment: string, index = 0) => (await list({ environment })).rows[index]!['id'];

describe('ids of deployments without a place', () => {
  test('are found in the environment that both are of, whose services are told', async () => {
    const environment = 'shop/staging';
    const compare = [await newest(environment), await newest(environment, 1)];
    const { rows, answer, text } = await list({ compare });
    expect(answer['environment']).toBe(environment);
    expect(text).toContain('Both are of shop/staging.');
    expect(rows).toEqual((await list({ environment, compare })).rows);
    expect(rows).toContainEqual({ what: 'checkout-api', first: expect.any(String), second: expect.any(String) });
  });

  test('of two environments are refused once, with where each is and what to call instead', async () => {
    const [here, there] = [await newest('shop/staging'), await newest('shop/production')];
    const compare = [here, there];
    const { isError, text } = await list({ compare });
    expect(isError, text).toBe(true);
    expect(text).toMatch(/compare_environments/);
    expect(text).toContain(`${String(here)}: shop/staging`);
    expect(text).toContain(`${String(there)}: shop/production`);
    const inOne = await list({ environment: 'shop/staging', compare });
    expect(inOne.isError).toBe(true);
    expect(inOne.text).toContain(`none with the id ${String(there)}: it may be of another`);
    expect(inOne.text).toContain('compare_environments');
  });

  test('that are nowhere, or not two, are refused', async () => {
    const id = await newest('shop/staging');
    expect((await list({ compare: [id, 'nothing'] })).text).toContain(
      'no deployment with the id nothing is among the newest 100 of 3 environments.',
    );
    for (const compare of [[id], [id, id], []]) expect((await list({ compare })).isError).toBe(true);
    const { text } = await listBehind(
      { compare: [id, 'nothing'] },
      { refuses: (path) => (historyOf(seedId('environment/shop/production')).test(path) ? 403 : undefined) },
    );
    expect(text).toContain('1 more could not be looked into');
  });
});

test('where no history can be read, it is not said that there is none', async () => {
  const { text } = await listBehind(
    { project: 'shop' },
    { refuses: (path) => (anyHistory.test(path) ? 403 : undefined) },
  );
  expect(text).toContain('No history was read, so it is not known whether there are such deployments.');
  expect(text).not.toContain('No deployment');
});

const ofStaging = { environment: 'shop/staging', page_size: 100 };

test('deployments of an environment tell the version of each service that has one', async () => {
  const { rows, text, answer, requests } = await listBehind(ofStaging, {});
  const [, , first] = rows as { services: string[] }[];
  expect(first!.services).toContain('search 2.4.1 DEPLOYED');
  expect(first!.services).toContainEqual(expect.stringMatching(/^checkout-api [0-9a-f]{7} DEPLOYED$/));
  expect(first!.services).toContain('orders-db DEPLOYED');
  expect(answer, text).not.toHaveProperty('versions');
  expect(requests.filter((request) => request.includes('deploymentHistory'))).toHaveLength(1);
});

test('where the history tells no versions, the answer says where they are', async () => {
  const { answer, text } = await listBehind(ofStaging, {
    alter: (path, body) => {
      if (!anyHistory.test(path)) return body;
      const { results, ...rest } = body as { results: { services: Json[] }[] };
      return {
        ...rest,
        results: results.map((item) => ({
          ...item,
          services: item.services.map((service) => ({ ...service, details: undefined })),
        })),
      };
    },
  });
  expect(answer).toHaveProperty('versions');
  expect(text).toMatch(/^Which version each service got is told in its own history: give service\.$/m);
});
