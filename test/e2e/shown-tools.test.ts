import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../src/server/guard/index.ts';
import { toolsets } from '../../src/server/tool/index.ts';
import { scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import { core, tools } from '../../tools/index.ts';
import { unknownId, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { textOf } from '../support/mcp-clients.ts';
import { resourceServersOf, type ResourceServers, type ResourceClient } from '../support/resource-clients.ts';

/** Failures that are mended by changing a container. */
const failures = scenarios.filter(({ name }) => ['bad-image-tag', 'out-of-memory'].includes(name));

let platform: TestPlatform;
let content: ResourceServers;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: failures.map(({ name }) => name) });
  content = resourceServersOf(platform.url, platform.tokens.admin);
});
afterAll(async () => {
  await content.close();
  await platform.close();
});

const names = tools.map(({ name }) => name);
const named = (text: string): string[] => [...new Set(text.match(new RegExp(`\\b(?:${names.join('|')})\\b`, 'g')))];

/** What steps say of tools that aren't there, taken out. */
const warning =
  /This server doesn't offer ((?:`\w+`(?:, )?)+): leave out what needs (?:it|them), and say what was left out\./;
const warned = (text: string): string[] => named(warning.exec(text)?.[1] ?? '');

interface Server {
  readonly only?: readonly string[];
  readonly policy?: Policy;
}

const servers: [string, Server][] = [
  ['all', {}],
  ['the core', { only: core.map(({ name }) => name) }],
  ...toolsets.map((toolset): [string, Server] => [
    toolset,
    { only: tools.filter((tool) => tool.toolset === toolset).map(({ name }) => name) },
  ]),
  ['one alone', { only: ['create_environment'] }],
  ['those that read', { policy: { readOnly: true } }],
];

describe.each(servers)('a server of tools: %s', (_, wanted) => {
  let server: ResourceClient;
  let shown: string[];
  beforeAll(async () => {
    server = await content.connect('modern', wanted);
    shown = (await server.client.listTools()).tools.map(({ name }) => name);
  });

  /** Those that a text names and the server doesn't show. */
  const missing = (text: string): string[] => named(text).filter((name) => !shown.includes(name));

  test('tells a model of no other', async () => {
    expect(missing(server.client.getInstructions() ?? '')).toEqual([]);
    expect(missing(JSON.stringify((await server.client.listTools()).tools))).toEqual([]);
    expect(
      missing(
        JSON.stringify([
          await server.client.listResources(),
          await server.client.listResourceTemplates(),
          await server.client.listPrompts(),
        ]),
      ),
    ).toEqual([]);
  });

  test('has prompts and skills that say which of their tools there are not', async () => {
    const { prompts } = await server.client.listPrompts();
    const input = {
      service: unknownId,
      environment: unknownId,
      source: 'shop/staging',
      target: 'shop/production',
      cluster: unknownId,
      alert_rule: unknownId,
      email: 'a@b.example',
      repository: 'https://git.example/a.git',
    };
    for (const { name, arguments: taken = [] } of prompts) {
      const asked = Object.fromEntries(
        taken.flatMap(({ name: one, required }) => (required ? [[one, input[one as keyof typeof input]]] : [])),
      );
      const { messages } = await server.client.getPrompt({ name, arguments: asked });
      const skill = await server.text(`skill://${name}/SKILL.md`);
      expect(skill).toMatch(/^---\nname: /);
      for (const text of [JSON.stringify(messages), skill]) expect(missing(text), name).toEqual(warned(text));
    }
    expect(prompts.length).toBeGreaterThan(5);
  });

  test('shows resources all the same: what may be read is for the policy to say', async () => {
    expect(await server.text('infra://environment/shop/staging')).toContain('checkout-api');
    expect(await server.text('infra://alert-rules')).toContain('alert rule');
  });
});

describe.each(servers)('why something failed, asked of a server of tools: %s', (_, { only, policy }) => {
  test('proposes no call of another, and says in words what would help', async () => {
    const server = await content.connect('modern', { policy, only: [...(only ?? names), 'diagnose_deployment'] });
    const shown = (await server.client.listTools()).tools.map(({ name }) => name);
    for (const { environments } of failures) {
      const result = await server.client.callTool({
        name: 'diagnose_deployment',
        arguments: { environment: environments[0].path },
      });
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(named(JSON.stringify(result)).filter((name) => !shown.includes(name))).toEqual([]);
      if (!shown.includes('update_container'))
        expect(textOf(result)).toMatch(/Would help, though this server has no tool for it: update container \{.*\} \(/);
    }
  });
});

test('what went wrong names no tool that is not shown, nor does what comes next', async () => {
  const few = await content.connect('modern', { only: ['get_service', 'create_project', 'set_environment_variables'] });
  const calls = [
    ['get_service', { service: unknownId }],
    ['get_service', { service: 'shop/staging/chekout-api' }],
    ['create_project', { name: 'few' }],
    ['set_environment_variables', { application: unknownId, variables: { A: '1' } }],
  ] as const;
  for (const [name, args] of calls)
    expect(named(textOf(await few.client.callTool({ name, arguments: args }))).filter((one) => one !== name)).toEqual(
      [],
    );
  const gone = await few.text(`infra://environment/${unknownId}`).then(String, (error: Error) => error.message);
  expect(gone).toContain('may have been deleted');
  expect(named(gone)).toEqual([]);
  const all = await content.connect('modern');
  expect(textOf(await all.client.callTool({ name: 'get_service', arguments: { service: unknownId } }))).toContain(
    'find_resource',
  );
  expect(textOf(await all.client.callTool({ name: 'create_project', arguments: { name: 'all' } }))).toContain(
    'create_environment',
  );
});
