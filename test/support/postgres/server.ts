import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { postgresFolders } from './installed.ts';

const run = promisify(execFile);

const programs = join(postgresFolders.programs, 'bin');

/** Debian's PostgreSQL doesn't run as root: it has a user of its own. */
const isRoot = process.getuid?.() === 0;
const asUser = (program: string, args: readonly string[]): [string, string[]] =>
  isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, [...args]];

const idOfOwner = async (which: '-u' | '-g'): Promise<number> => Number((await run('id', [which, 'postgres'])).stdout);

/** A server of PostgreSQL in a temporary directory, which is reached over a Unix socket in it. */
export interface PostgresServer {
  /** The address of one of its databases. */
  addressOf(database: string): string;
  /** The Unix socket that it listens on. */
  readonly socketPath: string;
  /** Its main process, whose children serve connections. */
  readonly pid: number;
  /** Ends it at once, as a crash would. Its databases stay. */
  crash(): Promise<void>;
  /** Starts it again after a crash. */
  recover(): Promise<void>;
  /** Ends it, and removes its databases. */
  stop(): Promise<void>;
}

/** Settings of a server, as arguments. */
type Settings = readonly string[];

const place: Settings = ['-c', 'listen_addresses=', '-c', 'log_min_messages=panic', '-c', 'max_connections=300'];

/** Nothing of a test has to survive the machine. */
const forTests: Settings = [
  '-c',
  'fsync=off',
  '-c',
  'full_page_writes=off',
  '-c',
  'shared_buffers=64MB',
  '-c',
  'max_wal_size=256MB',
];

/** The program's own defaults: what is committed is on disk. */
export const asInstalled: Settings = [];

/** Whether Debian's package is there. */
export const hasPostgresServer = (): boolean => existsSync(join(programs, 'postgres'));

const isUp = async (config: { host: string; port: number; user: string; database: string }): Promise<boolean> => {
  const client = new Client(config);
  client.on('error', () => {});
  return client
    .connect()
    .then(() => client.end())
    .then(
      () => true,
      () => false,
    );
};

/** Starts a server with the program of Debian's package. */
export async function startPostgresServer(settings: Settings = forTests): Promise<PostgresServer> {
  const home = await mkdtemp('/tmp/infra-mcp-postgres-');
  if (isRoot) await chown(home, await idOfOwner('-u'), await idOfOwner('-g'));
  const data = join(home, 'data');
  await run(
    ...asUser(join(programs, 'initdb'), [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]),
    { cwd: '/tmp' },
  );

  const start = async (): Promise<ChildProcess> => {
    // It goes with this process, however that ends.
    const server = spawn(
      'setpriv',
      [
        '--pdeathsig=QUIT',
        ...(isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : []),
        join(programs, 'postgres'),
        '-D',
        data,
        '-k',
        home,
        ...place,
        ...settings,
      ],
      { cwd: '/tmp', stdio: ['ignore', 'ignore', 'inherit'] },
    );
    while (!(await isUp({ host: home, port: 5432, user: 'postgres', database: 'postgres' }))) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode} instead of starting.`);
      await setTimeout(20);
    }
    return server;
  };

  let server: ChildProcess | undefined = await start();
  const crash = async (): Promise<void> => {
    if (server === undefined) return;
    const ended = server.exitCode === null ? once(server, 'exit') : undefined;
    await run(...asUser(join(programs, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop']), { cwd: '/tmp' });
    await ended;
    server = undefined;
  };
  return {
    addressOf: (database) => `postgres://postgres@socket/${database}?host=${encodeURIComponent(home)}`,
    socketPath: join(home, '.s.PGSQL.5432'),
    get pid() {
      return server!.pid!;
    },
    crash,
    recover: async () => {
      server ??= await start();
    },
    stop: async () => {
      await crash();
      await rm(home, { recursive: true, force: true });
    },
  };
}
