import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aliasesOf, withOwnNames } from '../../src/server/tool/argument-names.ts';
import { tools } from '../../tools/index.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { failureIn, textOf, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { deletableProject, toolCallsOn } from '../support/tool-calls.ts';
import { someOf } from '../support/runs.ts';

type Args = Record<string, unknown>;

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let calls: Record<string, () => Args>;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = { ...toolCallsOn(platform), ...(await deletableProject(platform)) };
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** What a tool answers without changing anything, but for what differs from call to call. */
async function answerOf(name: string, args: Args): Promise<unknown> {
  const changes = tools.find((tool) => tool.name === name)!.operation.effect !== 'read';
  const result = await client.call(name, changes ? { ...args, dry_run: true } : args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return JSON.parse(
    JSON.stringify(result.structuredContent, (member, value: unknown) => (member === 'waited_seconds' ? 0 : value)),
  );
}

/** Names that say a kind, for a service of another kind. */
const saysOtherKind = (tool: (typeof tools)[number], alias: string, value: unknown): boolean => {
  const [said] = Object.values(withOwnNames(tool, { [alias]: 'x' }).kinds);
  return said !== undefined && !JSON.stringify(value).includes(`/${said}/`);
};

describe('every tool answers the same, whatever its arguments are called:', () => {
  test.each(someOf(tools).map(({ name }) => name))('%s', async (name) => {
    const tool = tools.find((one) => one.name === name)!;
    const own = withOwnNames(tool, calls[name]!()).args;
    const expected = await answerOf(name, own);
    for (const [member, aliases] of aliasesOf(tool)) {
      const value = own[member];
      if (value === undefined) continue;
      const others = Object.fromEntries(Object.entries(own).filter(([other]) => other !== member));
      for (const alias of aliases.filter((one) => !saysOtherKind(tool, one, value)))
        expect(await answerOf(name, { ...others, [alias]: value }), alias).toEqual(expected);
    }
  });
});

describe('another name of an argument', () => {
  test('that says a kind finds only that kind', async () => {
    const container = `infra://service/container/${platform.seed['container_id']}`;
    expect((await client.call('get_service', { container })).isError).toBeFalsy();
    const wrong = await client.call('get_service', { database: container });
    expect(failureIn(wrong)).toMatchObject({ kind: 'bad_address', why: 'wrong_kind' });
    expect(textOf(wrong)).toContain('any database');
  });

  test('is refused beside the first name with another value, before anything is done', async () => {
    const refused = await client.call('lock_cluster', { cluster: 'main', cluster_id: 'batch', reason: 'x' });
    expect(failureIn(refused)?.kind).toBe('bad_arguments');
    expect(textOf(refused)).toContain('"cluster" and "cluster_id"');
  });

  test('is in no text of a rule, which names all arguments as schemas do', async () => {
    const refused = await client.call('update_environment_variable', { variable: 'LOG_LEVEL', value: 'debug' });
    expect([failureIn(refused)?.kind, textOf(refused)]).toEqual([
      'bad_arguments',
      expect.stringContaining('"environment", "service" and "project"'),
    ]);
  });

  test('is held by a rule about a place', async () => {
    const policy = await policyFrom('deny: [{ mode: STAGING, tool: update_container }]');
    const guarded = await connectors.modern(undefined, policy);
    const results = await Promise.all(
      ['container_id', 'container', 'service'].map((name) =>
        guarded.call('update_container', { [name]: platform.seed['container_id'], description: 'x', dry_run: true }),
      ),
    );
    expect(new Set(results.map(textOf)).size).toBe(1);
    expect(failureIn(results[0]!)?.kind).toBe('denied');
  });

  test('is held by the scope of the server', async () => {
    const scoped = await connectors.modern(undefined, {
      readOnly: false,
      scope: { project: { name: 'data', setBy: '--project' } },
    });
    const texts = await Promise.all(
      ['application_id', 'application', 'service'].map(async (name) =>
        textOf(await scoped.call('deploy_application', { [name]: platform.seed['application_id'], dry_run: true })),
      ),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('--project');
  });

  test('agrees to the same plan as the first name', async () => {
    const unattended = await connectors.modern(undefined, await policyFrom('unattended: [disruptive]'));
    const environment = platform.seed['environment_id'];
    const asked = textOf(
      await unattended.call('restart_services', {
        environment_id: environment,
        container_ids: [platform.seed['container_id']],
      }),
    );
    const token = /plan_token (v1\.\S+)/.exec(asked)?.[1];
    expect(token, asked).toBeDefined();
    expect(
      (
        await unattended.call('restart_services', {
          environment,
          container: platform.seed['container_id'],
          plan_token: token,
        })
      ).isError,
    ).toBeFalsy();
  });
});
