import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  execInDockerContainer,
  inspectDockerNode,
  inspectDockerService,
  inspectDockerVolume,
  listDockerContainers,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
} from '../../src/platform/runtime/docker/api/index.ts';
import { dataWith, runningConditions } from '../support/conditions.ts';
import { waitUntil } from '../support/docker/docker-engine.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import type { TestHost } from '../support/docker/test-host.ts';
import type { Json } from '../support/test-platform.ts';

let swarm: TestHosts;
let platform: SpawnedPlatform;
let environmentId: string;
/** A database, and a container beside it. */
let shop: string;
let near: string;

const patience = { timeout: 180_000, interval: 300 };

/**
 * Starts the platform on the engine of a host, with the records that it had.
 * @param backedUp further settings of backups
 */
async function startOn(host: TestHost, backedUp: Json = {}): Promise<void> {
  const { host: registry } = swarm.registry;
  const clusters = { local: { engine: host.socket, database_backups: { keep: 3, ...backedUp } } };
  await writeFile(
    join(dirname(platform.dataDir), 'clusters.yaml'),
    JSON.stringify({
      clusters,
      registries: { tests: { url: `http://${registry}` } },
      images: { postgresql: `${registry}/postgres:1` },
    }),
  );
  await platform.start();
}

const status = (kind: 'database' | 'container', id: string): Promise<Json> =>
  platform.call('GET', `/${kind}/${id}/status`);
const stateOf = async (kind: 'database' | 'container', id: string): Promise<unknown> =>
  (await status(kind, id))['state'];
const messages = async (): Promise<string[]> =>
  (await platform.rows(`/database/${shop}/log`)).map(({ message }) => String(message));
const isDeployed = async (id = shop, kind: 'database' | 'container' = 'database'): Promise<void> => {
  await waitUntil(`the ${kind} is deployed`, async () =>
    /^(?:DEPLOYED|CANCELED|.*_ERROR)$/.test(String(await stateOf(kind, id))),
  );
  expect([await stateOf(kind, id), kind === 'database' ? await messages() : []]).toMatchObject([
    'DEPLOYED',
    expect.anything(),
  ]);
};

const serviceOf = async (host: TestHost, id = shop) =>
  (await inspectDockerService(host.docker, `infra-${id}`)).Spec.TaskTemplate;
const volumeOf = async (host: TestHost): Promise<unknown> => (await serviceOf(host)).ContainerSpec.Mounts?.[0]?.Source;
const containersOf = (host: TestHost, id: string) =>
  listDockerContainers(host.docker, { label: [`io.infra-mcp.service=${id}`], status: ['running'] });

/** A variable that the neighbours of the database have, as a shell reads it. */
const variable = (part: string): string => `"$DATABASE_${shop.slice(0, 8).toUpperCase()}_${part}"`;

/** Asks the database from its neighbour, on whichever host that runs. @param hosts those that are up */
async function sql(hosts: readonly TestHost[], command: string): Promise<string> {
  const script = `PGPASSWORD=${variable('PASSWORD')} psql -At -h ${variable('HOST')} -U ${variable('USER')} -d ${variable('NAME')} -c "${command}" 2>&1`;
  for (const { docker } of hosts) {
    // It runs on one of them.
    const [container] = await listDockerContainers(docker, {
      label: [`io.infra-mcp.service=${near}`],
      status: ['running'],
    });
    if (container === undefined) continue;
    const { output } = await execInDockerContainer(docker, container.Id, {
      command: ['/.infra/entrypoint', '/run/secrets/infra-environment', '/bin/sh', '-c', script],
    });
    const chunks: Buffer[] = [];
    for await (const { bytes } of output) chunks.push(bytes);
    return Buffer.concat(chunks).toString('utf8').trim();
  }
  return 'the neighbour does not run';
}

const backups = (): Promise<Json[]> => platform.rows(`/database/${shop}/backup`);

async function backUp(name: string): Promise<Json> {
  const { id } = await platform.call('POST', `/database/${shop}/backup`, { name, message: 'By a test.' });
  const found = async (): Promise<Json> => (await backups()).find((each) => each['id'] === id)!;
  await expect.poll(async () => ((await found())['status'] as Json)['state'], patience).not.toBe('EXECUTING');
  return found();
}

