import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { combinedCallObserver, combinedRequestObserver, wantsTraces } from '../../src/telemetry/index.ts';
import { createMetrics } from '../../src/telemetry/metrics/create-metrics.ts';
import { createTraces } from '../../src/telemetry/traces/create-traces.ts';
import { memoryLog } from '../support/call-context.ts';
import { closedAfterEach } from '../support/guard-fixture.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, unknownId, type TestPlatform } from '../support/test-platform.ts';
import { startObservedServer } from './observed-server.ts';
import { attributesOf, startOtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';
import { parseMetrics } from './parse-metrics.ts';

const opened = closedAfterEach();
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const json = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';

/** A server that sends traces to a receiver, and a client of it. */
async function start(
  env: Record<string, string> = {},
  { status, ...proxyOptions }: RecordingProxyOptions & { readonly status?: number | 'silent' } = {},
) {
  const log = memoryLog();
  const receiver = await startOtlpReceiver(status);
  const traces = createTraces(
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...json, ...env },
    { version: '1.2.3', log },
  );
  const metrics = createMetrics(['calls'], log);
  const traceparents: (string | undefined)[] = [];
  const proxy = await startRecordingProxy(platform.url, {
    ...proxyOptions,
    beforeRequest: async (method, request, response) => {
      traceparents.push(request.headers['traceparent'] as string | undefined);
      await proxyOptions.beforeRequest?.(method, request, response);
    },
  });
  const observed = {
    calls: combinedCallObserver([metrics.calls, traces.calls]),
    requests: combinedRequestObserver([metrics.requests, traces.requests]),
  };
  const client = await startObservedServer({ url: proxy.url, token: platform.token, ...observed });
  opened.push(receiver, proxy, client);
  return {
    client,
    receiver,
    log,
    traceparents,
    close: traces.close,
    metrics: async () => parseMetrics((await metrics.page('')).text),
    /** Calls a tool as part of a caller's trace. */
    callIn: (traceparent: string, name: string, args: Record<string, unknown> = {}, more: object = {}) =>
      client.client.callTool({ name, arguments: args, _meta: { traceparent, ...more } }),
    /** Sends what is left and returns every span. */
    spans: async (): Promise<ReceivedSpan[]> => {
      await traces.close();
      return receiver.spans();
    },
  };
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] =>
  spans.filter((one) => one.name === name);

