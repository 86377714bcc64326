import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { commandLine } from '../support/built-program.ts';
import { inDatabase } from '../support/postgres/in-database.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres/server.ts';
import { startTcpProxy, type TcpProxy } from '../support/postgres/tcp-proxy.ts';
import { type CommandLine, type RunningProgram, spawnProgram, whenReady } from '../support/started-program.ts';

/** The admin token of every platform of the tests. */
export const fleetToken = 'token-of-the-fleet';

/** A platform's process, with a proxy of its own to the database. */
export interface FleetPlatform {
  /** Its number, from 0. */
  readonly place: number;
  /** Where it listens now. */
  readonly url: string;
  readonly pid: number;
  readonly proxy: TcpProxy;
  /** What it has written on stderr, also before it was started again. */
  readonly stderr: () => string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`; resolves when it is ready. */
  start(): Promise<void>;
}

/** How the processes of a fleet are started. */
export interface FleetOptions {
  readonly platforms?: number;
  /** More flags of the command. */
  readonly args?: readonly string[];
  /**
   * The command line of a process; default that of the program.
   * @param databaseUrl leads through the process's proxy
   */
  readonly programOf?: (place: number, databaseUrl: string, keysDir: string) => CommandLine;
  /** The database that theirs is a copy of; default one with the examples. */
  readonly template?: string;
}

/** Platforms on one database of their own. */
export interface Fleet {
  readonly platforms: readonly FleetPlatform[];
  readonly databaseUrl: string;
  /** Asks the database itself, past all proxies. Waits while it is away. */
  readonly rows: <Row = Record<string, unknown>>(query: string, values?: readonly unknown[]) => Promise<Row[]>;
}

/** A PostgreSQL of a test file's own, and what it takes to start platforms on its databases. */
export interface FleetHome {
  readonly server: PostgresServer;
  readonly keysDir: string;
  /** Starts platforms at once on a database. They end with the test, and the database goes. */
  startFleet(options?: FleetOptions): Promise<Fleet>;
  close(): Promise<void>;
}

/** A database with the examples, which those of the tests are copies of. */
const seededTemplate = 'seeded_platform';

/** A database without anything. */
export const emptyTemplate = 'template0';

const isAway = (error: unknown): boolean =>
  /ECONN|ENOENT|57P0|08/.test((error as { code?: string }).code ?? '') || /Connection terminated/.test(String(error));

/** The same, again and again while the database is away. */
const patiently = async <Row>(address: string, query: string, values?: readonly unknown[]): Promise<Row[]> => {
  for (;;) {
    try {
      return await inDatabase<Row>(address, query, values);
    } catch (error) {
      if (!isAway(error)) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  }
};

const programOf =
  (args: readonly string[], directory: string) =>
  (place: number, databaseUrl: string, keysDir: string): CommandLine =>
    commandLine(
      [
        'platform',
        '--data-dir',
        join(directory, `platform-${place}`),
        '--keys-dir',
        keysDir,
        '--allow-private-webhook-targets',
        '--log-level',
        'error',
        ...args,
      ],
      { INFRA_DATABASE_URL: databaseUrl, INFRA_PLATFORM_TOKEN: fleetToken },
    );

async function openPlatform(
  place: number,
  proxy: TcpProxy,
  line: CommandLine,
): Promise<FleetPlatform & { end(): Promise<void> }> {
  let running: RunningProgram;
  let url = '';
  let earlier = '';
  const start = async (): Promise<void> => {
    running = spawnProgram(line);
    ({ url } = (await whenReady(running)).ready);
  };
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    earlier += (await running.ended).stderr;
  };
  await start();
  return {
    place,
    proxy,
    start,
    kill,
    get url() {
      return url;
    },
    get pid() {
      return running.child.pid!;
    },
    stderr: () => earlier + running.output.stderr,
    signal: (signal) => void running.child.kill(signal),
    end: async () => {
      await kill();
      await proxy.close();
    },
  };
}

/** Starts a PostgreSQL and seeds a database on it. */
export async function openFleetHome(): Promise<FleetHome> {
  const server = await startPostgresServer();
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-fleet-'));
  const keysDir = join(directory, 'keys');
  let databases = 0;
  const createDatabase = async (template: string): Promise<string> => {
    databases += 1;
    const name = `fleet_${databases}`;
    await inDatabase(server.addressOf('postgres'), `create database ${name} template ${template}`);
    return name;
  };

  const seed = async (): Promise<void> => {
    const name = await createDatabase(emptyTemplate);
    const program = await whenReady(spawnProgram(programOf([], directory)(0, server.addressOf(name), keysDir)));
    program.child.kill('SIGTERM');
    await program.ended;
    await inDatabase(server.addressOf('postgres'), `alter database ${name} rename to ${seededTemplate}`);
  };
  await seed();

  return {
    server,
    keysDir,
    startFleet: async ({
      platforms: count = 3,
      args = ['--time-scale', '0', '--rate-limit', '1000000'],
      template = seededTemplate,
      ...options
    } = {}) => {
      const name = await createDatabase(template);
      const databaseUrl = server.addressOf(name);
      const lineOf = options.programOf ?? programOf(args, directory);
      const platforms = await Promise.all(
        Array.from({ length: count }, async (_, place) => {
          const proxy = await startTcpProxy(server.socketPath);
          return openPlatform(place, proxy, lineOf(place, proxy.addressOf(name), keysDir));
        }),
      );
      onTestFinished(async () => {
        await Promise.all(platforms.map((platform) => platform.end()));
        await patiently(server.addressOf('postgres'), `drop database ${name} with (force)`);
      });
      return { platforms, databaseUrl, rows: (query, values) => patiently(databaseUrl, query, values) };
    },
    close: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
