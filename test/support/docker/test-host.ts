import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createDockerClient,
  type DockerClient,
  dockerInfo,
  parseDockerAddress,
} from '../../../src/platform/runtime/docker/api/index.ts';
import type { TestCertificates } from './certificates.ts';
import { cgroupOf, engineSettings, runProgram } from './cgroups.ts';
import { waitUntil } from './docker-engine.ts';
import { addressOfHost, connectHost, hostSubnet, setLinkOfHost } from './host-network.ts';
import { killInit, suiteDirectory } from './own-namespaces.ts';

/** A machine with an engine: a network, mounts, processes and a name of its own. */
export interface TestHost {
  /** Its host name, which its node in the swarm has too. */
  readonly name: string;
  /** Its address on the network of the hosts. Ports that it publishes are reached there. */
  readonly address: string;
  /** The engine over the network, as platforms on other machines reach it. It takes the TLS files of the group. */
  readonly engine: string;
  /** The engine over its socket, which works while the host is cut off. */
  readonly docker: DockerClient;
  /** The address of that socket. */
  readonly socket: string;
  /** The id of its node, once it is part of a swarm. */
  nodeId(): Promise<string>;
  /** Takes its power away: nothing of it runs afterwards. */
  kill(): Promise<void>;
  /** Starts it after `kill`, with the disk that it had. */
  start(): Promise<void>;
  /** Pulls its network cable. What runs on it goes on. */
  cutOff(): void;
  /** Connects it again. */
  reconnect(): void;
  /** Leaves no space on its disk, which has to be one of its own. */
  fillDisk(): Promise<void>;
  /** Gives the space back. */
  freeDisk(): Promise<void>;
  /** What its engine logged. */
  log(): string;
  /** Kills it and removes its disk. */
  end(): Promise<void>;
}

/**
 * What is process 1 of a host, with a folder of its own for sockets. It waits until the network is there, and ends with
 * its engine.
 */
const init = `mount -t tmpfs settings ${engineSettings} && mount -t tmpfs run /run && hostname "$0" && echo ready && read -r _ && "$@"; exit $?`;

interface HostOptions {
  /** Further arguments of its engine. */
  readonly args?: readonly string[];
  /** The size of a disk of its own for what its engine has, in MB. Default: it shares that of the suite. */
  readonly diskMegabytes?: number | undefined;
}

/** Writes to a file until its disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    // The last bytes too.
    for (const block of [1024 * 1024, 4096].map((size) => Buffer.alloc(size, 1))) {
      // Each write follows the one before.
      while (
        await file.write(block).then(
          () => true,
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error;
            return false;
          },
        )
      )
        continue;
    }
  } finally {
    await file.close();
  }
}

/** Starts a host. @param index tells it from the others of its group, from 0 */
export async function startTestHost(
  index: number,
  tls: TestCertificates,
  { args = [], diskMegabytes }: HostOptions = {},
): Promise<TestHost> {
  const suite = suiteDirectory();
  const name = `node-${index + 1}`;
  const address = addressOfHost(index);
  const directory = await mkdtemp(join(suite, `${name}-`));
  const logFile = join(directory, 'log');
  const data = join(directory, 'data');
  const filler = join(data, 'filler');
  const socket = `unix://${join(directory, 'docker.sock')}`;
  const docker = createDockerClient(parseDockerAddress(socket));
  let holder: ChildProcess | undefined;

  const log = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');

  const kill = async (): Promise<void> => {
    if (holder) await killInit(holder);
  };

  const start = async (): Promise<void> => {
    // What a machine loses with its power.
    await Promise.all(['pid', 'exec'].map((each) => rm(join(directory, each), { recursive: true, force: true })));
    const child = spawn(
      'unshare',
      [
        '--net',
        '--mount',
        '--uts',
        '--pid',
        '--fork',
        '--mount-proc',
        '--kill-child',
        '--',
        'sh',
        '-c',
        init,
        name,
        'dockerd',
        '--data-root',
        data,
        '--exec-root',
        join(directory, 'exec'),
        '--pidfile',
        join(directory, 'pid'),
        '--host',
        socket,
        '--host',
        'unix:///run/docker.sock',
        '--host',
        `tcp://${address}:2376`,
        '--tlsverify',
        '--tlscacert',
        tls.ca,
        '--tlscert',
        tls.cert,
        '--tlskey',
        tls.key,
        '--insecure-registry',
        hostSubnet,
        '--cgroup-parent',
        cgroupOf(suite),
        '--shutdown-timeout',
        '2',
        ...args,
      ],
      { stdio: ['pipe', 'pipe', openSync(logFile, 'a')] },
    );
    holder = child;
    await once(child.stdout!, 'data');
    connectHost(child.pid!, index);
    child.stdin!.end('go\n');
    const isReady = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error('It ended.');
      return dockerInfo(docker, { timeoutMilliseconds: 5000 }).then(
        () => true,
        () => false,
      );
    };
    await waitUntil(`the engine of ${name} answers`, isReady).catch((error: unknown) => {
      throw new Error(`The engine of ${name} did not get ready. Its log ends:\n${log().slice(-2000)}`, {
        cause: error,
      });
    });
  };

  const end = async (): Promise<void> => {
    await kill();
    await docker.close();
    // What is mounted below it, too.
    if (diskMegabytes !== undefined) spawnSync('umount', ['--lazy', data]);
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  };

  if (diskMegabytes !== undefined) {
    await mkdir(data);
    // The mounts of a host begin as those of the suite, where this one outlives it.
    runProgram('mount', '-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, name, data);
  }
  await start().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    name,
    address,
    engine: `tcp://${address}:2376`,
    docker,
    socket,
    start,
    kill,
    log,
    end,
    nodeId: async () => (await dockerInfo(docker)).Swarm.NodeID,
    cutOff: () => setLinkOfHost(index, 'down'),
    reconnect: () => setLinkOfHost(index, 'up'),
    fillDisk: () => fill(filler),
    freeDisk: () => rm(filler),
  };
}
