import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterSecrets } from '../../src/platform/index.ts';
import {
  createDockerVolume,
  createManagersClient,
  type DockerClient,
  dockerInfo,
  execInDockerContainer,
  inspectDockerContainer,
  inspectDockerService,
  listDockerConfigs,
  listDockerContainers,
  listDockerImages,
  listDockerNetworks,
  listDockerNodes,
  listDockerSecrets,
  listDockerServices,
  listDockerTasks,
  listDockerVolumes,
  pullDockerImage,
  updateDockerService,
} from '../../src/platform/runtime/docker/api/index.ts';
import { createAgents } from '../../src/platform/runtime/docker/agent/agents.ts';
import { createAgentAuthority } from '../../src/platform/runtime/docker/agent/authority.ts';
import { agentUntil, withAgentUntil } from '../../src/platform/runtime/docker/labels.ts';
import { type NodeAccess, openNodeAccess } from '../../src/platform/runtime/docker/nodes/node-access.ts';
import { openExistingVault, readKnownRecords } from '../../src/platform/store/index.ts';
import { runProgram } from '../support/built-program.ts';
import { conditionsIn, dataWith } from '../support/conditions.ts';
import { waitUntil } from '../support/docker/docker-engine.ts';
import { exceedsMemory, littleMemory, scriptContainer } from '../support/docker/docker-platform.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';

const patience = { timeout: 120_000, interval: 300 };
const { signal } = new AbortController();
let swarm: TestHosts;
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;
let here: DockerClient;
let there: DockerClient;
let platformId: string;
let serviceName: string;
let access: NodeAccess;
let node: string;
let agentParts: () => Parameters<typeof createAgents>[0];

const secrets = () => clusterSecrets(openExistingVault(platform.dataDir)!, { name: 'local' });

beforeAll(async () => {
  swarm = await startTestHosts({ managers: 1, workers: 1 });
  [here, there] = swarm.hosts.map(({ docker }) => docker) as [DockerClient, DockerClient];
  await swarm.publish('shell');
  const image = await swarm.publish('node');
  const cluster = { engine: swarm.hosts[0]!.socket, images_gb: 0.000001, agent: { image } };
  platform = await prepareSpawnedPlatform(
    { engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry },
    { clusters: { local: cluster } },
  );
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment());
  platformId = readKnownRecords(platform.dataDir)!.platformId;
  serviceName = `infra-agent-${platformId}`;
  node = await swarm.hosts[1]!.nodeId();
  access = openNodeAccess({
    docker: here,
    platformId,
    secretFor: secrets(),
    agent: { image },
    credentialsFor: () => undefined,
    now: Date.now,
  });
  agentParts = () => ({
    docker: here,
    platformId,
    image,
    authority: createAgentAuthority(Buffer.from(secrets()('agents'), 'base64url')),
    credentialsFor: () => undefined,
    now: Date.now,
  });
});
afterAll(async () => {
  await access?.close();
  await platform?.end();
  await swarm?.end();
});

const secretOfAgents = async () =>
  (await inspectDockerService(here, serviceName)).Spec.TaskTemplate.ContainerSpec.Secrets![0]!.SecretID;

/** Waits until the agents of both nodes run as the newest settings want them. */
const agentsRun = (): Promise<void> =>
  waitUntil('both agents run', async () => {
    const wanted = await secretOfAgents().catch(() => undefined);
    const tasks =
      wanted === undefined ? [] : await listDockerTasks(here, { service: [serviceName], 'desired-state': ['running'] });
    return (
      tasks.filter(
        ({ Spec, Status }) => Status.State === 'running' && Spec.ContainerSpec.Secrets![0]!.SecretID === wanted,
      ).length === 2
    );
  });

/** The client of the second host's engine through its agent. */
const throughAgent = async (): Promise<DockerClient> => (await access.nodeEngines.of(node, signal))!;

const create = async (name: string, script: string, more: Json = {}): Promise<string> =>
  String(
    (
      await platform.call('POST', `/environment/${environmentId}/container`, {
        name,
        ...scriptContainer(registryId, script, more),
      })
    )['id'],
  );

const deploy = async (id: string): Promise<Json> => {
  await platform.call('POST', `/container/${id}/deploy`, {});
  let status: Json = {};
  await expect
    .poll(async () => (status = await platform.call('GET', `/container/${id}/status`))['state'], patience)
    .toMatch(/^(?:DEPLOYED|.*_ERROR)$/);
  return status;
};

