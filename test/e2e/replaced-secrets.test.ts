import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openExistingVault } from '../../src/platform/store/index.ts';
import { connectorsTo } from '../support/connectors.ts';
import { openGuardFixture, policyFrom, type GuardFixture } from '../support/guard-fixture.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let guard: GuardFixture;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  guard = await openGuardFixture();
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});
afterAll(async () => {
  await platform.close();
  await guard.close();
});

async function connected(policy?: string, options: RecordingProxyOptions = {}) {
  const proxy = await startRecordingProxy(platform.url, options);
  const connectors = connectorsTo(proxy.url, platform.tokens.admin);
  opened.push(proxy, connectors);
  const user = userAnswering(agree);
  const client = await connectors.modern(
    user,
    policy === undefined ? undefined : await policyFrom(policy),
    guard.parts,
  );
  const setting = async (args: Json) => {
    const before = proxy.writes().length;
    const result = await client.call('set_environment_variables', args);
    const shown = JSON.stringify([result, user.questions, connectors.log.lines]);
    return {
      isError: result.isError === true,
      text: textOf(result),
      shown,
      writes: proxy.writes().slice(before),
      question: user.questions.at(-1)?.message ?? '',
      asked: user.questions.length,
    };
  };
  return { setting, client };
}

const rowOf = (key: string, scope: string): Json =>
  (platform.dump()['variable'] as Json[]).find((row) => row['key'] === key && row['scope'] === scope)!;
const valueOf = (key: string, scope: string): string =>
  openExistingVault(platform.dataDir)!.open(String(rowOf(key, scope)['sealed_value']));

const recorded = async (): Promise<string> => {
  await guard.settled();
  const files = await readdir(guard.dataDir, { recursive: true, withFileTypes: true });
  return (
    await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    )
  ).join('\n');
};

test.each([
  ['application', { service: 'shop/staging/checkout-api' }],
  ['container', { service: 'shop/staging/search' }],
  ['job', { service: 'shop/staging/nightly-report' }],
  ['helm', { service: 'shop/staging/session-cache' }],
  ['terraform', { service: 'shop/staging/assets-bucket' }],
  ['environment', { environment: 'shop/staging' }],
  ['project', { project: 'shop' }],
])(
  'a secret of one %s gets another value in one request, which shows nowhere, and keeps the rest',
  async (kind, owner) => {
    const { setting } = await connected();
    const [key, scope] = [`ROTATED_${kind.toUpperCase()}`, kind.toUpperCase()];
    await platform.must('create_variable', {
      key,
      value: 'giraffe-before-1',
      is_secret: true,
      variable_scope: scope,
      variable_parent_id: platform.seed[`${kind}_id`],
      mount_path: '/etc/app/key',
      description: 'For the mailer.',
      enable_interpolation_in_file: true,
    });
    const { isError, text, shown, writes, question } = await setting({
      ...owner,
      secrets: { [key]: 'giraffe-after-2' },
    });
    expect(isError, text).toBe(false);
    expect(text).toContain(`${key}: replaced as a secret (${scope}`);
    expect(writes).toEqual([expect.stringMatching(/^PUT \/(?:\w+\/[^/]+\/secret|variable)\/[\w-]+$/)]);
    expect(question).toContain(`Replaces the value of the secret ${key}: the present one is lost.`);
    expect(`${shown}${await recorded()}`).not.toMatch(/giraffe/);
    expect(valueOf(key, scope)).toBe('giraffe-after-2');
    expect(rowOf(key, scope)).toMatchObject({
      value: null,
      mount_path: '/etc/app/key',
      description: 'For the mailer.',
      enable_interpolation_in_file: 1,
    });
  },
);

test('a key that a secret has stays a secret in .env text, whatever it is called', async () => {
  const owner = { service: 'shop/staging/checkout-api' };
  const { setting } = await connected();
  await setting({ ...owner, secrets: { GREETING: 'giraffe-first-3' } });
  const { text, shown, asked } = await setting({ ...owner, env_text: 'GREETING=giraffe-second-4\nFAREWELL=bye' });
  expect(text).toContain('GREETING: replaced as a secret');
  expect(text).toContain('FAREWELL: created');
  expect(asked).toBe(1);
  expect(shown).not.toContain('giraffe');
  expect(valueOf('GREETING', 'APPLICATION')).toBe('giraffe-second-4');
});

test.each(['update_environment_variable', 'create_secret', 'set_environment_variables'])(
  'whoever denies %s denies that',
  async (tool) => {
    const { setting } = await connected(`deny: [{ tool: ${tool} }]`);
    const { isError, text, writes } = await setting({
      project: 'shop',
      secrets: { LICENCE_TOKEN: 'giraffe-denied-5' },
    });
    expect([isError, writes], text).toEqual([true, []]);
    expect(text).toContain('deny[0]');
  },
);

test('where a platform has no such path, it is said how to replace it, and what that means', async () => {
  const { setting } = await connected(undefined, {
    beforeRequest: async (method, _, response) => {
      if (method === 'PUT')
        response
          .writeHead(405, { 'content-type': 'application/json' })
          .end('{"status":405,"error":"Method Not Allowed","message":"no"}');
    },
  });
  const args = { project: 'shop', secrets: { LICENCE_TOKEN: 'giraffe-after-6' } };
  expect((await setting(args)).isError).toBe(true);
  const { text, writes, asked } = await setting(args);
  expect(text).toMatch(
    /LICENCE_TOKEN of the project is a secret, and this platform can't change a stored one.*delete_environment_variable, then set it again. Meanwhile there is none/,
  );
  expect([writes, asked]).toEqual([[], 1]);
});
