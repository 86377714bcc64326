import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  createDockerClient,
  deleteDockerVolume,
  listDockerConfigs,
  listDockerContainers,
  listDockerNetworks,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
  parseDockerAddress,
  type DockerClient,
} from '../../src/platform/runtime/docker/api/index.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startGitServer, type GitServer } from '../../test/support/git-server.ts';
import { endWithThisProcess, pidWhileRunning } from '../temporary-directory.ts';

const root = join(import.meta.dirname, '../..');

/** What the demo runs on, and the images that it may have to take from elsewhere. */
export interface MachineOptions {
  /** Address of the engine. */
  readonly engine: string;
  /** Images by what they are for: `proxy`, `redis`, and `base`, from which the application is built. */
  readonly images: Readonly<Record<string, string>>;
}

/** A platform on a Docker engine, with a git server beside it. */
export interface DemoMachine {
  readonly url: string;
  readonly token: string;
  readonly git: GitServer;
  /** The image that the application is built from. */
  readonly base: string;
  /** Asks the proxy for a page. @returns its status and text; status 0 if nothing answered */
  fetch(address: string): Promise<{ readonly status: number; readonly text: string }>;
  /**
   * Ends the platform and the git server.
   * @returns what is left on the engine, by kind and name; volumes of the proxy are removed
   */
  end(): Promise<readonly string[]>;
}

const madeByPlatforms = { label: ['io.infra-mcp.platform'] };

/** Everything on the engine that platforms made, by kind and name. */
async function madeOn(docker: DockerClient): Promise<readonly string[]> {
  const [services, containers, networks, secrets, configs, volumes] = await Promise.all([
    listDockerServices(docker, madeByPlatforms),
    listDockerContainers(docker, madeByPlatforms),
    listDockerNetworks(docker, madeByPlatforms),
    listDockerSecrets(docker, madeByPlatforms),
    listDockerConfigs(docker, madeByPlatforms),
    listDockerVolumes(docker, madeByPlatforms),
  ]);
  return [
    ...services.map(({ Spec }) => `service ${Spec.Name}`),
    ...containers.map(({ Names }) => `container ${Names.join(' ')}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...secrets.map(({ Spec }) => `secret ${Spec.Name}`),
    ...configs.map(({ Spec }) => `config ${Spec.Name}`),
    ...volumes.map(({ Name }) => `volume ${Name}`),
  ];
}

/** Names below `localhost` lead to this machine, which not every resolver knows. */
const fetchHere = (address: string): ReturnType<DemoMachine['fetch']> =>
  new Promise((resolve) => {
    const { port, host, pathname } = new URL(address);
    const request = get(
      { host: '127.0.0.1', port, path: pathname, headers: { host }, agent: false, timeout: 10_000 },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on('timeout', () => request.destroy()).on('error', () => resolve({ status: 0, text: '' }));
  });

/**
 * Starts a platform on an engine.
 * @param directory has its files
 * @throws Error if the engine doesn't answer, or is no swarm
 */
export async function startMachine(directory: string, { engine, images }: MachineOptions): Promise<DemoMachine> {
  const docker = createDockerClient(parseDockerAddress(engine));
  const before = new Set(await madeOn(docker));
  const git = await startGitServer();
  const token = randomBytes(18).toString('base64url');
  const clusters = {
    clusters: {
      local: {
        engine,
        proxy: { http_port: await freePort(), ...(images['proxy'] !== undefined && { image: images['proxy'] }) },
      },
    },
    git: { [git.host]: { private: true } },
    ...(images['redis'] !== undefined && { images: { redis: images['redis'] } }),
  };
  const file = join(directory, 'clusters.yaml');
  // JSON is YAML too.
  await writeFile(file, JSON.stringify(clusters));
  const program = spawn(
    process.execPath,
    [
      '--import',
      import.meta.resolve('tsx'),
      join(root, 'src/main.ts'),
      'platform',
      '--runtime',
      'docker',
      '--clusters-file',
      file,
      '--data-dir',
      join(directory, 'platform'),
      '--port',
      '0',
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('INFRA_'))),
        INFRA_PLATFORM_TOKEN: token,
        INFRA_LOG_LEVEL: 'error',
      },
    },
  );
  endWithThisProcess(pidWhileRunning(program));
  const [line] = (await Promise.race([
    once(createInterface({ input: program.stdout }), 'line'),
    once(program, 'exit').then(() => Promise.reject(new Error('The platform did not start.'))),
  ])) as [string];
  const { url } = JSON.parse(line) as { url: string };

  return {
    url,
    token,
    git,
    base: images['base'] ?? 'busybox',
    fetch: fetchHere,
    end: async () => {
      const ended = once(program, 'exit');
      program.kill('SIGTERM');
      await ended;
      await git.close();
      // The proxy's volume outlives it, for its certificates; here it has none.
      const ours = (await listDockerVolumes(docker, madeByPlatforms))
        .map(({ Name }) => Name)
        .filter((name) => name.startsWith('infra-proxy') && !before.has(`volume ${name}`));
      await Promise.all(ours.map((name) => deleteDockerVolume(docker, name)));
      const left = (await madeOn(docker)).filter((each) => !before.has(each));
      await docker.close();
      return left;
    },
  };
}