const restore = (body: Json = {}): Promise<Json> => platform.call('POST', `/database/${shop}/restore`, body);

beforeAll(async () => {
  swarm = await startTestHosts({ managers: 2, workers: 1 });
  await swarm.publish('postgres');
  platform = await prepareSpawnedPlatform({ engine: { address: swarm.hosts[1]!.socket }, registry: swarm.registry });
  // What is stored is put where the platform's engine is: the second manager.
  await startOn(swarm.hosts[1]!);
  const environment = await platform.createEnvironment();
  ({ environmentId } = environment);
  shop = String(
    (
      await platform.call('POST', `/environment/${environmentId}/database`, {
        name: 'shop-db',
        type: 'POSTGRESQL',
        version: '15',
        mode: 'CONTAINER',
        cpu: 250,
        memory: 256,
        storage: 1,
      })
    )['id'],
  );
  near = String(
    (
      await platform.call('POST', `/environment/${environmentId}/container`, {
        name: 'near',
        registry_id: environment.registryId,
        image_name: 'postgres',
        tag: '1',
        cpu: 100,
        memory: 64,
        entrypoint: '/bin/sh',
        arguments: ['-c', 'trap "exit 0" TERM INT; sleep 3600 & wait'],
        healthchecks: {},
      })
    )['id'],
  );
  await platform.call('POST', `/environment/${environmentId}/deploy`);
  await isDeployed();
  await isDeployed(near, 'container');
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
});

test('a backup is made on another node while the database serves, and nothing of the run is left', async () => {
  const [first] = swarm.hosts;
  expect(
    await sql(
      swarm.hosts,
      "create role reader; create table kept as select 'a row'::text as what; grant select on kept to reader",
    ),
  ).toContain('GRANT');
  const made = await backUp('before');
  expect([made['reason'], made]).toMatchObject([
    undefined,
    { name: 'before', status: { state: 'DEPLOYED' }, node: 'node-1', bytes: expect.any(Number) },
  ]);
  expect(Number(made['bytes'])).toBeGreaterThan(500);
  expect(await listDockerServices(first!.docker, { label: [`io.infra-mcp.run-of=${shop}`] })).toEqual([]);
  expect(await listDockerSecrets(first!.docker, { label: [`io.infra-mcp.run-of=${shop}`] })).toEqual([]);
  expect(
    (await listDockerVolumes(first!.docker)).map(({ Name }) => Name).filter((name) => name.startsWith('infra-')),
  ).toEqual([`infra-${shop.slice(0, 18)}-backups`]);
  expect(await sql(swarm.hosts, "insert into kept values ('a later row')")).toBe('INSERT 0 1');
});

test('a platform that is given another manager leaves the data where it is, and so does a deployment', async () => {
  const [first, second] = swarm.hosts as [TestHost, TestHost];
  const volume = await volumeOf(first);
  await platform.kill();
  const { ID: id, Version, Spec } = await inspectDockerNode(first.docker, second.name);
  // Two managers can't lose one.
  await first.docker.request({
    method: 'POST',
    path: `/nodes/${id}/update`,
    query: { version: Version.Index },
    json: { ...Spec, Role: 'worker' },
  });
  await startOn(first);
  await platform.call('POST', `/environment/${environmentId}/deploy`);
  await isDeployed();
  expect((await serviceOf(first)).Placement?.Constraints).toEqual([`node.id==${id}`]);
  expect(await volumeOf(first)).toBe(volume);
  expect(await platform.call('GET', `/database/${shop}/recovery`)).toMatchObject({
    node: 'node-2',
    to_node: 'node-2',
    backup: { name: 'before' },
  });
  expect(await sql(swarm.hosts, 'select count(*) from kept')).toBe('2');
});

test('a database whose node is only drained is not brought back from a backup', async () => {
  await swarm.setAvailability(swarm.hosts[1]!, 'drain');
  await expect(restore({ without_waiting: true })).rejects.toThrow(
    /Its node node-2 is only drained, and has all of its data\. docker node update --availability active node-2 starts it there again/,
  );
  await swarm.setAvailability(swarm.hosts[1]!, 'active');
});