const lines = async (id: string): Promise<Json[]> => rowsOf(await platform.call('GET', `/container/${id}/log`));
const messages = async (id: string): Promise<string> =>
  (await lines(id)).map(({ message }) => String(message)).join('\n');
/** Why instances failed, as the log tells. */
const failures = async (id: string) =>
  dataWith(conditionsIn(await lines(id)), 'INSTANCE_FAILED').map(({ cause }) => cause);

/** Lets instances run on the second host only. */
const onlyThere = async (work: () => Promise<void>): Promise<void> => {
  const {
    ID: id,
    Version,
    Spec,
  } = (await listDockerNodes(here)).find(({ Description }) => Description.Hostname === 'node-1')!;
  const set = async (Availability: string, index: number): Promise<void> =>
    here.request({
      method: 'POST',
      path: `/nodes/${id}/update`,
      query: { version: index },
      json: { ...Spec, Availability },
    });
  await set('pause', Version.Index);
  try {
    await work();
  } finally {
    await set('active', (await listDockerNodes(here)).find(({ ID }) => ID === id)!.Version.Index);
  }
};

test('the platform gives every node an agent, whose secrets show nowhere', async () => {
  await agentsRun();
  expect((await dockerInfo(await throughAgent())).Name).toBe('node-2');
  const { Spec } = await inspectDockerService(here, serviceName);
  const [task] = await listDockerTasks(here, { service: [serviceName], node: [node] });
  const shown = JSON.stringify([
    Spec,
    await inspectDockerContainer(there, task!.Status.ContainerStatus!.ContainerID!),
    await listDockerSecrets(here),
  ]);
  expect(shown).toContain('agent.pem');
  expect(shown).not.toContain('PRIVATE KEY');
  const [network] = await listDockerNetworks(here, { name: [serviceName] });
  expect(network).toMatchObject({ Internal: true, Driver: 'overlay' });
});

test('an engine is asked through its agent in milliseconds, and refuses what is not on the list', async () => {
  const engine = await throughAgent();
  await dockerInfo(engine);
  const begun = performance.now();
  for (let count = 0; count < 20; count += 1) await dockerInfo(engine);
  console.log(`A request through an agent takes ${((performance.now() - begun) / 20).toFixed(1)} ms.`);
  const [task] = await listDockerTasks(here, { service: [serviceName], node: [node], 'desired-state': ['running'] });
  const container = task!.Status.ContainerStatus!.ContainerID!;
  const stats = await engine.request<Json>({
    method: 'GET',
    path: `/containers/${container}/stats`,
    query: { stream: false, 'one-shot': true },
  });
  expect((stats['memory_stats'] as { usage: number }).usage).toBeGreaterThan(1e6);
  console.log(`An agent takes ${((stats['memory_stats'] as { usage: number }).usage / 1e6).toFixed(0)} MB.`);
  expect(await inspectDockerContainer(engine, container)).not.toHaveProperty(['Config', 'Env']);
  await expect(execInDockerContainer(engine, container, { command: ['id'] })).rejects.toMatchObject({
    kind: 'refused',
    status: 403,
  });
  await expect(
    engine.request({ method: 'POST', path: '/containers/create', json: { Image: 'shell' } }),
  ).rejects.toMatchObject({ kind: 'refused' });
  // What it refused closes the connection, and nothing else.
  expect((await dockerInfo(engine)).Name).toBe('node-2');
});

test('a node that joins gets an agent, and what runs there is measured through it', async () => {
  const id = await create('measured', 'dd if=/dev/zero of=/dev/shm/held bs=1M count=9; exec sleep 600', {
    min_running_instances: 2,
    max_running_instances: 2,
  });
  await deploy(id);
  await swarm.joinAnew(swarm.hosts[1]!);
  node = await swarm.hosts[1]!.nodeId();
  await agentsRun();
  expect((await dockerInfo(await throughAgent())).Name).toBe('node-2');
  expect(await deploy(id)).toMatchObject({ state: 'DEPLOYED' });
  const path = `/organization/${String((await platform.rows('/organization'))[0]!['id'])}/cluster`;
  const measuredNodes = async () =>
    ((await platform.rows(path))[0]!['nodes'] as Json[]).map(({ name, memory_used: used }) => [name, Number(used) > 0]);
  await expect.poll(measuredNodes, patience).toEqual([
    ['node-1', true],
    ['node-2', true],
  ]);
  await expect
    .poll(async () => ((await platform.call('GET', `/container/${id}/status`))['running'] as Json)['usage'], patience)
    .toMatchObject({ instances: 2, missing: [] });
  await platform.call('DELETE', `/container/${id}`);
});

