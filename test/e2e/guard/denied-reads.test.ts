import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOperations } from '../../../src/contract/index.ts';
import { allResources, isPlatformResource } from '../../../src/server/browse/index.ts';
import { tools } from '../../../tools/index.ts';
import { closedAfterEach } from '../../support/guard-fixture.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';
import { failureIn, textOf } from '../../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';

let platform: TestPlatform;
const opened = closedAfterEach();

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const reads = tools.filter(({ operation }) => operation.effect === 'read');

/** What each request of an operation looks like. */
const requestOf = (names: readonly string[]): RegExp =>
  new RegExp(
    `^GET (${allOperations
      .filter(({ name }) => names.includes(name))
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, '[^/?]+'))
      .join('|')})(\\?|$)`,
  );

/** The operations that a tool is there to show. */
const ownReads = (name: string): readonly string[] => {
  const { operations, equivalentOperations = [] } = tools.find((tool) => tool.name === name)!;
  return [...operations, ...equivalentOperations]
    .map((operation) => operation.name)
    .filter((operation) => operation === name || equivalentOperations.some((one) => one.name === operation));
};

const platformResources = allResources.filter(isPlatformResource);

/** The URI of a resource about something of the seed. */
const uriOf = (uri: string, kind: string): string =>
  uri.replaceAll(/\{\+?(\w+)\}/g, (_, name: string) =>
    name === 'kind' ? kind : platform.seed[`${name === 'service' ? kind : name}_id`]!,
  );

/**
 * What is asked of the platform while everything that only reads is used, what that answers, and which tools are
 * denied.
 */
async function readEverything(policy: string) {
  const { call, read, proxy, close } = await startGuardedServer(platform, { policy });
  opened.push({ close });
  const calls = toolCallsOn(platform);
  const answers = new Map<string, string>();
  const denied = new Set<string>();
  for (const { name } of reads) {
    const result = await call(name, calls[name]?.() ?? {});
    answers.set(name, textOf(result));
    if (failureIn(result)?.kind === 'denied') denied.add(name);
  }
  for (const { name, uri } of platformResources) {
    for (const kind of ['application', 'container'])
      answers.set(
        `${name} of ${kind}`,
        await read(uriOf(uri, kind)).then(
          (found) => JSON.stringify(found),
          (error: unknown) => String(error),
        ),
      );
  }
  return { requests: proxy.requests, answers, denied };
}

// What finding names and judging calls needs is read all the same, and not shown: these are the others.
const denied = [
  'list_environment_variables',
  'search_logs',
  'get_application_logs',
  'list_deployments',
  'list_events',
  'list_members',
  'list_webhook_events',
];

test('what is denied by its tool is read by no other tool or resource', async () => {
  const [open, closed] = [
    await readEverything('deny: []'),
    await readEverything(`deny: [{ tool: [${denied.join(', ')}] }]`),
  ];
  for (const name of denied) {
    const isOwn = (request: string): boolean => requestOf(ownReads(name)).test(request);
    expect(open.requests.filter(isOwn), name).not.toEqual([]);
    expect(closed.requests.filter(isOwn), name).toEqual([]);
    expect([open.denied.has(name), closed.denied.has(name)], name).toEqual([false, true]);
    expect(closed.answers.get(name)).toContain('policy.yaml, deny[0]');
  }
});

test('a tool that shows more than what is denied shows the rest, and says what it left out', async () => {
  const { answers } = await readEverything(
    'deny: [{ tool: [list_environment_variables, search_logs, list_deployments] }]',
  );
  expect(answers.get('diagnose_deployment')).toMatch(/Not read: (list|get)_\w+.*\(policy\.yaml, deny\[0\]\)/);
  expect(answers.get('get_environment_status')).toContain('checkout-api');
  expect(answers.get('service_variables of container')).toContain('policy.yaml, deny[0]');
});

test('what is denied for its configuration is shown by no other tool or resource', async () => {
  const { answers, denied: kept } = await readEverything('deny: [{ tool: get_service }]');
  expect(answers.get('service of container')).toContain('Resource not found');
  expect(kept).toContain('get_helm');
});

describe('what can show nothing without a denied read says that it is denied', () => {
  test.each([
    ['get_organization_overview', {}, 'deny: [{ tool: get_organization }]', 'policy.yaml, deny[0]'],
    ['get_organization_overview', {}, 'allow: [{ project: shop }]', 'policy.yaml, allow'],
    [
      'compare_environments',
      { first: 'shop/staging', second: 'shop/production' },
      'deny: [{ tool: list_services }]',
      'policy.yaml, deny[0]',
    ],
    [
      'get_environment_overview',
      { environment: 'shop/staging' },
      'deny: [{ tool: [list_services, get_environment_status] }]',
      'policy.yaml, deny[0]',
    ],
    [
      'diagnose_deployment',
      { environment: 'shop/staging' },
      'deny: [{ tool: [list_services, get_environment_status] }]',
      'policy.yaml, deny[0]',
    ],
  ])('%s %j under %s', async (tool, args, policy, setBy) => {
    const { call, close } = await startGuardedServer(platform, { policy });
    opened.push({ close });
    const result = await call(tool, args);
    expect([failureIn(result)?.kind, textOf(result)]).toEqual(['denied', expect.stringContaining(setBy)]);
  });
});
