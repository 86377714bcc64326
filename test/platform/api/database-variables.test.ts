import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let environment: Json;

beforeAll(async () => {
  platform = await startTestPlatform();
  environment = { environment_id: platform.seed['environment_id'] };
});
afterAll(() => platform.close());

const create = (name: string, type = 'POSTGRESQL') =>
  platform.must('create_database', {
    ...environment,
    name,
    type,
    version: '16',
    mode: 'CONTAINER',
    cpu: 250,
    memory: 512,
  });
const about = (rows: Json[], name: unknown) =>
  rows.filter(({ description }) => String(description).endsWith(` of the database ${String(name)}`));
const variables = async (place: Json = environment) =>
  rowsOf(await platform.must('list_variables_of_environment', place));
const secrets = async () => rowsOf(await platform.must('list_secrets_of_environment', environment));
/** What is stored of the variables of databases with such a name. */
const of = (name: RegExp) =>
  (platform.dump()['variable'] as Json[]).filter(({ description }) =>
    name.test(/of the database (.+)$/.exec(String(description))?.[1] ?? ''),
  );

test('a database gives its neighbours its address and login, and the password as a secret', async () => {
  const { id, host, port } = await create('ledger-db');
  const prefix = `DATABASE_${String(id).slice(0, 8).toUpperCase()}`;
  const told = about(await variables(), 'ledger-db');
  expect(Object.fromEntries(told.map(({ key, value }) => [key, value]))).toEqual({
    [`${prefix}_HOST`]: host,
    [`${prefix}_PORT`]: String(port),
    [`${prefix}_NAME`]: 'main',
    [`${prefix}_USER`]: 'admin',
  });
  expect(told.every(({ scope, variable_type: type }) => scope === 'BUILT_IN' && type === 'BUILT_IN')).toBe(true);
  expect((await secrets()).map(({ key }) => key)).toContain(`${prefix}_PASSWORD`);
  for (const [list, kind] of [
    ['list_environment_variables', 'application'],
    ['list_variables_of_container', 'container'],
    ['list_variables_of_job', 'job'],
  ] as const) {
    expect(
      rowsOf(await platform.must(list, { [`${kind}_id`]: platform.seed[`${kind}_id`] })).map(({ key }) => key),
    ).toContain(`${prefix}_HOST`);
  }
});

test('nobody changes or deletes them', async () => {
  const { id } = await create('fixed-db');
  const key = (part: string) => `DATABASE_${String(id).slice(0, 8).toUpperCase()}_${part}`;
  const host = (await variables()).find((row) => row['key'] === key('HOST'))!;
  const password = (await secrets()).find((row) => row['key'] === key('PASSWORD'))!;
  expect(
    (
      await platform.call('update_environment_variable', {
        ...environment,
        environment_variable_id: host['id'],
        key: key('HOST'),
        value: 'x',
      })
    ).status,
  ).toBe(400);
  expect(
    (await platform.call('delete_variable_of_environment', { ...environment, environment_variable_id: host['id'] }))
      .status,
  ).toBe(400);
  expect(
    (await platform.call('delete_secret_of_environment', { ...environment, secret_id: password['id'] })).status,
  ).toBe(400);
});

test('a new name moves the host, and what uses it is out of date; the password and the keys stay', async () => {
  const { id } = await create('before-db');
  const application = { application_id: platform.seed['application_id'] };
  const deployed = () => platform.must('get_application_status', application);
  const { deployment_request_id: request } = await platform.must('deploy_application', application);
  await expect
    .poll(deployed, { interval: 20 })
    .toMatchObject({ deployment_request_id: request, state: 'RUNNING', service_deployment_status: 'UP_TO_DATE' });
  const before = of(/before|after/);
  const { host } = await platform.must('update_database', {
    database_id: id,
    ...(await platform.must('get_database', { database_id: id })),
    name: 'after-db',
  });
  expect(host).toMatch(/^after-db-/);
  expect(of(/before|after/).map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(of(/before|after/).find(({ key }) => String(key).endsWith('_HOST'))).toMatchObject({ value: host });
  expect(of(/before|after/).map(({ sealed_value: sealed }) => sealed)).toEqual(
    before.map(({ sealed_value: sealed }) => sealed),
  );
  expect(await deployed()).toMatchObject({ service_deployment_status: 'OUT_OF_DATE' });
});

test('they go with the database', async () => {
  const { id } = await create('short-db', 'REDIS');
  expect(of(/short/)).toHaveLength(5);
  await platform.must('delete_database', { database_id: id });
  await expect.poll(() => of(/short/)).toEqual([]);
});

test('the databases of a copy have their own', async () => {
  const copy = await platform.must('clone_environment', { ...environment, name: 'copied', mode: 'DEVELOPMENT' });
  const there = (await variables({ environment_id: copy['id'] })).filter(({ key }) =>
    /^DATABASE_\w+_HOST$/.test(String(key)),
  );
  const here = (await variables()).filter(({ key }) => /^DATABASE_\w+_HOST$/.test(String(key)));
  expect(there).toHaveLength(here.length);
  expect(there.map(({ value }) => value)).not.toEqual(expect.arrayContaining([here[0]!['value']]));
});
