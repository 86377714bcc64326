import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern(userAnswering(agree));
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const called = async (tool: string, args: Json): Promise<{ text: string; answer: Json }> => {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return { text: textOf(result), answer: (result.structuredContent ?? {}) as Json };
};
const planned = async (tool: string, args: Json): Promise<string> =>
  (await called(tool, { ...args, dry_run: true })).text;

test('a timetable names the scheduled jobs that do not run while the environment is stopped', async () => {
  const environment = 'shop/staging';
  const plan = await planned('update_deployment_rule', { environment, auto_stop: true, stop_time: '19:00' });
  expect(plan).toMatch(
    /^Scheduled jobs that do not run while it is stopped: nightly-report at "0 3 \* \* \*" \([^)]+\)/m,
  );
  expect(await planned('update_deployment_rule', { environment, auto_stop: false, stop_time: '20:00' })).not.toContain(
    'Scheduled jobs',
  );
});

test('a timetable says of which jobs nobody can tell whether they are scheduled', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) =>
      /^\/environment\/[^/]+\/services$/.test(path)
        ? { results: (body as { results: Json[] }).results.map((row) => ({ ...row, schedule: undefined })) }
        : /^\/job\/[^/]+$/.test(path)
          ? []
          : body,
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (
    await others.modern(userAnswering(agree))
  ).call('update_deployment_rule', { environment: 'shop/staging', auto_stop: true, stop_time: '19:00', dry_run: true });
  expect(textOf(result)).toContain('Not known: whether these jobs are scheduled: nightly-report.');
  await others.close();
  await proxy.close();
});

describe('the copy of an environment', () => {
  test('has the secrets, and a Terraform service with a state of its own unless the repository says otherwise', async () => {
    const plan = await planned('clone_environment', { environment: 'shop/staging', name: 'copy' });
    expect(plan).toContain(
      'Copies the variables and secrets of the environment and its services too, with their values.',
    );
    expect(plan).toMatch(
      /The copy of assets-bucket begins with an empty state:[^\n]+deleting it destroys only what it made\./,
    );
  });

  test('shares the state of one whose repository names the backend', async () => {
    const { id } = (
      await called('create_environment', { project: 'shop', name: 'infrastructure', mode: 'STAGING', cluster: 'main' })
    ).answer;
    await called('create_terraform', {
      environment: id,
      name: 'network',
      git_repository: { url: 'https://git.acme.example/acme/network.git' },
      backend: 'user_provided',
    });
    const warning = /^The copy of network has the state of the original[^\n]+deleting the copy can destroy it/m;
    expect(await planned('clone_environment', { environment: id, name: 'copy' })).toMatch(warning);
    const copy = await called('clone_environment', { environment: id, name: 'copy' });
    expect(copy.text).toMatch(warning);
    for (const plan of [
      await planned('delete_environment', { environment: copy.answer['id'] }),
      await planned('delete_service', { service: 'shop/copy/network' }),
    ]) {
      expect(plan).toMatch(
        /^Deletes terraform network, now READY; this platform never applied it, so it made nothing/m,
      );
      expect(plan).toMatch(
        /^The state of network is in the backend that its repository names:[^\n]+can be destroyed too/m,
      );
    }
  });

  test('says with its secrets what it has, also where nothing was asked about, and what its deletion may destroy', async () => {
    const args = { environment: 'shop/staging', name: 'counted' };
    const own = 'of the environment itself';
    expect(await planned('clone_environment', args)).toMatch(
      /^Of the environment itself: \d+ variables? and 1 secret\.$/m,
    );
    const { text, answer } = await called('clone_environment', args);
    expect(text).toMatch(new RegExp(`; ${own} \\d+ variables? and 1 secret$`, 'm'));
    expect(answer).toMatchObject({ secrets: 1 });
    expect(text).toMatch(/^The copy of assets-bucket begins with an empty state/m);
    const service = 'shop/counted/assets-bucket';
    expect(await planned('delete_service', { service })).toMatch(
      /^Not looked at: whether the repository of assets-bucket names a backend[^\n]+can be destroyed too/m,
    );
    expect(await planned('delete_service', { service: 'shop/staging/assets-bucket' })).toMatch(
      /^Deletes terraform assets-bucket, now DEPLOYED, with what it made, in the cloud account too/m,
    );
  });
});

