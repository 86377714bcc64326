import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  'CREATE INDEX deployment_of_last_token ON deployment (queue, fencing_token)',
  'CREATE INDEX deployment_open_of_environment ON deployment (environment_id, seq) WHERE due_ms IS NOT NULL',
  'CREATE INDEX webhook_to_notify ON webhook (organization_id, enabled)',
  ...['target', 'environment', 'project'].map((subject) => `CREATE INDEX audit_event_of_${subject} ON audit_event (${subject}_id, created_at, seq) WHERE ${subject}_id IS NOT NULL`),
  `CREATE INDEX audit_event_of_former_domain ON audit_event (json_extract(original_change, '$.domain')) WHERE event_type = 'DELETE' AND sub_target_type = 'CUSTOM_DOMAIN'`,
  'CREATE INDEX alert_rule_of_target ON alert_rule (target_id)',
  'CREATE INDEX totals_of_owner ON list_total (owner_id)',
];

/** Indexes for what would be looked for among all deployments of an environment, all webhooks, events, alert rules and totals. */
export const lookups: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
