import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { parseAddress } from '../../src/postgres/index.ts';
import { asInstalled, hasPostgresServer, startPostgresServer } from '../../test/support/postgres/server.ts';
import type { BenchContext } from '../measurement.ts';
import { cpuTimeWithChildren } from '../process-cpu.ts';

/** A server of PostgreSQL with the settings that it has when it is installed: commits are on disk. */
export interface BenchPostgres {
  /** Makes an empty database. @returns its address */
  readonly createDatabase: () => Promise<string>;
  /** The CPU time of all its processes since it began, in milliseconds. */
  readonly cpuTime: () => number;
  readonly stop: () => Promise<void>;
}

/** Runs statements in a database. @param parameters of a single statement */
export async function inDatabase<Row>(
  address: string,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const { host, user, database } = parseAddress(address);
  const client = new Client({ host, user, database });
  await client.connect();
  try {
    const { rows } = await client.query(statement, parameters.length === 0 ? undefined : [...parameters]);
    return rows as Row[];
  } finally {
    await client.end();
  }
}

/** Starts a server. @returns undefined, after a line that says why, where its package is missing */
export async function startBenchPostgres({ log }: Pick<BenchContext, 'log'>): Promise<BenchPostgres | undefined> {
  if (!hasPostgresServer()) {
    log("Figures on PostgreSQL are left out: Debian's package postgresql-15 is not installed.");
    return undefined;
  }
  const server = await startPostgresServer(asInstalled);
  return {
    createDatabase: async () => {
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await inDatabase(server.addressOf('postgres'), `create database ${name}`);
      return server.addressOf(name);
    },
    cpuTime: () => cpuTimeWithChildren(server.pid),
    stop: () => server.stop(),
  };
}
