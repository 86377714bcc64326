import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDockerSecret,
  createDockerService,
  createDockerVolume,
  listDockerServices,
  listDockerVolumes,
} from '../../src/platform/runtime/docker/api/index.ts';
import { seededRandom } from '../../src/platform/common/index.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { linksOnHost } from '../support/docker/links-on-host.ts';
import { leftOnEngine, leftOfBuilds, unusedFiles } from '../support/docker/left-on-engine.ts';
import {
  type ActionToKill,
  createServicesToKill,
  pathOf,
  requestFor,
  type ServiceToKill,
} from '../support/docker/services-to-kill.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { rowsOf } from '../support/test-platform.ts';

/**
 * How many deployments are asked for while the platform, the engine or both are killed, and what decides which: the
 * same seed asks for the same ones.
 */
const deployments = Number(process.env['DEPLOYMENTS_TO_KILL'] ?? 6);
const seed = process.env['SEED'] ?? String(Date.now());
/** How many are asked for before each kill. */
const atOnce = 2;
const longestWait = 2500;

const random = seededRandom(seed);
const upTo = (most: number): number => Math.floor(random.number() * most);
const oneOf = <Each>(choices: readonly Each[]): Each => choices[upTo(choices.length)]!;
const patience = { timeout: 240_000, interval: 500 };

let docker: DockerPlatform;
let git: GitServer;
let program: SpawnedPlatform;
let services: readonly ServiceToKill[] = [];
/** How many deployments of each service were asked for, by its id. */
const asked = new Map<string, number>();

const environments = (): string[] => [...new Set(services.map(({ environmentId }) => environmentId))];
const stateOf = async (service: ServiceToKill): Promise<string> =>
  String((await program.call('GET', `${pathOf(service)}/status`))['state']);
const states = (): Promise<string[]> => Promise.all(services.map(stateOf));
const isUnderWay = (state: string): boolean =>
  !/^(?:READY|DEPLOYED|RUNNING|UNAVAILABLE|RESTARTED|STOPPED|CANCELED|\w+_ERROR)$/.test(state);
const underWay = async (): Promise<string[]> => (await states()).filter(isUnderWay);
const isBusy = async (environment: string): Promise<boolean> =>
  (await Promise.all(services.filter(({ environmentId }) => environmentId === environment).map(stateOf))).some(
    isUnderWay,
  );
const labelled = () => listDockerServices(docker.engine.docker, { label: ['io.infra-mcp.platform'] });

/**
 * Asks for something to be done; what can't be done to a service as it is, such as a restart of a stopped one, isn't.
 */
async function ask(service: ServiceToKill, action: ActionToKill): Promise<void> {
  if (action === 'deploy') await service.renew();
  const [path, body] = requestFor(service, action);
  const isAccepted = await program.call('POST', path, body).then(
    () => true,
    () => false,
  );
  if (isAccepted) asked.set(service.id, (asked.get(service.id) ?? 0) + 1);
}

async function deployAll(): Promise<void> {
  await Promise.all(environments().map((id) => program.call('POST', `/environment/${id}/deploy`)));
  for (const { id } of services) asked.set(id, (asked.get(id) ?? 0) + 1);
}

/** What the kills of the engine did: how many there were, and the links that they left on its host. */
const ofEngine = { kills: 0, links: [] as string[] };
const endEngine = async (): Promise<void> => {
  const before = linksOnHost();
  await docker.engine.kill();
  ofEngine.kills += 1;
  ofEngine.links.push(...linksOnHost().filter((link) => !before.includes(link)));
};
const killEngine = async (): Promise<void> => {
  await endEngine();
  await delay(upTo(1000));
  await docker.engine.start();
};
const killPlatform = async (): Promise<void> => {
  await program.kill();
  await program.start();
};
const killBoth = async (): Promise<void> => {
  await Promise.all([endEngine(), program.kill()]);
  await Promise.all([docker.engine.start(), program.start()]);
};

/**
 * What went wrong with a service, and is not the fault of the engine's end: only a run of a job can't be begun again.
 */
async function faultsOf(service: ServiceToKill): Promise<string[]> {
  const history = rowsOf(await program.call('GET', `${pathOf(service)}/deploymentHistoryV2?pageSize=100`)).map(
    ({ status }) => String(status),
  );
  const messages = (await program.rows(`${pathOf(service)}/log`)).map(({ message }) => String(message));
  const hasJob = services.some(({ kind, environmentId }) => kind === 'job' && environmentId === service.environmentId);
  const isKept = (status: string): boolean =>
    !/^(?:CANCELED|\w+_ERROR)$/.test(status) ||
    (service.kind === 'job' &&
      status === 'DEPLOYMENT_ERROR' &&
      messages.some((message) => message.startsWith('The job failed: it ended because the engine did'))) ||
    (hasJob && status === 'CANCELED');
  const wrong = history.filter((status) => !isKept(status));
  const count = asked.get(service.id) ?? 0;
  return [
    ...(history.length === count
      ? []
      : [`${service.kind} was asked for ${count} times and deployed ${history.length} times`]),
    ...(wrong.length === 0 ? [] : [`${service.kind}: ${wrong.join(', ')}\n${messages.slice(0, 200).join('\n')}`]),
  ];
}
const faults = async (): Promise<string[]> => (await Promise.all(services.map(faultsOf))).flat();

