import { copyTable, type CopiedTable, type PostgresClient } from '../../../../postgres/index.ts';
import type { ExportedCounts } from '../exported-counts.ts';
import { timeValue } from './connection.ts';

export { guardSchema } from './schema-steps.ts';

/** Adds rows to those of a table, whose numbers begin above all that were there. */
const addTo = async (client: PostgresClient, table: string, columns: readonly string[], rows: readonly Readonly<Record<string, string>>[]): Promise<CopiedTable> => {
  const { rows: [last] } = await client.query<{ id: number }>(`select coalesce(max(id), 0) as id from ${table}`);
  return copyTable(client, { table, columns, rows: () => rows }, `id > ${last!.id}`);
};

/**
 * Adds what counts against limits to what counts in a database, within a transaction. Nothing that counts in either place is forgotten.
 * @param client to a database whose schema is that of this program
 * @throws Error if anything reads back differently. The transaction has to be rolled back then
 */
export async function importCounts(client: PostgresClient, { latest, highRiskCalls, secretTries }: ExportedCounts): Promise<CopiedTable[]> {
  await client.query('select from guard_lock order by name for update');
  if (latest !== undefined) await client.query('update guard_time set latest = greatest(latest, $1::timestamptz)', [timeValue(latest)]);
  return [
    await addTo(client, 'guard_high_risk_call', ['at'], highRiskCalls.map((at) => ({ at: timeValue(at) }))),
    await addTo(client, 'guard_secret_try', ['at', 'source'], secretTries.map(({ at, source }) => ({ at: timeValue(at), source }))),
  ];
}
