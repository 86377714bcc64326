import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDockerClient,
  createDockerNetwork,
  createDockerService,
  deleteDockerService,
  dockerInfo,
  type DockerServiceSpec,
  type DockerTask,
  inspectDockerContainer,
  listDockerTasks,
  parseDockerAddress,
  readDockerServiceLogs,
} from '../../src/platform/runtime/docker/api/index.ts';
import { waitUntil } from '../support/docker/docker-engine.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';

let swarm: TestHosts;
let image: string;
beforeAll(async () => {
  swarm = await startTestHosts({ managers: 1, workers: 1 });
  image = await swarm.publish('shell');
  await createDockerNetwork(swarm.hosts[0]!.docker, { Name: 'shared', Driver: 'overlay' });
});
afterAll(() => swarm?.end());

/** A service that runs a script. @param constraints default: anywhere */
const serviceOf = (name: string, script: string, constraints: readonly string[] = []): DockerServiceSpec => ({
  Name: name,
  TaskTemplate: {
    ContainerSpec: { Image: image, Command: ['sh', '-c', script], StopGracePeriod: 1e8, Init: true },
    RestartPolicy: { Condition: 'any', Delay: 5e8 },
    Networks: [{ Target: 'shared', Aliases: [name] }],
    Placement: { Constraints: constraints },
  },
  Mode: { Replicated: { Replicas: 1 } },
  EndpointSpec: { Mode: 'dnsrr' },
});

/** The instance of a service that runs, once it does on a node. */
async function runningOn(name: string, node: string): Promise<DockerTask> {
  let found: DockerTask | undefined;
  await waitUntil(`${name} runs on ${node}`, async () => {
    const tasks = await listDockerTasks(swarm.hosts[0]!.docker, { service: [name], 'desired-state': ['running'] });
    found = tasks.find(({ Status, NodeID }) => Status.State === 'running' && NodeID === node);
    return found !== undefined;
  });
  return found!;
}

test('a service on the second host pulls its image by itself, and is reached from the first over their network', async () => {
  const [first, second] = swarm.hosts as [TestHosts['hosts'][number], TestHosts['hosts'][number]];
  const [here, there] = await Promise.all([first.nodeId(), second.nodeId()]);
  expect(here).not.toBe(there);
  await createDockerService(
    first.docker,
    serviceOf('web', 'echo "$(hostname) answers" > /index.html; exec httpd -f -p 8080 -h /', [`node.id==${there}`]),
  );
  const { Status } = await runningOn('web', there);
  await createDockerService(
    first.docker,
    serviceOf('client', 'until wget -q -O - http://web:8080/; do sleep 0.2; done; exec sleep 1000', [
      `node.id==${here}`,
    ]),
  );
  await runningOn('client', here);
  let said = '';
  await waitUntil('the first host gets an answer', async () => {
    said = '';
    for await (const { text } of readDockerServiceLogs(first.docker, 'client', {})) said += text;
    return said.includes('answers');
  });
  expect(said).toContain(Status.ContainerStatus!.ContainerID!.slice(0, 12));
  await deleteDockerService(first.docker, 'client');
  await deleteDockerService(first.docker, 'web');
});

test('a host that is cut off is down for the others while what it has goes on; one without power has nothing, and comes back', async () => {
  const [first, second] = swarm.hosts as [TestHosts['hosts'][number], TestHosts['hosts'][number]];
  const overNetwork = createDockerClient(parseDockerAddress(second.engine, swarm.tls));
  await createDockerService(first.docker, serviceOf('stays', 'exec sleep 1000', [`node.id==${await second.nodeId()}`]));
  const { Status } = await runningOn('stays', await second.nodeId());
  expect((await dockerInfo(overNetwork)).Name).toBe('node-2');
  second.cutOff();
  await swarm.nodesAre({ 'node-2': 'down' });
  await expect(dockerInfo(overNetwork, { timeoutMilliseconds: 1000 })).rejects.toMatchObject({
    kind: expect.stringMatching(/^(?:unreachable|timeout)$/),
  });
  expect((await inspectDockerContainer(second.docker, Status.ContainerStatus!.ContainerID!)).State.Status).toBe(
    'running',
  );
  second.reconnect();
  await swarm.nodesAre({ 'node-2': 'ready' });
  await overNetwork.close();
  const id = await second.nodeId();
  await second.kill();
  await expect(dockerInfo(second.docker, { timeoutMilliseconds: 1000 })).rejects.toMatchObject({ kind: 'unreachable' });
  await swarm.nodesAre({ 'node-1': 'ready', 'node-2': 'down' });
  await second.start();
  await swarm.nodesAre({ 'node-2': 'ready' });
  expect(await second.nodeId()).toBe(id);
});
