import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  'CREATE INDEX service_in_state ON service (deployed_state)',
  'CREATE INDEX running_service_down ON running_service (service_id) WHERE running = 0',
  ...['project', 'environment', 'service'].map((owner) => `CREATE INDEX secret_of_${owner} ON variable (${owner}_id, created_at, id) WHERE sealed_value IS NOT NULL AND ${owner}_id IS NOT NULL`),
  // Only for tokens: without the condition, what is open was looked for in it too.
  'DROP INDEX deployment_of_last_token',
  'CREATE INDEX deployment_of_last_token ON deployment (queue, fencing_token) WHERE fencing_token > 0',
];

/** Indexes for what fails of a cluster, for secrets among variables, and for tokens alone. */
export const failuresAndSecrets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
