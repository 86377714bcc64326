import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  'ALTER TABLE deployment ADD COLUMN fencing_token INTEGER NOT NULL DEFAULT 0',
  'CREATE TABLE duty (name TEXT PRIMARY KEY, owner TEXT REFERENCES worker (id) ON DELETE SET NULL, claims INTEGER NOT NULL) STRICT',
];

/** Tells the workers that took a deployment over from each other, so that one that was away writes nothing any more; and work that one worker does at a time. */
export const fencing: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
