import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  'CREATE TABLE service_measurement (service_id TEXT PRIMARY KEY REFERENCES service (id) ON DELETE CASCADE, at_ms INTEGER NOT NULL, figures TEXT NOT NULL) STRICT',
  'CREATE TABLE measured_cluster (cluster_id TEXT PRIMARY KEY REFERENCES cluster (id) ON DELETE CASCADE, at_ms INTEGER NOT NULL) STRICT',
  `CREATE TABLE node_measurement (
    cluster_id TEXT NOT NULL REFERENCES cluster (id) ON DELETE CASCADE, node_id TEXT NOT NULL, at_ms INTEGER NOT NULL, figures TEXT NOT NULL, PRIMARY KEY (cluster_id, node_id)
  ) STRICT`,
  'CREATE TABLE alert_evaluation (rule_id TEXT PRIMARY KEY REFERENCES alert_rule (id) ON DELETE CASCADE, condition TEXT NOT NULL, holds INTEGER NOT NULL, problem TEXT) STRICT',
  `CREATE TABLE alert_notification (
    seq INTEGER PRIMARY KEY, rule_id TEXT NOT NULL REFERENCES alert_rule (id) ON DELETE CASCADE, receiver_id TEXT NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, due_ms INTEGER, failure TEXT
  ) STRICT`,
  'CREATE INDEX alert_notification_of_rule ON alert_notification (rule_id)',
  'CREATE INDEX alert_notification_due ON alert_notification (due_ms) WHERE due_ms IS NOT NULL',
];

/** What services and nodes use is kept, and what the conditions of alert rules were found to be, and who is told of them. */
export const measurements: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