test('a change of who is told of an alert names who is added and removed', async () => {
  const { answer: chat } = await called('create_alert_receiver', {
    name: 'night shift',
    webhook_url: 'https://chat.example/in',
  });
  const rule = { alert_rule: 'checkout-errors' };
  const plan = await planned('update_alert_rule', { ...rule, alert_receiver_ids: [chat['id']] });
  expect(plan).toMatch(/^Receivers added: night shift \(SLACK\)\.$/m);
  expect(plan).toMatch(/^Receivers removed: .+ \(\w+\)\. They are told nothing more of it, nor that it ends\.$/m);
  expect(await planned('update_alert_rule', { ...rule, severity: 'LOW' })).not.toContain('Receivers');
  const made = await planned('create_alert_rule', {
    environment: 'shop/staging',
    name: 'slow',
    condition: { promql: 'up == 0' },
    alert_receiver_ids: ['night shift'],
  });
  expect(made).toMatch(/^Tells: night shift \(SLACK\)\.$/m);
});

test('the API token of the session is marked, and its revocation says what that means', async () => {
  const { answer, text } = await called('list_api_tokens', {});
  const marked = (answer['results'] as Json[]).filter(({ used_by: by }) => by === 'this session');
  expect(marked).toHaveLength(1);
  expect(text).toContain('this session');
  const others = (answer['results'] as Json[]).filter((row) => row !== marked[0]);
  const own = 'This session uses it';
  expect(await planned('revoke_api_token', { api_token_id: marked[0]!['id'] })).toContain(own);
  expect(await planned('revoke_api_token', { api_token_id: others[0]!['id'] })).not.toContain(own);
});

test('the deletion of a group that nothing uses asks for no change of services', async () => {
  const { id } = (
    await called('create_labels_group', {
      name: 'unused',
      labels: [{ key: 'team', value: 'none', propagate_to_cloud_provider: false }],
    })
  ).answer;
  const plan = await planned('delete_labels_group', { labels_group_id: id });
  expect(plan).toContain('No service that is shown here uses it.');
  expect(plan).not.toContain('Change these services first');
});

test('a new password of a registry is not called lost', async () => {
  const { id } = (
    await called('create_container_registry', {
      name: 'rotated',
      kind: 'GENERIC_CR',
      url: 'https://rotated.example.com',
      config: { username: 'puller', password: 'the-one-of-before-1' },
    })
  ).answer;
  for (const config of [{ password: 'the-one-of-now-2' }, { username: 'other', password: 'the-one-of-now-2' }]) {
    const plan = await planned('update_container_registry', { registry_id: id, config });
    expect(plan).toContain('config.password: replaced');
    expect(plan).not.toContain('Not sent');
  }
  expect(await planned('update_container_registry', { registry_id: id, config: { username: 'other' } })).toContain(
    'Not sent, because what is stored',
  );
});

test.each<[string, Json, string]>([
  ['create_alert_receiver', { name: 'twice', webhook_url: 'https://chat.example/in' }, 'a receiver with this name'],
  [
    'create_alert_rule',
    { environment: 'shop/staging', name: 'twice', condition: { promql: 'up == 0' }, alert_receiver_ids: ['on-call'] },
    'an alert rule with this name',
  ],
  ['create_api_token', { name: 'twice', permission: 'read' }, 'an API token with this name'],
  [
    'create_webhook',
    { target_url: 'https://one.example/twice', events: ['DEPLOYMENT_FAILED'] },
    'a webhook with this address',
  ],
  [
    'create_webhook',
    { target_url: 'https://one.example/of-a-chat', kind: 'SLACK', events: ['DEPLOYMENT_FAILED'] },
    'a chat webhook at this host',
  ],
])('%s: that there is one already is in the plan of a second (%#)', async (tool, args, what) => {
  const said = `There is ${what} already`;
  expect(await planned(tool, args)).not.toContain(said);
  const { id } = (await called(tool, args)).answer;
  const again = await planned(tool, args);
  expect(again).toContain(said);
  expect(again).toContain(String(id));
});

test('the plan of an API token says whose it is, and when it ends', async () => {
  const members = await platform.must('list_members', { organization_id: platform.organizationId });
  const [member] = members['results'] as [Json];
  const token = { name: 'planned', permission: 'read' };
  const own = await planned('create_api_token', { ...token, member_id: member['id'] });
  expect(own).toContain(`It belongs to ${String(member['name'])} (${String(member['email'])})`);
  expect(own).toContain('it never expires');
  const ending = await planned('create_api_token', { ...token, expires_at: '2999-01-01T00:00:00Z' });
  expect(ending).toContain('It belongs to no member');
  expect(ending).not.toContain('never expires');
});
