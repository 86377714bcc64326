import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDockerVolume,
  deleteDockerVolume,
  execInDockerContainer,
  inspectDockerContainer,
  inspectDockerService,
  listDockerConfigs,
  listDockerContainers,
  listDockerSecrets,
  listDockerServices,
  listDockerTasks,
  listDockerVolumes,
} from '../../src/platform/runtime/docker/api/index.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';
import { dataWith, runningConditions } from '../support/conditions.ts';
import { waitUntil } from '../support/docker/docker-engine.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import type { Json } from '../support/test-platform.ts';
import { isLanding } from '../suites.ts';

let docker: DockerPlatform;
/** PostgreSQL, and Redis. */
let shop: string;
let cache: string;
/** A container beside them, and one in another environment. Both have the clients of databases. */
let near: string;
let far: string;

const request = { version: '15', mode: 'CONTAINER', cpu: 250, memory: 256, storage: 1 } as const;
const create = async (name: string, type: string, more: Json = {}): Promise<string> =>
  String(
    (
      await docker.platform.must('create_database', {
        environment_id: docker.environmentId,
        name,
        type,
        ...request,
        ...more,
      })
    )['id'],
  );

const deployed = { state: 'DEPLOYED', service_deployment_status: 'UP_TO_DATE' };
const act = (action: Parameters<DockerPlatform['act']>[0], id: string) => docker.act(action, id, 'database');
const change = async (id: string, members: Json): Promise<void> => {
  const { version, cpu, memory, storage } = await docker.platform.must('get_database', { database_id: id });
  await docker.platform.must('update_database', { database_id: id, version, cpu, memory, storage, ...members });
};

const runningContainer = async (id: string) => {
  const [container] = await listDockerContainers(docker.engine.docker, {
    label: [`io.infra-mcp.service=${id}`],
    status: ['running'],
  });
  return inspectDockerContainer(docker.engine.docker, container!.Id);
};

/** Runs a program in the container of a service. @returns what it prints */
async function run(id: string, ...command: string[]): Promise<string> {
  const { output } = await execInDockerContainer(docker.engine.docker, (await runningContainer(id)).Id, { command });
  const chunks: Buffer[] = [];
  for await (const { bytes } of output) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8').trim();
}

/** Runs a script in a container with the variables that its program has. */
const runScript = (id: string, script: string): Promise<string> =>
  run(id, '/.infra/entrypoint', '/run/secrets/infra-environment', '/bin/sh', '-c', `${script} 2>&1`);

/** A variable that the neighbours of a database have, as a shell reads it. */
const variable = (id: string, part: string): string => `"$DATABASE_${id.slice(0, 8).toUpperCase()}_${part}"`;
const at = (id: string): string => `-h ${variable(id, 'HOST')} -p ${variable(id, 'PORT')}`;

/** Asks PostgreSQL from its neighbour. */
const sql = (command: string): Promise<string> =>
  runScript(
    near,
    `PGPASSWORD=${variable(shop, 'PASSWORD')} psql -At ${at(shop)} -U ${variable(shop, 'USER')} -d ${variable(shop, 'NAME')} -c "${command}"`,
  );

/** Asks Redis from its neighbour. */
const redis = (command: string, password = variable(cache, 'PASSWORD')): Promise<string> =>
  runScript(near, `REDISCLI_AUTH=${password} redis-cli ${at(cache)} ${command}`);

beforeAll(async () => {
  docker = await startDockerPlatform();
  await Promise.all([docker.publish('shell', '1'), docker.publish('postgres', '15'), docker.publish('redis', '7.0')]);
  [shop, cache] = [
    await create('Shop DB!', 'POSTGRESQL'),
    await create('cache', 'REDIS', { version: '7.0', memory: 64 }),
  ];
  const client = { image_name: 'postgres', tag: '15' };
  const wait = 'trap "exit 0" TERM INT; sleep 3600 & wait';
  near = await docker.container('near', wait, client);
  far = await docker.container('far', wait, { ...client, environment_id: await docker.environment('elsewhere') });
  await docker.platform.must('deploy_environment', { environment_id: docker.environmentId });
  expect(await docker.act('deploy', far)).toMatchObject(deployed);
  const state = async () => (await docker.platform.must('get_container_status', { container_id: near }))['state'];
  await waitUntil('the environment has its databases and containers', async () =>
    /^(?:DEPLOYED|CANCELED|.*_ERROR)$/.test(String(await state())),
  );
  expect([
    await state(),
    await docker.messages(shop, 'database'),
    await docker.messages(cache, 'database'),
    await docker.messages(near),
  ]).toMatchObject({ 0: 'DEPLOYED' });
});
afterAll(() => docker?.end());

