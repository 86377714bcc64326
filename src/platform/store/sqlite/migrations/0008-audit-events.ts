import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  // No references: an event outlives what it is about.
  `CREATE TABLE audit_event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, organization_id TEXT NOT NULL, created_at TEXT NOT NULL,
    event_type TEXT NOT NULL, target_type TEXT NOT NULL, target_id TEXT, target_name TEXT NOT NULL, sub_target_type TEXT,
    change TEXT NOT NULL, original_change TEXT, origin TEXT NOT NULL, triggered_by TEXT NOT NULL, user_agent TEXT,
    project_id TEXT, project_name TEXT, environment_id TEXT, environment_name TEXT) STRICT`,
  'CREATE INDEX audit_event_in_order ON audit_event (organization_id, created_at, seq)',
];

/** Who changed what. Earlier changes have no events. */
export const auditEvents: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
