import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../src/contract/index.ts';
import { assessOperations, type GuardedCall, needsNamedTool } from '../../../src/server/guard/index.ts';
import { stopServices } from '../../../tools/service/stop-services.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../../support/test-platform.ts';
import { fakeReader, type Answers } from './fake-reader.ts';

const staging = { id: 'e', name: 'staging', mode: 'STAGING', project: { id: 'p' }, organization: { id: 'o' } };
const both = [
  { id: 'a', name: 'api', environment_id: 'e' },
  { id: 'd', name: 'db', environment_id: 'e' },
];
const environment: Answers = { get_environment: staging };

/** How a stop of two services of the environment is judged. */
async function judged(
  answers: Answers,
  before: (reader: GuardedCall['reader']) => Promise<unknown> = async () => undefined,
) {
  const reader = fakeReader(answers);
  await before(reader);
  const call = {
    tool: stopServices,
    args: {},
    resolved: {},
    reader,
    deps: { policy: {} },
    context: { clock: { now: () => 0 } },
  } as unknown as GuardedCall;
  return assessOperations(call, [
    {
      operation: operations.stop_services,
      input: { environment_id: 'e', application_ids: ['a'], database_ids: ['d'] },
    },
  ]);
}

const wide = (rows: readonly object[]): Answers => ({ list_services_of_organization: { results: rows } });
const readWide = (reader: GuardedCall['reader']): Promise<unknown> =>
  reader.read(operations.list_services_of_organization, { organization_id: 'o' });

describe('a call that may span environments', () => {
  test('is judged by its environment where all that it names is known to be there', async () => {
    const { target, risk } = await judged({ ...environment, list_services: { results: both } });
    expect(target).toMatchObject({ id: 'e', mode: 'STAGING' });
    expect(target.touched).toBeUndefined();
    expect(needsNamedTool(risk, target)).toBe(false);
  });

  test.each<[string, Answers]>([
    ['the services can not be read', {}],
    ['one of them is not there', { list_services: { results: both.slice(0, 1) } }],
    ['only a part of the list is shown', { list_services: { results: both, pagination: { total_count: 3 } } }],
    ['the environment seems empty', { list_services: { results: [] } }],
  ])('is judged as the worst where %s', async (_, answers) => {
    const { target, risk } = await judged({ ...environment, ...answers });
    expect(target).toMatchObject({ id: 'e', mode: 'unknown', touched: [{ mode: 'unknown' }] });
    expect(needsNamedTool(risk, target)).toBe(true);
  });

  test('is judged by a wider list that the call has read, with no read of its own', async () => {
    expect((await judged({ ...environment, ...wide(both) }, readWide)).target).toMatchObject({ mode: 'STAGING' });
  });

  test.each<[string, readonly object[]]>([
    ['places one of them elsewhere', [both[0]!, { ...both[1]!, environment_id: 'live' }]],
    ['has none of that environment', [{ id: 'x', environment_id: 'live' }]],
  ])('is judged as the worst where a wider list %s', async (_, rows) => {
    expect((await judged({ ...environment, ...wide(rows) }, readWide)).target).toMatchObject({ mode: 'unknown' });
  });
});

/** A list that says that there is more. */
const cut = (body: unknown): unknown => ({
  ...(body as Json),
  pagination: { ...((body as Json)['pagination'] as Json), total_count: 500 },
});

describe('against a platform that shows only a part of an environment', () => {
  let platform: TestPlatform;
  let proxy: RecordingProxy;
  let connectors: Connectors;

  beforeEach(async () => {
    platform = await startTestPlatform();
    proxy = await startRecordingProxy(platform.url, {
      alter: (method, path, body) =>
        method === 'GET' && /^\/environment\/[^/]+\/services/.test(path) ? cut(body) : body,
    });
    connectors = connectorsTo(proxy.url, platform.token);
  });

  afterEach(async () => {
    await connectors.close();
    await proxy.close();
    await platform.close();
  });

  test('the plan says that the mode is not known, and a rule about production holds', async () => {
    const plan = textOf(
      await (
        await connectors.modern(userAnswering(agree))
      ).call('stop_services', { environment: 'shop/staging', dry_run: true }),
    );
    expect(plan).toContain('mode not known');
    const guarded = await connectors.modern(userAnswering(agree), await policyFrom('deny: [{ mode: PRODUCTION }]'));
    const result = await guarded.call('stop_services', { environment: 'shop/staging' });
    expect([failureIn(result)?.kind, textOf(result)]).toEqual(['denied', expect.stringContaining('in doubt')]);
    expect(proxy.writes()).toEqual([]);
  });
});
