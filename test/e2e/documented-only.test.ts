import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, { mode: 'unknown' });
  connectors = connectorsTo(proxy.url, platform.token);
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const id = (member: string): unknown => platform.seed[member];

const nextOf = ({ _meta: meta }: CallToolResult): readonly { tool: string; arguments: Json }[] =>
  (meta?.[metaKeys.next] ?? []) as { tool: string; arguments: Json }[];

test.each<[string, () => Json, readonly string[]]>([
  ['deploy_application', () => ({ application_id: id('application_id') }), ['wait_for_deployment']],
  ['deploy_database', () => ({ database_id: id('database_id') }), []],
  ['redeploy_terraform', () => ({ terraform_id: id('terraform_id') }), []],
  [
    'restart_services',
    () => ({ environment_id: id('environment_id'), application_ids: [id('application_id')] }),
    ['wait_for_deployment'],
  ],
  ['restart_services', () => ({ environment_id: id('environment_id'), container_ids: [id('container_id')] }), []],
  ['stop_environment', () => ({ environment_id: id('environment_id') }), []],
])('where only what is documented is there, %s proposes what can be done there', async (tool, args, proposed) => {
  const client = await connectors.modern(userAnswering(agree));
  const begun = await client.call(tool, args());
  expect(begun.isError, textOf(begun)).toBeFalsy();
  expect(
    nextOf(begun).map((call) => call.tool),
    textOf(begun),
  ).toEqual(proposed);
  for (const call of nextOf(begun)) {
    const result = await client.call(call.tool, call.arguments);
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ outcome: 'succeeded' });
  }
});

test('whoever waits for what tells of no end is told that it was begun', async () => {
  const result = await (
    await connectors.modern(userAnswering(agree))
  ).call('deploy_database', { database_id: id('database_id'), wait: true });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(result.structuredContent).toMatchObject({
    outcome: 'accepted',
    followed: 'how it goes on can not be read on this platform',
  });
});

test('what was created can be asked about by its id', async () => {
  const client = await connectors.modern(userAnswering(agree));
  const made = await client.call('create_application', {
    environment_id: id('environment_id'),
    name: 'fresh',
    git_repository: { url: 'https://git.example/shop/fresh.git' },
  });
  const { id: service } = made.structuredContent as { id: string };
  for (const tool of ['get_service', 'diagnose_deployment']) {
    const result = await client.call(tool, { service });
    expect(result.isError, textOf(result)).toBeFalsy();
  }
});
