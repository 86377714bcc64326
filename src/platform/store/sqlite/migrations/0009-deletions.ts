import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

interface Definition {
  readonly name: string;
  readonly type: string;
  readonly sql: string;
}

/** The statements that made a table and its indexes, as the database keeps them. */
const definitionsOf = async (db: Kysely<unknown>, table: string): Promise<readonly Definition[]> =>
  (await sql<Definition>`SELECT name, type, sql FROM sqlite_master WHERE tbl_name = ${table} AND type IN ('table', 'index') AND sql IS NOT NULL`.execute(db)).rows;

/** Rebuilds a table without a reference: SQLite can't drop one. The rows, their order and all indexes stay. */
async function dropReference(db: Kysely<unknown>, table: string, reference: string): Promise<void> {
  const definitions = await definitionsOf(db, table);
  const made = definitions.find(({ type }) => type === 'table')?.sql ?? '';
  if (!made.includes(reference)) throw new Error(`The table ${table} has no ${reference.trim()}.`);
  const rebuilt = `${table}_rebuilt`;
  await sql.raw(made.replace(reference, '').replace(new RegExp(`^CREATE TABLE "?${table}"?`), `CREATE TABLE ${rebuilt}`)).execute(db);
  await sql.raw(`INSERT INTO ${rebuilt} SELECT * FROM ${table}`).execute(db);
  await sql.raw(`DROP TABLE ${table}`).execute(db);
  await sql.raw(`ALTER TABLE ${rebuilt} RENAME TO ${table}`).execute(db);
  for (const index of definitions.filter(({ type }) => type === 'index')) await sql.raw(index.sql).execute(db);
}

/**
 * Services and environments can be deleted. Their deployments stay, and with them what webhooks are still to be told, so
 * that these no longer require that what they were made of is there. Requires that references aren't enforced meanwhile.
 */
export const deletions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await dropReference(db, 'deployment_service', ' REFERENCES service (id)');
    await dropReference(db, 'deployment', ' REFERENCES environment (id)');
    await sql.raw('ALTER TABLE deployment ADD COLUMN takes_environment INTEGER NOT NULL DEFAULT 0 CHECK (takes_environment IN (0, 1))').execute(db);
    const { rows } = await sql`PRAGMA foreign_key_check`.execute(db);
    if (rows.length > 0) throw new Error('The database refers to rows that are not there, and was left as it is.');
  },
};
