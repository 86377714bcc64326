import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/cli/config/index.ts';
import { approvalsConfigOf, openDecisionLog } from '../../src/cli/wiring/guard.ts';
import { toWire, operations, type OperationName } from '../../src/contract/index.ts';
import { createApprovalQueue, terminalSource } from '../../src/server/guard/index.ts';
import { definitions, type Part } from '../../src/telemetry/index.ts';
import { commandLine, runProgram, startAssistant, temporaryDirectory } from '../support/built-program.ts';
import { eventually } from '../support/eventually.ts';
import { approvalCodeIn, operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startProgram } from '../support/started-program.ts';
import {
  closeTestServers,
  connectLegacyHttp,
  connectModernHttp,
  modernCall,
  modernHeaders,
} from '../transport/test-server.ts';
import { attributesOf, startOtlpReceiver } from './otlp-receiver.ts';
import { parseMetrics, type ParsedMetrics } from './parse-metrics.ts';

interface Ready {
  readonly url: string;
  readonly metrics_url: string;
  readonly token?: string;
  readonly organization_id?: string;
}

/** Starts a command that serves metrics, and waits until it is ready. */
async function start(args: readonly string[], env: Record<string, string> = {}) {
  const program = await startProgram<Ready>(
    commandLine([...args, '--port', '0', '--metrics-port', '0'], { INFRA_TIME_SCALE: '0', ...env }),
  );
  return { ...program, scrape: async () => parseMetrics(await (await fetch(program.ready.metrics_url)).text()) };
}

const oursIn = ({ types }: ParsedMetrics): string[] =>
  [...types.keys()].filter((name) => name.startsWith('infra_')).toSorted();
const namesOf = (...parts: Part[]): string[] =>
  Object.values(definitions)
    .filter(({ part }) => parts.includes(part))
    .map(({ name }) => name)
    .toSorted();

const questions = 'infra_mcp_questions_total';
const development = { environment_id: 'data/development' };

/** Refuses the waiting call in another process than the server, as `infra-mcp approve` does. */
async function refuse(dataDir: string, code: string): Promise<void> {
  const { config } = readConfig('approve', { dataDir }, {});
  const [approvals, decisions] = [approvalsConfigOf(config), openDecisionLog(config)];
  const queue = createApprovalQueue(approvals, { how: 'terminal', record: decisions.record });
  const unlocked = await queue.unlock(operatorSecret, terminalSource, Date.now());
  if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
  expect(await queue.decide(code, 'refused', unlocked, Date.now())).toEqual({ kind: 'decided' });
  await decisions.close();
  await approvals.store.close();
}

