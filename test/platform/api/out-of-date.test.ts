import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OperationName } from '../../../src/contract/index.ts';
import { omit } from '../../../src/server/json/index.ts';
import { instantRuntime } from '../../support/instant-runtime.ts';
import { openTestStore } from '../../support/test-store.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = platform.seed;
});
afterAll(() => platform.close());

const kinds = ['application', 'container', 'database'] as const;
type Kind = (typeof kinds)[number];

const statusOf = async (kind: Kind): Promise<unknown> =>
  (await platform.must(`get_${kind}_status`, { [`${kind}_id`]: ids[`${kind}_id`] }))['service_deployment_status'];
const statuses = () => Promise.all(kinds.map(statusOf));

const deployAll = async (): Promise<void> => {
  await platform.must('deploy_environment', { environment_id: ids['environment_id'] });
  await expect.poll(statuses, { interval: 20 }).toEqual(['UP_TO_DATE', 'UP_TO_DATE', 'UP_TO_DATE']);
};

beforeEach(async () => {
  if (!(await statuses()).every((status) => status === 'UP_TO_DATE')) await deployAll();
});

/** Changes the members of a service, which its update otherwise replaces. */
const update = async (kind: Kind, change: (service: Json) => Json): Promise<Json> => {
  const id = { [`${kind}_id`]: ids[`${kind}_id`] };
  const service = await platform.must(`get_${kind}`, id);
  await platform.must(`update_${kind}`, { ...service, ...change(service), ...id });
  return service;
};

const inApplication = (input: Json): Json => ({ application_id: ids['application_id'], ...input });

/** A change and the one that takes it back. */
interface Change {
  readonly change: () => Promise<unknown>;
  readonly back: () => Promise<unknown>;
  readonly affected?: readonly Kind[];
}

let created = 0;
const variableAt = (owner: Json, create: OperationName, edit: OperationName, member: string): Change => {
  const key = `BACK_${(created += 1)}`;
  let id: unknown;
  const set = (value: string) => platform.must(edit, { ...owner, [member]: id, key, value });
  return {
    change: async () => {
      if (id === undefined) {
        id = (await platform.must(create, { ...owner, key, value: 'one' }))['id'];
        await deployAll();
      }
      await set('two');
    },
    back: () => set('one'),
  };
};

const setLogLevel = (value: string) =>
  platform.must('update_environment_variable', {
    environment_id: ids['environment_id'],
    environment_variable_id: ids['environment_variable_id'],
    key: 'LOG_LEVEL',
    value,
  });

const changes: Readonly<Record<string, () => Change>> = {
  'a variable that is set and set back': () =>
    variableAt(
      inApplication({}),
      'create_environment_variable',
      'update_variable_of_application',
      'environment_variable_id',
    ),
  'a secret that is set and set back': () =>
    variableAt(inApplication({}), 'create_secret', 'update_secret_of_application', 'secret_id'),
  'a variable that is added and removed': () => {
    let id: unknown;
    return {
      change: async () => {
        id = (await platform.must('create_environment_variable', inApplication({ key: 'BRIEF', value: 'x' })))['id'];
      },
      back: () => platform.must('delete_variable_of_application', inApplication({ environment_variable_id: id })),
    };
  },
  'a variable of the environment, for all that see it': () => ({
    change: () => setLogLevel('another'),
    back: () => setLogLevel('info'),
    affected: ['application', 'container'],
  }),
  'a configuration that is changed and changed back': () => {
    let before: Json;
    return {
      change: async () => {
        before = await update('application', ({ memory }) => ({ memory: Number(memory) + 128 }));
      },
      back: () => update('application', () => before),
    };
  },
  'a port that is closed and opened again': () => {
    let before: Json;
    return {
      change: async () => {
        before = await update('application', () => ({ ports: [], healthchecks: {} }));
      },
      back: () =>
        update('application', () => ({
          ...before,
          ports: (before['ports'] as Json[]).map((port) => omit(port, ['id'])),
        })),
    };
  },
  'a name that is given and taken back': () => {
    let before: Json;
    return {
      change: async () => {
        before = await update('container', () => ({ name: 'for-a-moment' }));
      },
      back: () => update('container', () => ({ name: before['name'] })),
      affected: ['container'],
    };
  },
  'a database that is renamed, with its host in the variables of others': () => {
    let before: Json;
    return {
      change: async () => {
        before = await update('database', () => ({ name: 'renamed-for-a-moment' }));
      },
      back: () => update('database', () => ({ name: before['name'] })),
      affected: ['application', 'container', 'database'],
    };
  },
};

describe('a service is out of date while it differs from what is deployed:', () => {
  test.each(Object.entries(changes))('%s', async (_, changeOf) => {
    const { change, back, affected = ['application'] } = changeOf();
    await change();
    expect(await statuses()).toEqual(kinds.map((kind) => (affected.includes(kind) ? 'OUT_OF_DATE' : 'UP_TO_DATE')));
    await back();
    expect(await statuses()).toEqual(['UP_TO_DATE', 'UP_TO_DATE', 'UP_TO_DATE']);
  });
});

test("what no deployment has doesn't count: a description of a variable", async () => {
  const { id } = await platform.must('create_environment_variable', inApplication({ key: 'DESCRIBED', value: 'x' }));
  await deployAll();
  await platform.must(
    'update_variable_of_application',
    inApplication({ environment_variable_id: id, key: 'DESCRIBED', value: 'x', description: 'What it is for.' }),
  );
  expect(await statusOf('application')).toBe('UP_TO_DATE');
});

