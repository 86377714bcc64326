import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VariableScope, VariableType } from '../../../src/contract/resources/variable.ts';
import { type Json, type TestPlatform, unknownId, rowsOf, startTestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = platform.seed;
});

afterAll(() => platform.close());

const ofApplication = async () =>
  rowsOf(await platform.must('list_environment_variables', { application_id: ids['application_id'] }));
const ofContainer = async () =>
  rowsOf(await platform.must('list_variables_of_container', { container_id: ids['container_id'] }));
const withScope = (rows: Json[], scope: string) => rows.filter((row) => row['scope'] === scope);
const create = (input: Json) =>
  platform.call('create_environment_variable', { application_id: ids['application_id'], ...input });
const edit = (id: unknown, input: Json) =>
  platform.call('update_environment_variable', {
    environment_id: ids['environment_id'],
    environment_variable_id: id,
    ...input,
  });
const override = (id: unknown, input: Json) =>
  platform.call('override_environment_variable', {
    container_id: ids['container_id'],
    environment_variable_id: id,
    ...input,
  });
const statusOf = async (kind: 'application' | 'container' | 'database') =>
  (await platform.must(`get_${kind}_status`, { [`${kind}_id`]: ids[`${kind}_id`] }))['service_deployment_status'];

const expectRefusal = ({ status, body }: { status: number; body: Json }, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

describe('the list of an application', () => {
  test('shows every scope that it inherits, and its own', async () => {
    const rows = await ofApplication();
    expect(new Set(rows.map((row) => row['scope']))).toEqual(
      new Set(['BUILT_IN', 'PROJECT', 'ENVIRONMENT', 'APPLICATION']),
    );
    expect(rows.map((row) => row['id'])).toContain(ids['environment_variable_id']);
    expect(
      withScope(rows, 'APPLICATION').every(
        (row) => row['service_id'] === ids['application_id'] && row['service_type'] === 'APPLICATION',
      ),
    ).toBe(true);
    expect(withScope(rows, 'PROJECT').every((row) => !('service_id' in row))).toBe(true);
  });

  test('never shows a secret', async () => {
    const { id } = await platform.must('create_secret', {
      application_id: ids['application_id'],
      key: 'UNSEEN',
      value: 'x',
    });
    const rows = await ofApplication();
    expect(rows.filter((row) => row['id'] === id || row['key'] === 'UNSEEN')).toEqual([]);
  });

  test('shows nothing of other services', async () => {
    await platform.must('create_environment_variable', {
      application_id: ids['application_id'],
      key: 'OF_THE_APPLICATION',
      value: 'x',
    });
    expect((await ofContainer()).map((row) => row['key'])).not.toContain('OF_THE_APPLICATION');
  });

  test('has the alias with the value of its target', async () => {
    const alias = (await ofApplication()).find((row) => row['variable_type'] === 'ALIAS')!;
    const target = alias['aliased_variable'] as Json;
    expect(alias['value']).toBe(target['value']);
    expect(alias).not.toHaveProperty('overridden_variable');
  });
});

const ownOfApplication = async (key: string) => (await ofApplication()).find((row) => row['key'] === key)!;
const changeAtService = (id: unknown, input: Json, of: 'application' | 'container' = 'application') =>
  platform.call(`update_variable_of_${of}`, { [`${of}_id`]: ids[`${of}_id`], environment_variable_id: id, ...input });

describe('a variable of a service, changed at the service', () => {
  test('is replaced, and its service is out of date', async () => {
    const {
      body: { id },
    } = await create({ key: 'AT_THE_SERVICE', value: 'one', description: 'gone after the replacement' });
    const { status, body } = await changeAtService(id, { key: 'AT_THE_SERVICE', value: 'two' });
    expect([status, body['value'], body['service_id']]).toEqual([200, 'two', ids['application_id']]);
    expect(await ownOfApplication('AT_THE_SERVICE')).not.toHaveProperty('description');
    expect(await statusOf('application')).toBe('OUT_OF_DATE');
  });

  test('is only its own: neither inherited nor of another service, nor a secret', async () => {
    const secret = await platform.must('create_secret', {
      application_id: ids['application_id'],
      key: 'NOT_HERE',
      value: 'x',
    });
    for (const id of [
      ids['environment_variable_id'],
      withScope(await ofContainer(), 'CONTAINER')[0]!['id'],
      secret['id'],
    ])
      expect((await changeAtService(id, { key: 'LOG_LEVEL', value: 'x' })).status).toBe(404);
    expect(
      (
        await changeAtService(
          (await ownOfApplication('PAYMENT_PROVIDER'))['id'],
          { key: 'PAYMENT_PROVIDER', value: 'x' },
          'container',
        )
      ).status,
    ).toBe(404);
  });

  test('keeps what can not be changed', async () => {
    expectRefusal(
      await changeAtService((await ownOfApplication('MAIL_API_URL'))['id'], { key: 'MAIL_API_URL', value: 'x' }),
      /owned by external-secrets/,
    );
  });
});

test('the seed has a variable of every scope and of every type', async () => {
  const lists = [
    await ofApplication(),
    await ofContainer(),
    ...['JOB', 'HELM', 'TERRAFORM'].map((scope) =>
      (platform.dump()['variable'] as Json[]).filter((row) => row['scope'] === scope),
    ),
  ].flat();
  expect(new Set(lists.map((row) => row['scope']))).toEqual(new Set(VariableScope.options));
  expect(new Set(lists.map((row) => row['variable_type']))).toEqual(new Set(VariableType.options));
});

test('a new environment has built-in variables of its own', async () => {
  const environment = await platform.must('create_environment', {
    project_id: ids['project_id'],
    cluster_id: ids['cluster_id'],
    name: 'with built-ins',
    mode: 'DEVELOPMENT',
  });
  const rows = withScope(
    rowsOf(await platform.must('list_variables_of_environment', { environment_id: environment['id'] })),
    'BUILT_IN',
  );
  expect(Object.fromEntries(rows.map((row) => [row['key'], row['value']]))).toEqual({
    PLATFORM_PROJECT_ID: ids['project_id'],
    PLATFORM_ENVIRONMENT_ID: environment['id'],
    PLATFORM_ENVIRONMENT_MODE: 'DEVELOPMENT',
  });
});

describe('creating', () => {
  test('a variable with a mount path makes a file', async () => {
    expect((await create({ key: 'AS_FILE', value: 'x', mount_path: '/etc/x' })).body).toMatchObject({
      variable_type: 'FILE',
      mount_path: '/etc/x',
    });
    expect((await create({ key: 'AS_VALUE', value: '' })).body).toMatchObject({
      variable_type: 'VALUE',
      mount_path: null,
      value: '',
    });
  });

  test('keys are case-sensitive and unique in their scope, secrets included', async () => {
    expect((await create({ key: 'ONCE', value: 'x' })).status).toBe(201);
    expect((await create({ key: 'Once', value: 'x' })).status).toBe(201);
    expectRefusal(await create({ key: 'ONCE', value: 'y' }), /^key: .*ONCE already/);
    expectRefusal(
      await platform.call('create_secret', { application_id: ids['application_id'], key: 'ONCE', value: 'y' }),
      /^key: /,
    );
  });

  test('a key of a higher scope can be used again', async () => {
    const [inherited] = withScope(await ofApplication(), 'PROJECT');
    expect((await create({ key: inherited!['key'], value: 'own' })).status).toBe(201);
  });

  test.each(['1A', '_A', 'A-B', 'A B', '', 'Ä'])('the key "%s" is refused', async (key) => {
    expectRefusal(await create({ key, value: 'x' }), /^key: /);
  });

  test('a description has at most 255 characters', async () => {
    expect((await create({ key: 'LONG', value: 'x', description: 'd'.repeat(255) })).status).toBe(201);
    expectRefusal(await create({ key: 'LONGER', value: 'x', description: 'd'.repeat(256) }), /^description: /);
  });
});

describe('editing', () => {
  test('replaces the whole variable', async () => {
    const id = ids['environment_variable_id'];
    await platform.must('update_environment_variable', {
      environment_id: ids['environment_id'],
      environment_variable_id: id,
      key: 'EDITED',
      value: 'one',
      description: 'd',
      mount_path: '/etc/e',
    });
    const { body } = await edit(id, { key: 'EDITED', value: 'two' });
    expect(body).toMatchObject({
      id,
      key: 'EDITED',
      value: 'two',
      scope: 'ENVIRONMENT',
      variable_type: 'VALUE',
      mount_path: null,
    });
    expect(body).not.toHaveProperty('description');
  });

  test('reaches the variables of the services in the environment', async () => {
    const { body } = await create({ key: 'TO_EDIT', value: 'x' });
    expect((await edit(body['id'], { key: 'TO_EDIT', value: 'y' })).body).toMatchObject({
      value: 'y',
      service_id: ids['application_id'],
    });
  });

  test('a key that the scope has already is refused', async () => {
    await create({ key: 'TAKEN', value: 'x' });
    const { body } = await create({ key: 'FREE', value: 'x' });
    expectRefusal(await edit(body['id'], { key: 'TAKEN', value: 'x' }), /^key: .*TAKEN/);
    expect((await edit(body['id'], { key: 'FREE', value: 'z' })).status).toBe(200);
  });

  test('what is built in is refused', async () => {
    const [builtIn] = withScope(await ofApplication(), 'BUILT_IN');
    expectRefusal(await edit(builtIn!['id'], { key: builtIn!['key'], value: 'x' }), /built in/);
  });

  test('what the whole project shares is refused: it would change the other environments too', async () => {
    const [shared] = withScope(await ofApplication(), 'PROJECT');
    expectRefusal(await edit(shared!['id'], { key: shared!['key'], value: 'x' }), /scope PROJECT/);
  });

  test('what an external secrets manager owns is refused', async () => {
    const external = (await ofApplication()).find((row) => row['variable_type'] === 'EXTERNAL_SECRET')!;
    expectRefusal(await edit(external['id'], { key: external['key'], value: 'x' }), /owned by/);
  });

  test("an alias keeps its target's value, and an override its key", async () => {
    const alias = (await ofApplication()).find((row) => row['variable_type'] === 'ALIAS')!;
    expectRefusal(await edit(alias['id'], { key: alias['key'], value: 'other' }), /^value: /);
    expect((await edit(alias['id'], { key: 'RENAMED_ALIAS', value: alias['value'] })).body).toMatchObject({
      variable_type: 'ALIAS',
      key: 'RENAMED_ALIAS',
    });
    const overriding = (await ofContainer()).find((row) => row['variable_type'] === 'OVERRIDE')!;
    expectRefusal(await edit(overriding['id'], { key: 'OTHER', value: 'x' }), /^key: /);
    expect((await edit(overriding['id'], { key: overriding['key'], value: 'changed' })).body).toMatchObject({
      variable_type: 'OVERRIDE',
      value: 'changed',
    });
  });

  test('variables of other environments, and secrets, are not found', async () => {
    const { id } = await platform.must('create_secret', {
      application_id: ids['application_id'],
      key: 'HIDDEN',
      value: 'x',
    });
    expect((await edit(id, { key: 'HIDDEN', value: 'shown?' })).status).toBe(404);
    const elsewhere = (platform.dump()['variable'] as Json[]).find(
      (row) => row['environment_id'] !== null && row['environment_id'] !== ids['environment_id'],
    )!;
    expect((await edit(elsewhere['id'], { key: 'X', value: 'x' })).status).toBe(404);
    expect((await edit(unknownId, { key: 'X', value: 'x' })).status).toBe(404);
  });
});

describe('overriding', () => {
  test('gives the container its own value, beside the inherited one', async () => {
    const { status, body } = await override(ids['environment_variable_id'], { value: 'mine', description: 'why' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      value: 'mine',
      scope: 'CONTAINER',
      variable_type: 'OVERRIDE',
      service_id: ids['container_id'],
      service_type: 'CONTAINER',
      description: 'why',
      overridden_variable: { id: ids['environment_variable_id'], scope: 'ENVIRONMENT' },
    });
    const rows = await ofContainer();
    expect(rows.map((row) => row['id'])).toEqual(expect.arrayContaining([body['id'], ids['environment_variable_id']]));
    expectRefusal(await override(ids['environment_variable_id'], { value: 'again' }), /^key: .*already/);
  });

  test('what is built in can be overridden', async () => {
    const [builtIn] = withScope(await ofContainer(), 'BUILT_IN');
    expect((await override(builtIn!['id'], { value: 'x' })).body).toMatchObject({
      overridden_variable: { scope: 'BUILT_IN' },
    });
  });

  test("goes only from a higher scope to a lower one, and never to another service's variable", async () => {
    const own = withScope(await ofContainer(), 'CONTAINER')[0]!;
    expectRefusal(await override(own['id'], { value: 'x' }), /scope CONTAINER.*higher scope/);
    const { body } = await create({ key: 'OF_ANOTHER', value: 'x' });
    expect((await override(body['id'], { value: 'x' })).status).toBe(404);
  });
});

const statuses = () => Promise.all((['application', 'container', 'database'] as const).map(statusOf));

const settle = async () => {
  await platform.must('deploy_environment', { environment_id: ids['environment_id'] });
  await expect.poll(statuses, { interval: 20 }).toEqual(['UP_TO_DATE', 'UP_TO_DATE', 'UP_TO_DATE']);
};

describe('what runs is out of date', () => {
  const changes: [string, () => Promise<{ status: number }>, string[]][] = [
    [
      "after a variable of the application's",
      () => create({ key: 'STALE', value: 'x' }),
      ['OUT_OF_DATE', 'UP_TO_DATE', 'UP_TO_DATE'],
    ],
    [
      "after a secret of the application's",
      () => platform.call('create_secret', { application_id: ids['application_id'], key: 'STALE_TOO', value: 'x' }),
      ['OUT_OF_DATE', 'UP_TO_DATE', 'UP_TO_DATE'],
    ],
    [
      'everywhere but in databases, which read none, after a variable of the environment',
      () =>
        platform.call('create_variable_of_environment', {
          environment_id: ids['environment_id'],
          key: 'STALE_EVERYWHERE',
          value: 'x',
        }),
      ['OUT_OF_DATE', 'OUT_OF_DATE', 'UP_TO_DATE'],
    ],
    [
      'not where another value is in its place',
      () => edit(ids['environment_variable_id'], { key: 'EDITED', value: 'stale' }),
      ['OUT_OF_DATE', 'UP_TO_DATE', 'UP_TO_DATE'],
    ],
  ];

  test.each(changes)('%s', async (_, change, expected) => {
    await settle();
    expect((await change()).status).toBeLessThan(300);
    expect(await statuses()).toEqual(expected);
  });
});