test('one whose node is lost is told with its newest backup, and started nowhere else', async () => {
  const [first, second, third] = swarm.hosts as [TestHost, TestHost, TestHost];
  await second.kill();
  await swarm.nodesAre({ 'node-2': 'down' });
  const conditions = async () => runningConditions(await status('database', shop));
  await expect
    .poll(async () => dataWith(await conditions(), 'DATA_ON_NODE'), patience)
    .toMatchObject([{ backup: { name: 'before', at: expect.stringMatching(/^2/), node: 'node-1' } }]);
  await expect
    .poll(async () => dataWith(await conditions(), 'WAITING_FOR_NODE'), patience)
    .toMatchObject([{ node: 'node-2' }]);
  await expect.poll(() => stateOf('database', shop), patience).toBe('UNAVAILABLE');
  const { deployment_request_id: id } = await platform.call('POST', `/database/${shop}/deploy`);
  await expect
    .poll(async () => (await serviceOf(first)).ContainerSpec.Labels?.['io.infra-mcp.deployment'], patience)
    .toBe(id)
    .catch(async (error: unknown) => {
      const lines = await platform.rows(`/database/${shop}/log`);
      throw new Error(
        lines
          .slice(-20)
          .map(({ created_at: at, message }) => `${String(at)} ${String(message)}`)
          .join('\n'),
        { cause: error },
      );
    });
  await platform.call('POST', `/environment/${environmentId}/cancelDeployment`, {});
  await expect.poll(() => stateOf('database', shop), patience).toBe('CANCELED');
  expect([...(await containersOf(first, shop)), ...(await containersOf(third, shop))]).toEqual([]);
  await expect(restore()).rejects.toThrow(/less than 10 minutes ago.*set \\"without_waiting\\" to true/);
});

test('it is brought back on another node with what the backup has, although the platform is killed in between', async () => {
  const [first, , third] = swarm.hosts as [TestHost, TestHost, TestHost];
  expect(await platform.call('GET', `/database/${shop}/recovery`)).toMatchObject({
    node: 'node-2',
    node_lost: expect.stringMatching(/^has been down since /),
    to_node: 'node-3',
  });
  await restore({ without_waiting: true });
  await expect.poll(async () => (await messages()).join('\n'), patience).toContain('Starting an empty server');
  await platform.kill();
  await startOn(first);
  await expect.poll(async () => (await messages()).join('\n'), patience).toContain('Copying the backup');
  await platform.kill();
  await startOn(first);
  await isDeployed();
  const live = [first, third];
  await expect.poll(() => sql(live, "select string_agg(what, ', ') from kept"), patience).toBe('a row');
  expect(await sql(live, "select has_table_privilege('reader', 'kept', 'select')")).toBe('t');
  expect((await serviceOf(first)).Placement?.Constraints).toEqual([`node.id==${await third.nodeId()}`]);
  expect(await listDockerServices(first.docker, { label: [`io.infra-mcp.run-of=${shop}`] })).toEqual([]);
  expect((await messages()).join('\n')).toMatch(
    new RegExp(`Brought back from the backup "before"[^]*docker volume rm infra-${shop.slice(0, 18)}-data`),
  );
});

test('when the old node is back, there is one database, and its old data is where it was', async () => {
  const [first, second] = swarm.hosts as [TestHost, TestHost];
  await second.start();
  await swarm.nodesAre({ 'node-2': 'ready' });
  expect(await sql(swarm.hosts, "insert into kept values ('a new row')")).toBe('INSERT 0 1');
  for (let looks = 0; looks < 5; looks += 1) {
    expect(await sql(swarm.hosts, "select string_agg(what, ', ') from kept")).toBe('a row, a new row');
    expect(await containersOf(second, shop)).toEqual([]);
  }
  expect((await listDockerVolumes(second.docker)).map(({ Name }) => Name)).toContain(`infra-${shop.slice(0, 18)}-data`);
  await platform.call('POST', `/environment/${environmentId}/deploy`);
  await isDeployed();
  expect(await sql(swarm.hosts, 'select count(*) from kept')).toBe('2');
  expect(await stateOf('database', shop)).toBe('DEPLOYED');
  expect((await containersOf(first, shop)).length + (await containersOf(second, shop)).length).toBe(0);
});

