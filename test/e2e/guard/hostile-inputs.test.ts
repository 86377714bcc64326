import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRedaction } from '../../../src/server/redaction/index.ts';
import { textOf, userAnswering } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { closedAfterEach } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const opened = closedAfterEach();

async function startServer(options: GuardedServerOptions = {}) {
  const server = await startGuardedServer(platform, options);
  opened.push(server);
  return server;
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${index}`, 'v']));

describe('a call of very many things is refused before they are looked at:', () => {
  test.each([
    [
      'variables',
      'set_environment_variables',
      () => ({ application: platform.seed['application_id'], variables: many(3_000) }),
      '3000 variables are too many for one call: give at most 200',
    ],
    [
      'lines of .env text',
      'set_environment_variables',
      () => ({
        application: platform.seed['application_id'],
        env_text: Object.keys(many(100_000))
          .map((key) => `${key}=v`)
          .join('\n'),
      }),
      '100000 variables are too many',
    ],
    [
      'members',
      'set_environment_variables',
      () => ({ application: platform.seed['application_id'], secrets: many(50_000) }),
      'more than 5000 members and items',
    ],
    ['unknown arguments', 'list_projects', () => many(80_000), 'more than 5000 members and items'],
    [
      'names',
      'restart_services',
      () => ({
        environment_id: platform.seed['environment_id'],
        container_ids: Array.from({ length: 101 }, (_, index) => `c-${index}`),
      }),
      '"containers" has 101 items; give at most 100',
    ],
  ])('%s', async (_, tool, args, says) => {
    const { call, proxy } = await startServer();
    const result = await call(tool, args());
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(says);
    expect(proxy.writes()).toEqual([]);
  });
});

describe('what a platform holds', () => {
  const secret = 'Hunter2SecretPw9';

  test('is not shown by a dry run where a read hides it', async () => {
    const { call } = await startServer({
      alter: (_method, path, body) =>
        /^\/container\/[^/]+$/.test(path)
          ? { ...(body as object), arguments: [`--db=postgres://app:${secret}@db/shop`, `DB_PASSWORD=${secret}`] }
          : body,
    });
    const planned = await call('update_container', {
      container_id: platform.seed['container_id'],
      arguments: ['serve'],
      dry_run: true,
    });
    expect(textOf(planned)).toContain('removes');
    expect(JSON.stringify(planned)).not.toContain(secret);
  });

  test('is hidden though it is dressed as what stands for a secret', () => {
    const { text, value } = createRedaction({ configured: () => ['token-of-the-tests'] });
    for (const dressed of [`auth was [hidden, token-of-the-tests]`, `[hidden, from TOKEN token-of-the-tests]`])
      expect(text(dressed)).not.toContain('token-of-the-tests');
    expect(text(`password=[hidden, ${secret}]`)).not.toContain(secret);
    expect(JSON.stringify(value({ password: `[hidden, ${secret}]` }))).not.toContain(secret);
    expect(text('password=[hidden, 12 characters]')).toBe('password=[hidden, 12 characters]');
  });

  test.each(['$DB_HOST', '${DB_HOST}:5432', '<host>', '%2Fvar%2Frun'])(
    'is hidden in an address whose host is written as %s',
    (host) => {
      expect(createRedaction().text(`url=postgres://app:${secret}@${host}/db`)).not.toContain(secret);
    },
  );

  test.each([
    ['cookies', `Cookie: ${'a=b;'.repeat(200_000)}`],
    ['a list of passwords', `password:\n${'- a1b2c3\n'.repeat(200_000)}`],
    ['passwords in a row', `passwords: [${'"a1b2c3",'.repeat(200_000)}]`],
  ])('is masked, however many secrets it has in a row: %s', (_, text) => {
    expect(createRedaction().text(text).length).toBeGreaterThan(0);
  });
});

describe('what somebody is asked', () => {
  test('shows the program that asks for a password, and quotes spaces that could pass for the end of a line', async () => {
    const user = userAnswering(() => ({ action: 'decline' }));
    const { call } = await startServer({ mode: 'PRODUCTION', user });
    const set = (key: string, value: string) =>
      call('create_environment_variable', { ...toolCallsOn(platform)['create_environment_variable']!(), key, value });
    await set('GIT_ASKPASS', '/tmp/evil.sh');
    await set('GREETING', `ok${' '.repeat(250)}On: environment "shop/staging", STAGING`);
    expect(user.questions[0]!.message).toContain('value: /tmp/evil.sh');
    expect(user.questions[1]!.message).toMatch(/^value: "ok<250 spaces>On: /m);
  });
});
