import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let user: User;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: undefined });
  connectors = connectorsTo(platform.url, platform.token);
  user = userAnswering(agree);
  client = await connectors.modern(user);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** Calls what asks somebody, and is carried out. */
async function agreed(tool: string, args: Record<string, unknown>): Promise<string> {
  const before = user.questions.length;
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(user.questions.length).toBe(before + 1);
  return textOf(result);
}

/** Calls what is so already: nobody is asked, and it is said why. */
async function expectNeedless(tool: string, args: Record<string, unknown>, why: RegExp): Promise<void> {
  const before = user.questions.length;
  for (const more of [{}, { dry_run: true }]) {
    const result = await client.call(tool, { ...args, ...more });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(textOf(result)).toMatch(/^There is nothing to change: /);
    expect(textOf(result)).toMatch(why);
    expect(result.structuredContent).toMatchObject({ nothing_to_change: expect.stringMatching(/\w/) as string });
  }
  expect(user.questions.length).toBe(before);
}

test('a cluster is locked and unlocked once', async () => {
  const cluster = { cluster_id: 'main' };
  await expectNeedless('unlock_cluster', cluster, /the cluster is not locked/);
  await agreed('lock_cluster', { ...cluster, reason: 'Incident 7' });
  await expectNeedless('lock_cluster', { ...cluster, reason: 'Incident 8' }, /locked already.*\n.*\n.*Incident 7/);
  expect(await agreed('unlock_cluster', cluster)).toMatch(/name: main[^]*is_locked: false/);
});

test('nothing is cancelled where nothing is under way, and nothing stopped that stands still', async () => {
  await expectNeedless(
    'cancel_deployment',
    { environment_id: 'shop/production' },
    /no deployment is running or queued/,
  );
  await agreed('stop_environment', { environment_id: 'shop/staging', wait: true });
  await expectNeedless(
    'stop_environment',
    { environment_id: 'shop/staging' },
    /nothing runs in this environment[^]*checkout-api.*now STOPPED/,
  );
});

test('nobody is invited who is a member or was invited', async () => {
  const { results } = (await client.call('list_members', {})).structuredContent as { results: { email: string }[] };
  await expectNeedless(
    'invite_member',
    { email: results[0]!.email.toUpperCase(), role_id: 'Developer' },
    /is a member already/,
  );
  await agreed('invite_member', { email: 'nia@acme.example', role: 'Developer' });
  await expectNeedless('invite_member', { email: 'nia@acme.example', role_id: 'Developer' }, /invited already/);
});

const firstLine = async (tool: string, args: Record<string, unknown>): Promise<string> =>
  textOf(await client.call(tool, args)).split('\n')[0]!;

test('what can not be started or stopped is not said to be so already', async () => {
  await platform.must('create_environment', {
    project_id: platform.seed['project_id'],
    cluster_id: platform.seed['cluster_id'],
    name: 'bare',
    mode: 'DEVELOPMENT',
  });
  const neverDeployed = { services: ['data/development/migrate-schema'] };
  const none = { environment: 'shop/bare' };
  for (const [tool, can] of [
    ['start_services', 'started'],
    ['stop_services', 'stopped'],
  ] as const) {
    expect(await firstLine(tool, neverDeployed)).toContain(`none of these services can be ${can}`);
    expect(await firstLine(tool, none)).toContain('there is no such service');
  }
  expect(await firstLine('start_services', { services: ['shop/production/search'] })).toContain('is so already');
});