describe('a call', () => {
  test('is a span, and so is each request that it makes, below it', async () => {
    const { client, spans, receiver } = await start();
    await client.call('get_organization');
    const all = await spans();
    const [call] = named(all, 'tools/call get_organization');
    const [request] = named(all, 'get_organization');
    expect(all).toHaveLength(2);
    expect(attributesOf(call!.attributes)).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'get_organization',
      'infra_mcp.outcome': 'done',
      'infra_mcp.risk': 'read',
    });
    expect(call!.events.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['check arguments', 'resolve names', 'send', 'answer']),
    );
    expect(call!.parentSpanId).toBeUndefined();
    expect(call!.kind).toBe(2);
    expect(request!.kind).toBe(3);
    expect([request!.traceId, request!.parentSpanId]).toEqual([call!.traceId, call!.spanId]);
    expect(attributesOf(request!.attributes)).toEqual({
      'http.request.method': 'GET',
      'url.template': '/organization',
      'infra_mcp.operation': 'get_organization',
      'http.response.status_code': 200,
    });
    expect(receiver.requests[0]!.path).toBe('/v1/traces');
    expect(receiver.resource()).toMatchObject({ 'service.name': 'infra-mcp', 'service.version': '1.2.3' });
  });

  test('continues the trace of its caller, and passes it on to the platform', async () => {
    const { callIn, spans, traceparents } = await start();
    await callIn(`00-${traceId}-${callerSpan}-01`, 'get_organization');
    const all = await spans();
    const [call] = named(all, 'tools/call get_organization');
    const [request] = named(all, 'get_organization');
    expect([call!.traceId, call!.parentSpanId]).toEqual([traceId, callerSpan]);
    expect(traceparents).toEqual([`00-${traceId}-${request!.spanId}-01`]);
  });

  test('of a trace that is not sampled is no span, and says so to the platform', async () => {
    const { callIn, spans, traceparents } = await start();
    await callIn(`00-${traceId}-${callerSpan}-00`, 'get_organization');
    expect(await spans()).toEqual([]);
    expect(traceparents).toEqual([expect.stringMatching(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`))]);
  });

  test('with a trace that is none begins its own', async () => {
    const { callIn, spans } = await start();
    for (const wrong of [
      '',
      'nonsense',
      `00-${'0'.repeat(32)}-${callerSpan}-01`,
      `00-${traceId}-${callerSpan}-01\r\nX-Evil: 1`,
    ])
      await callIn(wrong, 'get_organization');
    const calls = named(await spans(), 'tools/call get_organization');
    expect(calls).toHaveLength(4);
    expect(calls.every(({ parentSpanId, traceId: own }) => parentSpanId === undefined && own !== traceId)).toBe(true);
  });

  test('that fails is marked, and one that was refused is not', async () => {
    const { client, spans } = await start();
    await client.call('get_environment', { environment_id: unknownId });
    await client.call('stop_environment', { environment_id: 'data/development' });
    await client.call('no_such_tool').catch(() => undefined);
    const all = await spans();
    expect(named(all, 'tools/call get_environment')[0]!.status.code).toBe(2);
    expect(named(all, 'tools/call stop_environment')[0]!.status.code).toBe(0);
    expect(attributesOf(named(all, 'tools/call stop_environment')[0]!.attributes)).toMatchObject({
      'infra_mcp.outcome': 'refused',
      'infra_mcp.risk': 'destructive',
    });
    expect(attributesOf(named(all, 'get_environment')[0]!.attributes)).toMatchObject({
      'http.response.status_code': 404,
      'error.type': '404',
      'url.template': '/environment/{environmentId}',
    });
    expect(named(all, 'tools/call unknown')).toHaveLength(1);
  });

  test('whose request is sent again has a span for each attempt', async () => {
    let failures = 2;
    const { client, spans, metrics } = await start(
      {},
      {
        beforeRequest: async (_method, request, response) => {
          failures -= 1;
          if (failures === 1) response.writeHead(503).end('{}');
          if (failures === 0) request.socket.destroy();
        },
      },
    );
    await client.call('get_organization');
    const attempts = named(await spans(), 'get_organization').map(({ attributes }) => attributesOf(attributes));
    expect(
      attempts.map((one) => [one['http.request.resend_count'], one['http.response.status_code'], one['error.type']]),
    ).toEqual([
      [undefined, 503, '503'],
      [1, undefined, 'unreachable'],
      [2, 200, undefined],
    ]);
    expect((await metrics()).value('infra_mcp_platform_retries_total', { operation: 'get_organization' })).toBe(2);
  });

  test('leaves nothing of its arguments, answer, caller or token in a span', async () => {
    const { callIn, spans, receiver } = await start();
    const traceparent = `00-${traceId}-${callerSpan}-01`;
    await callIn(traceparent, 'list_projects', {}, { tracestate: 'vendor=text-of-the-caller' });
    await callIn(traceparent, 'get_environment', { environment_id: 'data/development' });
    await callIn(traceparent, 'create_project', { name: 'a-name-of-the-caller', description: 'words' });
    await callIn(traceparent, 'get_environment', { environment_id: 'no-such-place' });
    expect((await spans()).length).toBeGreaterThan(8);
    const sent = receiver.requests
      .map(({ body, headers }) => `${body.toString()}${JSON.stringify(headers)}`)
      .join('\n');
    for (const word of [
      platform.token,
      platform.organizationId,
      ...Object.values(platform.seed),
      'text-of-the-caller',
      'a-name-of-the-caller',
      'words',
      'no-such-place',
      'development',
      'Acme',
      'local',
    ]) {
      expect(sent.replaceAll('localhost', '')).not.toContain(word);
    }
  });
});

describe('the environment', () => {
  test.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://localhost:4318' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, false],
    [{ OTEL_TRACES_EXPORTER: 'console', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, false],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, false],
    [{ OTEL_SERVICE_NAME: 'x' }, false],
  ])('%j switches traces on: %s', (env, expected) => {
    expect(wantsTraces(env)).toBe(expected);
  });

  test('names the service, its attributes and the headers', async () => {
    const { client, spans, receiver } = await start({
      OTEL_SERVICE_NAME: 'mcp-of-the-team',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key,x-common=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-common=2',
    });
    await client.call('get_organization');
    await spans();
    expect(receiver.resource()).toMatchObject({
      'service.name': 'mcp-of-the-team',
      'deployment.environment.name': 'staging',
    });
    expect(receiver.requests[0]!.headers).toMatchObject({
      'x-key': 'a key',
      'x-common': '2',
      'content-type': 'application/json',
    });
  });

  test('chooses what is sampled', async () => {
    const off = await start({ OTEL_TRACES_SAMPLER: 'always_off' });
    await off.callIn(`00-${traceId}-${callerSpan}-01`, 'get_organization');
    expect(await off.spans()).toEqual([]);
    const none = await start({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    await none.client.call('get_organization');
    await none.callIn(`00-${traceId}-${callerSpan}-01`, 'get_organization');
    expect(named(await none.spans(), 'tools/call get_organization')).toHaveLength(1);
  });

  test('chooses protobuf, as OpenTelemetry does by default', async () => {
    const { client, receiver, close } = await start({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });
    await client.call('get_organization');
    await close();
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]!.headers['content-type']).toBe('application/x-protobuf');
    expect(receiver.requests[0]!.body.toString('latin1')).toContain('tools/call get_organization');
  });

  test.each([
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, 'gzip'],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'none' }, undefined],
    [{}, undefined],
  ])('chooses whether requests are compressed: %j', async (env, encoding) => {
    const { client, receiver, close } = await start(env);
    await client.call('get_organization');
    await close();
    expect(receiver.requests).toHaveLength(1);
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[number]];
    expect(headers['content-encoding']).toBe(encoding);
    expect((encoding === 'gzip' ? gunzipSync(body) : body).toString()).toContain('tools/call get_organization');
  });

  test.each([
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, 'OTEL_EXPORTER_OTLP_COMPRESSION'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector-secret' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:collector-secret@localhost:1' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER'],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG'],
  ])('that can not be used is refused by its name: %j', (env, name) => {
    const create = () =>
      createTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1', ...env }, { version: '1', log: memoryLog() });
    expect(create).toThrow(name);
    expect(create).not.toThrow('collector-secret');
  });
});

describe('an endpoint', () => {
  test.each([
    ['that is gone', undefined],
    ['that refuses', 403],
    ['that never answers', 'silent'],
  ] as const)(
    '%s fails no call, does not keep the server from closing, and every lost span is logged by then',
    async (_, status) => {
      const { client, receiver, close, log } = await start({ OTEL_BSP_SCHEDULE_DELAY: '1' }, { status });
      if (status === undefined) await receiver.close();
      for (let turn = 0; turn < 20; turn += 1) expect((await client.call('get_organization')).isError).toBeFalsy();
      await close();
      const lost = log.lines.filter(({ message }) => message.startsWith('traces were lost'));
      // The first loss is logged at once, the rest together at the end. A call has a span, and so has its request.
      expect([1, 2]).toContain(lost.length);
      expect(lost.reduce((sum, { fields }) => sum + (fields as { spans: number }).spans, 0)).toBe(40);
      expect(JSON.stringify(lost)).not.toContain(receiver.url);
    },
  );
});
