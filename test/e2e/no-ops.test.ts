import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
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
  const { results } = (await client.call('list_members', {})).structuredContent as {
    results: { email: string; role_id: string }[];
  };
  const { email, role_id } = results[0]!;
  await expectNeedless('invite_member', { email: email.toUpperCase(), role_id }, /is a member already, in this role/);
  await agreed('invite_member', { email: 'nia@acme.example', role: 'Developer' });
  await expectNeedless(
    'invite_member',
    { email: 'nia@acme.example', role_id: 'Developer' },
    /invited already.*this role/,
  );
  await expectNeedless('invite_member', { email: 'nia@acme.example' }, /whether in the role that is meant/);
});

describe('an invitation in another role than the one that a person has', () => {
  const asked = [{}, { dry_run: true }];

  test('is refused, with the role that they have and what changes it', async () => {
    await agreed('invite_member', { email: 'ode@acme.example', role_id: 'Admin' });
    const before = user.questions.length;
    for (const more of asked) {
      const invited = await client.call('invite_member', { email: 'ode@acme.example', role_id: 'Viewer', ...more });
      expect(failureIn(invited)).toMatchObject({ kind: 'not_possible' });
      expect(textOf(invited)).toMatch(
        /another role than the one asked for[^]*revoke_invitation[^]*ode@acme.example \(Admin\)/,
      );
      const member = await client.call('invite_member', { email: 'dev@acme.example', role_id: 'Admin', ...more });
      expect(failureIn(member)).toMatchObject({ kind: 'not_possible' });
      expect(textOf(member)).toMatch(
        /member already, in another role[^]*update_member_role[^]*dev@acme.example \(Viewer\)/,
      );
    }
    expect(user.questions.length).toBe(before);
  });

  test('says who can do it where the tools for that are not on', async () => {
    const usual = await connectors.modern(user, await policyFrom('deny: [{ tool: revoke_invitation }]'));
    const refused = await usual.call('invite_member', { email: 'ode@acme.example', role_id: 'Viewer' });
    expect(textOf(refused)).toContain('To take it back before another one is sent, the operator has to choose');
    expect(textOf(refused)).not.toContain('revoke_invitation');
    const planned = await usual.call('invite_member', { email: 'pia@acme.example', role_id: 'Viewer', dry_run: true });
    const { effects } = (planned.structuredContent as { dry_run: { effects: string[] } }).dry_run;
    expect(effects[0]).toMatch(/^No tool that is on here takes it back: /);
    const sent = await usual.call('invite_member', { email: 'pia@acme.example', role_id: 'Viewer' });
    expect((sent.structuredContent as { effects: string[] }).effects[0]).toBe(effects[0]);
  });
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
