import { afterAll, beforeAll, expect, test } from 'vitest';
import { newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient, type User } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let user: User;

const secret = 'only-the-repository-knows-it';

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token);
  user = userAnswering(agree);
  client = await connectors.modern(user);
};

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0 });
  await connect();
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const newestEvent = (): Promise<Json> => newestEventOf(platform);

const call = async (tool: string, args: Json = {}) => {
  const result = await client.call(tool, args);
  expect(JSON.stringify(result)).not.toContain(secret);
  return result;
};

const succeeded = succeeding(call);

/** The last question that the user was asked. */
const question = (): string => user.questions.at(-1)!.message;

/** What is stored of the secrets of a repository, in whatever words. */
const sealedOf = (table: string, id: unknown): unknown =>
  (platform.dump()[table] as Json[]).find((row) => row['id'] === id)!['sealed_config'];

const source = (id: unknown) => ({
  source: { helm_repository: { repository: id, chart_name: 'a', chart_version: '1' } },
});

test('a Helm repository is linked, moved, used, and removed once nothing uses it', async () => {
  const made = await succeeded('create_helm_repository', {
    name: 'vendor',
    kind: 'HTTPS',
    url: 'https://charts.example.com',
    skip_tls_verification: false,
    config: { username: 'ci', password: secret },
  });
  const repository = { helm_repository_id: 'vendor' };
  const sealed = sealedOf('helm_repository', made['id']);
  expect(sealed).not.toBeNull();

  await succeeded('update_helm_repository', { ...repository, url: 'https://elsewhere.example.com' });
  expect(question()).toContain('config.password');
  expect(question()).toContain('they are sent to the new address');
  expect(sealedOf('helm_repository', made['id'])).toBe(sealed);
  const event = await newestEvent();
  expect(event).toMatchObject({ event_type: 'UPDATE', target_type: 'HELM_REPOSITORY', target_id: made['id'] });
  expect(JSON.parse(String(event['change']))).toEqual({ url: 'https://elsewhere.example.com' });

  await succeeded('update_helm_repository', { ...repository, config: { password: `${secret} now` } });
  expect(sealedOf('helm_repository', made['id'])).not.toBe(sealed);
  expect(JSON.stringify(await newestEvent())).not.toContain(secret);
  await succeeded('update_helm_repository', { ...repository, config: { password: '' } });
  expect(sealedOf('helm_repository', made['id'])).toBeNull();

  const helm = { helm_id: platform.seed['helm_id'], values_override: {} };
  await succeeded('update_helm', { ...helm, ...source(made['id']) });
  const refused = await call('delete_helm_repository', repository);
  expect(question()).toContain('Used by: helm shop/staging/session-cache.');
  expect(textOf(refused)).toContain('1 service uses it (shop/staging/session-cache)');

  await connectors.close();
  platform = await platform.restart();
  await connect();
  expect(rowsOf(await succeeded('list_helm_repositories')).find(({ id }) => id === made['id'])).toMatchObject({
    url: 'https://elsewhere.example.com',
    associated_services_count: 1,
  });
  await succeeded('update_helm', { ...helm, ...source(platform.seed['helm_repository_id']) });
  await succeeded('delete_helm_repository', repository);
  expect(question()).toContain('No service that is shown here uses it.');
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', target_type: 'HELM_REPOSITORY' });
  expect(rowsOf(await succeeded('list_helm_repositories')).map(({ id }) => id)).not.toContain(made['id']);
  const late = await platform.call('update_helm', {
    ...helm,
    ...source(made['id']),
    name: 'late',
    auto_deploy: false,
    arguments: [],
  });
  expect(late.status).toBe(400);
});

test('a container registry is linked, moved, used, and unlinked once nothing uses it', async () => {
  const made = await succeeded('create_container_registry', {
    name: 'mirror',
    kind: 'GENERIC_CR',
    url: 'https://mirror.example.com',
    config: { username: 'puller', password: secret },
  });
  expect(made['config']).toEqual({ username: 'puller' });
  const registry = { registry_id: 'mirror' };
  const sealed = sealedOf('registry', made['id']);
  expect(sealed).not.toBeNull();

  const container = { container_id: platform.seed['container_id'] };
  await succeeded('update_container', { ...container, registry_id: 'mirror' });
  await succeeded('update_container_registry', { ...registry, url: 'https://elsewhere.example.com' });
  expect(question()).toContain('they are sent to the new address');
  expect(question()).toContain('Used by: container shop/staging/search.');
  expect(sealedOf('registry', made['id'])).toBe(sealed);
  const event = await newestEvent();
  expect(event).toMatchObject({ event_type: 'UPDATE', target_type: 'CONTAINER_REGISTRY', target_id: made['id'] });
  expect(JSON.parse(String(event['change']))).toEqual({ url: 'https://elsewhere.example.com' });
  expect((await call('update_container_registry', { ...registry, kind: 'DOCKER_HUB' })).isError).toBe(true);

  await succeeded('update_container_registry', { ...registry, config: { password: `${secret} now` } });
  expect(sealedOf('registry', made['id'])).not.toBe(sealed);
  expect(JSON.stringify(await newestEvent())).not.toContain(secret);

  const refused = await call('delete_container_registry', registry);
  expect(question()).toContain('their images can not be pulled');
  expect(textOf(refused)).toContain('1 service uses it (shop/staging/search)');

  await connectors.close();
  platform = await platform.restart();
  await connect();
  expect(rowsOf(await succeeded('list_container_registries')).find(({ id }) => id === made['id'])).toMatchObject({
    url: 'https://elsewhere.example.com',
    associated_services_count: 1,
  });
  const job = { job_id: platform.seed['job_id'] };
  const { source: present } = await platform.must('get_job', job);
  await succeeded('update_job', {
    ...job,
    source: { image: { ...(present as { image: Json }).image, registry_id: made['id'] } },
  });
  expect(
    rowsOf(
      await platform.must('list_services_of_container_registry', {
        organization_id: platform.organizationId,
        registry_id: made['id'],
      }),
    ).map(({ service_type: type }) => type),
  ).toEqual(['JOB', 'CONTAINER']);
  await succeeded('update_job', { ...job, source: { image: { registry_id: platform.seed['registry_id'] } } });
  await succeeded('update_container', { ...container, registry_id: 'acme' });
  await succeeded('delete_container_registry', registry);
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', target_type: 'CONTAINER_REGISTRY' });
  expect(rowsOf(await succeeded('list_container_registries')).map(({ id }) => id)).not.toContain(made['id']);
});

