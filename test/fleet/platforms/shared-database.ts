import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { Client } from 'pg';
import { parseAddress } from '../../../src/postgres/index.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { startPlatformProgram, temporaryDirectory } from '../../support/built-program.ts';

/** Runs a statement in a database, and gives the rows. */
export async function inDatabase(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const { host, user, database } = parseAddress(url);
  const client = new Client({ host, user, database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a server of PostgreSQL for the tests of a file. */
export function serverOfTheFile(): { readonly current: () => PostgresServer; readonly createDatabase: () => Promise<string> } {
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

/** The options that all platforms of a test have in common: one database, one directory of keys, and one administrator's token. */
export interface Fleet {
  readonly url: string;
  readonly keysDir: string;
  /** Starts `infra-mcp platform` with a data directory of its own. */
  start(args?: readonly string[], env?: Record<string, string>): ReturnType<typeof startPlatformProgram>;
}

/** Platforms on one database. */
export async function fleetOn(url: string): Promise<Fleet> {
  const keysDir = await temporaryDirectory();
  return {
    url, keysDir,
    start: async (args = [], env = {}) =>
      startPlatformProgram(['--data-dir', await temporaryDirectory(), '--keys-dir', keysDir, '--time-scale', '0', '--rate-limit', '1000000', ...args], { INFRA_DATABASE_URL: url, ...env }),
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
    method, headers: { authorization: `Token ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) }, ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}
