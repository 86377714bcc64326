import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changesBetween } from '../../src/analysis/changes.ts';
import { recordedChange, type HistoryItem, type LenientEvent } from '../../src/analysis/index.ts';
import { isSecretName } from '../../src/server/tool/index.ts';
import { connectorsTo } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['wrong-variable-value', 'wrong-port', 'failing-readiness-probe'] });
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});
afterAll(() => platform.close());

/** What a diagnosis says was changed, and its whole text. */
async function changesOf(service: string, options?: RecordingProxyOptions) {
  const proxy = options && (await startRecordingProxy(platform.url, options));
  const connectors = connectorsTo(proxy?.url ?? platform.url, platform.token);
  opened.push(...(proxy ? [proxy] : []), connectors);
  const result = await (await connectors.modern()).call('diagnose_deployment', { service });
  expect(result.isError, textOf(result)).toBeFalsy();
  return { changes: (result.structuredContent as { changes?: string[] }).changes ?? [], text: textOf(result) };
}

const answering = (status: number): RecordingProxyOptions => ({
  beforeRequest: async (_, request, response) => {
    if (request.url!.includes('/events'))
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status, error: 'E', message: 'not here' }));
  },
});

test('a changed variable: by whom, and from what', async () => {
  const { changes } = await changesOf('orders/staging/orders-api');
  expect(changes).toEqual([
    expect.stringMatching(
      /^variable QUEUE_HOST changed \(environment\) by Bo Lindqvist: value: queue\.staging\.acme\.internal → queue\.stagging\.acme\.internal, 2/,
    ),
  ]);
});

test('a changed configuration: by whom, and which members', async () => {
  const { changes } = await changesOf('discovery/staging/suggest');
  expect(changes).toEqual([
    expect.stringMatching(/^its configuration was changed by Bo Lindqvist: healthchecks\S+: .+ → .+, 2/),
  ]);
});

test('where the version explains it, no events are read', async () => {
  const { text } = await changesOf('shop/gifts/gift-cards', answering(403));
  expect(text).not.toContain('list_events');
});

test.each([
  [404, /Not read: list_events, because this platform does not offer it/],
  [403, /Not read: list_events, because the token may not read it/],
  [500, /Who changed what is not told, because the platform failed to answer \(list_events/],
])(
  'where events are answered with %i, the change is told without them, and that they are lacking',
  async (status, says) => {
    const { changes, text } = await changesOf('orders/staging/orders-api', answering(status));
    expect(changes).toEqual([expect.stringMatching(/QUEUE_HOST changed \(\w+\), 2/)]);
    expect(text).toMatch(says);
  },
);

test('where variables may not be read, a changed one is told from its record, and is not called removed', async () => {
  const unread: RecordingProxyOptions = {
    beforeRequest: async (_, request, response) => {
      if (request.url!.includes('Variable'))
        response
          .writeHead(403, { 'content-type': 'application/json' })
          .end(JSON.stringify({ status: 403, error: 'E', message: 'not yours' }));
    },
  };
  const { changes, text } = await changesOf('orders/staging/orders-api', unread);
  expect(changes).toEqual([expect.stringMatching(/QUEUE_HOST changed .*: value: queue\./)]);
  expect(text).toContain('Bo Lindqvist changed');
  expect(text).not.toContain('removed');
});

const deployment = (id: string, time: string, status: string): HistoryItem => ({
  identifier: { execution_id: id },
  status,
  status_details: { action: 'DEPLOY', status: status === 'DEPLOYED' ? 'SUCCESS' : 'ERROR' },
  auditing_data: { triggered_by: 'ci', created_at: time },
});

describe('events as changes', () => {
  const [service, environment, project] = ['s', 'e', 'p'];
  const event = (more: Partial<LenientEvent>): LenientEvent => ({
    timestamp: '2026-11-20T10:00:00Z',
    triggered_by: 'Ada',
    target_id: service,
    target_type: 'APPLICATION',
    event_type: 'UPDATE',
    ...more,
  });
  const read = (more: Partial<LenientEvent>) =>
    recordedChange(event(more), { service, environment, project }, isSecretName);

  test('never tell what a secret was', () => {
    const told = read({
      sub_target_type: 'VARIABLE',
      change: '{"key":"DB_PASSWORD","value":"correct-horse"}',
      original_change: '{"key":"DB_PASSWORD","value":"battery"}',
    });
    expect(told).toMatchObject({ variable: 'DB_PASSWORD', by: 'Ada', changes: 'value: hidden' });
  });

  test('are those of the service, and of the variables that it sees', () => {
    expect(read({ change: '{"memory":512}' })).toMatchObject({ changes: 'memory: 512' });
    expect([
      read({ target_id: 'other' }),
      read({ event_type: 'TRIGGER_DEPLOY' }),
      read({ target_id: environment, target_type: 'ENVIRONMENT', change: '{"name":"x"}' }),
      read({ sub_target_type: 'CUSTOM_DOMAIN' }),
      read({ timestamp: null }),
    ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('show a variable that was removed, and by whom', () => {
    const recorded = [
      read({
        target_id: environment,
        target_type: 'ENVIRONMENT',
        sub_target_type: 'VARIABLE',
        event_type: 'DELETE',
        change: '{"key":"QUEUE_HOST"}',
        original_change: '{"key":"QUEUE_HOST","value":"q"}',
      })!,
    ];
    const [before, after] = [
      deployment('one', '2026-11-20T09:00:00Z', 'DEPLOYED'),
      deployment('two', '2026-11-20T11:00:00Z', 'DEPLOYMENT_ERROR'),
    ];
    const texts = (variables: { key: string; scope: string }[]) =>
      changesBetween(before, after, { recorded, variables }).map(({ text }) => text);
    expect(texts([])).toEqual(['variable QUEUE_HOST removed (environment) by Ada: was q']);
    expect(texts([{ key: 'QUEUE_HOST', scope: 'ENVIRONMENT' }])).toEqual([]);
  });
});
