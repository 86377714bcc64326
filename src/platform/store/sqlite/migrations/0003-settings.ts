import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  'CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  // Existing records were seeded by an earlier version, which didn't record it.
  `INSERT INTO setting (name, value) SELECT 'seeded', 'yes' WHERE EXISTS (SELECT 1 FROM organization)`,
  // The foreign key check on deleting a deployment's services searches for deliveries that refer to them.
  'CREATE INDEX webhook_delivery_of_deployment ON webhook_delivery (deployment_id, service_id)',
];

/** The platform's settings, and an index for removing old deployments. */
export const settings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