test('a git token is stored, used for its own server, rotated, and deleted once nothing uses it', async () => {
  const made = await succeeded('create_git_token', {
    name: 'reader',
    type: 'GIT',
    git_api_url: 'https://git.example.com/api',
    token: secret,
    expired_at: '2999-01-01',
  });
  expect(made['expired_at']).toBe('2999-01-01T00:00:00.000Z');
  const token = { git_token_id: 'reader' };
  const sealedToken = (): unknown =>
    (platform.dump()['git_token'] as Json[]).find(({ id }) => id === made['id'])!['sealed_token'];
  const sealed = sealedToken();

  const application = { application_id: platform.seed['application_id'] };
  const withToken = (url: string) =>
    call('update_application', { ...application, git_repository: { url, git_token_id: 'reader' } });
  expect(textOf(await withToken('https://evil.example.com/shop.git'))).toContain('not for evil.example.com');
  expect((await withToken('https://git.example.com/shop.git')).isError).toBeFalsy();

  expect(textOf(await call('update_git_token', { ...token, git_api_url: 'https://evil.example.com' }))).toContain(
    'the stored token was not given for evil.example.com',
  );
  await succeeded('update_git_token', { ...token, description: 'Reads.' });
  expect(question()).toMatch(/Used by: application shop\/staging\/[\w-]+\./);
  expect(sealedToken()).toBe(sealed);
  await succeeded('update_git_token', { ...token, token: `${secret} now` });
  expect(sealedToken()).not.toBe(sealed);
  const event = await newestEvent();
  expect(event).toMatchObject({ event_type: 'UPDATE', sub_target_type: 'GIT_TOKEN' });
  expect(JSON.stringify(event)).not.toContain(secret);

  const refused = await call('delete_git_token', token);
  expect(question()).toContain('builds and lists of commits fail');
  expect(question()).toContain('until it is revoked there');
  expect(textOf(refused)).toContain('1 service uses it');
  await succeeded('update_application', { ...application, git_repository: { git_token_id: null } });
  await succeeded('delete_git_token', token);
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', sub_target_type: 'GIT_TOKEN' });
  expect(rowsOf(await succeeded('list_git_tokens')).map(({ id }) => id)).not.toContain(made['id']);
  expect((await withToken('https://git.example.com/shop.git')).isError).toBe(true);
});

test.each([
  ['labels', { labels: [{ key: 'owner', value: 'a', propagate_to_cloud_provider: false }] }],
  ['annotations', { annotations: [{ key: 'owner', value: 'a' }], scopes: ['PODS'] }],
] as const)(
  'a group of %s is made, given to a service, changed, and removed once nothing has it',
  async (kind, body) => {
    const made = await succeeded(`create_${kind}_group`, { name: `owners-${kind}`, ...body });
    const group = { [`${kind}_group_id`]: `owners-${kind}` };
    const application = { application_id: platform.seed['application_id'] };
    expect((await call(`create_${kind}_group`, { name: `OWNERS-${kind}`, ...body })).isError).toBe(true);
    await succeeded('update_application', { ...application, [`${kind}_groups`]: [{ id: made['id'] }] });

    await succeeded(`update_${kind}_group`, { ...group, [kind]: [{ key: 'owner', value: 'b' }] });
    expect(question()).toMatch(/Used by: application shop\/staging\/[\w-]+\./);
    const event = await newestEvent();
    expect(event).toMatchObject({ event_type: 'UPDATE', target_id: made['id'] });
    expect(JSON.stringify(event['change'])).toContain('owner');
    const kept = rowsOf(await succeeded(`list_${kind}_groups`)).find(({ id }) => id === made['id'])!;
    expect(kept[kind]).toMatchObject([{ key: 'owner', value: 'b' }]);

    const refused = await call(`delete_${kind}_group`, group);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('1 service uses it');
    await succeeded('update_application', { ...application, [`${kind}_groups`]: [] });
    await succeeded(`delete_${kind}_group`, group);
    expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', target_id: made['id'] });
    expect(rowsOf(await succeeded(`list_${kind}_groups`)).map(({ id }) => id)).not.toContain(made['id']);
  },
);
