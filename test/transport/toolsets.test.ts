import { afterEach, beforeAll, afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { choosableTools, offeredTools, offeredToolsets, toolsLeftOut } from '../../src/cli/wiring/offered-tools.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { shippedTexts } from '../../src/cli/wiring/shipped-texts.ts';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import { createDependencies, buildServer } from '../../src/server/protocol/index.ts';
import { isOfferedByDefault, permissionOf, type Tool } from '../../src/server/tool/index.ts';
import { callOf, type Restriction } from '../../src/transport/index.ts';
import type { HttpServerOptions } from '../../src/transport/http/http-server.ts';
import { restrictedDependencies, addReadOnly, unrestricted } from '../../src/transport/http/restriction.ts';
import { core, tools } from '../../tools/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { failureIn, textOf, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import {
  closeTestServers,
  connectLegacyHttp,
  connectModernHttp,
  initialize,
  startTestServer,
  type TestServer,
} from './test-server.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterEach(closeTestServers);

afterAll(() => platform.close());

const namesOf = (takes: (tool: Tool) => boolean): string[] => tools.filter(takes).map(({ name }) => name);
const alerts = namesOf(({ toolset }) => toolset === 'alerts');
const usualNames = namesOf(isOfferedByDefault);
const administration = namesOf(({ toolset }) => toolset === 'administration');
const coreNames = namesOf((tool) => core.includes(tool));

interface StartOptions extends Partial<HttpServerOptions> {
  /** The options that select tools. */
  readonly env?: Record<string, string>;
  readonly policy?: string;
}

/** Starts a server in front of the platform that serves what options and a policy offer. */
async function start({ env = {}, policy, ...options }: StartOptions = {}): Promise<
  TestServer & { readonly built: () => number }
> {
  const { config } = readConfig('http', {}, env);
  const offered = offeredTools(config);
  const choosable = choosableTools(config);
  const client = createClient({ baseUrl: platform.url, credential: credentialOf(platform.token) });
  const base = createDependencies({
    tools: offered,
    otherTools: toolsLeftOut(offered),
    policy: { readOnly: false, rules: policy === undefined ? [] : [await parsePolicy('policy.yaml', policy, tools)] },
    connect: async () => ({ client }),
    secrets: () => [platform.token],
    version: '0',
    log: memoryLog(),
    clock: { now: Date.now },
    texts: shippedTexts(),
  });
  const dependenciesOf = restrictedDependencies(base, offered, choosable);
  const kinds = new Set<unknown>();
  const under = (restriction: Restriction) => {
    const dependencies = dependenciesOf(restriction);
    kinds.add(dependencies.surface);
    return dependencies;
  };
  const server = await startTestServer({
    build: (era, { restriction }, request) =>
      buildServer(under(restriction), { era, ...request, callerOf: ({ http }) => callOf(http?.authInfo).call }),
    toolsets: offeredToolsets(choosable),
    levelOf: (name) => {
      const tool = tools.find((one) => one.name === name);
      return tool && permissionOf(tool);
    },
    ...options,
  });
  return { ...server, built: () => kinds.size };
}

const stepUp = () => new Response(null, { status: 403 });

const listed = async (client: Pick<TestClient, 'list'>): Promise<string[]> =>
  (await client.list()).map(({ name }) => name);

const errorOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { error: { message: string } }).error.message;

