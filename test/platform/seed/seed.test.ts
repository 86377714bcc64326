import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Uuid, EnvironmentMode, allOperations, type OperationName } from '../../../src/contract/index.ts';
import { type Json, type TestPlatform, rowsOf, startTestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let organization: { organization_id: string };

beforeAll(async () => {
  platform = await startTestPlatform();
  organization = { organization_id: platform.organizationId };
});

afterAll(() => platform.close());

const list = async (name: OperationName, input: Json = {}) =>
  rowsOf(await platform.must(name, { ...organization, ...input }));

const names = [
  'project_id',
  'environment_id',
  'environment_variable_id',
  'application_id',
  'container_id',
  'registry_id',
  'database_id',
  'helm_id',
  'terraform_id',
  'job_id',
  'cluster_id',
  'labels_group_id',
  'annotations_group_id',
  'alert_rule_id',
  'alert_receiver_id',
  'webhook_id',
  'role_id',
  'secret_id',
  'custom_domain_id',
  'helm_repository_id',
  'git_token_id',
  'backup_id',
];

test('names one of everything, and nothing twice', () => {
  expect(Object.keys(platform.seed)).toEqual(names);
  for (const id of Object.values(platform.seed)) expect(Uuid.safeParse(id).success).toBe(true);
  expect(new Set(Object.values(platform.seed)).size).toBe(names.length);
});

test('is the same in every directory, and made once', async () => {
  const other = await startTestPlatform();
  expect([other.organizationId, other.seed]).toEqual([platform.organizationId, platform.seed]);
  await other.close();
  const before = platform.dump();
  platform = await platform.restart();
  expect(platform.dump()).toEqual(before);
});

test('every operation that names what it acts on can act on it', async () => {
  const reads = allOperations.filter(({ method }) => method === 'GET').map(({ name }) => name as OperationName);
  const ofHelm = { scope: 'HELM', parent_id: platform.seed['helm_id'] };
  const statuses = await Promise.all(
    reads.map(async (name) => [
      name,
      (await platform.call(name, { ...organization, ...platform.seed, ...ofHelm })).status,
    ]),
  );
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
});

test('the environment is STAGING and runs; variable, container and cluster belong to it', async () => {
  const environment = await platform.must('get_environment', { environment_id: platform.seed['environment_id'] });
  expect(environment).toMatchObject({
    mode: 'STAGING',
    project: { id: platform.seed['project_id'] },
    cluster_id: platform.seed['cluster_id'],
  });
  const { environment: status } = await platform.must('get_environment_status', {
    environment_id: platform.seed['environment_id'],
  });
  expect(status).toMatchObject({ state: 'DEPLOYED' });
  for (const kind of ['application', 'container', 'database', 'helm', 'terraform', 'job'] as const) {
    expect(await platform.must(`get_${kind}`, { [`${kind}_id`]: platform.seed[`${kind}_id`] })).toMatchObject({
      environment: { id: platform.seed['environment_id'] },
    });
    expect(await platform.must(`get_${kind}_status`, { [`${kind}_id`]: platform.seed[`${kind}_id`] })).toMatchObject({
      service_deployment_status: 'UP_TO_DATE',
    });
  }
  const variables = await list('list_variables_of_environment', { environment_id: platform.seed['environment_id'] });
  expect(variables.find(({ id }) => id === platform.seed['environment_variable_id'])).toMatchObject({
    scope: 'ENVIRONMENT',
    variable_type: 'VALUE',
  });
  const cluster = await platform.must('get_cluster_status', {
    ...organization,
    cluster_id: platform.seed['cluster_id'],
  });
  expect(cluster).toMatchObject({ cluster_lock: null, next_k8s_available_version: expect.any(String) });
});

describe('holds what no operation can create', () => {
  test('environments of every mode, production with services', async () => {
    const projects = await list('list_projects');
    expect(projects.length).toBeGreaterThan(1);
    const environments = (
      await Promise.all(projects.map(({ id }) => list('list_environments', { project_id: id })))
    ).flat();
    expect(new Set(environments.map((row) => row['mode']))).toEqual(new Set(EnvironmentMode.options));
    const production = environments.find((row) => row['mode'] === 'PRODUCTION')!;
    expect((await list('list_services', { environment_id: production['id'] })).length).toBeGreaterThan(2);
  });

  test('an autoscaled container with labels and annotations', async () => {
    expect(await platform.must('get_container', { container_id: platform.seed['container_id'] })).toMatchObject({
      autoscaling: { mode: 'KEDA', scalers: [{ trigger_authentication: { name: expect.any(String) } }] },
      labels_groups: [{ id: platform.seed['labels_group_id'] }],
      annotations_groups: [{ id: platform.seed['annotations_group_id'] }],
    });
  });

  test('a job with a history', async () => {
    const history = await list('list_job_deployments', { job_id: platform.seed['job_id'] });
    expect(history.length).toBeGreaterThan(1);
  });

  test('alert rules of both sources, each pointing at something', async () => {
    const rules = await list('list_alert_rules');
    expect(new Set(rules.map((row) => row['source']))).toEqual(new Set(['MANAGED', 'GHOST']));
    expect(rules.some((row) => (row['target'] as Json)['service'] !== undefined)).toBe(true);
  });

  test('members of every role', async () => {
    expect(new Set((await list('list_members')).map((row) => row['role']))).toEqual(
      new Set(['ADMIN', 'DEVELOPER', 'OWNER', 'VIEWER']),
    );
  });

  test('a webhook that nobody receives', async () => {
    expect((await list('list_webhooks')).find(({ id }) => id === platform.seed['webhook_id'])).toMatchObject({
      enabled: false,
      target_secret_set: true,
    });
  });

  test('clusters with and without a next version, locked and not', async () => {
    const clusters = await list('list_clusters');
    expect(new Set(clusters.map((row) => row['is_locked']))).toEqual(new Set([true, false]));
  });
});
