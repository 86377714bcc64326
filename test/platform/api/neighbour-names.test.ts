import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
/** A database of the seed, and the hosts by which its neighbours reach it. */
let [host, environment, other]: string[] = [];

const git_repository = { url: 'https://git.example/shop/app.git' };

beforeAll(async () => {
  platform = await startTestPlatform();
  environment = platform.seed['environment_id']!;
  host = `orders-db-${platform.seed['database_id']!.slice(0, 8)}`;
  other = String(
    (
      await platform.must('create_environment', {
        project_id: platform.seed['project_id'],
        cluster_id: platform.seed['cluster_id'],
        name: 'elsewhere',
        mode: 'STAGING',
      })
    )['id'],
  );
});

afterAll(() => platform.close());

const create = (name: string, environment_id = environment) =>
  platform.call('create_application', { environment_id, name, git_repository });

const refusal = {
  status: 400,
  text: expect.stringMatching(
    /"orders-db-[0-9a-f]{8}" is the host name of \\"orders-db\\" \(database [0-9a-f-]+\)|host name of/,
  ) as string,
};

test('a new service can not have the host name of another one in its environment, in whatever case', async () => {
  for (const name of [host!, host!.toUpperCase()]) expect(await create(name)).toMatchObject(refusal);
  const { status } = await platform.call('create_database', {
    environment_id: environment,
    name: host,
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
  });
  expect(status).toBe(400);
});

test('elsewhere it can, because networks are of one environment', async () => {
  expect(await create(host!, other)).toMatchObject({ status: 201 });
});

test('a service can not be renamed so, and may keep its name', async () => {
  const { body } = await create('plain');
  const update = (name: string): Promise<{ status: number; text: string }> =>
    platform.call('update_application', { application_id: body['id'], name, git_repository, healthchecks: {} });
  expect(await update(host!)).toMatchObject(refusal);
  expect(await update('plain')).toMatchObject({ status: 200 });
  expect(await update('plainer')).toMatchObject({ status: 200 });
});

test('a service can not be renamed to what makes its host name that of another one', async () => {
  const first = (await create('first')).body;
  expect(await create(`second-${String(first['id']).slice(0, 8)}`)).toMatchObject({ status: 201 });
  expect(
    await platform.call('update_application', {
      application_id: first['id'],
      name: 'Second',
      git_repository,
      healthchecks: {},
    }),
  ).toMatchObject({ status: 400, text: expect.stringContaining('is the host name of') as string });
});

test('a name that only looks like one is taken', async () => {
  expect(await create(`orders-db-${'0'.repeat(8)}`)).toMatchObject({ status: 201 });
});