describe.each([
  ['2026', connectModernHttp],
  ['2025', connectLegacyHttp],
] as const)('a client of the %s revision', (_, connect) => {
  const choosing = (server: TestServer, header?: string, query = '') =>
    connect(new URL(query, server.url), { headers: header === undefined ? {} : { 'x-infra-toolsets': header } });

  test.each([
    ['nothing', undefined, '', usualNames],
    [
      'toolsets in the header',
      'webhooks, alerts',
      '',
      namesOf(({ toolset }) => toolset === 'alerts' || toolset === 'webhooks'),
    ],
    ['toolsets in the address', undefined, '?toolsets=core', coreNames],
    [
      'toolsets in the address, one by one',
      undefined,
      '?toolsets=core&toolsets=alerts',
      namesOf((tool) => core.includes(tool) || tool.toolset === 'alerts'),
    ],
    [
      'one within the other',
      'core',
      '?toolsets=variables',
      coreNames.filter((name) => tools.find((tool) => tool.name === name)!.toolset === 'variables'),
    ],
    ['a toolset that is off otherwise', 'administration', '', administration],
    ['that toolset with all others', 'default,administration', '', namesOf(() => true)],
    [
      'toolsets, and nothing but reads',
      'alerts',
      '?read_only=true',
      namesOf(({ toolset, operation }) => toolset === 'alerts' && operation.effect === 'read'),
    ],
  ])('that chooses %s sees these tools', async (__, header, query, expected) => {
    expect(expected).not.toEqual([]);
    expect(await listed(await choosing(await start(), header, query))).toEqual(expected);
  });

  test('is told why a tool is not offered, and gets no other names', async () => {
    const server = await start({ env: { INFRA_EXCLUDE_TOOLS: 'unlock_cluster' } });
    const client = await choosing(server, 'alerts');
    for (const [name, why] of [
      ['list_projects', 'toolsets (alerts)'],
      ['unlock_cluster', 'whoever runs this server'],
    ] as const) {
      const result = await client.call(name);
      expect([failureIn(result), textOf(result)]).toEqual([
        { kind: 'not_offered_here', outcome: 'refused' },
        expect.stringContaining(why),
      ]);
    }
    await expect(client.call('list_alert_rule')).rejects.toThrow('"list_alert_rules"');
    await expect(client.call('list_project')).rejects.toThrow(/"list_project", .*not offered here$/);
    expect(textOf(await client.call('list_alert_rules'))).toContain('checkout-errors');
  });

  test('is told how to choose a toolset that is off, and calls its tools once it did', async () => {
    const server = await start();
    const refused = await (await choosing(server)).call('list_webhooks');
    expect([failureIn(refused), textOf(refused)]).toEqual([
      { kind: 'not_offered_here', outcome: 'refused' },
      expect.stringContaining('X-Infra-Toolsets: default,administration'),
    ]);
    const client = await choosing(server, 'administration');
    expect((await client.call('list_webhooks')).isError).toBeFalsy();
  });

  test('can not choose a toolset that is off where the options name others', async () => {
    const server = await start({ env: { INFRA_TOOLSETS: 'alerts' } });
    expect(await listed(await choosing(server, 'alerts,administration'))).toEqual(alerts);
  });

  test('reads of no other tool: in the instructions, in prompts and in skills', async () => {
    const server = await start();
    const all = await choosing(server);
    const few = await choosing(server, 'alerts');
    expect(all.instructions()).toContain('diagnose_deployment');
    for (const name of namesOf(({ toolset }) => toolset !== 'alerts')) expect(few.instructions()).not.toContain(name);
    const { client } = few as unknown as {
      client: Pick<import('@modelcontextprotocol/client').Client, 'getPrompt' | 'readResource' | 'complete'>;
    };
    const {
      messages: [message],
    } = await client.getPrompt({ name: 'diagnose-failure', arguments: { service: 'shop/staging/checkout-api' } });
    expect(message!.content).toMatchObject({
      text: expect.stringMatching(/^This server doesn't offer .*`diagnose_deployment`/m),
    });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'diagnose-failure' },
      argument: { name: 'service', value: 'shop/staging/checkout' },
    });
    expect(completion.values).toContain('shop/staging/checkout-api');
    const {
      contents: [skill],
    } = await client.readResource({ uri: 'skill://diagnose-failure/SKILL.md' });
    expect(skill).toMatchObject({ text: expect.stringMatching(/^This server doesn't offer .*`diagnose_deployment`/m) });
  });

  test('gets proposals of calls that it can make', async () => {
    const server = await start();
    const propose = async (header?: string) =>
      textOf(
        await (await choosing(server, header)).call('get_environment_overview', { environment: 'data/development' }),
      );
    expect(await propose()).toMatch(/Next:.*diagnose_deployment/s);
    expect(await propose('environments')).not.toMatch(/Next:.*diagnose_deployment/s);
  });

  test("can not choose what the server, its policy or the caller's own limits leave out", async () => {
    const readsOnly = addReadOnly(unrestricted, 'a key');
    const server = await start({
      env: { INFRA_TOOLSETS: 'alerts,clusters', INFRA_EXCLUDE_TOOLS: 'upgrade_cluster' },
      policy: 'deny:\n  - tool: list_clusters\n',
      authenticate: async () => ({ principal: 'ann', level: 'admin', restriction: readsOnly }),
    });
    const client = await choosing(server, 'alerts,clusters,core,webhooks');
    const expected = namesOf(
      ({ name, toolset, operation }) =>
        (toolset === 'alerts' || toolset === 'clusters') && operation.effect === 'read' && name !== 'list_clusters',
    );
    expect(await listed(client)).toEqual(expected);
    const [locked, upgraded, denied] = [
      await client.call('lock_cluster', { cluster_id: 'main', reason: 'x' }),
      await client.call('upgrade_cluster', { cluster: 'main' }),
      await client.call('list_clusters'),
    ];
    expect([locked, upgraded, denied].map((result) => failureIn(result)?.kind)).toEqual([
      'denied',
      'not_offered_here',
      'denied',
    ]);
    expect(textOf(locked)).toContain('read-only');
    expect(textOf(denied)).toContain('policy');
  });

  test('is not shown the choice of another, whoever asks first', async () => {
    const server = await start();
    const choices = ['alerts', undefined, 'core', 'clusters', undefined, 'core,alerts', 'alerts,core'];
    const clients = await Promise.all(choices.map((header) => choosing(server, header)));
    const lists = await Promise.all([...clients, ...clients.toReversed()].map(listed));
    const expected = choices.map((header) =>
      header === undefined
        ? usualNames
        : namesOf((tool) =>
            header.split(',').some((name) => name === tool.toolset || (name === 'core' && core.includes(tool))),
          ),
    );
    expect(lists).toEqual([...expected, ...expected.toReversed()]);
    // All five choices, however often and in whatever order they are made.
    expect(server.built()).toBe(5);
  });
});

describe('a choice of toolsets', () => {
  test.each([
    [
      'an unknown one',
      { 'x-infra-toolsets': 'servces' },
      '',
      /^X-Infra-Toolsets: there is no toolset "servces"; did you mean "services"\? There are: core, default, projects, .*webhooks, administration\.$/,
    ],
    [
      'an unknown one in the address',
      {},
      '?toolsets=core,everything',
      /^toolsets: there is no toolset "everything"\. There are: core, /,
    ],
    ['a member of every object', {}, '?toolsets=constructor', /no toolset "constructor"/],
    ['none', { 'x-infra-toolsets': ' ' }, '', /^X-Infra-Toolsets names no toolset\. There are: core, /],
    ['none in the address', {}, '?toolsets', /^toolsets names no toolset/],
    [
      'one that excludes the other',
      { 'x-infra-toolsets': 'webhooks' },
      '?toolsets=alerts',
      /^No tool is left: this server offers none in alerts that is also in webhooks\. It offers tools in core, /,
    ],
    ['another word', {}, '?toolset=core', /^Unknown query parameter "toolset"\. There are: read_only, toolsets\.$/],
  ])('that names %s is refused', async (_, headers, query, says) => {
    const server = await start();
    const answer = await fetch(new URL(query, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(initialize),
    });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatch(says);
  });

  test('of what the server leaves out is refused with what there is', async () => {
    const { post } = await start({ env: { INFRA_TOOLSETS: 'alerts' } });
    const answer = await post(initialize, { 'x-infra-toolsets': 'webhooks' });
    expect(await errorOf(answer)).toBe(
      'No tool is left: this server offers none in webhooks. It offers tools in default, alerts.',
    );
  });

  test('holds for the whole session, in whatever order it is named', async () => {
    const { post } = await start();
    const session = (await post(initialize, { 'x-infra-toolsets': 'core,alerts' })).headers.get('mcp-session-id')!;
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const status = async (headers: Record<string, string>) =>
      (await post(list, { 'mcp-session-id': session, ...headers })).status;
    expect(await status({ 'x-infra-toolsets': 'alerts, core' })).toBe(200);
    expect(await status({})).toBe(404);
    expect(await status({ 'x-infra-toolsets': 'core' })).toBe(404);
  });

  test('is kept by servers without sessions too', async () => {
    const { url } = await start({ legacy: 'stateless' });
    expect(await listed(await connectLegacyHttp(url, { headers: { 'x-infra-toolsets': 'alerts' } }))).toEqual(alerts);
    expect(await listed(await connectLegacyHttp(url))).toEqual(usualNames);
  });

  test('is not answered with a wish for more rights', async () => {
    const { url } = await start({
      authenticate: async () => ({ principal: 'ann', level: 'read', restriction: unrestricted, stepUp }),
    });
    await expect((await connectModernHttp(url)).call('create_project', { name: 'x' })).rejects.toThrow();
    const client = await connectModernHttp(url, { headers: { 'x-infra-toolsets': 'alerts' } });
    expect(failureIn(await client.call('create_project', { name: 'x' }))?.kind).toBe('not_offered_here');
  });
});