test('the certificate of the agents is replaced before it ends, and they answer with the new one', async () => {
  const { ID: id, Version, Spec } = await inspectDockerService(here, serviceName);
  const before = await secretOfAgents();
  // As if it were 25 days old.
  await updateDockerService(here, id, Version.Index, {
    ...Spec,
    Labels: withAgentUntil(Spec.Labels!, Date.now() + 5 * 86_400_000),
  });
  await expect.poll(secretOfAgents, patience).not.toBe(before);
  await agentsRun();
  expect((await dockerInfo(await throughAgent())).Name).toBe('node-2');
  expect((await listDockerSecrets(here)).map(({ ID }) => ID)).not.toContain(before);
  expect(agentUntil((await inspectDockerService(here, serviceName)).Spec.Labels)).toBeGreaterThan(
    Date.now() + 29 * 86_400_000,
  );
});

test('while the node of the engine is paused, agents are reached from another one with a known address; without one it is said why they are not', async () => {
  const agents = createAgents({ ...agentParts(), docker: createManagersClient([here, there]) }, true);
  await onlyThere(async () => {
    expect(await access.whyNoAgent(node, signal)).toMatch(
      /^agents are reached from a node that takes instances .*, and node-1 is paused$/,
    );
    expect((await dockerInfo((await agents.clientOf(node, signal))!)).Name).toBe('node-2');
    expect(await listDockerContainers(there, { name: ['infra-relay-'] })).toHaveLength(1);
  });
  await agents.close();
});

test("without the authority's certificate nobody gets an answer, not even from within the network of the agents", async () => {
  const other = openNodeAccess({
    docker: here,
    platformId,
    secretFor: () => Buffer.alloc(32, 1).toString('base64url'),
    agent: { image: (await inspectDockerService(here, serviceName)).Spec.TaskTemplate.ContainerSpec.Image },
    credentialsFor: () => undefined,
    now: Date.now,
  });
  const engine = (await other.nodeEngines.of(node, signal))!;
  await expect(dockerInfo(engine)).rejects.toMatchObject({ kind: 'unreachable' });
  const expired = openNodeAccess({
    docker: here,
    platformId,
    secretFor: secrets(),
    agent: { image: (await inspectDockerService(here, serviceName)).Spec.TaskTemplate.ContainerSpec.Image },
    credentialsFor: () => undefined,
    now: () => Date.now() - 7_200_000,
  });
  await expect(dockerInfo((await expired.nodeEngines.of(node, signal))!)).rejects.toMatchObject({
    kind: 'unreachable',
  });
  await Promise.all([other.close(), expired.close()]);
});

test('a container of an environment does not reach the agents', async () => {
  const tasks = await listDockerTasks(here, { service: [serviceName], 'desired-state': ['running'] });
  const addresses = tasks.map(({ NetworksAttachments: attached }) => attached![0]!.Addresses![0]!.split('/')[0]!);
  const tries = addresses
    .map((each) => `nc -w 2 ${each} 2376 </dev/null && echo "REACHED ${each}" || echo "not ${each}"`)
    .join('; ');
  const id = await create('curious', `${tries}; echo tried; exec sleep 600`);
  expect(await deploy(id)).toMatchObject({ state: 'DEPLOYED' });
  await expect.poll(() => messages(id), patience).toContain('tried');
  expect(await messages(id)).not.toContain('REACHED');
  await platform.call('DELETE', `/container/${id}`);
});

test('that an instance exceeded its memory is told, on every node', async () => {
  const id = await create('hungry', exceedsMemory, {
    ...littleMemory,
    min_running_instances: 2,
    max_running_instances: 2,
  });
  await platform.call('POST', `/container/${id}/deploy`, {});
  const nodes = new Set<string | undefined>();
  await expect
    .poll(async () => {
      for (const { NodeID } of await listDockerTasks(here, { service: [`infra-${id}`] }).catch(() => []))
        nodes.add(NodeID);
      return (await platform.call('GET', `/container/${id}/status`))['state'];
    }, patience)
    .toBe('DEPLOYMENT_ERROR');
  expect(nodes).toContain(node);
  const causes = (await failures(id)).map(({ reason }) => reason);
  expect(causes.length).toBeGreaterThan(0);
  expect(new Set(causes)).toEqual(new Set(['OUT_OF_MEMORY']));
  await platform.call('DELETE', `/container/${id}`);
});

