import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const sequence = 'seq INTEGER PRIMARY KEY AUTOINCREMENT';
// Deleting a worker frees its claims for other workers.
const claimable = 'owner TEXT REFERENCES worker (id) ON DELETE SET NULL';
const deploymentService = 'deployment_id TEXT NOT NULL, service_id TEXT NOT NULL';
const ofDeploymentService = 'FOREIGN KEY (deployment_id, service_id) REFERENCES deployment_service (deployment_id, service_id)';

const statements = [
  'CREATE TABLE worker (id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, lease_until_ms INTEGER NOT NULL) STRICT',

  `CREATE TABLE deployment (
    ${sequence}, id TEXT NOT NULL UNIQUE, environment_id TEXT NOT NULL REFERENCES environment (id), queue TEXT NOT NULL,
    action TEXT NOT NULL,
    status TEXT NOT NULL, origin TEXT NOT NULL, triggered_by TEXT NOT NULL,
    canceling INTEGER NOT NULL DEFAULT 0 CHECK (canceling IN (0, 1)), created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT,
    due_ms INTEGER, ${claimable}, CHECK ((ended_at IS NULL) = (due_ms IS NOT NULL))) STRICT`,
  'CREATE INDEX deployment_in_queue ON deployment (queue, seq)',
  `CREATE UNIQUE INDEX one_deployment_at_a_time ON deployment (queue) WHERE status = 'ONGOING'`,
  'CREATE INDEX deployment_open ON deployment (queue, seq) WHERE due_ms IS NOT NULL',
  'CREATE INDEX deployment_due ON deployment (due_ms) WHERE due_ms IS NOT NULL',
  'CREATE INDEX deployment_owner ON deployment (owner) WHERE owner IS NOT NULL',

  `CREATE TABLE deployment_service (
    deployment_id TEXT NOT NULL REFERENCES deployment (id), service_id TEXT NOT NULL REFERENCES service (id), kind TEXT NOT NULL,
    name TEXT NOT NULL, stage INTEGER NOT NULL, stage_id TEXT NOT NULL, state TEXT NOT NULL, phase INTEGER,
    phase_began_ms INTEGER, due_ms INTEGER, cursor TEXT, revision INTEGER NOT NULL, spec TEXT, requested_commit TEXT,
    "commit" TEXT,
    outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)), reason TEXT, started_at TEXT, ended_at TEXT,
    PRIMARY KEY (deployment_id, service_id)) STRICT`,
  'CREATE INDEX deployment_of_service ON deployment_service (service_id)',

  `CREATE TABLE deployment_step (
    ${deploymentService}, position INTEGER NOT NULL, step TEXT NOT NULL, status TEXT NOT NULL, began_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL, PRIMARY KEY (deployment_id, service_id, position), ${ofDeploymentService}) STRICT`,

  `CREATE TABLE deployment_event (
    ${sequence}, ${deploymentService}, revision INTEGER NOT NULL, state TEXT NOT NULL, announced TEXT, created_at TEXT NOT NULL,
    UNIQUE (deployment_id, service_id, revision), ${ofDeploymentService}) STRICT`,

  `CREATE TABLE log_line (
    ${sequence}, ${deploymentService}, step TEXT, created_at TEXT NOT NULL, message TEXT NOT NULL, pod_name TEXT NOT NULL,
    version TEXT NOT NULL, ${ofDeploymentService}) STRICT`,
  'CREATE INDEX log_of_service ON log_line (service_id, seq)',
  'CREATE INDEX log_of_deployment ON log_line (deployment_id, service_id, seq)',

  `CREATE TABLE webhook_delivery (
    ${sequence}, id TEXT NOT NULL UNIQUE, webhook_id TEXT NOT NULL REFERENCES webhook (id),
    event_seq INTEGER NOT NULL REFERENCES deployment_event (seq), ${deploymentService}, body TEXT NOT NULL CHECK (json_valid(body)),
    attempts INTEGER NOT NULL DEFAULT 0, due_ms INTEGER, ${claimable}, UNIQUE (webhook_id, event_seq)) STRICT`,
  'CREATE INDEX webhook_delivery_due ON webhook_delivery (due_ms) WHERE due_ms IS NOT NULL',
  'CREATE INDEX webhook_delivery_event ON webhook_delivery (event_seq)',
  'CREATE INDEX webhook_delivery_open ON webhook_delivery (deployment_id, service_id, webhook_id) WHERE due_ms IS NOT NULL',
  'CREATE INDEX webhook_delivery_owner ON webhook_delivery (owner) WHERE owner IS NOT NULL',

  `CREATE TABLE webhook_attempt (
    ${sequence}, id TEXT NOT NULL UNIQUE, delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id),
    webhook_id TEXT NOT NULL REFERENCES webhook (id), created_at TEXT NOT NULL, target_url TEXT NOT NULL,
    status_code INTEGER NOT NULL, response_body TEXT NOT NULL) STRICT`,
  'CREATE INDEX webhook_attempt_of_webhook ON webhook_attempt (webhook_id, seq)',
  'CREATE INDEX webhook_attempt_of_delivery ON webhook_attempt (delivery_id)',

  'CREATE TABLE timer (kind TEXT NOT NULL, subject_id TEXT NOT NULL, due_ms INTEGER NOT NULL, PRIMARY KEY (kind, subject_id)) STRICT',
  'CREATE INDEX timer_due ON timer (due_ms)',
];

/** The engine's tables: deployments, states, steps, events, logs, the webhooks' outbox and timers. */
export const engineTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
