import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issuesOfCall } from '../support/argument-issues.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { startedAnswer } from '../../tools/shared/deployment-started.ts';
import { tools } from '../../tools/index.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** What statuses seem to say, one poll after the other, before they say what is so. */
let masks: Json[] = [];
/** The same once something was begun. */
let masksAfterwards: Json[] = [];

const isStatus = (path: string): boolean => /\/(status|statuses)$/.test(path);

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method) => {
      if (method === 'GET') return;
      masks = masksAfterwards;
      masksAfterwards = [];
    },
    alter: (method, path, body) => {
      if (method !== 'GET' || !isStatus(path) || masks.length === 0) return body;
      const mask = masks.shift();
      const { environment } = body as { environment?: Json };
      return environment
        ? { ...(body as Json), environment: { ...environment, ...mask } }
        : { ...(body as Json), ...mask };
    },
  });
  connectors = connectorsTo(proxy.url, platform.token);
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const ids = () => platform.seed;
const nextOf = (result: CallToolResult): { tool: string; arguments: Json }[] =>
  (result._meta?.[metaKeys.next] ?? []) as { tool: string; arguments: Json }[];

/** Every call that a result proposes is one that could be made. */
function expectUsable(result: CallToolResult): void {
  for (const { tool: name, arguments: args } of nextOf(result)) {
    const tool = tools.find((one) => one.name === name);
    expect(tool, name).toBeDefined();
    expect(issuesOfCall(tool!, args), `${name} ${JSON.stringify(args)}`).toEqual([]);
  }
}

