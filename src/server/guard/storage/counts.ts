import { isThere } from '../../../files/index.ts';
import type { CopiedTable, PostgresClient } from '../../../postgres/index.ts';
import { timeValue } from './clock.ts';

/** The counts of a store against its limits, for transfer to another store. Times are milliseconds since 1970. */
export interface ExportedCounts {
  /** The latest time that any process used; undefined if none did. */
  readonly latest: number | undefined;
  /** The times of high-risk calls. */
  readonly highRiskCalls: readonly number[];
  readonly secretTries: readonly { readonly at: number; readonly source: string }[];
  /**
   * The number of calls that wait for the operator or for being repeated. They stay where they are: a confirmation must
   * not count in two places.
   */
  readonly waitingCalls: number;
}

/**
 * Exports the counts from a store's file, which stays unchanged.
 * @param now milliseconds since 1970
 * @returns undefined if there is no such file
 */
export async function exportCounts(path: string, now: number): Promise<ExportedCounts | undefined> {
  if (!isThere(path)) return undefined;
  const [{ readAsMigrated }, { guardSchema }] = await Promise.all([
    import('../../../database/index.ts'),
    import('./tables.ts'),
  ]);
  return readAsMigrated(path, guardSchema, 'rollback', async (run) => {
    const [time] = (await run('select latest from guard_time')) as { latest: string | null }[];
    const [waiting] = await run(`select count(*) as count from guard_waiting where expires_at > '${timeValue(now)}'`);
    return {
      latest: time!.latest === null ? undefined : Date.parse(time!.latest),
      highRiskCalls: ((await run('select at from guard_high_risk_call order by at')) as { at: string }[]).map(
        ({ at }) => Date.parse(at),
      ),
      secretTries: (
        (await run('select at, source from guard_secret_try order by at')) as { at: string; source: string }[]
      ).map(({ at, source }) => ({ at: Date.parse(at), source })),
      waitingCalls: Number(waiting!['count']),
    };
  });
}

/** Adds rows to a table, numbered above all existing ones. */
const addTo = async (
  client: PostgresClient,
  table: string,
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string>>[],
): Promise<CopiedTable> => {
  const { copyTable } = await import('../../../postgres/index.ts');
  const {
    rows: [last],
  } = await client.query<{ id: number }>(`select coalesce(max(id), 0) as id from ${table}`);
  return copyTable(client, { table, columns, rows: () => rows }, `id > ${last!.id}`);
};

/**
 * Adds counts to those in a database, within a transaction. No count of either place is lost.
 * @param client to a database whose schema is that of this program
 * @throws Error if anything reads back differently. The transaction has to be rolled back then
 */
export async function importCounts(
  client: PostgresClient,
  { latest, highRiskCalls, secretTries }: ExportedCounts,
): Promise<CopiedTable[]> {
  await client.query('select from guard_lock order by name for update');
  if (latest !== undefined)
    await client.query('update guard_time set latest = greatest(latest, $1::timestamptz)', [timeValue(latest)]);
  return [
    await addTo(
      client,
      'guard_high_risk_call',
      ['at'],
      highRiskCalls.map((at) => ({ at: timeValue(at) })),
    ),
    await addTo(
      client,
      'guard_secret_try',
      ['at', 'source'],
      secretTries.map(({ at, source }) => ({ at: timeValue(at), source })),
    ),
  ];
}
