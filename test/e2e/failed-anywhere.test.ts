import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import { scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import { connectorsTo } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';
import { mostCauses } from '../../tools/deployment/failure-causes.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: scenarios.map(({ name }) => name) });
});
afterAll(async () => {
  await platform.close();
});

interface Differences {
  readonly refuses?: (path: string) => number | undefined;
  readonly alter?: (path: string, body: unknown) => unknown;
  /** The requests that are left, as the platform reports them. */
  readonly remaining?: number;
}

/** What failed, as the answer has it. */
async function failed(args: Json = {}, { refuses, alter = (_, body) => body, remaining }: Differences = {}) {
  const reset = String(Math.ceil(Date.now() / 1000) + 3600);
  const proxy = await startRecordingProxy(platform.url, {
    responseHeaders: (): Record<string, string> =>
      remaining === undefined
        ? {}
        : { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': reset },
    alter: (_, path, body) => alter(path, body),
    beforeRequest: async (_, request: IncomingMessage, response) => {
      const status = refuses?.(request.url!);
      if (status !== undefined)
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const connectors = connectorsTo(proxy.url, platform.tokens.read);
  const result = await (await connectors.modern()).call('list_deployments', { state: 'FAILED', ...args });
  await connectors.close();
  await proxy.close();
  const answer = (result.structuredContent ?? {}) as Json;
  return {
    text: textOf(result),
    answer,
    causes: (answer['causes'] ?? []) as Json[],
    next: (result._meta?.[metaKeys.next] ?? []) as { tool: string; arguments: Json }[],
    requests: proxy.requests.length,
  };
}

const codes = (causes: readonly Json[]): Record<string, unknown> =>
  Object.fromEntries(causes.map(({ service, cause, not_known: not }) => [String(service), cause ?? not]));

test('what failed anywhere is told with the causes of the newest, each with the line and the next call', async () => {
  const { causes, answer, text } = await failed({ page_size: 5 });
  expect(codes(causes)).toEqual({
    'ledger/staging/ledger-api': 'dependency_unreachable',
    'payments/staging/payments-api': 'missing_variable',
    'billing/staging/billing-api': 'app_crashed',
    'billing/staging/billing-migrate': 'migration_failed',
    'discovery/production/recommendations': 'out_of_memory',
  });
  expect(answer).toMatchObject({ failed_services: 5, looked_at: '17 environments' });
  expect(answer).not.toHaveProperty('without_cause');
  for (const { service, line, sentence, ...row } of causes) {
    expect(text, String(service)).toContain(String(line));
    expect(text, String(service)).toContain(String(sentence));
    expect([row['next'], row['next_once_known'] ?? []].flat(), String(service)).toHaveLength(1);
  }
});

test('the next call of each cause is a call of its own, beyond the three of other answers', async () => {
  const { causes, next } = await failed({ page: 2 });
  expect(causes).toHaveLength(mostCauses);
  expect(next).toEqual(causes.flatMap((row) => row['next'] ?? []));
  expect(next.length).toBeGreaterThan(3);
});

test('a service that failed twice counts once, and what is beyond the number of causes is named', async () => {
  const { answer, causes, text } = await failed({ page_size: 100 });
  expect(causes).toHaveLength(mostCauses);
  const others = String(answer['without_cause']).split(', ');
  const services = [...causes.map(({ service }) => service), ...others];
  expect(services).toHaveLength(Number(answer['failed_services']));
  expect(new Set(services).size).toBe(services.length);
  expect(others).toContain('network/staging/private-network');
  expect(text).toContain(`(${mostCauses} of ${services.length} services)`);
});

test('it costs the histories and few requests for each cause', async () => {
  const plain = await failed({ state: 'BUILDING' });
  const { requests } = await failed({ page_size: 5 });
  expect(requests - plain.requests).toBeLessThanOrEqual(8 * mostCauses);
});

test('of one that can not be looked into, its own row says why, and the others have their causes', async () => {
  const first = await failed({ page_size: 5 });
  const { service_id: id } = first.causes.find(({ service }) => service === 'billing/staging/billing-api')!;
  const { causes } = await failed(
    { page_size: 5 },
    { refuses: (path) => (path.startsWith(`/container/${String(id)}/deploymentHistory`) ? 500 : undefined) },
  );
  const expected: Record<string, unknown> = codes(first.causes);
  const row = causes.find(({ service_id: its }) => its === id)!;
  expect(row).not.toHaveProperty('cause');
  expect(row).toMatchObject({
    not_known: expect.stringContaining('the platform failed to answer list_container_deployments'),
    next: [{ tool: 'diagnose_deployment', arguments: { service: id, deployment: expect.any(String) } }],
  });
  expect(codes(causes)).toEqual({ ...expected, 'billing/staging/billing-api': row['not_known'] });
});

test('where few requests are left, rows say that nobody looked', async () => {
  const { causes } = await failed({ project: 'billing' }, { remaining: 16 });
  expect(causes.map(({ not_known: not, cause }) => not ?? typeof cause)).toEqual([
    'string',
    'not looked, to spare requests',
  ]);
});

test('a failure that is over says since when, and proposes no fix', async () => {
  const path = 'payments/staging/payments-api';
  const { causes } = await failed({ project: 'payments' });
  const application_id = String(causes[0]!['service_id']);
  await platform.must('create_environment_variable', {
    application_id,
    key: 'RATES_API_URL',
    value: 'https://rates.acme.example',
  });
  await platform.must('deploy_application', {
    application_id,
    git_commit_id: '1e94ab70d35c8f62e1b47a09c6df2583a70be4d1',
  });
  const over = async () => (await failed({ service: path })).causes[0];
  await expect.poll(over, { timeout: 20_000 }).toMatchObject({ over_since: expect.any(String) });
  const row = (await over())!;
  expect(row).toMatchObject({ cause: 'missing_variable' });
  expect(row).not.toHaveProperty('next');
});

test('a history that names no service leads to the environment', async () => {
  const { causes } = await failed(
    { project: 'pricing' },
    {
      alter: (path, body) =>
        /^\/environment\/[^/]+\/deploymentHistory/.test(path)
          ? {
              ...(body as Json),
              results: (body as { results: Json[] }).results.map((row) => ({ ...row, services: undefined })),
            }
          : body,
    },
  );
  expect(causes).toMatchObject([
    {
      service: 'pricing/staging',
      not_known: expect.any(String),
      next: [{ tool: 'diagnose_deployment', arguments: { environment: expect.any(String) } }],
    },
  ]);
});

test('of deployments that did not fail, no cause is looked for', async () => {
  for (const state of ['DEPLOYED', 'CANCELED'])
    expect((await failed({ state })).answer, state).not.toHaveProperty('causes');
});

test('chosen columns leave neither the causes nor what could not be read out', async () => {
  const { answer, text } = await failed(
    { fields: ['path'] },
    {
      refuses: (path) =>
        path.startsWith(`/environment/${platform.seed['environment_id']}/deploymentHistory`) ? 500 : undefined,
    },
  );
  expect(text).toContain('Could not be read, and are missing here: shop/');
  expect((answer['causes'] as Json[]).length).toBe(mostCauses);
});
