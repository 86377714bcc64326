import { afterEach, beforeEach, expect, test } from 'vitest';
import { serviceKinds, type OperationName } from '../../../src/contract/index.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;

beforeEach(async () => {
  platform = await startTestPlatform();
});

afterEach(() => platform.close());

const environment = () => ({ environment_id: platform.seed['environment_id']! });
const idOf = (kind: string) => ({ [`${kind}_id`]: platform.seed[`${kind}_id`]! });

const gone = (name: OperationName, input: Record<string, unknown>) =>
  expect.poll(async () => (await platform.call(name, input)).status, { interval: 10 }).toBe(404);

test.each(serviceKinds)('a %s is deleted: its id is unknown afterwards, its name free', async (kind) => {
  const service = await platform.must(`get_${kind}`, idOf(kind));
  const reply = await platform.call(`delete_${kind}`, idOf(kind));
  expect([reply.status, reply.text]).toEqual([204, '']);
  await gone(`get_${kind}`, idOf(kind));
  for (const read of [`get_${kind}_status`, `get_${kind}_logs`, `list_${kind}_deployments`, `delete_${kind}`] as const)
    expect([read, (await platform.call(read, idOf(kind))).status]).toEqual([read, 404]);
  const { environment: where, name } = service as { environment: { id: string }; name: string };
  const services = rowsOf(await platform.must('list_services', { environment_id: where.id }));
  expect(services.map(({ id }) => id)).not.toContain(service['id']);
  const made = await platform.must('create_database', {
    environment_id: where.id,
    name,
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
  });
  expect(made['id']).not.toBe(service['id']);
});

test('an environment is deleted with all that is in it, and its project has one less', async () => {
  const { project } = (await platform.must('get_environment', environment())) as { project: { id: string } };
  const countOf = async () =>
    rowsOf(await platform.must('list_projects', { organization_id: platform.organizationId })).find(
      ({ id }) => id === project.id,
    )!['associated_environments_count'];
  const before = Number(await countOf());
  const services = rowsOf(await platform.must('list_services', environment()));
  await platform.must('delete_environment', environment());
  await gone('get_environment', environment());
  for (const { id, service_type } of services) {
    const kind = String(service_type).toLowerCase() as (typeof serviceKinds)[number];
    expect((await platform.call(`get_${kind}`, { [`${kind}_id`]: id })).status).toBe(404);
  }
  expect(await countOf()).toBe(before - 1);
  // What answers of the whole organization are made of is whole.
  for (const read of ['list_alert_rules', 'list_helm_repositories', 'list_webhooks'] as const)
    await platform.must(read, { organization_id: platform.organizationId });
});

test('nothing is added to an environment or changed in it while it is being deleted', async () => {
  platform = await platform.restart({ timeScale: 1000 });
  await platform.must('delete_environment', environment());
  const deletion = (platform.dump()['deployment'] as Json[]).find(
    ({ action, ended_at: end }) => action === 'DELETE' && end === null,
  )!['id'];
  const refused: [OperationName, Record<string, unknown>][] = [
    ['create_database', { ...environment(), name: 'late', type: 'REDIS', version: '7', mode: 'CONTAINER' }],
    ['create_environment_variable', { ...idOf('application'), key: 'LATE', value: 'x' }],
    ['deploy_application', idOf('application')],
    ['deploy_environment', environment()],
    ['stop_environment', environment()],
    ['delete_environment', environment()],
    ['delete_application', idOf('application')],
  ];
  for (const [name, input] of refused) {
    const { status, body } = await platform.call(name, input);
    expect([name, status, body['message']]).toEqual([
      name,
      400,
      expect.stringContaining(`(deployment ${String(deletion)})`),
    ]);
  }
  // That it was asked for is recorded as that, and not as done.
  const { events } = await platform.must('list_events', {
    organization_id: platform.organizationId,
    target_type: 'ENVIRONMENT',
    target_id: platform.seed['environment_id'],
  });
  expect((events as Json[])[0]).toMatchObject({
    event_type: 'TRIGGER_DELETE',
    change: JSON.stringify({ deployment_id: deletion }),
  });
  // It can be called off.
  await platform.must('cancel_deployment', environment());
});

test('on a locked cluster nothing is deleted', async () => {
  await platform.must('lock_cluster', { cluster_id: platform.seed['cluster_id'], reason: 'an audit' });
  for (const [name, input] of [
    ['delete_environment', environment()],
    ['delete_application', idOf('application')],
  ] as const) {
    const { status, body } = await platform.call(name, input);
    expect([status, body['message']]).toEqual([400, expect.stringContaining('an audit')]);
  }
});

test('only an admin deletes', async () => {
  const { status, body } = await platform.call('delete_database', idOf('database'), {
    authorization: `Token ${platform.tokens.write}`,
  });
  expect([status, body['message']]).toEqual([403, expect.stringContaining('admin')]);
});