describe('infra-mcp http', () => {
  test('serves metrics of its load, of approvals and of the platform that it serves', async () => {
    const dataDir = await temporaryDirectory();
    await setOperatorSecret(join(dataDir, 'operator.json'));
    const { ready, scrape, child, ended } = await start(['http', '--data-dir', dataDir]);
    const before = await scrape();
    expect(oursIn(before)).toEqual(namesOf('calls', 'http', 'engine'));
    expect(before.value('infra_mcp_http_sessions')).toBe(0);
    expect(before.value('infra_mcp_approvals_waiting')).toBe(0);
    expect(before.value('infra_platform_deployments', { status: 'SUCCESS' })).toBeUndefined();

    const client = await connectLegacyHttp(new URL(ready.url));
    onTestFinished(closeTestServers);
    await eventually(async () => expect((await scrape()).value('infra_mcp_http_streams')).toBe(1));
    expect((await scrape()).value('infra_mcp_http_sessions')).toBe(1);

    const code = approvalCodeIn(textOf(await client.call('stop_environment', development)));
    await client.call('stop_environment', development);
    const waiting = await scrape();
    expect(waiting.value('infra_mcp_approvals_waiting')).toBe(1);
    expect(waiting.value(questions, { by: 'operator', result: 'asked' })).toBe(1);
    expect(waiting.value('infra_mcp_calls_total', { tool: 'stop_environment', outcome: 'pending' })).toBe(2);
    expect(waiting.value('infra_platform_deployments', { status: 'SUCCESS' })).toBeGreaterThan(0);
    await refuse(dataDir, code);
    await client.call('stop_environment', development);
    const after = await scrape();
    expect(after.value('infra_mcp_approvals_waiting')).toBe(0);
    expect(after.value(questions, { by: 'operator', result: 'refused' })).toBe(1);

    await client.close();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('continues the trace in the headers of a request, and sends what is left when it ends', async () => {
    const receiver = await startOtlpReceiver();
    onTestFinished(receiver.close);
    const { ready, child, ended } = await start(['http', '--data-dir', await temporaryDirectory()], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await fetch(ready.url, {
      method: 'POST',
      body: JSON.stringify(modernCall('get_organization')),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        traceparent,
        ...modernHeaders('get_organization'),
      },
    });
    expect(await response.text()).toContain('Acme');
    const unknown = await fetch(ready.url, {
      method: 'POST',
      body: JSON.stringify(modernCall('no_such_tool')),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        traceparent,
        ...modernHeaders('no_such_tool'),
      },
    });
    expect(await unknown.text()).toContain('There is no tool');
    expect(receiver.requests).toEqual([]);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    const call = receiver.spans().find(({ name }) => name === 'tools/call get_organization')!;
    expect([call.traceId, call.parentSpanId]).toEqual(['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']);
    expect(attributesOf(call.attributes)).toMatchObject({ 'infra_mcp.outcome': 'done' });
    const refused = receiver.spans().find(({ name }) => name === 'tools/call unknown')!;
    expect([refused.traceId, refused.parentSpanId]).toEqual([call.traceId, call.parentSpanId]);
  });

  test('ends although nothing takes its traces, and runs although a variable for them is wrong', async () => {
    const receiver = await startOtlpReceiver('silent');
    onTestFinished(receiver.close);
    for (const env of [
      { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' },
    ] as Record<string, string>[]) {
      const { ready, child, ended, output } = await start(['http', '--data-dir', await temporaryDirectory()], env);
      const client = await connectModernHttp(new URL(ready.url));
      expect((await client.call('get_organization')).isError).toBeFalsy();
      await client.close();
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
      expect(output.stderr.includes('an OTEL_ variable cannot be used')).toBe(
        env['OTEL_EXPORTER_OTLP_ENDPOINT'] === 'nowhere',
      );
    }
  });
});

describe('infra-mcp stdio', () => {
  test('serves metrics, those of the embedded platform once it serves it', async () => {
    const assistant = await startAssistant({
      INFRA_DATA_DIR: await temporaryDirectory(),
      INFRA_METRICS_PORT: '0',
      INFRA_LOG_LEVEL: 'info',
    });
    const line = await eventually(() => {
      const found = assistant
        .stderr()
        .split('\n')
        .find((one) => one.includes('serving metrics'));
      expect(found).toBeDefined();
      return found!;
    });
    const { url } = JSON.parse(line) as { url: string };
    const scrape = async () => parseMetrics(await (await fetch(url)).text());
    expect((await scrape()).value('infra_platform_webhook_deliveries_waiting')).toBeUndefined();
    await assistant.call('get_organization');
    const metrics = await scrape();
    expect(oursIn(metrics)).toEqual(namesOf('calls', 'engine'));
    expect(metrics.value('infra_mcp_calls_total', { tool: 'get_organization', outcome: 'done' })).toBe(1);
    expect(metrics.value('infra_platform_webhook_deliveries_waiting')).toBe(0);
  });
});

/** A receiver of webhooks that answers with this status. */
async function webhookReceiver(status: number): Promise<string> {
  const server: Server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('infra-mcp platform', () => {
  test('serves metrics of its deployments and webhooks', async () => {
    const { ready, scrape } = await start([
      'platform',
      '--data-dir',
      await temporaryDirectory(),
      '--allow-private-webhook-targets',
    ]);
    const call = async (name: OperationName, input: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const { method, target, body } = toWire(operations[name], input);
      const response = await fetch(`${ready.url}${target}`, {
        method,
        headers: { authorization: `Token ${ready.token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(response.ok).toBe(true);
      return (await response.json()) as Record<string, unknown>;
    };
    const before = await scrape();
    expect(oursIn(before)).toEqual(namesOf('engine'));
    expect(before.value('infra_platform_webhook_attempts_total', { result: 'delivered' })).toBe(0);
    const ended = before.value('infra_platform_deployments', { status: 'SUCCESS' })!;

    for (const status of [200, 410, 503])
      await call('create_webhook', {
        organization_id: ready.organization_id,
        target_url: await webhookReceiver(status),
        kind: 'STANDARD',
        events: ['DEPLOYMENT_STARTED'],
      });
    const { seed } = ready as unknown as { seed: Record<string, string> };
    await call('deploy_application', { application_id: seed['application_id'], git_commit_id: 'a'.repeat(40) });
    await eventually(async () => {
      const metrics = await scrape();
      const attempts = (result: string) => metrics.value('infra_platform_webhook_attempts_total', { result });
      expect(metrics.value('infra_platform_deployments', { status: 'SUCCESS' })).toBe(ended + 1);
      // The one that is tried again is given up at last.
      expect([
        attempts('delivered'),
        attempts('failed'),
        metrics.value('infra_platform_webhook_deliveries_waiting'),
      ]).toEqual([1, 2, 0]);
      expect(attempts('retried')).toBeGreaterThanOrEqual(5);
      expect(metrics.value('infra_platform_webhook_lag_seconds')).toBe(0);
    });
  });
});

test('an address that is taken ends the program and is named, with what to do', async () => {
  const taken = new URL(await webhookReceiver(200)).port;
  for (const args of [['http', '--port', '0'], ['platform'], ['stdio']]) {
    const { code, stdout, stderr } = await runProgram([...args, '--metrics-port', taken], {
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`\\b${taken} of 127\\.0\\.0\\.1\\b.*--metrics-port 0`));
  }
});

/** What a program loads until its stdin ends: of metrics and traces, their chunks and packages. */
async function loadedBy(env: Record<string, string>): Promise<string[]> {
  const hooks = `import { registerHooks } from 'node:module'; registerHooks({ resolve: (specifier, context, next) => { if (/create-(metrics|traces)-|metrics-server-|opentelemetry|prom-client/.test(specifier)) process.stderr.write('loads ' + specifier + '\\n'); return next(specifier, context); } });`;
  const { code, stderr } = await runProgram([], {
    INFRA_DATA_DIR: await temporaryDirectory(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
    ...env,
  });
  expect(code).toBe(0);
  return [
    ...stderr.matchAll(/^loads .*?(?<name>create-metrics|create-traces|metrics-server|opentelemetry|prom-client)/gm),
  ]
    .map(({ groups }) => groups!['name']!)
    .toSorted();
}

test('nothing of metrics and traces is loaded unless it is switched on', async () => {
  expect(await loadedBy({})).toEqual([]);
  expect(await loadedBy({ OTEL_SERVICE_NAME: 'x', INFRA_METRICS_HOST: '127.0.0.1' })).toEqual([]);
  expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toEqual(['create-traces']);
  expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' })).toEqual([]);
  expect(await loadedBy({ INFRA_METRICS_PORT: '0' })).toEqual(['create-metrics', 'metrics-server']);
});
