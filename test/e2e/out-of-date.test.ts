import { expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import type { NextCall } from '../../src/server/tool/index.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import type { Json, TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

connectedForAll((connected) => ({ platform, connectors } = connected));

async function call(tool: string, args: Json, through: Connectors = connectors) {
  const result = await (await through.modern(userAnswering(agree))).call(tool, args);
  expect(result.isError === true ? textOf(result) : '').toBe('');
  return {
    text: textOf(result),
    answer: (result.structuredContent ?? {}) as Json,
    next: (result._meta?.[metaKeys.next] ?? []) as readonly NextCall[],
  };
}

const service = 'shop/staging/checkout-api';
const commitOf = async (): Promise<unknown> =>
  (
    (await platform.must('get_application', { application_id: platform.seed['application_id'] }))[
      'git_repository'
    ] as Json
  )['deployed_commit_id'];

test('a new variable says who sees it and how it takes effect at the same commit; until then the service says what changed', async () => {
  expect((await call('get_service', { service })).answer).not.toHaveProperty('changed_since_deployment');
  const before = await commitOf();
  const { answer, text, next } = await call('create_environment_variable', {
    environment: 'shop/staging',
    key: 'GIFT_WRAP',
    value: 'on',
  });
  expect((answer['seen_by'] as string[]).slice(0, 5)).toContain('checkout-api');
  expect(text).toMatch(/^Services that see it, unless they have a value of their own: [^\n]*checkout-api/m);
  const found = await call('get_service', { service });
  expect(found.answer['changed_since_deployment']).toEqual([
    expect.stringMatching(/^variable GIFT_WRAP of scope ENVIRONMENT added at \d{4}-/),
  ]);
  expect(found.text).toMatch(/^Out of date\. Since its last deployment: variable GIFT_WRAP/m);
  const deploy = next.find(({ arguments: args }) => args['application'] === platform.seed['application_id']);
  expect(deploy).toMatchObject({ tool: 'deploy_application', arguments: { commit: before } });
  await call(deploy!.tool, { ...deploy!.arguments, wait: true });
  expect(await commitOf()).toBe(before);
  expect((await call('get_service', { service })).answer).not.toHaveProperty('changed_since_deployment');
});

test('a variable that was set back is said to be perhaps set back', async () => {
  const update = async (value: string) =>
    call('update_environment_variable', { environment: 'shop/staging', variable: 'LOG_LEVEL', value });
  const isTold = async (): Promise<unknown> =>
    (await call('get_service', { service })).answer['changed_since_deployment'];
  await call('deploy_service', { service, wait: true });
  expect(await isTold()).toBeUndefined();
  const [{ value: deployed } = {}] = (
    (await platform.must('list_variables_of_environment', { environment_id: platform.seed['environment_id'] }))[
      'results'
    ] as Json[]
  ).filter(({ key, scope }) => key === 'LOG_LEVEL' && scope === 'ENVIRONMENT');
  await update('trace');
  await call('create_environment_variable', { environment: 'shop/staging', key: 'GIFT_CARD', value: 'on' });
  await update(String(deployed));
  expect(await isTold()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^variable GIFT_CARD of scope ENVIRONMENT added at [^,]+$/),
      expect.stringMatching(
        /^variable LOG_LEVEL of scope ENVIRONMENT changed at \S+ \(it may have been set back to .*\)$/,
      ),
    ]),
  );
});

test('where nothing tells what differs, the answer says so', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) =>
      /\/application\/[^/]+\/status$/.test(path)
        ? { ...(body as Json), service_deployment_status: 'OUT_OF_DATE', last_deployment_date: '2999-01-01T00:00:00Z' }
        : body,
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const { answer, text } = await call('get_service', { service }, others);
  expect(answer['changed_since_deployment']).toBe('not known');
  expect(text).toContain('Not known: what differs from what runs');
  await others.close();
  await proxy.close();
});
