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

const reaches = (state: string) => expect.poll(async () => (await platform.must('get_application_status', application()))['state'], { timeout: 10_000, interval: 10 }).toBe(state);
const latest = async (): Promise<Json> => rowsOf(await platform.must('list_application_deployments', application()))[0]!;

test('selected services are stopped together, in one deployment, and the others are left alone', async () => {
  const { status, text } = await platform.call('stop_services', { environment_id: environment_id(), application_ids: [ids['application_id']], database_ids: [ids['database_id']] });
  expect([status, text]).toEqual([204, '']);
  await reaches('STOPPED');
  const database = await platform.must('get_database_status', { database_id: ids['database_id'] });
  expect(database).toMatchObject({ state: 'STOPPED', deployment_request_id: (await platform.must('get_application_status', application()))['deployment_request_id'] });
  expect((await platform.must('get_container_status', { container_id: ids['container_id'] }))['state']).toBe('DEPLOYED');
});

test('they are started at the commit that ran, and at another one only where it is named', async () => {
  await platform.must('deploy_application', { ...application(), git_commit_id: commit });
  await reaches('RUNNING');
  await platform.must('stop_services', { environment_id: environment_id(), application_ids: [ids['application_id']] });
  await reaches('STOPPED');
  const answer = await platform.must('start_services', { environment_id: environment_id(), applications: [application()], containers: [{ id: ids['container_id'] }] });
  expect(answer).toMatchObject({ id: environment_id() });
  await reaches('RUNNING');
  expect(await latest()).toMatchObject({ details: { commit: { git_commit_id: commit } } });
  const other = commit.replaceAll('a', '9');
  await platform.must('start_services', { environment_id: environment_id(), applications: [{ ...application(), git_commit_id: other }] });
  await expect.poll(latest, { timeout: 10_000, interval: 10 }).toMatchObject({ status: 'DEPLOYED', details: { commit: { git_commit_id: other } } });
});

test.each([
  ['stop_services', {}, /needs at least one id/],
  ['stop_services', { job_ids: [] }, /needs at least one id/],
  ['start_services', { containers: [] }, /needs at least one service/],
  ['stop_services', { helm_ids: ['@container_id'] }, /^helm_ids: no helm of the environment .* has the id/],
  ['start_services', { databases: ['@container_id'] }, /^database_ids: no database of the environment/],
] as const)('%s refuses %j', async (name, input, message) => {
  const body = JSON.parse(JSON.stringify(input).replaceAll('@container_id', ids['container_id']!)) as Json;
  const { status, body: answer } = await platform.call(name, { environment_id: environment_id(), ...body });
  expect([status, answer['message']]).toEqual([400, expect.stringMatching(message)]);
});
