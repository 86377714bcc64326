import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  `ALTER TABLE cluster ADD COLUMN runtime TEXT NOT NULL DEFAULT 'simulated'`,
  'ALTER TABLE service ADD COLUMN deployed_record TEXT',
  'ALTER TABLE deployment_service ADD COLUMN record TEXT',
];

/** Clusters have a runtime each, which records what it has to know of a deployment. Until now all were simulated. */
export const runtimes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
