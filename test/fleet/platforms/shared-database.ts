import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { startPlatformProgram, temporaryDirectory } from '../../support/built-program.ts';

/** Starts a server of PostgreSQL for the tests of a file. */
export function serverOfTheFile(): {
  readonly current: () => PostgresServer;
  readonly createDatabase: () => Promise<string>;
} {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server?.stop());
  return {
    current: () => server!,
    createDatabase: async () => {
      const name = `fleet_${randomBytes(6).toString('hex')}`;
      await inDatabase(server!.addressOf('postgres'), `create database ${name}`);
      return server!.addressOf(name);
    },
  };
}

/** What starts platforms on one database, with one directory of keys. */
export interface PlatformStarter {
  readonly url: string;
  readonly keysDir: string;
  /** Starts `infra-mcp platform` with a data directory of its own. */
  start(args?: readonly string[], env?: Record<string, string>): ReturnType<typeof startPlatformProgram>;
}

/** Creates what starts platforms on a database. */
export async function fleetOn(url: string): Promise<PlatformStarter> {
  const keysDir = await temporaryDirectory();
  return {
    url,
    keysDir,
    start: async (args = [], env = {}) =>
      startPlatformProgram(
        [
          '--data-dir',
          await temporaryDirectory(),
          '--keys-dir',
          keysDir,
          '--time-scale',
          '0',
          '--rate-limit',
          '1000000',
          ...args,
        ],
        { INFRA_DATABASE_URL: url, ...env },
      ),
  };
}

/** The answer of a platform. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends a request to a platform. */
export async function send(url: string, token: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Token ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}