describe.each(['modern', 'legacy'] as const)('to a client of the %s era', (era) => {
  test('a wait tells its progress, then its end and nothing after it', async () => {
    const client = await connectors[era]();
    masks = [
      { state: 'DEPLOYMENT_QUEUED', deployment_request_id: null },
      { state: 'BUILDING', deployment_request_id: null },
    ];
    const messages: (string | undefined)[] = [];
    const result = await client.call(
      'wait_for_deployment',
      { service: `infra://service/container/${ids()['container_id']}` },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(textOf(result)).toContain('succeeded');
    expect(messages.map((message) => message?.split(',')[0])).toEqual(['DEPLOYMENT_QUEUED', 'BUILDING']);
    const count = messages.length;
    await client.call('get_organization');
    expect(messages).toHaveLength(count);
  });
});

test.each([
  ['a service', () => ({ service: `infra://service/application/${ids()['application_id']}` })],
  ['an environment', () => ({ environment: ids()['environment_id'] })],
])('a wait for %s at rest says that nothing was in progress, and how old the last end is', async (_, args) => {
  const client = await connectors.modern();
  const result = await client.call('wait_for_deployment', args());
  const { outcome, at_rest: last } = result.structuredContent as Json;
  expect([outcome, Number.isNaN(Date.parse(String(last)))]).toEqual(['succeeded', false]);
  expect(textOf(result)).toMatch(/Nothing was in progress: its last deployment succeeded at \S+ \(\d+\w ago\)/);
});

describe('an end', () => {
  test.each<[string, () => Json]>([
    ['deploy_service', () => ({ service: `infra://service/container/${ids()['container_id']}` })],
    ['deploy_service', () => ({ environment: ids()['environment_id'] })],
    ['deploy_application', () => ({ application_id: ids()['application_id'] })],
    ['deploy_database', () => ({ database_id: ids()['database_id'] })],
    ['redeploy_terraform', () => ({ terraform_id: ids()['terraform_id'] })],
    ['restart_services', () => ({ environment_id: ids()['environment_id'], container_ids: [ids()['container_id']] })],
    ['stop_environment', () => ({ environment_id: ids()['environment_id'] })],
  ])('of what %s began is told, and an old one is not taken for it', async (name, args) => {
    masksAfterwards = [{ state: 'DEPLOYMENT_ERROR', deployment_request_id: '00000000-0000-4000-8000-0000000000aa' }];
    const result = await (await connectors.modern(userAnswering(agree))).call(name, { ...args(), wait: true });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ outcome: 'succeeded' });
    expectUsable(result);
  });

  test.each<[string, Json[]]>([
    [
      'words that only this platform has',
      [{ state: 'CANCELING' }, { state: 'EXECUTING' }, { state: 'SOMETHING_ELSE' }],
    ],
    [
      'that nothing was ever deployed',
      [
        {
          state: 'STOPPED',
          deployment_request_id: null,
          status_details: { action: 'UNKNOWN', status: 'NEVER', sub_action: 'NONE' },
        },
      ],
    ],
  ])('is the true one, where the status first says %s', async (_, first) => {
    masksAfterwards = first;
    const result = await (
      await connectors.modern(userAnswering(agree))
    ).call('deploy_service', { service: `infra://service/container/${ids()['container_id']}`, wait: true });
    expect(result.structuredContent, textOf(result)).toMatchObject({ outcome: 'succeeded', state: 'DEPLOYED' });
    expect(result.structuredContent).not.toHaveProperty('diagnosis');
  });

  test.each([
    ['STOP', 'STOPPED'],
    ['UNINSTALL', 'DELETED'],
    ['DEPLOY_DRY_RUN', 'DEPLOYED'],
  ])('of a %s is that of the deployment that is waited for, not taken for that of a deploy', async (action, state) => {
    const id = '00000000-0000-4000-8000-0000000000bb';
    masks = Array.from({ length: 3 }, () => ({
      state,
      deployment_request_id: id,
      status_details: { action, status: 'SUCCESS', sub_action: 'NONE' },
    }));
    const result = await (
      await connectors.modern()
    ).call('wait_for_deployment', {
      service: `infra://service/container/${ids()['container_id']}`,
      deployment_id: id,
      seconds: 5,
    });
    masks = [];
    expect(result.structuredContent, textOf(result)).toMatchObject({ outcome: 'succeeded', state });
  });

  test('that is bad carries why', async () => {
    masksAfterwards = Array.from({ length: 3 }, () => ({ state: 'DEPLOYMENT_ERROR' }));
    const result = await (
      await connectors.modern()
    ).call('deploy_service', { service: `infra://service/container/${ids()['container_id']}`, wait: true });
    expect(result.structuredContent).toMatchObject({
      outcome: 'failed',
      diagnosis: { cause: { code: expect.anything() } },
    });
    expect(textOf(result)).toContain('Cause (');
    expectUsable(result);
  });

  test('that does not come in time leaves a call that goes on waiting', async () => {
    masks = Array.from({ length: 20 }, () => ({
      state: 'DEPLOYING',
      steps: { total_duration_sec: 0, total_computing_duration_sec: 0, details: [] },
    }));
    for (const subject of [
      { environment: ids()['environment_id'] },
      { service: `infra://service/container/${ids()['container_id']}` },
    ]) {
      const client = await connectors.modern();
      const result = await client.call('wait_for_deployment', { ...subject, seconds: 1 });
      expect(result.structuredContent).toMatchObject({ outcome: 'running', state: 'DEPLOYING' });
      // 0 is no total yet.
      expect(result.structuredContent).not.toHaveProperty('total_seconds');
      expectUsable(result);
      expect(nextOf(result).map(({ tool }) => tool)).toEqual(['wait_for_deployment']);
    }
    masks = [];
  });

  test.each([
    ['a service', () => ({ service: `infra://service/container/${ids()['container_id']}` }), 'succeeded'],
    ['an environment', () => ({ environment: ids()['environment_id'] }), 'succeeded'],
    ['a cluster', () => ({ cluster: 'main' }), 'not_seen'],
  ])('that has been there is told at once, with one look: %s', async (_, subject, outcome) => {
    masks = [];
    // A server of its own, whose caller changed nothing.
    const own = connectorsTo(proxy.url, platform.token);
    const client = await own.modern();
    const before = proxy.requests.length;
    const result = await client.call('wait_for_deployment', subject());
    expect(result.structuredContent, textOf(result)).toMatchObject({ outcome });
    const looks = proxy.requests.slice(before).filter((line) => /\/status(es)?$/.test(line));
    expect(looks).toHaveLength(1);
    await own.close();
  });

  test('is not waited for by callers who gave up', async () => {
    masks = Array.from({ length: 100 }, () => ({ state: 'DEPLOYING' }));
    const cancel = new AbortController();
    const client = await connectors.modern();
    const call = client.call(
      'wait_for_deployment',
      { environment: ids()['environment_id'], seconds: 50 },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    );
    await expect(call).rejects.toThrow();
    await client.call('get_organization');
    const asked = proxy.requests.length;
    await client.call('get_organization');
    expect(proxy.requests.length).toBeLessThanOrEqual(asked + 2);
    masks = [];
  });
});

test('a call that waited until its time was over says how to go on', () => {
  const id = ids()['environment_id'];
  const view = { outcome: 'running', id, deployment_id: 'x', action: 'STOP' };
  expect(startedAnswer.next({ ...view, environment: id })).toMatchObject([
    { tool: 'wait_for_deployment', arguments: { environment: id, deployment_id: 'x', action: 'STOP' } },
  ]);
  expect(startedAnswer.next({ ...view, service: id })).toMatchObject([
    { tool: 'wait_for_deployment', arguments: { service: id, deployment_id: 'x', action: 'STOP' } },
  ]);
});
