import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { consoleViewsOf } from '../../src/cli/wiring/console.ts';
import type { CallOutcome } from '../../src/server/audit/index.ts';
import type { Policy } from '../../src/server/guard/index.ts';
import { createDependencies } from '../../src/server/protocol/index.ts';
import { restrictedDependencies } from '../../src/transport/index.ts';
import { readingTools } from '../../src/views/index.ts';
import { tools } from '../../tools/index.ts';
import { openNamedApprovals } from '../server/guard/approvals/named-operators-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { openGuardFixture } from '../support/guard-fixture.ts';
import { secretOf } from '../support/operators-file.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { browserAt } from './operator-browser.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

let platform: TestPlatform;
let guard: Awaited<ReturnType<typeof openGuardFixture>>;
let named: Awaited<ReturnType<typeof openNamedApprovals>>;
let recorded: CallOutcome[];

beforeEach(async () => {
  [platform, guard, named] = await Promise.all([
    startTestPlatform(),
    openGuardFixture(),
    openNamedApprovals({ ada: {}, bob: { may: [{ project: 'shop', mode: ['STAGING'] }] } }),
  ]);
  recorded = [];
});

afterEach(async () => {
  await closeTestServers();
  await guard.close();
  await named[Symbol.asyncDispose]();
  await platform.close();
});

/** Serves the console on the platform. @returns what a named operator reads in it. */
async function startConsole(policy: Policy = { readOnly: false }) {
  const client = createClient({ baseUrl: platform.url, credential: credentialOf(platform.token) });
  const log = memoryLog();
  const dependencies = createDependencies({
    tools,
    policy,
    connect: async () => ({ client }),
    secrets: () => [platform.token],
    version: '0',
    log,
    clock: { now: Date.now },
    guard: {
      ...guard.parts,
      recorder: { intent: async () => undefined, outcome: async (outcome) => void recorded.push(outcome) },
    },
  });
  const { url } = await startTestServer({
    approvals: { queue: named.queue, approveCommand: 'infra-mcp approve', latestCalls: async () => [] },
    console: {
      audit: { read: async () => [], verify: async () => undefined, isOneOfSeveral: false },
      views: consoleViewsOf(restrictedDependencies(dependencies, tools)),
    },
  });
  const readingAs = async (name: string) => {
    const browser = browserAt(url, '/console/organization');
    await browser.post({ do: 'enter', name, secret: secretOf(name) });
    const read = (tool: string, args: object = {}, headers: Record<string, string> = { 'x-infra-live': '1' }) =>
      fetch(
        new URL(`/console/read?${new URLSearchParams({ tool, arguments: JSON.stringify(args) }).toString()}`, url),
        { headers: { cookie: browser.cookie(), ...headers } },
      );
    return { browser, read };
  };
  return { url, readingAs };
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly results?: readonly { readonly environment: string }[] };
}

const environmentsIn = ({ structuredContent }: Result): readonly string[] =>
  (structuredContent?.results ?? []).map(({ environment }) => environment).toSorted();

test('an operator reads the organization through the stages of every call, and is recorded by name', async () => {
  const { readingAs } = await startConsole();
  const { read } = await readingAs('ada');
  const answer = await read('get_organization_overview');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const result = (await answer.json()) as Result;
  expect(environmentsIn(result).length).toBeGreaterThan(1);
  expect(recorded).toMatchObject([
    { tool: 'get_organization_overview', principal: 'operator:ada', connection: 'console', outcome: 'done' },
  ]);
});

test('an operator reads in their places only, and is told what is kept from them', async () => {
  const { readingAs } = await startConsole();
  const { read } = await readingAs('bob');
  const result = (await (await read('get_organization_overview')).json()) as Result;
  expect(environmentsIn(result)).toEqual(['shop/staging']);
  const production = (await (
    await read('get_environment_overview', { environment: 'shop/production' })
  ).json()) as Result;
  expect(production.isError).toBe(true);
  expect(production.content[0]!.text).toMatch(/^Kept from you: /);
  const staging = (await (await read('get_environment_overview', { environment: 'shop/staging' })).json()) as Result;
  expect(staging.isError).toBeUndefined();
});

