import { expect, test } from 'vitest';
import {
  addressFindings,
  managersFindings,
  proxyNodesFindings,
} from '../../../../../src/platform/runtime/docker/doctor/addresses.ts';
import type { ExaminedEngine } from '../../../../../src/platform/runtime/docker/doctor/examined-engine.ts';
import type { DockerNode } from '../../../../../src/platform/runtime/docker/api/index.ts';
import { proxySettings } from '../../../../../src/platform/runtime/docker/proxy/settings.ts';
import { startFakeEngine } from '../fake-engine.ts';

const swarmOf = (more: object = {}) => ({
  LocalNodeState: 'active',
  ControlAvailable: true,
  NodeID: 'n1',
  Cluster: { ID: 'ours' },
  ...more,
});

const withManagers = (managers: number) =>
  ({ ...swarmOf(), Managers: managers }) as unknown as Parameters<typeof managersFindings>[0];
const node = (ID: string, Labels: object) =>
  ({ ID, Description: { Hostname: `node-${ID}` }, Spec: { Labels } }) as unknown as DockerNode;

/** An engine that says this of its swarm. */
const engineWith = (swarm: object) => startFakeEngine((response) => response.end(JSON.stringify({ Swarm: swarm })));

test('each address is told: who is a manager, away, a worker, of another swarm, or without a leader', async () => {
  const engines = [
    await engineWith(swarmOf()),
    await engineWith(swarmOf()),
    await engineWith(swarmOf({ ControlAvailable: false, Cluster: null, NodeID: 'n3' })),
    await engineWith(swarmOf({ Cluster: { ID: 'theirs' } })),
    await engineWith(
      swarmOf({ Cluster: null, Error: 'rpc error: code = Unknown desc = The swarm does not have a leader.' }),
    ),
    await engineWith({ LocalNodeState: 'inactive', ControlAvailable: false }),
  ];
  await engines[0]!.stop();
  const { findings, best } = await addressFindings(engines.map(({ docker }) => docker));
  expect(best).toBe(engines[1]!.docker);
  expect(findings.map(({ state }) => state)).toEqual(['bad', 'good', 'note', 'bad', 'bad', 'bad']);
  for (const [index, words] of [
    "can't be reached",
    'is a manager',
    'is a worker',
    'manages another swarm (theirs)',
    'the swarm has no leader',
    'is in no swarm',
  ].entries()) {
    expect(findings[index]!.says).toContain(words);
    expect(findings[index]!.says).toContain(engines[index]!.address);
  }
  expect(findings[2]!.todo).toContain('docker node promote n3');
});

test('where most managers are lost, nobody is said to go on', async () => {
  const engines = [
    await engineWith(swarmOf({ Error: 'rpc error: code = Unknown desc = The swarm does not have a leader.' })),
    await engineWith(swarmOf()),
  ];
  expect((await addressFindings(engines.map(({ docker }) => docker))).findings[0]!.todo).toBe(
    'Start the managers that are down.',
  );
  await engines[1]!.stop();
  const { findings, best } = await addressFindings(engines.map(({ docker }) => docker));
  expect(best).toBe(engines[0]!.docker);
  expect(findings[1]).toMatchObject({
    state: 'bad',
    todo: expect.stringContaining('No other address belongs to a usable manager') as unknown,
  });
  expect(findings[1]!.todo).not.toContain('uses the others');
});

test('the address of one manager only is a single point of failure where there are several', () => {
  expect(managersFindings(withManagers(1), 1)).toEqual([]);
  expect(managersFindings(withManagers(3), 3)).toEqual([]);
  expect(managersFindings(withManagers(3), 1)).toMatchObject([
    { state: 'note', says: expect.stringContaining('the platform knows the address of one') as unknown },
  ]);
});

test('a node that is labelled for the proxy needs an address, and several need somebody else for certificates', async () => {
  const { docker } = await engineWith(swarmOf());
  const labels = { 'io.infra-mcp.proxy': 'true' };
  const findings = (nodes: readonly DockerNode[], domain: string) =>
    proxyNodesFindings({ engines: [docker], proxy: proxySettings({ domain }) } as unknown as ExaminedEngine, nodes);
  expect(await findings([node('n1', {})], 'apps.example.com')).toEqual([]);
  expect(await findings([node('n1', labels)], 'apps.example.com')).toMatchObject([{ state: 'good' }]);
  expect(await findings([node('n1', labels), node('n2', labels)], 'localhost')).toMatchObject([
    { state: 'good' },
    { state: 'bad', todo: expect.stringContaining('--label-rm io.infra-mcp.proxy node-n2') as unknown },
  ]);
  expect((await findings([node('n1', labels), node('n2', labels)], 'apps.example.com')).at(-1)).toMatchObject({
    state: 'note',
    todo: expect.stringContaining('certificates: false') as unknown,
  });
});
