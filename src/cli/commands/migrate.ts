import { join } from 'node:path';
import { isThere } from '../../files/index.ts';
import type { Config } from '../config/index.ts';
import { databaseFile, keyFile } from '../../platform/store/index.ts';
import { columns } from '../terminal/columns.ts';
import { wrapped } from '../terminal/lines.ts';
import { withProgress } from '../terminal/progress.ts';
import { alreadyServedError, claimDataDir } from '../wiring/data-dir-claim.ts';
import { guardStoreOf } from '../wiring/guard.ts';
import { type Move, moveRecords } from '../wiring/move-records.ts';

const shownDigits = 12;

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** The messages to the operator about a move. */
const told = ({ dataDir, keysDir }: Config, { database, tables, waitingCalls }: Move): string[] => {
  const changed = (tables ?? []).reduce((sum, { changedValues }) => sum + changedValues, 0);
  return [
    tables === undefined
      ? `The database ${database} has the records of ${dataDir} already, from an earlier run. Nothing was copied.`
      : `Moved the records of ${dataDir} to the database ${database}. Each table has as many rows there, with the same content. Nobody can serve the directory's own records any more.`,
    `Keep ${keysDir}: the keys (${keyFile}, guard.key) and the operator's secret (operator.json) are not in the database, and every process on it needs the same ones, in the directory that INFRA_KEYS_DIR names. The audit log stays where it is.`,
    ...(changed === 0
      ? []
      : [
          `${counted(changed, 'value has', 'values have')} another form there, because PostgreSQL has no other: the character U+0000 is stored as U+FFFD, and times are in UTC.`,
        ]),
    ...(waitingCalls === 0
      ? []
      : [
          `${counted(waitingCalls, 'call waits', 'calls wait')} at servers of this directory, which is not carried over: who made them has to make them again.`,
        ]),
  ];
};

/**
 * `infra-mcp migrate`: moves the records of the data directory to the database, and prints each table with its number
 * of rows and the digest of its content, which are the same on both sides.
 * @throws Error if no database is given, a process serves the directory, there are no records, or they can't be moved
 */
export async function migrateCommand(config: Config, { json }: { json?: boolean }): Promise<void> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined)
    throw new Error(
      'INFRA_DATABASE_URL is not set. Set it to the address of an empty PostgreSQL database, such as postgres://user@host:5432/name. Nothing was changed.',
    );
  if (![join(dataDir, databaseFile), guardStoreOf(config)].some((file) => isThere(file)))
    throw new Error(`There is no platform in ${dataDir}. Check --data-dir.`);
  const claim = await claimDataDir(dataDir);
  if (!claim) throw await alreadyServedError(dataDir, 'Stop that process first. Nothing was changed.');
  try {
    const move = await withProgress('Moving the records', () => moveRecords(config, databaseUrl));
    for (const line of told(config, move)) process.stderr.write(wrapped(`${line}\n`, process.stderr));
    const { database, tables = [], waitingCalls } = move;
    const data = {
      database,
      moved: move.tables !== undefined,
      waiting_calls: waitingCalls,
      tables: tables.map(({ table, rows, digest, changedValues }) => ({
        table,
        rows,
        checked: 'equal',
        digest,
        changed_values: changedValues,
      })),
    };
    if (json) process.stdout.write(`${JSON.stringify(data)}\n`);
    else if (move.tables !== undefined)
      process.stdout.write(
        columns(
          ['table', 'rows', 'checked', 'digest'],
          data.tables.map(({ table, rows, checked, digest }) => [
            table,
            String(rows),
            checked,
            digest.slice(0, shownDigits),
          ]),
        ),
      );
  } finally {
    await claim.release();
  }
}