test("a database that came in the meantime doesn't count either", async () => {
  const { change, back } = changes['a variable that is set and set back']!();
  await change();
  await platform.must('create_database', {
    environment_id: ids['environment_id'],
    name: 'one-more',
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
    cpu: 250,
    memory: 256,
    storage: 10,
  });
  await back();
  expect(await statusOf('application')).toBe('UP_TO_DATE');
});

test('what is stored of a deployment tells no secret; without it, any change counts until the next deployment', async () => {
  const secret = 'a-secret-that-nobody-else-has';
  await platform.must('create_secret', inApplication({ key: 'UNTOLD', value: secret }));
  await deployAll();
  const store = await (platform.openRecords ?? (() => openTestStore(platform.dataDir)))();
  try {
    const ofApplication = store
      .selectFrom('service')
      .select('deployed_digest')
      .where('id', '=', ids['application_id']!);
    const { deployed_digest: digest } = await ofApplication.executeTakeFirstOrThrow();
    expect(Object.keys(JSON.parse(digest!) as Json)).toEqual(['configuration', 'domains', 'variables', 'builtIn']);
    expect(JSON.stringify(platform.dump())).not.toContain(secret);
    const { change, back } = changes['a configuration that is changed and changed back']!();
    await change();
    // As an earlier version left it.
    await store.write((trx) =>
      trx.updateTable('service').set({ deployed_digest: null }).where('id', '=', ids['application_id']!).execute(),
    );
    await back();
    expect(await statuses()).toEqual(['OUT_OF_DATE', 'UP_TO_DATE', 'UP_TO_DATE']);
    await deployAll();
    await change();
    await back();
    expect(await statuses()).toEqual(['UP_TO_DATE', 'UP_TO_DATE', 'UP_TO_DATE']);
  } finally {
    await store.destroy();
  }
});

test('a deployment that an earlier version records has no digest, until it is computed while the service is up to date', async () => {
  const { change, back } = changes['a variable that is set and set back']!();
  await change();
  const store = await (platform.openRecords ?? (() => openTestStore(platform.dataDir)))();
  try {
    const ofApplication = () =>
      store
        .selectFrom('service')
        .select(['deployed_digest', 'deployed_spec', 'deployed_commit', 'deployed_record'])
        .where('id', '=', ids['application_id']!)
        .executeTakeFirstOrThrow();
    const { deployed_digest: before, ...deployed } = await ofApplication();
    // It deploys what is configured, with the changed variable, and leaves the digest of the deployment before.
    await store.write((trx) =>
      trx
        .updateTable('service')
        .set({ ...deployed, deployment_status: 'UP_TO_DATE' })
        .where('id', '=', ids['application_id']!)
        .execute(),
    );
    platform = await platform.restart();
    await expect.poll(async () => [null, before].includes((await ofApplication()).deployed_digest)).toBe(false);
  } finally {
    await store.destroy();
  }
  await back();
  expect(await statusOf('application')).toBe('OUT_OF_DATE');
  await change();
  expect(await statusOf('application')).toBe('UP_TO_DATE');
});

test('a domain of a cluster with real addresses is part of what is deployed, and so is its removal', async () => {
  const real = await startTestPlatform({
    realClusters: {
      clusters: [
        {
          name: 'real',
          description: 'With addresses of its own.',
          version: 'test',
          createRuntime: () => ({
            ...instantRuntime,
            domainTarget: ({ id }: { readonly id: string }) => `${id}.example.com`,
          }),
        },
      ],
      registries: [{ name: 'ours', kind: 'GENERIC_CR', url: 'https://registry.example.com' }],
    },
  });
  onTestFinished(() => real.close());
  const organization = { organization_id: real.organizationId };
  const [cluster] = rowsOf(await real.must('list_clusters', organization)).filter(({ name }) => name === 'real');
  const [registry] = rowsOf(await real.must('list_container_registries', organization)).filter(
    ({ name }) => name === 'ours',
  );
  const project = await real.must('create_project', { ...organization, name: 'addresses' });
  const environment = await real.must('create_environment', {
    project_id: project['id'],
    name: 'one',
    mode: 'STAGING',
    cluster_id: cluster!['id'],
  });
  const { id: container_id } = await real.must('create_container', {
    environment_id: environment['id'],
    name: 'web',
    registry_id: registry!['id'],
    image_name: 'web',
    tag: '1',
    cpu: 10,
    memory: 10,
    healthchecks: {},
  });
  const status = async () => (await real.must('get_container_status', { container_id }))['service_deployment_status'];
  const deploy = async (): Promise<void> => {
    await real.must('deploy_container', { container_id });
    await expect.poll(status, { interval: 20 }).toBe('UP_TO_DATE');
  };
  const create = () =>
    real.must('create_container_domain', { container_id, domain: 'www.example.org', generate_certificate: false });
  await deploy();
  const { id: custom_domain_id } = await create();
  expect(await status()).toBe('OUT_OF_DATE');
  await real.must('delete_container_domain', { container_id, custom_domain_id });
  expect(await status()).toBe('UP_TO_DATE');
  const { id: kept } = await create();
  await deploy();
  await real.must('delete_container_domain', { container_id, custom_domain_id: kept });
  expect(await status()).toBe('OUT_OF_DATE');
});
