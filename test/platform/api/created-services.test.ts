import { afterAll, beforeAll, expect, test } from 'vitest';
import { succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern(user);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const succeeded = succeeding((tool, args) => client.call(tool, args));
const failed = async (tool: string, args: Json): Promise<string> => {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBe(true);
  return textOf(result);
};

const environment = 'shop/staging';
const chart = { helm_repository: { repository: 'charts', chart_name: 'redis', chart_version: '19.1.0' } };

test('a Helm release is created from a chart, changed, deployed and deleted', async () => {
  const made = await succeeded('create_helm', {
    environment,
    name: 'cache',
    source: chart,
    values_override: { set: [['replicas', '2']], file: { raw: { values: [{ name: 'a.yaml', content: 'a: 1' }] } } },
  });
  expect(made).toMatchObject({ auto_deploy: false, values_override: { set: [['replicas', '2']] } });
  const [event] = (await platform.must('list_events', { organization_id: platform.organizationId }))[
    'events'
  ] as Json[];
  expect(event).toMatchObject({ event_type: 'CREATE', target_type: 'HELM', target_name: 'cache' });
  const uses = await platform.must('list_services_of_helm_repository', {
    organization_id: platform.organizationId,
    helm_repository_id: platform.seed['helm_repository_id'],
  });
  expect(JSON.stringify(uses)).toContain(String(made['id']));

  await succeeded('update_helm', {
    helm: `${environment}/cache`,
    source: { helm_repository: { chart_version: '19.2.0' } },
  });
  expect(await succeeded('deploy_service', { service: `${environment}/cache`, wait: true })).toMatchObject({
    outcome: 'succeeded',
  });
  expect(await succeeded('get_helm', { helm: `${environment}/cache` })).toMatchObject({
    source: { repository: { chart_name: 'redis', chart_version: '19.2.0' } },
  });
  expect(await succeeded('delete_service', { service: `${environment}/cache`, wait: true })).toMatchObject({
    outcome: 'succeeded',
  });
});

test.each<[string, Json, RegExp]>([
  ['a name that is taken', { name: 'Session-Cache' }, /"?name"?.*session-cache/],
  [
    'values that are no YAML',
    { values_override: { file: { raw: { values: [{ name: 'a', content: 'a: [' }] } } } },
    /values_override\.file\.raw\.values/,
  ],
  [
    'a repository that there is not',
    { source: { helm_repository: { ...chart.helm_repository, repository: 'nowhere' } } },
    /nowhere/,
  ],
  [
    'a version that no chart can have',
    { source: { helm_repository: { ...chart.helm_repository, chart_version: '1 2' } } },
    /chart_version/,
  ],
])('a Helm release is not created with %s, and nothing is', async (_, change, says) => {
  const before = rowsOf(
    await platform.must('list_services', { environment_id: platform.seed['environment_id'] }),
  ).length;
  expect(await failed('create_helm', { environment, name: 'refused', source: chart, ...change })).toMatch(says);
  expect(
    rowsOf(await platform.must('list_services', { environment_id: platform.seed['environment_id'] })),
  ).toHaveLength(before);
});

const git_repository = { url: 'https://git.acme.example/acme/network.git', branch: 'main', root_path: '/aws' };
const value = 'made-up-Passw0rd-of-a-test';

test('a Terraform service is created with sealed variables, applied and deleted', async () => {
  const plan = await client.call('create_terraform', {
    environment,
    name: 'network',
    git_repository,
    tf_vars: [
      { key: 'pass_phrase', value, secret: true },
      { key: 'region', value: 'eu-west-3', secret: false },
      { key: 'zone', value: 'a' },
    ],
    dry_run: true,
  });
  expect(textOf(plan)).toContain('{"key":"region","value":"eu-west-3","secret":false},{"key":"zone","value":"a"}');
  expect(textOf(plan)).toContain('The platform keeps its state');
  expect(JSON.stringify(plan)).not.toContain(value);
  const result = await client.call('create_terraform', {
    environment,
    name: 'network',
    git_repository,
    tf_vars: [
      { key: 'db_password', value, secret: true },
      { key: 'region', value: 'eu-west-3' },
    ],
    terraform_version: '1.9.5',
    backend: 'user_provided',
    cpu: 250,
  });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(JSON.stringify(result)).not.toContain(value);
  expect(result.structuredContent).toMatchObject({
    cpu: 250,
    provider_version: { explicit_version: '1.9.5', read_from_terraform_block: false },
    terraform_files_source: { git: { git_repository: { ...git_repository, name: 'network' } } },
  });

  const terraform_id = (result.structuredContent as Json)['id'];
  expect(await platform.must('get_terraform', { terraform_id })).toMatchObject({
    backend: { user_provided: {} },
    engine: 'TERRAFORM',
  });
  const variables = rowsOf(
    await platform.must('list_variables', { scope: 'TERRAFORM', parent_id: terraform_id }),
  ).filter(({ scope }) => scope === 'TERRAFORM');
  expect(variables.map(({ key, is_secret, value: shown }) => [key, is_secret, shown])).toEqual(
    expect.arrayContaining([
      ['TF_VAR_region', false, 'eu-west-3'],
      ['TF_VAR_db_password', true, null],
    ]),
  );
  expect(JSON.stringify(platform.dump())).not.toContain(value);

  await succeeded('update_terraform', { terraform: `${environment}/network`, timeout_sec: 900 });
  expect(await platform.must('get_terraform', { terraform_id })).toMatchObject({
    timeout_sec: 900,
    backend: { user_provided: {} },
  });

  // Sent again, a variable is replaced.
  const { id: _, ...rest } = await platform.must('get_terraform', { terraform_id });
  await platform.must('update_terraform', {
    terraform_id,
    name: 'network',
    terraform_files_source: rest['terraform_files_source'],
    terraform_variables_source: { tf_vars: [{ key: 'region', value: 'eu-west-1' }] },
  });
  const after = rowsOf(await platform.must('list_variables', { scope: 'TERRAFORM', parent_id: terraform_id }));
  expect(after.find(({ key }) => key === 'TF_VAR_region')).toMatchObject({ value: 'eu-west-1' });
  expect(after.find(({ key }) => key === 'TF_VAR_db_password')).toMatchObject({ is_secret: true });

  await succeeded('redeploy_terraform', { terraform: `${environment}/network`, wait: true });
  expect(await succeeded('delete_service', { service: `${environment}/network`, wait: true })).toMatchObject({
    outcome: 'succeeded',
  });
});

test('a Terraform service is changed: what is not given stays, and secrets show nowhere', async () => {
  const terraform = `${environment}/assets-bucket`;
  const terraform_id = platform.seed['terraform_id'];
  const before = await platform.must('get_terraform', { terraform_id });
  const change = {
    terraform,
    git_repository: { branch: 'next' },
    tf_vars: [{ key: 'db_password', value, secret: true }],
    terraform_version: '1.9.5',
    memory: 1024,
  };
  const plan = textOf(await client.call('update_terraform', { ...change, dry_run: true }));
  expect(plan).toContain('terraform_files_source.git_repository.branch: main → next');
  expect(plan).toMatch(/^terraform_variables_source\.tf_vars: adds [^\n]*db_password/m);
  expect(plan).not.toContain(value);
  expect(plan).not.toContain('lost');
  expect(await platform.must('get_terraform', { terraform_id })).toEqual(before);

  const result = await client.call('update_terraform', change);
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(JSON.stringify([result, user.questions])).not.toContain(value);
  expect((result.structuredContent as Json)['changes']).toEqual(
    expect.arrayContaining([
      'terraform_files_source.git_repository.branch: main → next',
      'job_resources.ram_mib: 512 → 1024',
    ]),
  );
  const { updated_at: _, ...after } = await platform.must('get_terraform', { terraform_id });
  const { updated_at: __, ...stayed } = before;
  const repository = ((before['terraform_files_source'] as Json)['git'] as Json)['git_repository'] as Json;
  expect(after).toEqual({
    ...stayed,
    description: '',
    engine: 'TERRAFORM',
    memory: 1024,
    provider_version: { explicit_version: '1.9.5', read_from_terraform_block: false },
    terraform_files_source: { git: { git_repository: { ...repository, branch: 'next' } } },
  });
  const keys = async () =>
    rowsOf(await platform.must('list_variables', { scope: 'TERRAFORM', parent_id: terraform_id })).map(
      ({ key }) => key,
    );
  expect(await keys()).toContain('TF_VAR_db_password');
  const secondVariable = { key: 'region', value: 'eu-west-3', secret: false };
  await succeeded('update_terraform', { terraform, tf_vars: [secondVariable] });
  const again = textOf(
    await client.call('update_terraform', {
      terraform,
      tf_vars: [{ key: 'db_password', value: `${value}-2`, secret: true }],
      dry_run: true,
    }),
  );
  expect(again).toMatch(/^terraform_variables_source\.tf_vars: replaces [^\n]*db_password/m);
  expect(again).toContain('Not given: region. They are variables of the service, and stay as they are.');
  expect(again).not.toContain('adds');
  await succeeded('update_terraform', { terraform, terraform_version: null, description: 'Buckets.' });
  expect(await platform.must('get_terraform', { terraform_id })).toMatchObject({
    provider_version: { read_from_terraform_block: true },
    description: 'Buckets.',
    memory: 1024,
  });
  expect(await keys()).toContain('TF_VAR_db_password');
  expect(await failed('update_terraform', { terraform, cpu: 1_000_000 })).toMatch(/maximum/);
});

test.each<[string, Json, RegExp]>([
  ['a repository that is none', { git_repository: { url: 'nowhere' } }, /git_repository/],
  ['more CPU than its cluster allows', { cpu: 1_000_000 }, /maximum/],
  ['a variable that Terraform can not have', { tf_vars: [{ key: 'a b', value: 'x' }] }, /tf_vars/],
])('a Terraform service is not created with %s', async (_, change, says) => {
  expect(await failed('create_terraform', { environment, name: 'refused', git_repository, ...change })).toMatch(says);
});

test.each<[Json, RegExp]>([
  [{ engine: 'ANOTHER' }, /^engine: only TERRAFORM runs here/],
  [{ auto_deploy_config: { auto_deploy: true, terraform_action: 'PLAN' } }, /^auto_deploy_config\.terraform_action: /],
  [{ backend: {} }, /^backend: must have exactly one/],
  [{ terraform_files_source: {} }, /^terraform_files_source: must have exactly one/],
  [{ job_resources: { cpu_milli: 1_000_000, ram_mib: 512 } }, /maximum/],
])('the platform refuses %j', async (change, message) => {
  const { status, body } = await platform.call('create_terraform', {
    environment_id: platform.seed['environment_id'],
    name: 'refused',
    terraform_files_source: { git_repository },
    ...change,
  });
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
});
