import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  'CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  // Whatever is there was filled by an earlier program, which kept no note of it.
  `INSERT INTO setting (name, value) SELECT 'seeded', 'yes' WHERE EXISTS (SELECT 1 FROM organization)`,
  // Deleting a deployment's services looks here for deliveries that refer to them.
  'CREATE INDEX webhook_delivery_of_deployment ON webhook_delivery (deployment_id, service_id)',
];

/** What the platform keeps about itself, and what letting go of old deployments needs. */
export const settings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
