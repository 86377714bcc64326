import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { clientConfig, parseAddress } from '../../src/postgres/index.ts';
import { commandLine } from '../support/built-program.ts';
import { setOperatorSecret } from '../support/guard-fixture.ts';
import { startPostgresServer } from '../support/postgres/server.ts';
import { spawnProgram, whenReady, type StartedProgram } from '../support/started-program.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

/** A server of a fleet. */
export interface Replica extends StartedProgram {
  readonly mcp: URL;
  readonly dataDir: string;
}

/** Servers that share a database, before one platform. */
export interface ServerFleet {
  readonly platform: TestPlatform;
  readonly keysDir: string;
  /** The variables that servers and commands need for the database and the keys. */
  readonly shared: Readonly<Record<string, string>>;
  /** A directory of its own in the folder of the fleet. */
  readonly directory: (name: string) => Promise<string>;
  /** Starts a server with a data directory of its own. @param env more variables, and others in place of its own. */
  readonly start: (name: string, env?: Readonly<Record<string, string>>) => Promise<Replica>;
  /** Runs statements in the database. */
  readonly query: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** The arguments of a call that needs agreement: a webhook with a name of its own. */
  readonly webhookCall: (name: string) => {
    readonly organization_id: string;
    readonly target_url: string;
    readonly events: readonly string[];
  };
  /** How many webhooks of a name the platform has. */
  readonly webhooksTo: (name: string) => Promise<number>;
  /** Lets nobody connect to the database, or everybody again. */
  readonly letIn: (isAllowed: boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

const config = (address: string) =>
  clientConfig(parseAddress(address), { applicationName: 'a test', maximumConnections: 1 });

async function queryAt(address: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(config(address));
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const hookOf = (name: string): string => `https://hooks.example/${name}`;

/** Opens a database, keys with an operator's secret, and a platform. No server runs yet. */
export async function openServerFleet(): Promise<ServerFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-fleet-'));
  const [postgres, platform] = await Promise.all([startPostgresServer(), startTestPlatform()]);
  await queryAt(postgres.addressOf('postgres'), 'create database servers');
  const address = postgres.addressOf('servers');
  const keysDir = join(folder, 'keys');
  await setOperatorSecret(join(keysDir, 'operator.json'));
  const shared = { INFRA_DATABASE_URL: address, INFRA_KEYS_DIR: keysDir };
  const started: Replica[] = [];
  const directory = async (name: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(path, { recursive: true });
    return path;
  };
  return {
    platform,
    keysDir,
    shared,
    directory,
    start: async (name, env = {}) => {
      const dataDir = await directory(name);
      const variables = {
        ...shared,
        INFRA_DATA_DIR: dataDir,
        INFRA_BASE_URL: platform.url,
        INFRA_API_TOKEN: platform.token,
        INFRA_HTTP_PORT: '0',
        INFRA_HTTP_APPROVALS_PAGE: 'true',
        ...env,
      };
      const program = await whenReady(spawnProgram(commandLine(['http'], variables)));
      const replica = { ...program, mcp: new URL(program.ready.url), dataDir };
      started.push(replica);
      return replica;
    },
    query: (statement) => queryAt(address, statement),
    webhookCall: (name) => ({
      organization_id: platform.organizationId,
      target_url: hookOf(name),
      events: ['DEPLOYMENT_FAILED'],
    }),
    webhooksTo: async (name) =>
      JSON.stringify(await platform.must('list_webhooks', { organization_id: platform.organizationId })).split(
        `${hookOf(name)}"`,
      ).length - 1,
    letIn: async (isAllowed) => {
      await queryAt(postgres.addressOf('postgres'), `alter database servers allow_connections ${isAllowed}`);
      if (!isAllowed)
        await queryAt(
          postgres.addressOf('postgres'),
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'servers'",
        );
    },
    close: async () => {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      await platform.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Stops a server as an orchestrator does, and waits for its end. */
export async function stopReplica({ child, ended }: Replica): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}
