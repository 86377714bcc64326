import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvalsConfigOf } from '../../src/cli/wiring/guard.ts';
import { allOperations } from '../../src/contract/index.ts';
import { approvalLifetime, createApprovals } from '../../src/server/guard/index.ts';
import { createMetrics } from '../../src/telemetry/metrics/create-metrics.ts';
import { definitions } from '../../src/telemetry/index.ts';
import { startMetricsServer } from '../../src/transport/http/metrics-server.ts';
import { tools } from '../../tools/index.ts';
import { approvalRequest } from '../server/guard/approvals/approvals-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { closedAfterEach, openGuardFixture } from '../support/guard-fixture.ts';
import { agree, userAnswering, type User } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, unknownId, type TestPlatform } from '../support/test-platform.ts';
import { startObservedServer } from './observed-server.ts';
import { parseMetrics } from './parse-metrics.ts';

const opened = closedAfterEach();
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** A server whose metrics are served, and a client of it. */
async function start({ user, ...proxyOptions }: RecordingProxyOptions & { readonly user?: User } = {}) {
  const log = memoryLog();
  const metrics = createMetrics(['calls'], log);
  const proxy = await startRecordingProxy(platform.url, proxyOptions);
  const page = await startMetricsServer({ host: '127.0.0.1', port: 0, page: metrics.page, log });
  const client = await startObservedServer({
    url: proxy.url,
    token: platform.token,
    calls: metrics.calls,
    requests: metrics.requests,
    ...(user && { user }),
  });
  opened.push(proxy, page, client);
  const fetchText = async (headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(page.url, { headers })).text();
  return { metrics, log, client, url: page.url, fetchText, scrape: async () => parseMetrics(await fetchText()) };
}

const calls = 'infra_mcp_calls_total';
const questions = 'infra_mcp_questions_total';
const development = { environment_id: 'data/development' };

describe('calls', () => {
  test('are counted and measured by tool, outcome and risk', async () => {
    const { client, scrape } = await start();
    const before = await scrape();
    expect(before.value(calls, { tool: 'get_organization' })).toBeUndefined();
    await client.call('get_organization');
    await client.call('get_organization');
    await client.call('get_environment', { environment_id: unknownId });
    await client.call('get_environment', { environment_id: 7 });
    await client.call('stop_environment', { ...development, dry_run: true });
    const after = await scrape();
    expect(after.value(calls, { tool: 'get_organization', outcome: 'done', risk: 'read' })).toBe(2);
    expect(after.value(calls, { tool: 'get_environment', outcome: 'failed', risk: 'none' })).toBe(1);
    expect(after.value(calls, { tool: 'get_environment', outcome: 'failed', risk: 'read' })).toBe(1);
    expect(after.value(calls, { tool: 'stop_environment', outcome: 'planned', risk: 'destructive' })).toBe(1);
    expect(after.value('infra_mcp_call_duration_seconds_count', { tool: 'get_organization' })).toBe(2);
    expect(after.value('infra_mcp_call_duration_seconds_sum', { tool: 'get_organization' })).toBeGreaterThan(0);
    expect(after.value('infra_mcp_calls_running')).toBe(0);
  });

  test('that run are shown', async () => {
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { client, scrape } = await start({
      beforeRequest: async () => {
        reached.resolve();
        await release.promise;
      },
    });
    const running = client.call('get_organization');
    await reached.promise;
    expect((await scrape()).value('infra_mcp_calls_running')).toBe(1);
    release.resolve();
    await running;
    expect((await scrape()).value('infra_mcp_calls_running')).toBe(0);
  });

  test('of tools that do not exist add no labels, whatever they are called', async () => {
    const { client, scrape } = await start();
    const names = [
      'nope',
      'x"} 1\ninfra_mcp_calls_total{tool="y',
      '__proto__',
      'constructor',
      ...Array.from({ length: 100 }, (_, index) => `tool_${index}`),
    ];
    for (const name of names) await client.call(name).catch(() => undefined);
    const samples = (await scrape()).samples.filter(({ name }) => name === calls);
    expect(samples).toEqual([
      { name: calls, labels: { tool: 'unknown', outcome: 'refused', risk: 'none' }, value: names.length },
    ]);
  });
});

