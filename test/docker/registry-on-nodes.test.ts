import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/platform/common/index.ts';
import { listDockerTasks } from '../../src/platform/runtime/docker/api/index.ts';
import { readKnownRecords } from '../../src/platform/store/index.ts';
import { runProgram } from '../support/built-program.ts';
import { waitUntil } from '../support/docker/docker-engine.ts';
import { forbidRegistry, permitRegistry } from '../support/docker/host-network.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';

let swarm: TestHosts;
let platform: SpawnedPlatform;
let agent: { readonly image: string };

beforeAll(async () => {
  swarm = await startTestHosts({ managers: 1, workers: 1 });
  agent = { image: await swarm.publish('node') };
  platform = await prepareSpawnedPlatform(
    { engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry },
    { clusters: { local: { engine: swarm.hosts[0]!.socket, agent } } },
  );
  await platform.start();
  const service = `infra-agent-${readKnownRecords(platform.dataDir)!.platformId}`;
  await waitUntil(
    'both agents run',
    async () =>
      (
        await listDockerTasks(swarm.hosts[0]!.docker, { service: [service], 'desired-state': ['running'] }).catch(
          () => [],
        )
      ).filter(({ Status }) => Status.State === 'running').length === 2,
  );
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
});

/**
 * What doctor finds of the nodes and the registry of a cluster.
 * @param registry its host
 * @param more of the cluster's settings
 */
async function found(registry: string, more: object = { agent }): Promise<readonly DoctorFinding[]> {
  await writeFile(
    platform.clustersFile,
    JSON.stringify({
      clusters: { local: { engine: swarm.hosts[0]!.socket, build_registry: `${registry}/built`, ...more } },
    }),
  );
  const { stdout } = await runProgram([
    'doctor',
    'platform',
    '--json',
    '--clusters-file',
    platform.clustersFile,
    '--data-dir',
    platform.dataDir,
  ]);
  return (JSON.parse(stdout) as { findings: DoctorFinding[] }).findings.filter(
    ({ check }) => check === 'local: registry on nodes',
  );
}

test('a registry that every node reaches is told', async () => {
  const { host } = swarm.registry;
  // The network of the agents needs a moment after their start.
  await expect
    .poll(() => found(host))
    .toEqual([
      { check: 'local: registry on nodes', state: 'good', says: `all 2 nodes that take services reach ${host}` },
    ]);
});

test('the node that may not connect to the registry is named, with what to do, and only that one', async () => {
  const { host } = swarm.registry;
  const { address } = swarm.hosts[1]!;
  forbidRegistry(address, host);
  try {
    const findings = await found(host);
    expect(findings).toEqual([
      {
        check: 'local: registry on nodes',
        state: 'bad',
        says: expect.stringMatching(
          /is not reached from node-2 \(.*(?:refused|reset).*\): built images can't run there$/,
        ),
        todo: `Let these machines connect to ${host}: open its port in the firewalls between them and the registry. If it has a name, make sure that they can resolve it.`,
      },
    ]);
    expect(findings[0]!.says).not.toContain('node-1');
  } finally {
    permitRegistry(address, host);
  }
});

test('without agents, it is said which node was not asked', async () => {
  const { host } = swarm.registry;
  expect(await found(host, {})).toEqual([
    {
      check: 'local: registry on nodes',
      state: 'note',
      says: `whether ${host} can be reached is unknown for node-2 (the cluster has no agent: set "agent" for it in the clusters file)`,
      todo: expect.stringContaining(`docker pull ${host}/infra-mcp/doctor:missing`),
    },
  ]);
});
