import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shellSource } from '../support/docker/applications.ts';
import { type DockerPlatform, scriptContainer, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { leftOnEngine, unusedFiles } from '../support/docker/left-on-engine.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { heapUsed } from '../support/heap.ts';
import { seenAtLast } from '../support/eventually.ts';

/** For a release: two hours. */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);

/** What a service ends in that was deployed or restarted, and serves. */
const serves = /^(?:DEPLOYED|RUNNING|RESTARTED)$/;

/** Free: the network of this file is its own. */
const inspector = '127.0.0.1:9229';

let docker: DockerPlatform;
let git: GitServer;
let platform: SpawnedPlatform;
let directory: string;
/** Where the platform makes its temporary files. */
let temporary: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'soak-'));
  temporary = join(directory, 'temporary');
  await mkdir(temporary);
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
  git = await startGitServer();
  platform = await prepareSpawnedPlatform(
    docker,
    { git: { [git.host]: { private: true } } },
    { TMPDIR: temporary, NODE_OPTIONS: `--inspect=${inspector}` },
  );
  await platform.start();
});
afterAll(async () => {
  await platform?.end();
  await git?.close();
  await docker?.end();
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** The temporary files of the platform. The loader of TypeScript keeps what it has compiled. */
const temporaryFiles = (): string[] => readdirSync(temporary).filter((name) => !name.startsWith('tsx-'));

/** What a platform that stays must not have more and more of, once it has done everything once. */
interface Held {
  readonly heap: number;
  readonly handles: number;
}

async function held(): Promise<Held> {
  const [target] = (await (await fetch(`http://${inspector}/json`)).json()) as [{ webSocketDebuggerUrl: string }];
  return {
    heap: await heapUsed(target.webSocketDebuggerUrl),
    handles: readdirSync(`/proc/${platform.pid()}/fd`).length,
  };
}

test(
  `${minutes} minutes of builds, rollouts, restarts and deletions: memory, handles and temporary files stay bounded`,
  async () => {
    const { call } = platform;
    const { environmentId, registryId } = await platform.createEnvironment();
    const commit = (round: number): string =>
      git.commit('shop', `round ${round}`, shellSource(`echo round ${round}\nexec sleep 3600\n`));
    commit(0);
    const { id: application } = await call('POST', `/environment/${environmentId}/application`, {
      name: 'web',
      git_repository: { url: git.url('shop') },
      cpu: 100,
      memory: 64,
      healthchecks: {},
    });
    const settled = async (path: string): Promise<unknown> => {
      const { state } = await seenAtLast(
        () => call('GET', `${path}/status`),
        (seen) => /^(?:DEPLOYED|RUNNING|RESTARTED|STOPPED|.*_ERROR)$/.test(String(seen['state'])),
        200,
      );
      return state;
    };
    /** Everything once: a build of a new commit, a new service and its end, a restart, and what assistants read. */
    const round = async (number: number): Promise<void> => {
      commit(number);
      await call('POST', `/application/${String(application)}/deploy`);
      const { id } = await call('POST', `/environment/${environmentId}/container`, {
        name: `passing-${number}`,
        ...scriptContainer(registryId, 'echo started; exec sleep 3600'),
      });
      const passing = `/container/${String(id)}`;
      await call('POST', `${passing}/deploy`);
      expect(await settled(passing)).toMatch(serves);
      expect(await settled(`/application/${String(application)}`)).toMatch(serves);
      for (let reads = 0; reads < 20; reads += 1) {
        await call('GET', `/application/${String(application)}/log`);
        await call('GET', `/environment/${environmentId}/statuses`);
      }
      await call('POST', `/environment/${environmentId}/service/restart-service`, { container_ids: [id] });
      expect(await settled(passing)).toMatch(serves);
      await call('DELETE', passing);
      const gone = () => call('GET', `${passing}/status`).then(() => '', String);
      await expect.poll(gone, { interval: 500 }).toContain('(404)');
    };
    const end = Date.now() + minutes * 60_000;
    const warm = Date.now() + minutes * 60_000 * 0.3;
    let first: Held | undefined;
    let rounds = 0;
    while (Date.now() < end || first === undefined || rounds < 3) {
      await round((rounds += 1));
      if (first === undefined && Date.now() > warm) first = await held();
    }
    // What the last round began ends first.
    await expect.poll(temporaryFiles, { interval: 500 }).toEqual([]);
    const last = await held();
    console.log(`${rounds} rounds; at first ${JSON.stringify(first)}, at last ${JSON.stringify(last)}`);
    expect(last.heap).toBeLessThan(first.heap * 1.2 + 10);
    expect(last.handles).toBeLessThan(first.handles + 10);

    await call('DELETE', `/environment/${environmentId}`);
    await expect.poll(() => leftOnEngine(docker.engine.docker), { interval: 500 }).toEqual([]);
    expect(await unusedFiles(docker.engine.docker)).toEqual([]);
  },
  minutes * 60_000 + 900_000,
);