test('on a node that runs, it goes back to a backup in a volume of its own; a backup that is gone changes nothing', async () => {
  const [first] = swarm.hosts as [TestHost];
  const before = await volumeOf(first);
  await restore();
  await expect.poll(() => stateOf('database', shop), patience).not.toBe('DEPLOYED');
  await isDeployed();
  expect(await sql(swarm.hosts, "select string_agg(what, ', ') from kept")).toBe('a row');
  const after = await volumeOf(first);
  expect(after).not.toBe(before);
  const [only] = await backups();
  // As if somebody had deleted its files.
  const made = await backUp('second');
  await platform.call('DELETE', `/database/${shop}/backup/${String(only!['id'])}`);
  await expect.poll(async () => (await backups()).map(({ name }) => name), patience).toEqual(['second']);
  expect(made).toMatchObject({ status: { state: 'DEPLOYED' } });
  await expect(restore({ backup_id: only!['id'] })).rejects.toThrow(/404/);
  expect(await volumeOf(first)).toBe(after);
});

test('a schedule backs up a database that has no backup', async () => {
  const [first] = swarm.hosts as [TestHost];
  const [only] = await backups();
  await platform.call('DELETE', `/database/${shop}/backup/${String(only!['id'])}`);
  await expect.poll(backups, patience).toEqual([]);
  await platform.kill();
  await startOn(first, { every_hours: 0.25 });
  await expect
    .poll(async () => (await backups()).map(({ name, status: made }) => [name, (made as Json)['state']]), patience)
    .toEqual([[expect.stringMatching(/^scheduled 2/), 'DEPLOYED']]);
});

test('a backup that can not be read changes nothing, and the volume that it was copied into is named', async () => {
  const [first] = swarm.hosts as [TestHost];
  const before = await volumeOf(first);
  const [only] = await backups();
  const { docker } = swarm.hosts.find(({ name }) => name === only!['node'])!;
  const { Mountpoint: folder } = await inspectDockerVolume(docker, `infra-${shop.slice(0, 18)}-backups`);
  await writeFile(join(folder, `${String(only!['id'])}.dump`), 'no dump');
  await restore();
  await expect.poll(() => stateOf('database', shop), patience).toBe('DEPLOYMENT_ERROR');
  const said = (await messages()).join('\n');
  expect(said).toMatch(/It was not brought back from the backup "scheduled \S+ .*archive/);
  expect(said).toMatch(
    new RegExp(
      `What was copied into the volume (infra-${shop.slice(0, 18)}-data-\\w+-\\w+) on the node node-3 was left there: the engine of the node can't be asked.*docker volume rm \\1`,
    ),
  );
  expect(await volumeOf(first)).toBe(before);
  expect(await sql(swarm.hosts, "select string_agg(what, ', ') from kept")).toBe('a row');
});

test('a deletion leaves no service and no secret, and it is recorded which volumes stay on nodes that can not be asked', async () => {
  const [first] = swarm.hosts as [TestHost];
  const volume = await volumeOf(first);
  await platform.call('DELETE', `/database/${shop}`);
  await expect
    .poll(async () => (await listDockerServices(first.docker)).map(({ Spec }) => Spec.Name), patience)
    .toEqual([`infra-${near}`]);
  const [organization] = await platform.rows('/organization');
  const deleted = async (): Promise<string> => {
    const { events } = (await platform.call(
      'GET',
      `/organization/${String(organization!['id'])}/events?eventType=DELETED&pageSize=10`,
    )) as { readonly events: readonly Json[] };
    return String(events.find((each) => each['target_id'] === shop)?.['change']);
  };
  await expect
    .poll(deleted, patience)
    .toContain(
      `Its volume ${String(volume)} was left on the node node-3, whose engine can't be asked: the cluster has no agent`,
    );
  expect(await deleted()).toContain(`docker volume ls --filter label=io.infra-mcp.service=${shop}`);
});
