import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  createDockerService,
  deleteDockerService,
  inspectDockerService,
  isDockerError,
  listDockerTasks,
  updateDockerService,
  type DockerServiceSpec,
} from '../../src/platform/runtime/docker/api/index.ts';
import { relativeTo, type Figure } from '../figure.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { median } from '../statistics.ts';
import {
  containerLimits,
  longestWait,
  type PlatformOnEngine,
  startPlatformOnEngine,
  until,
  untilDeployed,
  waitingProgram,
} from './platform-on-engine.ts';

const run = promisify(execFile);

/** Milliseconds by what was measured. */
type Times = Readonly<Record<string, number>>;

/** How long something takes, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Waits until instances of a service run, and only such as are not among the known ones.
 * @returns the ids of their tasks
 */
const untilRunning = (
  { docker }: PlatformOnEngine,
  service: string,
  known: readonly string[] = [],
): Promise<readonly string[]> =>
  until(async () => {
    // Before it is created, the engine doesn't know it.
    const all = await listDockerTasks(docker, { service: [service] }).catch((error: unknown) => {
      if (isDockerError(error, 'not found')) return [];
      throw error;
    });
    const tasks = all.filter(({ Status }) => Status.State === 'running').map(({ ID }) => ID);
    return tasks.length > 0 && !tasks.some((id) => known.includes(id)) ? tasks : undefined;
  });

/** Deploys a container through the API, twice: a new service, and another version of it. */
async function throughApi(
  machine: PlatformOnEngine,
  name: string,
): Promise<{ readonly times: Times; readonly spec: DockerServiceSpec }> {
  const { direct, docker } = machine;
  const container_id = await machine.createContainer(name);
  const service = `infra-${container_id}`;
  let running: readonly string[] = [];
  const deployOnce = async (): Promise<{ readonly runs: number; readonly ends: number }> => {
    const known = running;
    const began = performance.now();
    await direct.call('deploy_container', { container_id });
    const [runs, ends] = await Promise.all([
      untilRunning(machine, service, known).then((tasks) => {
        running = tasks;
        return performance.now() - began;
      }),
      untilDeployed(machine, container_id).then(() => performance.now() - began),
    ]);
    return { runs, ends };
  };
  const first = await deployOnce();
  const second = await deployOnce();
  const { Spec: spec } = await inspectDockerService(docker, service);
  await direct.call('delete_container', { container_id });
  return {
    spec,
    times: {
      'through the API: new service, until it runs': first.runs,
      'through the API: new service, until it is deployed': first.ends,
      'through the API: new version, until only it runs': second.runs,
      'through the API: new version, until it is deployed': second.ends,
    },
  };
}

/** The same spec as the platform's, for a service of nobody. */
function ownSpec({ TaskTemplate, ...spec }: DockerServiceSpec, name: string, version: number): DockerServiceSpec {
  const { Labels: _, ...container } = TaskTemplate.ContainerSpec;
  return {
    ...spec,
    Name: name,
    Labels: {},
    TaskTemplate: { ...TaskTemplate, ContainerSpec: { ...container, Env: [`VERSION=${version}`] } },
  };
}

/** Sends the specs to the engine. */
async function byHand(machine: PlatformOnEngine, spec: DockerServiceSpec, name: string): Promise<Times> {
  const { docker } = machine;
  let running: readonly string[] = [];
  const created = await timed(async () => {
    await createDockerService(docker, ownSpec(spec, name, 1));
    running = await untilRunning(machine, name);
  });
  const updated = await timed(async () => {
    const {
      Version: { Index: index },
    } = await inspectDockerService(docker, name);
    await updateDockerService(docker, name, index, ownSpec(spec, name, 2));
    await untilRunning(machine, name, running);
  });
  await deleteDockerService(docker, name);
  return { 'by hand: new service, until it runs': created, 'by hand: new version, until only it runs': updated };
}

/**
 * The same with the engine's own command, which waits until instances have run for as long as updates are watched: two
 * seconds here, as in the platform's specs.
 */
async function byCommand({ engine, docker, image, environmentId }: PlatformOnEngine, name: string): Promise<Times> {
  const service = (command: string, ...args: readonly string[]) =>
    run('docker', ['--host', engine.address, 'service', command, '--quiet', ...args], { timeout: longestWait });
  const { cpu, memory } = containerLimits;
  const created = await timed(() =>
    service(
      'create',
      '--name',
      name,
      '--network',
      `infra-${environmentId}`,
      '--endpoint-mode',
      'dnsrr',
      '--init',
      '--restart-delay',
      '500ms',
      '--update-monitor',
      '2s',
      '--update-order',
      'start-first',
      '--limit-cpu',
      String(cpu / 1000),
      '--limit-memory',
      `${memory}m`,
      '--reserve-memory',
      `${memory}m`,
      image,
      ...waitingProgram,
    ),
  );
  const updated = await timed(() => service('update', '--env-add', 'VERSION=2', name));
  await deleteDockerService(docker, name);
  return { 'docker service create': created, 'docker service update': updated };
}

/** Fewer rounds than for starts of processes: one takes half a minute. */
const rounds = (runs: number): number => Math.max(1, Math.ceil(runs / 3));

async function measure({ program: build, runs, log }: BenchContext): Promise<Figure[]> {
  const machine = await startPlatformOnEngine(await build());
  const all: Times[] = [];
  try {
    // It keeps the network of the environment, which the first service creates and the last one takes along.
    const first = await machine.createContainer('first');
    await machine.direct.call('deploy_container', { container_id: first });
    await untilDeployed(machine, first);
    for (let round = 0; round <= rounds(runs); round += 1) {
      const { times, spec } = await throughApi(machine, `bench-${round}`);
      const measured = {
        ...times,
        ...(await byHand(machine, spec, `hand-${round}`)),
        ...(await byCommand(machine, `command-${round}`)),
      };
      log(JSON.stringify(measured));
      // The first round pulls the image.
      if (round > 0) all.push(measured);
    }
  } finally {
    await machine.end();
  }
  const figure = (name: string): Figure => ({ name, value: median(all.map((times) => times[name]!)), unit: 'ms' });
  const second: Figure = { name: 'a second', value: 1000, unit: 'ms' };
  const compared = (version: string, running: string, command: string): Figure[] => {
    const [hand, waited] = [figure(`by hand: ${version}, ${running}`), figure(command)];
    const [runsAfter, deployed] = [
      figure(`through the API: ${version}, ${running}`),
      figure(`through the API: ${version}, until it is deployed`),
    ];
    return [
      hand,
      relativeTo(hand, runsAfter),
      waited,
      relativeTo(waited, deployed),
      relativeTo(second, {
        name: `${version}: longer through the API, until it runs`,
        value: Math.max(0, runsAfter.value - hand.value),
        unit: 'ms',
      }),
      relativeTo(second, {
        name: `${version}: longer through the API than with the command`,
        value: Math.max(0, deployed.value - waited.value),
        unit: 'ms',
      }),
    ];
  };
  return [
    second,
    ...compared('new service', 'until it runs', 'docker service create'),
    ...compared('new version', 'until only it runs', 'docker service update'),
  ];
}

export const deploy: Measurement = {
  name: 'deploy',
  about:
    "Deployments of a container through the API, beside the same spec sent to the engine by hand, and the engine's own command.",
  measure,
};