describe('requests to the platform', () => {
  test('are counted by operation and status, and the budget that is left is shown', async () => {
    const { client, scrape } = await start();
    expect((await scrape()).value('infra_mcp_platform_budget_remaining')).toBeUndefined();
    await client.call('get_organization');
    await client.call('get_environment', { environment_id: unknownId });
    const metrics = await scrape();
    const requests = 'infra_mcp_platform_requests_total';
    expect(metrics.value(requests, { operation: 'get_organization' })).toBe(1);
    expect(metrics.value(requests, { operation: 'get_organization', result: '200' })).toBe(1);
    expect(metrics.value(requests, { operation: 'get_environment', result: '404' })).toBe(1);
    expect(metrics.value('infra_mcp_platform_request_duration_seconds_count', { operation: 'get_organization' })).toBe(
      1,
    );
    const [remaining, limit] = [
      metrics.value('infra_mcp_platform_budget_remaining')!,
      metrics.value('infra_mcp_platform_budget_limit')!,
    ];
    expect(limit).toBe(1_000_000);
    expect(remaining).toBeLessThan(limit);
    await client.call('get_organization');
    expect((await scrape()).value('infra_mcp_platform_budget_remaining')).toBeLessThan(remaining);
  });

  test('are counted with every attempt, and those without an answer by why', async () => {
    const answers = [503, 299, 777, 0];
    const { client, scrape } = await start({
      beforeRequest: async (_method, request, response) => {
        const status = answers.shift();
        if (status === 0) request.socket.destroy();
        else if (status !== undefined) response.writeHead(status).end('{}');
      },
    });
    await client.call('get_organization');
    await client.call('get_organization');
    await client.call('get_organization');
    const metrics = await scrape();
    const found = metrics.samples
      .filter(
        ({ name, labels }) =>
          name === 'infra_mcp_platform_requests_total' && labels['operation'] === 'get_organization',
      )
      .map(({ labels, value }) => [labels['result'], value]);
    expect(Object.fromEntries(found)).toEqual({ 200: 2, 503: 1, other: 2, unreachable: 1 });
    expect(metrics.value('infra_mcp_platform_retries_total', { operation: 'get_organization' })).toBe(3);
  });
});

describe('questions', () => {
  test('to the user are counted, and what became of them', async () => {
    const answers: User['answer'][] = [() => ({ action: 'decline' }), () => ({ action: 'cancel' }), agree];
    const { client, scrape } = await start({ user: userAnswering((question) => answers.shift()!(question)) });
    const before = await scrape();
    expect(before.value(questions, { by: 'user', result: 'asked' })).toBe(0);
    expect(before.value(questions, { by: 'operator', result: 'expired' })).toBe(0);
    for (let turn = 0; turn < 3; turn += 1) await client.call('stop_environment', development);
    const after = await scrape();
    expect(after.value(questions, { by: 'user', result: 'asked' })).toBe(3);
    expect(after.value(questions, { by: 'user', result: 'agreed' })).toBe(1);
    expect(after.value(questions, { by: 'user', result: 'refused' })).toBe(2);
    expect(after.value(calls, { tool: 'stop_environment', outcome: 'done', risk: 'destructive' })).toBe(1);
  });
});

test('calls that expire before the operator decides are counted when the next one is asked about', async () => {
  const { metrics, scrape } = await start();
  const guard = await openGuardFixture({ operator: true });
  opened.push(guard);
  const approvals = createApprovals({ ...approvalsConfigOf(guard.config), observer: metrics.approvals });
  const now = Date.now();
  await approvals.ask(approvalRequest(), now);
  await approvals.ask(approvalRequest(), now + 1);
  expect((await scrape()).value(questions, { by: 'operator', result: 'asked' })).toBe(1);
  expect((await scrape()).value(questions, { by: 'operator', result: 'expired' })).toBe(0);
  await approvals.ask(approvalRequest(), now + approvalLifetime + 2);
  expect((await scrape()).value(questions, { by: 'operator', result: 'asked' })).toBe(2);
  expect((await scrape()).value(questions, { by: 'operator', result: 'expired' })).toBe(1);
});

