import {
  type DockerClient,
  type DockerNode,
  inspectDockerNode,
  listDockerNodes,
  pushDockerImage,
  tagDockerImage,
  updateDockerNode,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { makeCertificates, type TestCertificates } from './certificates.ts';
import { waitUntil } from './docker-engine.ts';
import { startTestRegistry, type TestRegistry } from './docker-registry.ts';
import { addressOfHost, makeHostNetwork, removeHostNetwork, testAddress } from './host-network.ts';
import { startTestHost, type TestHost } from './test-host.ts';
import { buildTestImage } from './test-images.ts';

/** Hosts whose engines are the nodes of one swarm. */
export interface TestHosts {
  /** The managers, then the workers. The first one began the swarm. */
  readonly hosts: readonly TestHost[];
  /** What clients of the engines need over the network. */
  readonly tls: TestCertificates;
  /** A registry that all hosts reach. */
  readonly registry: TestRegistry;
  /**
   * Builds an image of `test/images` on the first host and pushes it to the registry.
   * @param as its name there; default: that of its folder.
   * @returns that name with the registry
   */
  publish(image: string, as?: string): Promise<string>;
  /** Waits until a manager sees nodes in a state. @param states by the names of hosts */
  nodesAre(states: Readonly<Record<string, 'ready' | 'down'>>, manager?: TestHost): Promise<void>;
  /** Lets a host take instances, lets it take no more, or moves those that it has elsewhere. */
  setAvailability(host: TestHost, availability: 'active' | 'pause' | 'drain'): Promise<void>;
  /** Gives a node labels in place of those that it has. */
  label(host: TestHost, labels: Readonly<Record<string, string>>): Promise<void>;
  /** Takes a worker out of the swarm, and lets it join as a new node of the same name. */
  joinAnew(worker: TestHost): Promise<void>;
  /** Ends the hosts and the registry, and removes what they had. */
  end(): Promise<void>;
}

interface HostsOptions {
  readonly managers?: number;
  readonly workers?: number;
  /**
   * How often nodes say that they are there, in seconds. Default: 1, so that a lost one shows within seconds; swarms
   * have 5.
   */
  readonly heartbeat?: number;
  /** Further arguments of all engines. */
  readonly args?: readonly string[];
  /**
   * The size of a disk of its own that each engine has, in MB, which can be filled. Default: they share that of the
   * suite.
   */
  readonly diskMegabytes?: number;
}

const swarmPort = 2377;

const listening = ({ address }: TestHost) => ({ ListenAddr: `${address}:${swarmPort}`, AdvertiseAddr: address });

/** Lets a host join the swarm of another one. */
async function join(host: TestHost, first: TestHost, role: 'Manager' | 'Worker'): Promise<void> {
  const { JoinTokens: tokens } = await first.docker.request<{
    readonly JoinTokens: Readonly<Record<typeof role, string>>;
  }>({ method: 'GET', path: '/swarm' });
  await host.docker.request({
    method: 'POST',
    path: '/swarm/join',
    json: { ...listening(host), RemoteAddrs: [`${first.address}:${swarmPort}`], JoinToken: tokens[role] },
  });
}

/** Makes one swarm of hosts. @param managers how many of them are managers */
async function formSwarm(hosts: readonly TestHost[], managers: number, heartbeat: number): Promise<void> {
  const [first, ...others] = hosts as readonly [TestHost, ...TestHost[]];
  await first.docker.request({
    method: 'POST',
    path: '/swarm/init',
    json: { ...listening(first), Spec: { Dispatcher: { HeartbeatPeriod: heartbeat * 1e9 } } },
  });
  for (const [index, host] of others.entries()) {
    // Managers join one after the other.
    await join(host, first, index + 1 < managers ? 'Manager' : 'Worker');
  }
}

/**
 * Pushes an image.
 * @param attempts how often to try: right after a host was lost, the network between the others may take its time
 */
async function push(docker: DockerClient, name: string, attempts = 3): Promise<void> {
  try {
    // oxlint-disable-next-line no-unused-vars
    for await (const _ of pushDockerImage(docker, name)) continue;
  } catch (error) {
    if (attempts === 1) throw error;
    await push(docker, name, attempts - 1);
  }
}

/**
 * Starts hosts that form a swarm, and a registry. Only in the docker suite, one group at a time.
 * @throws Error if one doesn't get ready, with the end of its engine's log
 */
export async function startTestHosts({
  managers = 1,
  workers = 1,
  heartbeat = 1,
  args = [],
  diskMegabytes,
}: HostsOptions = {}): Promise<TestHosts> {
  const indexes = Array.from({ length: managers + workers }, (_, index) => index);
  const tls = await makeCertificates(indexes.map(addressOfHost));
  makeHostNetwork();
  const registry = await startTestRegistry(false, testAddress);
  const started = await Promise.allSettled(indexes.map((index) => startTestHost(index, tls, { args, diskMegabytes })));
  const hosts = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const end = async (): Promise<void> => {
    await Promise.all(hosts.map((host) => host.end()));
    await registry.end();
    removeHostNetwork();
  };
  const nodesAre: TestHosts['nodesAre'] = (states, { docker } = hosts[0]!) =>
    waitUntil(`nodes are ${JSON.stringify(states)}`, async () => {
      const nodes = await listDockerNodes(docker, {}, { timeoutMilliseconds: 5000 }).catch(() => []);
      return Object.entries(states).every(([name, state]) =>
        nodes.some(({ Description, Status }) => Description.Hostname === name && Status.State === state),
      );
    });
  try {
    for (const each of started) if (each.status === 'rejected') throw each.reason as Error;
    await formSwarm(hosts, managers, heartbeat);
    await nodesAre(Object.fromEntries(hosts.map(({ name }) => [name, 'ready' as const])));
  } catch (error) {
    await end();
    throw error;
  }
  const setNode = async ({ name }: TestHost, changed: Partial<DockerNode['Spec']>): Promise<void> => {
    const { docker } = hosts[0]!;
    const node = await inspectDockerNode(docker, name);
    await updateDockerNode(docker, node, { ...node.Spec, ...changed });
  };
  return {
    hosts,
    tls,
    registry,
    nodesAre,
    end,
    setAvailability: (host, Availability) => setNode(host, { Availability }),
    label: (host, Labels) => setNode(host, { Labels }),
    joinAnew: async (worker) => {
      const [first] = hosts as [TestHost];
      const left = await worker.nodeId();
      await worker.docker.request({ method: 'POST', path: '/swarm/leave', query: { force: true } });
      await nodesAre({ [worker.name]: 'down' });
      await first.docker.request({ method: 'DELETE', path: `/nodes/${left}`, query: { force: true } });
      await join(worker, first, 'Worker');
      await nodesAre({ [worker.name]: 'ready' });
    },
    publish: async (image, as = image) => {
      const { docker } = hosts[0]!;
      const name = `${registry.host}/${as}:1`;
      await tagDockerImage(docker, await buildTestImage(docker, image), name);
      await push(docker, name);
      return name;
    },
  };
}