test('databases are pulled, set up and rolled out before their neighbours, which connect with the variables', async () => {
  const messages = await docker.messages(shop, 'database');
  expect(messages).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Pulled 127\.0\.0\.1:\d+\/postgres:15$/),
      expect.stringMatching(/^Instance shop-db-1-\w+ is running$/),
    ]),
  );
  expect(await sql("create table kept as select 'a row'::text as what")).toBe('SELECT 1');
  expect(await redis('set kept value')).toBe('OK');
  expect(await redis('get kept', 'wrong')).toMatch(/NOAUTH/);
});

test('it has an instance on one node, stopped before it is replaced, with memory to share', async () => {
  const {
    Spec: {
      TaskTemplate: { ContainerSpec: container, Placement },
      Mode,
      UpdateConfig,
    },
  } = await inspectDockerService(docker.engine.docker, `infra-${shop}`);
  expect(container.Image).toMatch(/\/postgres@sha256:[0-9a-f]{64}$/);
  expect(container.Mounts).toMatchObject([
    { Type: 'volume', Target: '/var/lib/postgresql/data' },
    { Type: 'tmpfs', Target: '/dev/shm', TmpfsOptions: { SizeBytes: 128 * 1024 * 1024 } },
  ]);
  expect(Mode?.Replicated?.Replicas).toBe(1);
  expect(UpdateConfig?.Order).toBe('stop-first');
  expect(Placement?.Constraints).toEqual([expect.stringMatching(/^node\.id==\w+$/)]);
});

test('the password shows nowhere on the engine', async () => {
  const { engine } = docker;
  const password = await run(shop, 'cat', '/run/secrets/infra-database');
  expect(await runScript(near, `echo ${variable(shop, 'PASSWORD')}`)).toBe(password);
  const inRedis = await runScript(near, `echo ${variable(cache, 'PASSWORD')}`);
  expect(password).toMatch(/^[\w-]{43}$/);
  const shown = [
    await listDockerServices(engine.docker),
    await runningContainer(shop),
    await runningContainer(cache),
    await listDockerTasks(engine.docker),
    await listDockerSecrets(engine.docker),
    await listDockerConfigs(engine.docker),
    await docker.messages(shop, 'database'),
    await docker.messages(cache, 'database'),
    docker.platform.dump(),
  ]
    .map((each) => JSON.stringify(each))
    .join('\n');
  expect(inRedis).toMatch(/^[\w-]{43}$/);
  expect(shown).not.toContain(password);
  expect(shown).not.toContain(inRedis);
});

test('services of another environment do not reach it', async () => {
  const { host } = await docker.platform.must('get_database', { database_id: shop });
  const address = await run(shop, 'hostname', '-i');
  expect(address).toMatch(/^10\./);
  const tried = (from: string, to: unknown) =>
    run(
      from,
      '/bin/sh',
      '-c',
      `nc -w 2 ${String(to)} 5432 < /dev/null > /dev/null 2>&1 && echo reached || echo "no way"`,
    );
  expect(await Promise.all([tried(near, host), tried(near, address), tried(far, host), tried(far, address)])).toEqual([
    'reached',
    'reached',
    'no way',
    'no way',
  ]);
});