describe('the page', () => {
  test('is Prometheus text, and OpenMetrics for who prefers it', async () => {
    const { client, url, fetchText } = await start();
    await client.call('get_organization');
    const typeFor = async (accept: string): Promise<string | null> =>
      (await fetch(url, { headers: { accept } })).headers.get('content-type');
    expect(await typeFor('*/*')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await typeFor('text/html, text/plain;q=0.9, application/openmetrics-text;q=0.5')).toContain('text/plain');
    expect(
      await typeFor('application/openmetrics-text; version=1.0.0; q=0.75, text/plain; version=0.0.4; q=0.5, */*;q=0.1'),
    ).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const open = parseMetrics(await fetchText({ accept: 'application/openmetrics-text' }), 'openmetrics');
    const plain = parseMetrics(await fetchText());
    expect(open.types.get('infra_mcp_calls')).toBe('counter');
    expect(plain.types.get(calls)).toBe('counter');
    expect(open.value(calls, { tool: 'get_organization' })).toBe(1);
    expect(plain.value(calls, { tool: 'get_organization' })).toBe(1);
  });

  test('answers only GET and HEAD of /metrics, under names of this machine', async () => {
    const { url } = await start();
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(new URL('/', url))).status).toBe(404);
    const { request } = await import('undici');
    expect((await request(url, { headers: { host: 'attacker.example' } })).statusCode).toBe(403);
  });

  test('tells about the process and its event loop', async () => {
    const { scrape } = await start();
    const metrics = await scrape();
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_heap_size_used_bytes'])
      expect(metrics.value(name)).toBeGreaterThan(0);
    expect(metrics.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  test('has every metric of its parts and no other of ours', async () => {
    const { scrape } = await start();
    const ours = [...(await scrape()).types.keys()].filter((name) => name.startsWith('infra_'));
    expect(ours.toSorted()).toEqual(
      Object.values(definitions)
        .filter(({ part }) => part === 'calls')
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  test('leaves out what can not be read, and does not show it as zero', async () => {
    const { metrics, scrape, log } = await start();
    let readable = false;
    metrics.read({ approvalsWaiting: async () => (readable ? 3 : Promise.reject(new Error('locked'))) });
    expect((await scrape()).value('infra_mcp_approvals_waiting')).toBeUndefined();
    expect(log.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('left out of the metrics') }),
    );
    readable = true;
    expect((await scrape()).value('infra_mcp_approvals_waiting')).toBe(3);
    readable = false;
    expect((await scrape()).value('infra_mcp_approvals_waiting')).toBeUndefined();
  });

  test('stays whole and only grows while calls run', async () => {
    const { client, scrape } = await start();
    const work = Promise.all(Array.from({ length: 100 }, () => client.call('get_organization')));
    const seen = await Promise.all(
      Array.from({ length: 20 }, async () => (await scrape()).value(calls, { tool: 'get_organization' }) ?? 0),
    );
    await work;
    expect(Math.max(...seen)).toBeLessThanOrEqual(100);
    expect((await scrape()).value(calls, { tool: 'get_organization', outcome: 'done' })).toBe(100);
  });

  test('has labels of finite sets only: no names of things, no ids, no tokens', async () => {
    const { client, scrape, fetchText } = await start({ user: userAnswering(agree) });
    await client.call('list_projects');
    await client.call('create_project', { name: 'a-name-of-the-caller' });
    await client.call('get_environment', development);
    await client.call('stop_environment', development);
    await client.call('delete_environment', { environment_id: 'no such place' });
    const text = await fetchText();
    for (const secret of [
      platform.token,
      ...Object.values(platform.seed),
      platform.organizationId,
      'a-name-of-the-caller',
      'no such place',
      'development',
      'Acme',
      'local',
    ])
      expect(text).not.toContain(secret);
    const known: Readonly<Record<string, ReadonlySet<string>>> = {
      tool: new Set([...tools.map(({ name }) => name), 'unknown']),
      operation: new Set(allOperations.map(({ name }) => name)),
      outcome: new Set(['done', 'planned', 'asked', 'pending', 'denied', 'refused', 'failed', 'unknown']),
      risk: new Set(['read', 'write', 'disruptive', 'destructive', 'sensitive', 'none']),
    };
    const { samples } = await scrape();
    const strange = samples
      .filter(({ name }) => name.startsWith('infra_'))
      .flatMap(({ labels }) => Object.entries(labels))
      .filter(([label, value]) => known[label] && !known[label].has(value));
    expect(strange).toEqual([]);
    expect(samples.some(({ labels }) => labels['tool'] === 'create_project')).toBe(true);
  });
});
