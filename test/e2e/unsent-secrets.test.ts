import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let client: TestClient;
const unaltered = (_method: string, _path: string, body: Json): Json => body;
let alter = unaltered;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, { alter: (method, path, body) => alter(method, path, body as Json) });
  connectors = connectorsTo(proxy.url, platform.tokens.admin);
  client = await connectors.modern(userAnswering(agree));
});
afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const said = async (tool: string, args: Json): Promise<string> => {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return textOf(result);
};
const unsent = (text: string): string[] => text.split('\n').filter((line) => /^(?:Not sent|Stays|Lost)/.test(line));

const webhook = () => ({ webhook_id: platform.seed['webhook_id'] });

describe('the secret of a webhook', () => {
  const stored = /^Not sent, because it can't be read: target_secret, of which one was stored until now\./;

  test('that is stored is told to be, and after the change whether it still is', async () => {
    const plan = await said('update_webhook', { ...webhook(), description: 'First.', dry_run: true });
    expect(unsent(plan)).toEqual([expect.stringMatching(stored)]);
    expect(await said('update_webhook', { ...webhook(), description: 'First.' })).toContain(
      'Still stored: target_secret.',
    );
  });

  test('that the platform does not keep is told to be lost', async () => {
    alter = (method, path, body) =>
      method === 'PUT' && path.includes('/webhook/') ? { ...body, target_secret_set: false } : body;
    try {
      expect(await said('update_webhook', { ...webhook(), description: 'Second.' })).toContain(
        "Lost, because the platform doesn't keep it: target_secret. Give it again.",
      );
    } finally {
      alter = unaltered;
    }
  });

  test('is not spoken of where there is none, or another is given', async () => {
    alter = (_method, path, body) => (path.includes('/webhook/') ? { ...body, target_secret_set: false } : body);
    try {
      expect(unsent(await said('update_webhook', { ...webhook(), description: 'Third.', dry_run: true }))).toEqual([]);
    } finally {
      alter = unaltered;
    }
    const given = { ...webhook(), target_secret: 'correct-horse-9', dry_run: true };
    expect(unsent(await said('update_webhook', given))).toEqual([]);
  });
});

describe('credentials of a registry', () => {
  const lost = "Where the platform doesn't keep it, it is lost: give it again.";

  test.each<[string, Json, string]>([
    ['a user', { username: 'puller', password: 'correct-horse-9' }, 'config.password'],
    ['an access key', { region: 'eu-west-3', access_key_id: 'A', secret_access_key: 'B' }, 'config.secret_access_key'],
    ['neither', { region: 'eu-west-3', role_arn: 'arn:of:a:role' }, 'the secrets of config'],
  ])('with %s are named by what belongs to them', async (name, config, named) => {
    await said('create_container_registry', { name, kind: 'ECR', url: 'https://images.example.com', config });
    const plan = await said('update_container_registry', { registry_id: name, description: 'Ours.', dry_run: true });
    expect(unsent(plan)).toEqual([`Not sent, because what is stored can't be read: ${named}. ${lost}`]);
  });
});

test('where it is known that a secret stays, that is what is said', async () => {
  await said('create_git_token', { name: 'mine', type: 'GITHUB', token: 'correct-horse-9' });
  expect(unsent(await said('update_git_token', { git_token_id: 'mine', description: 'Ours.', dry_run: true }))).toEqual(
    ['Stays as it is stored, because no other is given: token.'],
  );
  await said('create_alert_receiver', { name: 'our chat', webhook_url: 'https://chat.example/in' });
  expect(
    unsent(await said('update_alert_receiver', { alert_receiver_id: 'our chat', description: 'Ours.', dry_run: true })),
  ).toEqual(['Stays as it is stored, because no other is given: webhook_url.']);
});