test('what is stored survives a stop, a restart and more memory', async () => {
  expect(await act('stop', shop)).toMatchObject({ state: 'STOPPED' });
  expect(
    await listDockerContainers(docker.engine.docker, { label: [`io.infra-mcp.service=${shop}`], status: ['running'] }),
  ).toEqual([]);
  await change(shop, { memory: 320 });
  expect(await act('deploy', shop)).toMatchObject(deployed);
  expect(await act('restart', shop)).toMatchObject({ state: 'RESTARTED' });
  const { Spec } = await inspectDockerService(docker.engine.docker, `infra-${shop}`);
  expect(Spec.TaskTemplate.Resources?.Limits?.MemoryBytes).toBe(320 * 1024 * 1024);
  expect(await sql('select what from kept')).toBe('a row');
});

test('another major version is refused before anything is touched; the old one goes on', async () => {
  const before = await runningContainer(shop);
  await change(shop, { version: '16' });
  expect(await act('deploy', shop)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  expect((await docker.messages(shop, 'database')).join('\n')).toMatch(
    /is of major version 15, which version 16 can't read\. Nothing was changed\..*pg_dump/,
  );
  await change(shop, { version: '15.99' });
  expect(await act('deploy', shop)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  expect(dataWith(await docker.conditions(shop, 'database'), 'IMAGE_NOT_FOUND')).toMatchObject([
    { image: expect.stringMatching(/^127\.0\.0\.1:\d+\/postgres:15\.99$/) },
  ]);
  expect((await runningContainer(shop)).Id).toBe(before.Id);
  await change(shop, { version: '15' });
});

const notFound = { reason: 'EXITED', details: { code: 127 } };

test.skipIf(isLanding)(
  'a version that does not start fails with its cause, and the old one is back with its data',
  async () => {
    // Stands for an image without Redis.
    await change(cache, { version: '0.0' });
    expect(await act('deploy', cache)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect(dataWith(await docker.conditions(cache, 'database'), 'INSTANCES_FAILED')).toMatchObject([
      { cause: notFound },
    ]);
    await expect.poll(() => redis('get kept')).toBe('value');
  },
);

test('a PostgreSQL is backed up while it serves, and restored as a whole or not at all', async () => {
  const dump = join(await temporaryDirectory(), 'shop.dump');
  const database = (action: 'backup' | 'restore', id = shop, file = dump) =>
    runProgram(['database', action, id, file, '--engine', docker.engine.address]);
  expect(await database('backup')).toMatchObject({ code: 0, stdout: `${dump}\n` });
  expect((await stat(dump)).mode & 0o777).toBe(0o600);
  expect(await database('backup')).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });

  await sql("update kept set what = 'another row'; create table later as select 1 as one");
  const whole = await readFile(dump);
  await truncate(dump, whole.length - 8);
  expect(await database('restore')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('pg_restore failed with exit code 1'),
  });
  expect(await sql('select what from kept')).toBe('another row');
  await appendFile(dump, whole.subarray(-8));
  expect(await database('restore')).toMatchObject({ code: 0 });
  expect(await sql('select what from kept')).toBe('a row');
  expect(await sql('select one from later')).toBe('1');
  expect(await run(shop, 'ls', '/tmp')).toBe('');

  await writeFile(`${dump}.txt`, 'select 1;');
  expect(await database('restore', shop, `${dump}.txt`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a dump of PostgreSQL'),
  });
  expect(await database('backup', cache, `${dump}.2`)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Only\s+those/),
  });
});

test.skipIf(isLanding)('what is stored survives the death of the engine', async () => {
  await docker.engine.kill();
  await docker.engine.start();
  await expect.poll(() => sql('select what from kept').catch(String)).toBe('a row');
  expect(await redis('get kept')).toBe('value');
});

/**
 * Creates the swarm again, and removes what the engine leaves of the old one: volumes without a name, which images ask
 * for.
 */
async function renewSwarm(): Promise<void> {
  const { docker: client } = docker.engine;
  await docker.engine.renewSwarm();
  const unnamed = (await listDockerVolumes(client, { dangling: ['true'] })).filter(
    ({ Labels }) => Labels?.['io.infra-mcp.platform'] === undefined,
  );
  await Promise.all(unnamed.map(({ Name }) => deleteDockerVolume(client, Name)));
}