/** How many instances run of each service that the engine has, by its name there. */
const running = async () =>
  Object.fromEntries((await labelled()).map(({ Spec, ServiceStatus }) => [Spec.Name, ServiceStatus?.RunningTasks]));

/** Deploys everything, and requires that it runs: each service once, with what it uses and nothing else. */
async function requireOrder(): Promise<void> {
  await expect.poll(underWay, patience).toEqual([]);
  await deployAll();
  await expect
    .poll(async () => (await states()).filter((state) => !/^(?:DEPLOYED|RUNNING)$/.test(state)), patience)
    .toEqual([]);
  expect(await faults()).toEqual([]);
  const kept = services.filter(({ kind }) => kind !== 'job');
  // Instances of old versions take a moment to end.
  await expect.poll(running, patience).toEqual(Object.fromEntries(kept.map(({ id }) => [`infra-${id}`, 1])));
  const made = await leftOnEngine(docker.engine.docker);
  const named = (kind: string): string[] => made.filter((each) => each.startsWith(`${kind} `)).toSorted();
  expect(named('network')).toEqual(
    environments()
      .map((id) => `network infra-${id}`)
      .toSorted(),
  );
  expect(named('volume')).toHaveLength(services.filter(({ kind }) => kind === 'database').length);
  expect(await unusedFiles(docker.engine.docker)).toEqual([]);
}

beforeAll(async () => {
  console.log(`SEED=${seed}`);
  docker = await startDockerPlatform();
  git = await startGitServer();
  await Promise.all([docker.publish('shell', '1'), docker.publish('redis', '7.0')]);
  program = await prepareSpawnedPlatform(docker, {
    images: { redis: `${docker.registry.host}/redis` },
    git: { [git.host]: { private: true } },
  });
  await program.start();
  services = await createServicesToKill(docker, program, git);
});
afterAll(async () => {
  await program?.end();
  await git?.close();
  await docker?.end();
});

test('an engine that is killed twice during rollouts, the second time with the platform, brings them to their end', async () => {
  await deployAll();
  await delay(2500);
  await killEngine();
  await delay(1500);
  await killBoth();
  await expect.poll(underWay, patience).toEqual([]);
  expect(await faults()).toEqual([]);
}, 300_000);

test(
  `${deployments} deployments during which the platform and the engine are killed: nothing stuck, nothing twice, nothing left`,
  async () => {
    for (let index = 0; index < deployments; index += atOnce) {
      for (let nth = 0; nth < atOnce; nth += 1) {
        const service = oneOf(services);
        // What waits for another deployment would be carried out after the last kill.
        await expect.poll(() => isBusy(service.environmentId), patience).toBe(false);
        await ask(
          service,
          service.kind === 'job' ? 'deploy' : oneOf(['deploy', 'deploy', 'deploy', 'restart', 'stop']),
        );
      }
      await delay(upTo(longestWait));
      await oneOf([killPlatform, killEngine, killBoth])();
      expect(await faults()).toEqual([]);
    }
    await requireOrder();
    console.log(
      `${ofEngine.kills} kills of the engine left ${ofEngine.links.length} links on its host: ${ofEngine.links.join(', ')}`,
    );
  },
  deployments * 60_000 + 300_000,
);

test('secrets that no record knows are removed when the platform starts; services, data and what others made are left', async () => {
  const { engine } = docker;
  const [one] = await labelled();
  const labels = {
    'io.infra-mcp.platform': one!.Spec.Labels!['io.infra-mcp.platform']!,
    'io.infra-mcp.environment': 'gone',
    'io.infra-mcp.service': 'gone',
  };
  const template = { ContainerSpec: { Image: one!.Spec.TaskTemplate.ContainerSpec.Image } };
  await createDockerService(engine.docker, {
    Name: 'infra-gone',
    Labels: labels,
    TaskTemplate: template,
    Mode: { Replicated: { Replicas: 0 } },
  });
  await createDockerSecret(engine.docker, { name: 'infra-gone', labels, content: Buffer.from('x') });
  await createDockerVolume(engine.docker, 'infra-gone', labels);
  await createDockerService(engine.docker, {
    Name: 'foreign',
    Labels: { ...labels, 'io.infra-mcp.platform': 'another' },
    TaskTemplate: template,
    Mode: { Replicated: { Replicas: 0 } },
  });
  await killPlatform();
  await expect
    .poll(
      async () => (await leftOnEngine(engine.docker)).filter((each) => each.endsWith('infra-gone')).toSorted(),
      patience,
    )
    .toEqual(['service infra-gone', 'volume infra-gone']);
  expect((await listDockerServices(engine.docker)).map(({ Spec }) => Spec.Name)).toEqual(
    expect.arrayContaining([
      'foreign',
      ...services.filter(({ kind }) => kind !== 'job').map(({ id }) => `infra-${id}`),
    ]),
  );

  await Promise.all(environments().map((id) => program.call('DELETE', `/environment/${id}`)));
  await delay(500);
  await killPlatform();
  await expect
    .poll(async () => (await leftOnEngine(engine.docker)).toSorted(), patience)
    .toEqual(['service foreign', 'service infra-gone', 'volume infra-gone']);
  expect(await leftOfBuilds(engine.docker)).toEqual([]);
  expect((await listDockerVolumes(engine.docker)).map(({ Name: name }) => name)).toContain('infra-gone');
}, 300_000);
