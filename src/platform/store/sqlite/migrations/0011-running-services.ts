import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  `CREATE TABLE running_service (
    service_id TEXT PRIMARY KEY REFERENCES service (id) ON DELETE CASCADE, deployment_id TEXT NOT NULL,
    wanted INTEGER NOT NULL, running INTEGER NOT NULL, restarts INTEGER NOT NULL, known_ends TEXT NOT NULL,
    last_end_ms INTEGER, last_end_why TEXT, obstacle TEXT, changes TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE unreachable_cluster (
    cluster_id TEXT PRIMARY KEY REFERENCES cluster (id) ON DELETE CASCADE, since_ms INTEGER NOT NULL, reason TEXT NOT NULL
  ) STRICT`,
];

/** What runs after a deployment is looked at, and what was seen is kept. */
export const runningServices: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