test.skipIf(isLanding)(
  'in a swarm that was created again everything can be deployed again, and what is stored is there',
  async () => {
    await renewSwarm();
    const conditions = async () =>
      runningConditions(await docker.platform.must('get_database_status', { database_id: shop }));
    await expect.poll(async () => dataWith(await conditions(), 'REMOVED_EXTERNALLY')).toHaveLength(1);
    expect(await act('restart', shop)).toMatchObject({ state: 'RESTART_ERROR' });
    const missing = ['its network', 'its secrets and files', 'its node'];
    expect(dataWith(await docker.conditions(shop, 'database'), 'PARTS_MISSING')).toEqual([
      { service: 'Shop DB!', missing },
    ]);
    // Stands for an image without Redis.
    await change(cache, { version: '0.0' });
    expect(await act('deploy', cache)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect(dataWith(await docker.conditions(cache, 'database'), 'NOT_ROLLED_BACK')).toMatchObject([
      { missing, cause: { reason: 'INSTANCES_FAILED', details: { cause: notFound } } },
    ]);
    await change(cache, { version: '7.0' });
    for (const [id, kind] of [
      [shop, 'database'],
      [cache, 'database'],
      [near, 'container'],
      [far, 'container'],
    ] as const) {
      // One after another.
      expect(await docker.act('deploy', id, kind), (await docker.messages(id, kind)).join('\n')).toMatchObject(
        deployed,
      );
    }
    expect(await sql('select what from kept')).toBe('a row');
    expect(await redis('get kept')).toBe('value');
    expect(await conditions()).toEqual([]);
  },
);

test.skipIf(isLanding)(
  'where the volume of a database is not found in such a swarm, it does not begin empty',
  async () => {
    const { docker: client } = docker.engine;
    await renewSwarm();
    const [volume] = await listDockerVolumes(client, { label: [`io.infra-mcp.service=${cache}`] });
    await expect
      .poll(() =>
        deleteDockerVolume(client, volume!.Name).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await act('deploy', cache)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect(dataWith(await docker.conditions(cache, 'database'), 'STORAGE_NOT_FOUND')).toMatchObject([
      { service: 'cache', node: expect.stringMatching(/^\w+$/), volumes: [volume!.Name], asked: [expect.any(String)] },
    ]);
    expect(await listDockerVolumes(client, { label: [`io.infra-mcp.service=${cache}`] })).toEqual([]);
    await createDockerVolume(client, volume!.Name, volume!.Labels ?? {});
    expect(await act('deploy', cache)).toMatchObject(deployed);
  },
);

test.each([
  ['a database of a cloud', { mode: 'MANAGED' }, /set \\?"mode\\?" to CONTAINER/],
  ['a public database', { accessibility: 'PUBLIC' }, /set \\?"accessibility\\?" to PRIVATE/],
  ['a version without a number', { version: 'latest' }, /begins with the major version/],
  ['a version that is no tag', { version: '15 alpine' }, /The version is the tag of the image/],
])('%s is refused in words', async (_, more, why) => {
  const { status, text } = await docker.platform.call('create_database', {
    environment_id: docker.environmentId,
    name: 'refused',
    type: 'POSTGRESQL',
    ...request,
    ...more,
  });
  expect([status, text]).toEqual([400, expect.stringMatching(why)]);
});

test('a deletion takes volumes, secrets and everything else along', async () => {
  await docker.platform.must('delete_environment', { environment_id: docker.environmentId });
  expect(await docker.act('delete', far)).toEqual({});
  const label = ['io.infra-mcp.platform'];
  const { docker: client } = docker.engine;
  const left = async () => [
    ...(await listDockerServices(client, { label })),
    ...(await listDockerSecrets(client, { label })),
    ...(await listDockerConfigs(client, { label })),
    // Those without a name too, which images ask for.
    ...(await listDockerVolumes(client, {})),
    ...(await listDockerContainers(client, { label })),
  ];
  await expect.poll(left, { interval: 200 }).toEqual([]);
});
