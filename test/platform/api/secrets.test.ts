import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hiddenSecret, allOperations, type OperationName } from '../../../src/contract/index.ts';
import { type Json, type TestPlatform, startTestPlatform } from '../../support/test-platform.ts';
import { deletesServices, sentSecrets, validRequests } from './valid-requests.ts';

let platform: TestPlatform;
let requests: Record<OperationName, Json>;
const logged: string[] = [];
const answers = new Map<OperationName, string>();

const write = (fields: object, message: string) => void logged.push(JSON.stringify(fields), message);

/** Operations that a secret is sent with. */
const sending = [
  'create_application',
  'create_secret',
  'update_container',
  'create_helm_repository',
  'create_webhook',
  'create_container_registry',
  'create_git_token',
] as const;

beforeAll(async () => {
  platform = await startTestPlatform({ log: { info: write, warn: write, error: write } });
  requests = validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'c');
  const names = allOperations.map(({ name }) => name as OperationName);
  for (const name of [...sending, ...names.filter((other) => !sending.includes(other as 'create_secret'))]) {
    if (!deletesServices(name)) answers.set(name, (await platform.call(name, requests[name])).text);
  }
  // What they delete is needed below.
  const another = await startTestPlatform();
  for (const name of names.filter(deletesServices)) answers.set(name, (await another.call(name, requests[name])).text);
  await another.close();
});

afterAll(() => platform.close());

test('every secret was sent and accepted', async () => {
  const sent = JSON.stringify(sending.map((name) => requests[name]));
  for (const secret of sentSecrets) expect(sent).toContain(secret);
  for (const name of sending) expect(JSON.parse(answers.get(name)!)).toHaveProperty('id');
});

test('no answer of any operation shows one, nor the log', () => {
  expect(answers.size).toBe(allOperations.length);
  for (const secret of sentSecrets) {
    for (const [name, text] of answers) expect(text, name).not.toContain(secret);
    expect(logged.join('\n')).not.toContain(secret);
  }
});

test('none stands in clear in any file of the data directory', async () => {
  for (const name of await readdir(platform.dataDir)) {
    const bytes = await readFile(join(platform.dataDir, name));
    for (const secret of sentSecrets) expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
  }
});

test('a refusal of a secret does not repeat it', async () => {
  const application = { application_id: platform.seed['application_id'] };
  await platform.must('create_secret', { ...application, key: 'TWICE', value: 'first-try' });
  for (const input of [
    { key: 'TWICE', value: 'refused-value' },
    { key: '1BAD', value: 'refused-value' },
    { key: 'X', value: 'refused-value', mount_path: 'relative' },
  ]) {
    const { status, text } = await platform.call('create_secret', { ...application, ...input });
    expect(status).toBe(400);
    expect(text).not.toContain('refused-value');
  }
});

test('a webhook says only whether it has a secret', async () => {
  const webhook = {
    organization_id: platform.organizationId,
    target_url: 'https://hooks.example.com/plain',
    events: ['DEPLOYMENT_FAILED'],
  };
  expect(await platform.must('create_webhook', webhook)).toMatchObject({
    target_secret_set: false,
    kind: 'STANDARD',
    enabled: true,
  });
  expect(JSON.parse(answers.get('create_webhook')!)).toMatchObject({ target_secret_set: true });
});

test('a helm repository keeps credentials that the contract does not know, and shows none of them', async () => {
  const request = {
    organization_id: platform.organizationId,
    name: 'of-a-vendor',
    kind: 'OCI_VENDOR_CR',
    skip_tls_verification: false,
  };
  const { config } = await platform.must('create_helm_repository', {
    ...request,
    config: { username: 'ci', json_credentials: 'not-to-be-shown' },
  });
  expect(config).toEqual({ username: 'ci' });
});

test('a webhook keeps events of other words', async () => {
  const webhook = {
    organization_id: platform.organizationId,
    target_url: 'https://hooks.example.com/words',
    events: ['DEPLOYMENT_SUCCESSFUL', 'CLUSTER_UPGRADED'],
  };
  expect(await platform.must('create_webhook', webhook)).toMatchObject({ events: webhook.events });
});

test('a helm repository shows its credentials without the secret ones', () => {
  const { config } = JSON.parse(answers.get('create_helm_repository')!) as { config: Json };
  expect(Object.keys(config).toSorted()).toEqual([
    'access_key_id',
    'azure_subscription_id',
    'azure_tenant_id',
    'region',
    'role_arn',
    'username',
    'vendor_access_key',
    'vendor_project_id',
  ]);
});

/** A container whose scaler keeps the secret it has under a name. */
const withAuthentication = (name: string) => ({
  ...requests.update_container,
  ports: [],
  storage: [],
  autoscaling: { scalers: [{ scaler_type: 'kafka', trigger_authentication: { name, config_yaml: hiddenSecret } }] },
});

test("a scaler's secret is hidden; sent back hidden it stays, and an unknown one can't stay", async () => {
  const shown = JSON.parse(answers.get('update_container')!) as {
    autoscaling: { scalers: { trigger_authentication: Json }[] };
  };
  expect(shown.autoscaling.scalers[0]!.trigger_authentication).toMatchObject({
    name: 'kafka',
    config_yaml: hiddenSecret,
    organization_id: platform.organizationId,
  });

  const sealed = () => {
    const row = (platform.dump()['service'] as { id: string; spec: string }[]).find(
      ({ id }) => id === platform.seed['container_id'],
    );
    return (JSON.parse(row!.spec) as { autoscaling: { scalers: { trigger_authentication: Json }[] } }).autoscaling
      .scalers[0]!.trigger_authentication['sealed_config_yaml'];
  };
  const before = sealed();
  await platform.must('update_container', withAuthentication('kafka'));
  expect(sealed()).toBe(before);
  const { status, body } = await platform.call('update_container', withAuthentication('another'));
  expect(status).toBe(400);
  expect(body['message']).toMatch(/^autoscaling\.scalers\.0\.trigger_authentication\.config_yaml: /);
});

test.each([
  [
    'create_application',
    { git_repository: { url: 'https://user:sent-in-the-address@git.example.com/team/app.git' } },
    /^git_repository\.url: /,
  ],
  ['create_helm_repository', { kind: 'HTTPS', url: 'https://user:sent-in-the-address@charts.example.com' }, /^url: /],
  [
    'update_helm',
    { source: { git_repository: { url: 'https://sent-in-the-address@git.example.com/team/app.git' } } },
    /^source\.git_repository\.url: /,
  ],
] as const)('%s refuses credentials in an address, which answers would show', async (name, change, message) => {
  const { status, body, text } = await platform.call(name, { ...requests[name], name: 'with credentials', ...change });
  expect(status).toBe(400);
  expect(body['message']).toMatch(message);
  expect(text).not.toContain('sent-in-the-address');
});
