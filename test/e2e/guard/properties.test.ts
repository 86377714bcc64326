import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../../src/server/guard/index.ts';
import { tools } from '../../../tools/index.ts';
import { connectorsTo } from '../../support/connectors.ts';
import { agree, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { startRecordingProxy } from '../../support/recording-proxy.ts';
import { openGuardFixture, policyFrom } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof toolCallsOn>;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
});
afterAll(() => platform.close());

const names = tools.map(({ name }) => name);

describe('in read-only mode', () => {
  const readOnlyPolicies: [string, () => Promise<Policy>][] = [
    ['by option', async () => ({ readOnly: true })],
    ['by file', () => policyFrom('{ read_only: true, unattended: [disruptive, destructive, sensitive] }')],
  ];

  test.each(readOnlyPolicies)(
    '%s no sequence of calls makes the platform see anything but GET',
    async (_, policyOf) => {
      const proxy = await startRecordingProxy(platform.url);
      const connectors = connectorsTo(proxy.url, platform.token);
      const policy = await policyOf();
      const clients = [
        await connectors.modern(userAnswering(agree), policy),
        await connectors.modern(undefined, policy),
        await connectors.legacy(userAnswering(agree), policy),
      ];
      const extra = fc.record(
        { dry_run: fc.oneof(fc.boolean(), fc.string()), plan_token: fc.string(), approved: fc.constant(true) },
        { requiredKeys: [] },
      );
      const step = fc.record({
        client: fc.nat(clients.length - 1),
        name: fc.constantFrom(...names),
        right: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
        extra: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, extra),
        strange: fc.dictionary(fc.string(), fc.jsonValue()),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          await Promise.all(
            steps.map(({ client, name, right, extra: more, strange }) =>
              clients[client]!.call(name, { ...(right ? calls[name]!() : strange), ...more }).catch(() => undefined),
            ),
          );
          expect(proxy.writes()).toEqual([]);
        }),
        { numRuns: 15 },
      );
      // What it may do gets through, for each of them.
      for (const client of clients) {
        proxy.requests.splice(0);
        await client.call('get_organization', calls['get_organization']!());
        expect(proxy.requests).toEqual(['GET /organization']);
      }
      await connectors.close();
      await proxy.close();
    },
  );
});

/** Wherever a platform may hold one: in a variable, a log line, credentials, a webhook, an answer of another make. */
const plant =
  (secret: string) =>
  (method: string, path: string, body: unknown): unknown => {
    const record = body as Record<string, unknown>;
    const rows = (Array.isArray(record['results']) ? record['results'] : []) as Record<string, unknown>[];
    if (path.endsWith('/environmentVariable') && method === 'GET')
      return { ...record, results: rows.map((row) => ({ ...row, key: 'DB_PASSWORD', value: secret })) };
    if (path.endsWith('/log'))
      return {
        results: rows
          .concat(rows)
          .slice(0, 1)
          .map((row) => ({ ...row, message: `connecting with DB_PASSWORD=${secret} to postgres://app:${secret}@db` })),
      };
    if (path.endsWith('/event'))
      return { ...record, results: rows.map((row) => ({ ...row, target_response_body: `{"token":"${secret}"}` })) };
    if (path.startsWith('/helm/') && method === 'GET')
      return {
        ...record,
        arguments: ['--set', 'a=1', '--password', secret],
        values_override: { set: [['auth.password', secret]] },
      };
    if (path.startsWith('/container/') && method === 'GET')
      return { ...record, arguments: ['--token', secret], api_token: secret };
    return { ...record, client_secret: secret };
  };

/** Every file below a folder, as text. */
const filesIn = async (folder: string): Promise<string> =>
  (
    await Promise.all(
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
    )
  ).join('\n');

describe('a planted secret', () => {
  const secretArguments: Record<string, (secret: string) => Record<string, unknown>> = {
    create_secret: (value) => ({ value }),
    create_environment_variable: (value) => ({ key: 'MY_API_TOKEN', value }),
    update_environment_variable: (value) => ({ key: 'DB_PASSWORD', value }),
    create_webhook: (target_secret) => ({ target_secret }),
    create_alert_receiver: (secret) => ({ webhook_url: `https://chat.example/${secret}` }),
    update_alert_receiver: (secret) => ({ webhook_url: `https://chat.example/${secret}` }),
    create_helm_repository: (password) => ({ config: { username: 'ci', password } }),
    create_container_registry: (password) => ({ config: { username: 'ci', password } }),
    update_container_registry: (password) => ({ config: { username: 'ci', password } }),
    create_git_token: (token) => ({ token }),
    update_git_token: (token) => ({ token }),
    update_helm: (secret) => ({
      arguments: ['--password', secret],
      values_override: { set: [['auth.password', secret]] },
    }),
  };

  const holders = [
    ...Object.keys(secretArguments),
    'list_environment_variables',
    'get_application_logs',
    'list_webhook_events',
    'get_helm',
    'update_container',
    'get_organization',
  ];

  test.each([
    // In the older era those that hold one are enough. First, for the other leaves a cluster locked.
    ['2025', 'legacy', holders],
    ['2026', 'modern', names],
  ] as const)('is in no result, plan, question, log or record in the %s era', async (_, era, tried) => {
    const secret = fc.sample(fc.stringMatching(/^[a-z]{6}[0-9]{5}[A-Za-z]{4}$/), 1)[0]!;
    const proxy = await startRecordingProxy(platform.url, { alter: plant(secret) });
    const guard = await openGuardFixture({ operator: true });
    const connectors = connectorsTo(proxy.url, platform.token);
    const user = userAnswering(agree);
    const [asking, mute] = [
      await connectors[era](user, undefined, guard.parts),
      await connectors[era](undefined, undefined, guard.parts),
    ];
    const outputs: string[] = [];
    for (const { name, operation } of tools.filter((tool) => tried.includes(tool.name))) {
      const args = { ...calls[name]!(), ...secretArguments[name]?.(secret) };
      // Stopping what the others need comes to nothing else.
      const rehearse = operation.effect === 'read' ? {} : { dry_run: true };
      for (const result of [
        await mute.call(name, args),
        await asking.call(name, { ...args, ...rehearse }),
        await asking.call(name, args),
      ]) {
        outputs.push(textOf(result), JSON.stringify(result.structuredContent ?? {}));
      }
    }
    // Reads are recorded without anyone waiting.
    await guard.settled();
    const written = [
      ...outputs,
      JSON.stringify(user.questions),
      JSON.stringify(connectors.log.lines),
      await filesIn(guard.dataDir),
    ];
    expect(written.filter((text) => text.includes(secret))).toEqual([]);
    expect(user.questions.length).toBeGreaterThan(3);
    expect(outputs.filter((text) => /\[hidden\]/.test(text)).length).toBeGreaterThan(8);
    await connectors.close();
    await guard.close();
    await proxy.close();
  });

  test('is in no error of a server of another make', async () => {
    const secret = 'hunter-22-of-the-error';
    const proxy = await startRecordingProxy(platform.url, {
      alter: () => ({ message: `no access with password=${secret} and Authorization: Token ${secret}` }),
    });
    const connectors = connectorsTo(proxy.url, platform.token);
    const client = await connectors.modern();
    const texts = await Promise.all(names.map(async (name) => textOf(await client.call(name, calls[name]!()))));
    expect(texts.concat(JSON.stringify(connectors.log.lines)).filter((text) => text.includes(secret))).toEqual([]);
    await connectors.close();
    await proxy.close();
  });
});
