import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createDockerClient,
  type DockerClient,
  listDockerContainers,
  parseDockerAddress,
  removeDockerContainer,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { cgroupOf, engineSettings, readMounts } from './cgroups.ts';
import { suiteDirectory } from './own-namespaces.ts';

/** An engine that a test started. */
export interface TestEngine {
  /** `unix://` and the path of its socket. */
  readonly address: string;
  readonly socket: string;
  /** Has the engine's data, log and socket. */
  readonly directory: string;
  readonly docker: DockerClient;
  /** Kills the engine's process. Its containers go on. */
  kill(): Promise<void>;
  /** Ends the engine as its host does when it is shut down. Its containers end too. */
  stop(): Promise<void>;
  /** Starts it again after `kill` or `stop`. */
  start(): Promise<void>;
  /** Leaves its swarm and begins another one, as whoever needs another address for it does. Its volumes stay. */
  renewSwarm(): Promise<void>;
  /** What it logged. */
  log(): string;
  /** Ends it and removes everything that it made. */
  end(): Promise<void>;
}

interface EngineOptions {
  /** Whether it begins a swarm of its own. Default: true. */
  readonly swarm?: boolean;
  /**
   * `own`: a network namespace of its own, for an engine beside another one. Tests don't reach its ports. Default:
   * `suite`.
   */
  readonly network?: 'suite' | 'own';
  /** Further arguments of dockerd. */
  readonly args?: readonly string[];
}

const readyTimeout = 180_000;
const stopTimeout = 30_000;

/** Bridges that an engine makes and doesn't remove. */
const bridges = ['docker0', 'docker_gwbridge'];

/** Waits until something is so. @throws Error with what was awaited */
export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  timeoutMilliseconds = readyTimeout,
): Promise<void> {
  const end = Date.now() + timeoutMilliseconds;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Waited ${timeoutMilliseconds / 1000} seconds in vain: ${what}.`);
    await delay(50);
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const force = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
  await ended;
  clearTimeout(force);
};

/** The command line of a process; empty if it has ended. */
const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/**
 * The processes that have a text in their command line. The text is the path of a directory that only one engine has.
 */
const processesWith = (text: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandLine(pid).includes(text));

const unmountBelow = (directory: string): void => {
  const paths = readMounts()
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${directory}/`));
  for (const path of paths.toReversed()) spawnSync('umount', ['--lazy', path]);
};

/**
 * Starts an engine with everything of its own: data, socket, containerd, cgroup. Only in the docker suite.
 * @throws Error if it doesn't get ready, with the end of its log
 */
export async function startTestEngine({
  swarm = true,
  network = 'suite',
  args = [],
}: EngineOptions = {}): Promise<TestEngine> {
  const suite = suiteDirectory();
  const directory = await mkdtemp(join(suite, 'engine-'));
  const socket = join(directory, 'docker.sock');
  const logFile = join(directory, 'log');
  const address = `unix://${socket}`;
  const docker = createDockerClient(parseDockerAddress(address));
  const inNetwork: string[] = [];
  let holder: ChildProcess | undefined;
  let daemon: ChildProcess | undefined;

  const log = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');

  const start = async (): Promise<void> => {
    // A killed engine leaves the file, and another process may have its number by now.
    await rm(join(directory, 'pid'), { force: true });
    const output = openSync(logFile, 'a');
    const [program = '', ...rest] = [
      ...inNetwork,
      'dockerd',
      '--data-root',
      join(directory, 'data'),
      '--exec-root',
      join(directory, 'exec'),
      '--pidfile',
      join(directory, 'pid'),
      '--host',
      address,
      '--cgroup-parent',
      cgroupOf(suite),
      '--shutdown-timeout',
      '2',
      ...args,
    ];
    const child = spawn(program, rest, { stdio: ['ignore', output, output] });
    daemon = child;
    const isReady = async (): Promise<boolean> => {
      if (hasEnded(child)) throw new Error(`The engine ended:\n${log().slice(-2000)}`);
      return docker.request({ method: 'GET', path: '/info', timeoutMilliseconds: 5000 }).then(
        () => true,
        () => false,
      );
    };
    await waitUntil('the engine answers', isReady).catch((error: unknown) => {
      throw new Error(`The engine did not get ready. Its log ends:\n${log().slice(-2000)}`, { cause: error });
    });
  };

  const beginSwarm = async (): Promise<void> => {
    // Nodes that are lost show within seconds.
    const json = {
      ListenAddr: '127.0.0.1:2377',
      AdvertiseAddr: '127.0.0.1',
      Spec: { Dispatcher: { HeartbeatPeriod: 1e9 } },
    };
    await docker.request({ method: 'POST', path: '/swarm/init', json });
  };

  const leaveSwarm = (): Promise<unknown> =>
    docker.request({ method: 'POST', path: '/swarm/leave', query: { force: true } });

  /** Removes what the engine has while it still runs: containers with their mounts and networks. */
  const removeContainers = async (): Promise<void> => {
    if (!daemon || hasEnded(daemon)) await start();
    await leaveSwarm().catch(() => undefined);
    const containers = await listDockerContainers(docker);
    await Promise.all(containers.map(({ Id: id }) => removeDockerContainer(docker, id).catch(() => undefined)));
  };

  const end = async (): Promise<void> => {
    await removeContainers().catch(() => undefined);
    await docker.close();
    if (daemon) await endProcess(daemon, 'SIGTERM');
    // After a failure there may be some left: containerd, its shims.
    for (const pid of processesWith(`${directory}/`)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    if (holder) await endProcess(holder, 'SIGKILL');
    else for (const name of bridges) spawnSync('ip', ['link', 'delete', name]);
    unmountBelow(directory);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    if (network === 'own') {
      // Mounts too: the identity of an engine is a file with a fixed path.
      holder = spawn(
        'unshare',
        [
          '--net',
          '--mount',
          '--',
          'sh',
          '-c',
          `mount -t tmpfs settings ${engineSettings} && ip link set lo up && exec sleep infinity`,
        ],
        { stdio: 'ignore' },
      );
      inNetwork.push('nsenter', '--target', String(holder.pid), '--net', '--mount', '--');
      await waitUntil('the namespaces are there', () =>
        spawnSync('nsenter', [...inNetwork.slice(1), 'ip', 'link', 'show', 'lo', 'up'], {
          encoding: 'utf8',
        }).stdout.includes('LOOPBACK,UP'),
      );
    } else if (spawnSync('ip', ['link', 'show', 'docker0']).status === 0) {
      throw new Error('Another engine runs in this network. End it first, or start this one with network: "own".');
    }
    await start();
    if (swarm) await beginSwarm();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    address,
    socket,
    directory,
    docker,
    start,
    log,
    end,
    renewSwarm: async () => {
      await leaveSwarm();
      await beginSwarm();
    },
    kill: () => endProcess(daemon!, 'SIGKILL'),
    stop: () => endProcess(daemon!, 'SIGTERM'),
  };
}
