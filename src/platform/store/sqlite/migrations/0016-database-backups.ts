import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  `CREATE TABLE backup (
    id TEXT PRIMARY KEY, service_id TEXT NOT NULL REFERENCES service (id) ON DELETE CASCADE, name TEXT NOT NULL, message TEXT NOT NULL,
    state TEXT NOT NULL, is_scheduled INTEGER NOT NULL, created_at TEXT NOT NULL, ended_at TEXT, due_ms INTEGER,
    record TEXT, node TEXT, bytes INTEGER, reason TEXT
  ) STRICT`,
  'CREATE INDEX backup_of_service ON backup (service_id, created_at, id)',
  `CREATE UNIQUE INDEX one_backup_at_a_time ON backup (service_id) WHERE state = 'ongoing'`,
  'CREATE INDEX backup_due ON backup (due_ms) WHERE due_ms IS NOT NULL',
  'ALTER TABLE deployment_service ADD COLUMN restoration TEXT',
];

/** Backups of databases, and deployments that bring a database back from one. */
export const databaseBackups: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