test('storage on another node goes with its service', async () => {
  const id = await create('files', 'exec sleep 600', {
    storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }],
  });
  await deploy(id);
  // What a service had on a node that it was bound to before.
  await createDockerVolume(there, 'moved', {
    'io.infra-mcp.platform': platformId,
    'io.infra-mcp.environment': environmentId,
    'io.infra-mcp.service': id,
  });
  await platform.call('DELETE', `/container/${id}`);
  await expect
    .poll(async () => (await listDockerVolumes(there)).map(({ Name }) => Name), patience)
    .not.toContain('moved');
});

/** What doctor finds, by the names of checks without the cluster. */
const doctor = async (): Promise<(check: string) => string> => {
  const { stdout } = await runProgram([
    'doctor',
    'platform',
    '--json',
    '--clusters-file',
    platform.clustersFile,
    '--data-dir',
    platform.dataDir,
  ]);
  const { findings } = JSON.parse(stdout) as {
    readonly findings: readonly { readonly check: string; readonly says: string }[];
  };
  return (check) =>
    findings
      .filter((one) => one.check === `local: ${check}`)
      .map(({ says }) => says)
      .join('\n');
};

const imagesThere = async (): Promise<string> =>
  JSON.stringify((await listDockerImages(there)).map(({ RepoTags, RepoDigests }) => [RepoTags, RepoDigests]));

test('an orphan on another node is found, and images that nothing needs go, when a killed platform is started again; what others have stays', async () => {
  await createDockerVolume(there, 'lost', {
    'io.infra-mcp.platform': platformId,
    'io.infra-mcp.environment': 'gone',
    'io.infra-mcp.service': 'gone',
  });
  const stranger = await swarm.publish('scratch');
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of pullDockerImage(there, stranger)) continue;
  expect(await imagesThere()).toContain('/shell@sha256:');
  await platform.kill();
  const of = await doctor();
  expect(of('agents')).toBe('the engines of all 2 nodes can be asked');
  expect(of('objects of platforms')).toContain('volume lost on node-2');
  expect(of('objects of platforms')).toContain('that no record in');
  await platform.start();
  await expect.poll(imagesThere, patience).not.toContain('/shell@sha256:');
  expect(await imagesThere()).toContain('/scratch:1');
  expect(await imagesThere()).toContain('/node');
  expect((await listDockerVolumes(there)).map(({ Name }) => Name)).toContain('lost');
  expect((await dockerInfo(await throughAgent())).Name).toBe('node-2');
});

test('agents that are no longer configured go with all that belongs to them; what is not seen without them is said', async () => {
  await access.close();
  await platform.kill();
  const { clusters, ...rest } = JSON.parse(await readFile(platform.clustersFile, 'utf8')) as {
    clusters: { local: Json };
  };
  const { agent: _, ...local } = clusters.local;
  await writeFile(platform.clustersFile, JSON.stringify({ ...rest, clusters: { local } }));
  await platform.start();
  await expect
    .poll(
      async () =>
        (
          await Promise.all([
            listDockerServices(here),
            listDockerSecrets(here),
            listDockerConfigs(here),
            listDockerNetworks(here, { name: [serviceName] }),
            listDockerContainers(here, { name: ['infra-relay-'] }),
          ])
        ).flat(),
      patience,
    )
    .toEqual([]);
  const of = await doctor();
  const why = 'node-2 (the cluster has no agent: set "agent" for it in the clusters file)';
  expect(of('agents')).toContain(`1 of 2 nodes can't be asked: ${why}`);
  expect(of('objects of platforms')).toContain(`volumes, images and containers on 1 node were not checked: ${why}`);
  await onlyThere(async () => {
    const id = await create('greedy', exceedsMemory, littleMemory);
    await deploy(id);
    expect(await failures(id)).toContainEqual(
      expect.objectContaining({
        reason: 'EXITED',
        details: expect.objectContaining({ unasked: expect.stringContaining('the cluster has no agent') }),
      }),
    );
  });
});
