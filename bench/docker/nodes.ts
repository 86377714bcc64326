import { inspectDockerService, listDockerNodes, listDockerTasks } from '../../src/platform/runtime/docker/api/index.ts';
import { startTestHosts, type TestHosts } from '../../test/support/docker/hosts.ts';
import type { TestHost } from '../../test/support/docker/test-host.ts';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import type { BundledProgram } from '../program.ts';
import { median } from '../statistics.ts';
import { type PlatformOnNodes, startPlatformOn, until, untilDeployed } from './platform-on-engine.ts';

/** How many services are deployed at once. */
const servicesAtOnce = 12;

/** What to measure on a swarm. */
interface Case {
  readonly nodes: number;
  /** Further settings of the cluster in the clusters file. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly rounds: number;
}

/** Medians over the rounds. */
interface Measured {
  /** Deployments a minute. */
  readonly rate: number;
  /**
   * After a node lost its power: how long until the engine called it down, until the status of a service was
   * UNAVAILABLE, and until half and all of its instances ran elsewhere, in milliseconds.
   */
  readonly down: number;
  readonly told: number;
  readonly half: number;
  readonly all: number;
}

/**
 * Deploys the environment: every instance is replaced.
 * @param ids of its containers
 * @returns services deployed a minute
 */
async function deployAll(machine: PlatformOnNodes, ids: readonly string[]): Promise<number> {
  const began = performance.now();
  await machine.direct.call('deploy_environment', { environment_id: machine.environmentId });
  await Promise.all(ids.map((container_id) => untilDeployed(machine, container_id)));
  return ids.length / ((performance.now() - began) / 60_000);
}

/** The services with an instance that runs on a node, or on any but that one. */
async function runningServices(
  { docker }: PlatformOnNodes,
  isThere: (nodeId: string) => boolean,
): Promise<ReadonlySet<string>> {
  const tasks = await listDockerTasks(docker, { 'desired-state': ['running'] });
  return new Set(
    tasks
      .filter(({ NodeID, Status }) => Status.State === 'running' && isThere(NodeID ?? ''))
      .map(({ ServiceID }) => ServiceID),
  );
}

/**
 * Takes a node's power away, and waits until its instances run elsewhere.
 * @param ids of the containers
 * @throws Error if none of them runs there
 */
async function lose(machine: PlatformOnNodes, host: TestHost, ids: readonly string[]): Promise<Omit<Measured, 'rate'>> {
  const { docker, direct } = machine;
  const nodeId = await host.nodeId();
  const affected = await runningServices(machine, (id) => id === nodeId);
  const services = await Promise.all(
    ids.map(async (container_id) => ({
      container_id,
      service: (await inspectDockerService(docker, `infra-${container_id}`)).ID,
    })),
  );
  const container_id = services.find(({ service }) => affected.has(service))?.container_id;
  if (container_id === undefined) throw new Error(`No instance runs on ${host.name}.`);
  await host.kill();
  const began = performance.now();
  const since = (): number => performance.now() - began;
  const runElsewhere = (share: number): Promise<number> =>
    until(async () => {
      const elsewhere = await runningServices(machine, (id) => id !== nodeId);
      return [...affected].filter((id) => elsewhere.has(id)).length >= affected.size * share ? since() : undefined;
    });
  const [down, told, half, all] = await Promise.all([
    until(async () =>
      (await listDockerNodes(docker)).some(({ ID, Status }) => ID === nodeId && Status.State === 'down')
        ? since()
        : undefined,
    ),
    until(async () =>
      (await direct.call('get_container_status', { container_id }))['state'] === 'UNAVAILABLE' ? since() : undefined,
    ),
    runElsewhere(0.5),
    runElsewhere(1),
  ]);
  return { down, told, half, all };
}

/** Measures on hosts that were started for it. */
async function measureCase(
  program: BundledProgram,
  { nodes: count, cluster, rounds }: Case,
  log: BenchContext['log'],
): Promise<Partial<Measured>> {
  const swarm: TestHosts = await startTestHosts({ workers: count - 1, heartbeat: 5 });
  try {
    const [first] = swarm.hosts as readonly [TestHost];
    const machine = await startPlatformOn(program, {
      docker: first.docker,
      image: await swarm.publish('shell'),
      cluster: { engine: first.socket, ...cluster },
    });
    try {
      const ids: string[] = [];
      for (let number = 0; number < servicesAtOnce; number += 1)
        ids.push(await machine.createContainer(`bench-${number}`));
      // Pulls the image everywhere, and makes the network.
      await deployAll(machine, ids);
      const all: Partial<Measured>[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const rate = await deployAll(machine, ids);
        const last = swarm.hosts.at(-1)!;
        const lost = count > 1 ? await lose(machine, last, ids) : undefined;
        all.push({ rate, ...lost });
        log(JSON.stringify({ nodes: count, ...cluster, ...all.at(-1) }));
        if (lost) {
          await last.start();
          await swarm.nodesAre({ [last.name]: 'ready' });
        }
      }
      return Object.fromEntries(
        Object.keys(all[0]!).map((key) => [key, median(all.map((each) => each[key as keyof Measured]!))]),
      );
    } finally {
      await machine.end();
    }
  } finally {
    await swarm.end();
  }
}

/** What the loss of a node costs. @param heartbeat of the swarm, in milliseconds */
const figuresOfLoss = (name: string, heartbeat: number, { down, told, half, all }: Partial<Measured>): Figure[] => {
  const missed: Figure = { name: `${name}: a heartbeat`, value: heartbeat, unit: 'ms' };
  const times = {
    'lost node is down': down!,
    'status is UNAVAILABLE': told!,
    'half of its instances run elsewhere': half!,
    'all run elsewhere': all!,
  };
  return [
    missed,
    ...Object.entries(times).map(([what, value]) =>
      relativeTo(missed, { name: `${name}: ${what}`, value, unit: 'ms' }),
    ),
  ];
};

async function measure({ program: build, runs, log }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const rounds = Math.max(1, Math.ceil(runs / 5));
  const one = await measureCase(program, { nodes: 1, rounds }, log);
  const three = await measureCase(program, { nodes: 3, rounds }, log);
  const fast = await measureCase(program, { nodes: 3, cluster: { failover: 'fast' }, rounds }, log);
  const onOne: Figure = { name: '1 node: deployments', value: one.rate!, unit: 'per min' };
  return [
    onOne,
    relativeTo(onOne, { name: '3 nodes: deployments', value: three.rate!, unit: 'per min' }),
    ...figuresOfLoss('default', 5000, three),
    ...figuresOfLoss('failover: fast', 1000, fast),
  ];
}

export const nodes: Measurement = {
  name: 'nodes',
  about: 'Deployments a minute on one and on three nodes, and how long instances of a lost node are away.',
  measure,
};
