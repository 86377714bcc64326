import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Json,
  type PlatformResponse,
  rowsOf,
  startTestPlatform,
  type TestPlatform,
} from '../../support/test-platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
});
afterAll(() => platform.close());

const create = async (name: string): Promise<string> =>
  String(
    (
      await platform.must('create_project', {
        organization_id: platform.organizationId,
        name,
        description: 'Of the tests.',
      })
    )['id'],
  );

const environment = async (projectId: string, name: string, mode = 'STAGING'): Promise<string> =>
  String(
    (
      await platform.must('create_environment', {
        project_id: projectId,
        name,
        mode,
        cluster_id: platform.seed['cluster_id'],
      })
    )['id'],
  );

const expectRefusal = ({ status, body }: PlatformResponse, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

const eventsOf = async (targetId: string): Promise<Json[]> => {
  const { events } = await platform.must('list_events', { organization_id: platform.organizationId, page_size: 100 });
  return (events as Json[]).filter(({ target_id: id }) => id === targetId);
};

test('a project is read, renamed and described; what is left out of the description goes', async () => {
  const id = await create('billing');
  expect(await platform.must('get_project', { project_id: id })).toMatchObject({
    name: 'billing',
    description: 'Of the tests.',
    associated_environments_count: 0,
  });
  const renamed = await platform.must('update_project', { project_id: id, name: 'Billing' });
  expect(renamed).toMatchObject({ id, name: 'Billing' });
  expect(renamed).not.toHaveProperty('description');
  expect(await platform.must('get_project', { project_id: id })).toEqual(renamed);
  expect((await eventsOf(id))[0]).toMatchObject({ event_type: 'UPDATE', target_type: 'PROJECT' });
});

test('a project or an environment does not get the name of another one, in whatever case', async () => {
  const [id] = [await create('one'), await create('other')];
  expectRefusal(await platform.call('update_project', { project_id: id, name: 'OTHER' }), /^name: .*"other"/);
  const here = await environment(id, 'here');
  await environment(id, 'there');
  const refused = { environment_id: here, name: 'There', mode: 'STAGING' };
  expectRefusal(await platform.call('update_environment', refused), /^name: .*"there"/);
  expect(await platform.must('get_environment', { environment_id: here })).toMatchObject({ name: 'here' });
});

test('a project goes with its variables once it has no environments', async () => {
  const id = await create('short-lived');
  await platform.must('create_variable_of_project', { project_id: id, key: 'REGION', value: 'north' });
  const inside = await environment(id, 'trial');
  expectRefusal(
    await platform.call('delete_project', { project_id: id }),
    /has 1 environment \(trial\)\. Delete these first/,
  );
  await platform.must('delete_environment', { environment_id: inside });
  await expect.poll(async () => (await platform.call('get_environment', { environment_id: inside })).status).toBe(404);
  await platform.must('delete_project', { project_id: id });
  expect((await platform.call('get_project', { project_id: id })).status).toBe(404);
  expect((await eventsOf(id))[0]).toMatchObject({ event_type: 'DELETE', target_name: 'short-lived' });
});

test('a new mode reaches the built-in variables and what reads them; a new name alone does not', async () => {
  const id = platform.seed['environment_id'];
  const before = await platform.must('get_environment', { environment_id: id });
  const mode = async () =>
    rowsOf(await platform.must('list_variables_of_environment', { environment_id: id })).find(
      ({ key }) => key === 'PLATFORM_ENVIRONMENT_MODE',
    )?.['value'];
  expect(await mode()).toBe(before['mode']);
  await platform.must('update_environment', { environment_id: id, name: 'renamed', mode: before['mode'] });
  const other = before['mode'] === 'STAGING' ? 'DEVELOPMENT' : 'STAGING';
  const changed = await platform.must('update_environment', { environment_id: id, name: 'renamed', mode: other });
  expect(changed).toMatchObject({ name: 'renamed', mode: other, cluster_id: before['cluster_id'] });
  expect(await mode()).toBe(other);
  const { applications } = await platform.must('get_environment_status', { environment_id: id });
  expect((applications as Json[]).map((status) => status['service_deployment_status'])).not.toContain('UP_TO_DATE');
});

test('an environment on a locked cluster keeps its name, and so does its project', async () => {
  const id = platform.seed['environment_id'];
  const { cluster_id, name, mode, project } = await platform.must('get_environment', { environment_id: id });
  const { id: project_id } = project as Json;
  await platform.must('lock_cluster', { cluster_id, reason: 'an audit', ttl_in_days: 1 });
  expectRefusal(await platform.call('update_environment', { environment_id: id, name: 'other', mode }), /an audit/);
  expectRefusal(await platform.call('update_project', { project_id, name: 'other' }), /an audit/);
  await platform.must('unlock_cluster', { cluster_id });
  expect(await platform.must('get_environment', { environment_id: id })).toMatchObject({ name });
});
