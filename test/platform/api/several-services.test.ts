import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = platform.seed;
});

afterAll(() => platform.close());

const environment_id = (): unknown => ids['environment_id'];
const application = () => ({ application_id: ids['application_id']! });
const commit = 'abcdef0123456789abcdef0123456789abcdef01';

const hasState = (read: () => Promise<Json>, state: string) =>
  expect.poll(async () => (await read())['state'], { interval: 10 }).toBe(state);
const reaches = (state: string) => hasState(() => platform.must('get_application_status', application()), state);
const latest = async (): Promise<Json> =>
  rowsOf(await platform.must('list_application_deployments', application()))[0]!;

test('selected services are stopped together, in one deployment, and the others are left alone', async () => {
  const { status, text } = await platform.call('stop_services', {
    environment_id: environment_id(),
    application_ids: [ids['application_id']],
    database_ids: [ids['database_id']],
  });
  expect([status, text]).toEqual([204, '']);
  await reaches('STOPPED');
  // A database is stopped after what uses it.
  const statusOfDatabase = () => platform.must('get_database_status', { database_id: ids['database_id'] });
  await hasState(statusOfDatabase, 'STOPPED');
  expect(await statusOfDatabase()).toMatchObject({
    deployment_request_id: (await platform.must('get_application_status', application()))['deployment_request_id'],
  });
  expect((await platform.must('get_container_status', { container_id: ids['container_id'] }))['state']).toBe(
    'DEPLOYED',
  );
});

test('they are started at the commit that ran, and at another one only where it is named', async () => {
  await platform.must('deploy_application', { ...application(), git_commit_id: commit });
  await reaches('RUNNING');
  await platform.must('stop_services', { environment_id: environment_id(), application_ids: [ids['application_id']] });
  await reaches('STOPPED');
  const answer = await platform.must('deploy_services', {
    environment_id: environment_id(),
    applications: [application()],
    containers: [{ id: ids['container_id'] }],
  });
  expect(answer).toMatchObject({ id: environment_id() });
  await reaches('RUNNING');
  expect(await latest()).toMatchObject({ details: { commit: { git_commit_id: commit } } });
  const other = commit.replaceAll('a', '9');
  await platform.must('deploy_services', {
    environment_id: environment_id(),
    applications: [{ ...application(), git_commit_id: other }],
  });
  await expect
    .poll(latest, { interval: 10 })
    .toMatchObject({ status: 'DEPLOYED', details: { commit: { git_commit_id: other } } });
});

test('containers and charts are deployed at the versions that are named, which are configured from then on', async () => {
  const [container, helm] = [{ container_id: ids['container_id']! }, { helm_id: ids['helm_id']! }];
  await platform.must('deploy_services', {
    environment_id: environment_id(),
    containers: [{ id: container.container_id, image_tag: '5.0.1' }],
    helms: [{ id: helm.helm_id, chart_version: '5.1.0' }],
  });
  const newest = async (list: 'list_container_deployments' | 'list_helm_deployments', of: Json): Promise<Json> =>
    rowsOf(await platform.must(list, of))[0]!;
  await expect
    .poll(() => newest('list_container_deployments', container), { interval: 10 })
    .toMatchObject({ status: 'DEPLOYED', details: { image: { tag: '5.0.1' } } });
  await expect
    .poll(() => newest('list_helm_deployments', helm), { interval: 10 })
    .toMatchObject({ status: 'DEPLOYED', details: { repository: { chart_version: '5.1.0' } } });
  expect(await platform.must('get_container', container)).toMatchObject({ tag: '5.0.1' });
  await platform.must('deploy_container', { ...container, image_tag: '5.0.2' });
  await platform.must('deploy_helm', { ...helm, chart_version: '5.1.1' });
  await expect
    .poll(() => newest('list_container_deployments', container), { interval: 10 })
    .toMatchObject({ status: 'DEPLOYED', details: { image: { tag: '5.0.2' } } });
  await expect
    .poll(() => newest('list_helm_deployments', helm), { interval: 10 })
    .toMatchObject({ status: 'DEPLOYED', details: { repository: { chart_version: '5.1.1' } } });
  expect((await platform.must('get_container_status', container))['service_deployment_status']).toBe('UP_TO_DATE');
});

test('a chart from git has a commit, and no version to deploy', async () => {
  const { source, ...helm } = await platform.must('get_helm', { helm_id: ids['helm_id'] });
  expect(source).toBeDefined();
  const git_repository = {
    url: 'https://git.acme.example/shop/chart.git',
    branch: 'main',
    root_path: '/',
    provider: 'GIT',
    git_token_id: null,
  };
  await platform.must('update_helm', {
    helm_id: ids['helm_id'],
    name: helm['name'],
    auto_deploy: false,
    arguments: [],
    values_override: {},
    source: { git_repository },
  });
  const { status, body } = await platform.call('deploy_services', {
    environment_id: environment_id(),
    helms: [{ id: ids['helm_id'], chart_version: '2.0.0' }],
  });
  expect([status, body['message']]).toEqual([
    400,
    expect.stringMatching(/^helms\.chart_version: helm .* isn't made from a chart of a repository; leave it out/),
  ]);
  await platform.must('deploy_helm', { helm_id: ids['helm_id'], git_commit_id: commit });
  await expect
    .poll(async () => rowsOf(await platform.must('list_helm_deployments', { helm_id: ids['helm_id'] }))[0], {
      interval: 10,
    })
    .toMatchObject({ status: 'DEPLOYED', details: { commit: { git_commit_id: commit } } });
});

test.each([
  ['stop_services', {}, /needs at least one service/],
  ['stop_services', { job_ids: [] }, /needs at least one service/],
  ['deploy_services', { containers: [] }, /needs at least one service/],
  ['stop_services', { helm_ids: ['@container_id'] }, /^helm_ids: no helm of the environment .* has the id/],
  ['deploy_services', { databases: ['@container_id'] }, /^databases: no database of the environment/],
] as const)('%s refuses %j', async (name, input, message) => {
  const body = JSON.parse(JSON.stringify(input).replaceAll('@container_id', ids['container_id']!)) as Json;
  const { status, body: answer } = await platform.call(name, { environment_id: environment_id(), ...body });
  expect([status, answer['message']]).toEqual([400, expect.stringMatching(message)]);
});
