import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { maximumInstances, toWire, type OperationName, operations } from '../../../src/contract/index.ts';
import { type RunningPlatform, startPlatform } from '../../../src/platform/index.ts';
import { openDatabase, openVault } from '../../../src/platform/store/index.ts';
import { directoryForRecords } from '../../support/memory-directory.ts';
import { oldDirectories, writeOldDirectory } from '../../support/old-directory.ts';
import { strictReader } from '../api/read-platform.ts';

type Json = Record<string, unknown>;

let dataDir: string;
let platform: RunningPlatform | undefined;

afterEach(async () => {
  await platform?.close();
  platform = undefined;
  await rm(dataDir, { recursive: true });
});

/**
 * A data directory as an earlier program left it. What its schema was is in the name.
 * @param more statements on top of what is stored
 */
const startOn = async (stored: string, more = ''): Promise<void> => {
  dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-old-'));
  await writeOldDirectory(dataDir, stored, more);
  platform = await startPlatform({ dataDir, timeScale: 0 });
};

const call = async (name: OperationName, input: Json = {}): Promise<Json> => {
  const { method, target, body: sent } = toWire(operations[name], input);
  const answer = await fetch(`${platform!.url}${target}`, {
    method,
    headers: {
      authorization: 'Token token-of-the-fixture',
      ...(sent !== undefined && { 'content-type': 'application/json' }),
    },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  const body = (await answer.json()) as Json;
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(body)}`);
  return body;
};

const rows = async (name: OperationName, input: Json): Promise<Json[]> =>
  (await call(name, input))['results'] as Json[];

/** Opens a secret that was sealed by the earlier program. */
const secretNamed = async (key: string): Promise<string> => {
  const db = await openDatabase(dataDir);
  const { sealed_value: sealed } = await db
    .selectFrom('variable')
    .select('sealed_value')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  await db.destroy();
  return openVault(dataDir).open(sealed!);
};

/** Waits until an application runs. */
const running = (application_id: string): Promise<void> =>
  expect.poll(async () => (await call('get_application_status', { application_id }))['state']).toBe('RUNNING');

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

test('a data directory of the first schema is brought up to date, keeps what it holds, and deploys', async () => {
  await startOn('data-0001');
  expect(await rows('list_projects', { organization_id: id(1) })).toMatchObject([
    { id: id(2), name: 'shop', description: 'From the first days.' },
  ]);
  expect(await secretNamed('API_KEY')).toBe('sealed-in-the-first-days');
  await call('deploy_application', { application_id: id(5) });
  await running(id(5));
  // Nothing of today's seed is put beside it.
  expect(await rows('list_clusters', { organization_id: id(1) })).toHaveLength(1);
  const tokens = await openDatabase(dataDir);
  expect(await tokens.selectFrom('api_token').select(['name', 'revoked_at']).orderBy('name').execute()).toEqual([
    { name: 'operator', revoked_at: null },
    { name: 'revoked long ago', revoked_at: '2025-11-02T08:00:00.000Z' },
  ]);
  await tokens.destroy();
});

test('a data directory of the second schema goes on with the deployment that was cut off, and keeps its history', async () => {
  await startOn('data-0002');
  const { organizationId, seed } = platform!;
  const projects = await rows('list_projects', { organization_id: organizationId });
  expect(new Set(projects.map(({ name }) => name))).toEqual(new Set(['data', 'from-before', 'shop']));
  const application = { application_id: seed['application_id']! };
  await running(application.application_id);
  expect(await secretNamed('OLD_SECRET')).toBe('sealed-long-ago');
  const history = await rows('list_application_deployments', application);
  expect(history.length).toBeGreaterThan(1);
  await call('deploy_application', application);
  await running(application.application_id);
  expect(await rows('list_application_deployments', application)).toHaveLength(history.length + 1);
  expect(JSON.stringify(await rows('get_application_logs', application))).toContain('Cloning repository');
  const environments = await openDatabase(dataDir);
  const deployments = await environments.selectFrom('deployment').select('status').execute();
  await environments.destroy();
  // The five of its seed, the one cut off and today's; none of today's seed.
  expect(deployments).toHaveLength(7);
});

test('the databases of an earlier program give their neighbours built-in variables, once', async () => {
  await startOn('data-0002');
  const environment_id = platform!.seed['environment_id']!;
  const told = async () =>
    (await rows('list_variables_of_environment', { environment_id })).filter(({ key }) =>
      String(key).startsWith('DATABASE_'),
    );
  const { host } = await call('get_database', { database_id: platform!.seed['database_id']! });
  const first = await told();
  expect(first.map(({ value }) => value)).toContain(host);
  const password = (await rows('list_secrets_of_environment', { environment_id })).find(({ key }) =>
    String(key).endsWith('_PASSWORD'),
  )!['key'] as string;
  expect(await secretNamed(password)).toMatch(/^[\w-]{40,}$/);
  await platform!.close();
  platform = await startPlatform({ dataDir, timeScale: 0 });
  expect(await told()).toEqual(first);
});

test('what an earlier program stored in words of its own is answered in documented ones', async () => {
  // A chart may have more than one port.
  const ports = ['UDP', 'HTTP', 'TCP'].map((protocol, index) => ({
    id: id(90 + index),
    port_type: 'HELM',
    internal_port: 80 + index,
    protocol,
  }));
  await startOn(
    'data-0002',
    `UPDATE service SET spec = json_set(spec, '$.ports', json('${JSON.stringify(ports)}')) WHERE kind = 'helm'`,
  );
  const { organizationId, seed } = platform!;
  const rules = await rows('list_alert_rules', { organization_id: organizationId });
  expect(Object.fromEntries(rules.map(({ name, target }) => [name, (target as Json)['target_type']]))).toEqual({
    'checkout-errors': 'APPLICATION',
    'node-memory': 'CLUSTER',
    'importer-down': 'CONTAINER',
    'report-late': 'CRONJOB',
    'disk-filling': 'CLUSTER',
    'old-latency': 'CLUSTER',
  });
  const helm = await call('get_helm', { helm_id: seed['helm_id']! });
  expect((helm['ports'] as Json[]).map(({ internal_port: number, protocol }) => [number, protocol])).toEqual([
    [80, 'HTTP'],
    [81, 'HTTP'],
    [82, 'HTTP'],
  ]);
  const db = await openDatabase(dataDir);
  const stored = await db
    .selectFrom('deployment_service')
    .select('spec')
    .where('kind', '=', 'helm')
    .where('spec', 'is not', null)
    .execute();
  const deployed = await db.selectFrom('service').select('deployed_spec as spec').where('kind', '=', 'helm').execute();
  await db.destroy();
  for (const { spec } of [...stored, ...deployed])
    expect(JSON.parse(spec!)).toMatchObject({
      ports: [{ internal_port: 6379, protocol: 'HTTP' }],
      arguments: ['--atomic'],
    });
});

test.each(oldDirectories)('%s: every answer is what the document allows', async (stored) => {
  await startOn(stored);
  const reader = strictReader({ must: call });
  await reader.readAll();
  expect([...reader.deviations]).toEqual([]);
});

test('user names and passwords that an earlier program stored in the addresses of webhooks are sealed, and gone from the files', async () => {
  await startOn(
    'data-0002',
    "UPDATE webhook SET target_url = 'https://hooker:made-up-pass@hooks.example.com/in' WHERE target_url = 'https://hooks.example.com/in'",
  );
  const targets = (await rows('list_webhooks', { organization_id: platform!.organizationId })).map(
    ({ target_url }) => target_url,
  );
  expect(targets).toEqual(
    expect.arrayContaining(['https://hooks.acme.example/deployments', 'https://[hidden]@hooks.example.com/in']),
  );
  const db = await openDatabase(dataDir);
  const { sealed_target_userinfo: sealed } = await db
    .selectFrom('webhook')
    .select('sealed_target_userinfo')
    .where('target_url', '=', 'https://hooks.example.com/in')
    .executeTakeFirstOrThrow();
  await db.destroy();
  expect(openVault(dataDir).open(sealed!)).toBe('hooker:made-up-pass');
  for (const name of await readdir(dataDir))
    expect((await readFile(join(dataDir, name))).includes('made-up-pass'), name).toBe(false);
});

test('a service that an earlier program stored with more instances than there may be is read, deployed and brought down', async () => {
  const counts = { min_running_instances: maximumInstances + 1, max_running_instances: maximumInstances + 1 };
  await startOn(
    'data-0002',
    `UPDATE service SET spec = json_set(spec, '$.min_running_instances', ${counts.min_running_instances}, '$.max_running_instances', ${counts.max_running_instances}) WHERE kind = 'application'`,
  );
  const application_id = platform!.seed['application_id']!;
  const { name, healthchecks, git_repository } = await call('get_application', { application_id });
  expect(await call('get_application', { application_id })).toMatchObject(counts);
  await call('deploy_application', { application_id });
  await running(application_id);
  const edit = { application_id, name, healthchecks, git_repository };
  await expect(call('update_application', { ...edit, ...counts })).rejects.toThrow('min_running_instances');
  expect(
    await call('update_application', { ...edit, min_running_instances: 1, max_running_instances: 1 }),
  ).toMatchObject({ min_running_instances: 1, max_running_instances: 1 });
});