test('nobody reads more than the policy of the server lets callers read', async () => {
  const rule = { conditions: { project: ['shop'] }, setBy: 'policy.yaml, deny[0]' };
  const { readingAs } = await startConsole({ readOnly: false, rules: [{ deny: [rule], freezes: [] }] });
  const { read } = await readingAs('ada');
  const result = (await (await read('get_environment_overview', { environment: 'shop/staging' })).json()) as Result;
  expect(result.content[0]!.text).toMatch(/^Kept from you: /);
});

test('what can not be read is said in other words than what is kept', async () => {
  const { readingAs } = await startConsole();
  const { read } = await readingAs('ada');
  const result = (await (await read('get_environment_overview', { environment: 'shop/nothing' })).json()) as Result;
  expect(result.isError).toBe(true);
  expect(result.content[0]!.text).toMatch(/^Couldn't look: /);
});

test.each([
  ['a tool that changes something', 'stop_environment', { environment: 'shop/staging' }, undefined, 400],
  ['a tool that no view reads with', 'list_api_tokens', {}, undefined, 400],
  ['a tool that there is not', 'constructor', {}, undefined, 400],
  ['a request that no script of the console sends', 'get_organization_overview', {}, {}, 403],
  [
    'one from another site',
    'get_organization_overview',
    {},
    { 'x-infra-live': '1', 'sec-fetch-site': 'cross-site' },
    403,
  ],
  ['one without a session', 'get_organization_overview', {}, { 'x-infra-live': '1', cookie: 'infra_operator=x' }, 403],
])('%s is refused, and nothing is read', async (_, tool, args, headers, status) => {
  const { readingAs } = await startConsole();
  const { read } = await readingAs('ada');
  expect((await read(tool, args, headers as Record<string, string> | undefined)).status).toBe(status);
  expect(recorded).toEqual([]);
});

test('the tools that views read with change nothing', () => {
  for (const name of readingTools)
    expect(tools.find((tool) => tool.name === name)!.operation.effect, name).toBe('read');
});

test.each([
  ['deployment', '', undefined],
  ['deployment', '?service=shop/staging/api', ['diagnose_deployment', { service: 'shop/staging/api' }]],
  ['deployment', '?service=a&environment=b', undefined],
  ['comparison', '?first=shop/staging', undefined],
  [
    'comparison',
    '?first=shop/staging&second=x%22%3E%3Cscript%3E',
    ['compare_environments', { first: 'shop/staging', second: 'x"><script>' }],
  ],
  ['measurements', '', ['list_services', {}]],
  ['measurements', '?project=shop', ['list_services', { project: 'shop' }]],
  ['measurements', '?service=shop/staging/api', ['get_service', { service: 'shop/staging/api' }]],
])('the tab %s with %j shows what is chosen', async (tab, query, wanted) => {
  const { readingAs, url } = await startConsole();
  const { browser } = await readingAs('ada');
  const page = await (
    await fetch(new URL(`/console/${tab}${query}`, url), { headers: { cookie: browser.cookie() } })
  ).text();
  expect(page).not.toContain('<script>');
  const [, tool, args] = /data-tool="([^"]*)" data-arguments="([^"]*)"/.exec(page) ?? [];
  expect(tool === undefined ? undefined : [tool, JSON.parse(unescaped(args!))]).toEqual(wanted);
});

test('answers propose no calls, because nobody makes them here', async () => {
  const { readingAs } = await startConsole();
  const { read } = await readingAs('ada');
  const text = await (await read('diagnose_deployment', { environment: 'shop/staging' })).text();
  expect(text).not.toContain('infra-mcp/next');
});

test('the tab loads its script and style from this server, under its policy', async () => {
  const { url, readingAs } = await startConsole();
  const { browser } = await readingAs('ada');
  const answer = await browser.get();
  const page = await answer.text();
  expect(page).toMatch(/<script src="\/console\/views\.js" nonce="[\w-]{22}" defer>/);
  expect(answer.headers.get('content-security-policy')).toContain("connect-src 'self'");
  expect(page).toContain('data-read="/console/read"');
  for (const [path, type] of [
    ['/console/views.js', 'text/javascript'],
    ['/console/views.css', 'text/css'],
  ] as const) {
    const file = await fetch(new URL(path, url));
    expect(file.headers.get('content-type')).toContain(type);
    expect((await file.text()).length).toBeLessThan(60_000);
  }
});
