import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const identity = 'id TEXT PRIMARY KEY, created_at TEXT NOT NULL, updated_at TEXT NOT NULL';
const organization = 'organization_id TEXT NOT NULL REFERENCES organization (id)';
const name = 'name TEXT NOT NULL COLLATE NOCASE';
const flag = (column: string) => `${column} INTEGER NOT NULL CHECK (${column} IN (0, 1))`;

/** Lists and their pages are in the order of creation. */
const creationOrder = (table: string, owner: string) => `CREATE INDEX ${table}_in_order ON ${table} (${owner}, created_at, id)`;

const statements = [
  `CREATE TABLE organization (${identity}, name TEXT NOT NULL, description TEXT, plan TEXT, owner TEXT) STRICT`,

  `CREATE TABLE project (${identity}, ${organization}, ${name}, description TEXT, UNIQUE (organization_id, name)) STRICT`,
  creationOrder('project', 'organization_id'),

  `CREATE TABLE cluster (
    ${identity}, ${organization}, ${name}, description TEXT, region TEXT NOT NULL, cloud_provider TEXT NOT NULL,
    version TEXT NOT NULL, next_version TEXT, ${flag('is_default')}, ${flag('production')}, status TEXT NOT NULL,
    maximum_cpu INTEGER NOT NULL, maximum_memory INTEGER NOT NULL, maximum_gpu INTEGER NOT NULL,
    last_execution_id TEXT, last_deployment_at TEXT, UNIQUE (organization_id, name)) STRICT`,
  creationOrder('cluster', 'organization_id'),
  `CREATE TABLE cluster_lock (
    cluster_id TEXT PRIMARY KEY REFERENCES cluster (id), reason TEXT NOT NULL, locked_at TEXT NOT NULL,
    owner_name TEXT NOT NULL, ttl_in_days INTEGER NOT NULL) STRICT`,

  `CREATE TABLE environment (
    ${identity}, project_id TEXT NOT NULL REFERENCES project (id), cluster_id TEXT NOT NULL REFERENCES cluster (id),
    ${name}, mode TEXT NOT NULL, updated_by TEXT NOT NULL, state TEXT NOT NULL, UNIQUE (project_id, name)) STRICT`,
  creationOrder('environment', 'project_id'),
  'CREATE INDEX environment_of_cluster ON environment (cluster_id)',

  `CREATE TABLE service (
    ${identity}, environment_id TEXT NOT NULL REFERENCES environment (id), kind TEXT NOT NULL, ${name},
    spec TEXT NOT NULL, deployed_state TEXT NOT NULL, deployment_status TEXT NOT NULL,
    deployed_spec TEXT, deployed_commit TEXT, last_deployment_id TEXT, last_deployment_at TEXT,
    UNIQUE (environment_id, name)) STRICT`,
  creationOrder('service', 'environment_id'),
  `CREATE INDEX service_of_helm_repository ON service (json_extract(spec, '$.source.repository.repository.id')) WHERE kind = 'helm'`,

  `CREATE TABLE variable (
    ${identity}, project_id TEXT REFERENCES project (id), environment_id TEXT REFERENCES environment (id),
    service_id TEXT REFERENCES service (id), key TEXT NOT NULL, scope TEXT NOT NULL, variable_type TEXT NOT NULL,
    value TEXT, sealed_value TEXT, mount_path TEXT, description TEXT, enable_interpolation_in_file INTEGER,
    linked_variable_id TEXT REFERENCES variable (id), owned_by TEXT,
    UNIQUE (project_id, key), UNIQUE (environment_id, key), UNIQUE (service_id, key),
    CHECK ((project_id IS NULL) + (environment_id IS NULL) + (service_id IS NULL) = 2),
    CHECK ((value IS NULL) <> (sealed_value IS NULL))) STRICT`,
  'CREATE INDEX variable_linking ON variable (linked_variable_id)',

  `CREATE TABLE registry (${identity}, ${organization}, ${name}, kind TEXT NOT NULL, url TEXT NOT NULL, description TEXT,
    UNIQUE (organization_id, name)) STRICT`,
  creationOrder('registry', 'organization_id'),
  `CREATE TABLE labels_group (${identity}, ${organization}, ${name}, labels TEXT NOT NULL, UNIQUE (organization_id, name)) STRICT`,
  creationOrder('labels_group', 'organization_id'),
  `CREATE TABLE annotations_group (${identity}, ${organization}, ${name}, annotations TEXT NOT NULL, scopes TEXT NOT NULL,
    UNIQUE (organization_id, name)) STRICT`,
  creationOrder('annotations_group', 'organization_id'),
  `CREATE TABLE helm_repository (
    ${identity}, ${organization}, ${name}, kind TEXT NOT NULL, url TEXT, description TEXT, ${flag('skip_tls_verification')},
    config TEXT NOT NULL, sealed_config TEXT, UNIQUE (organization_id, name)) STRICT`,
  creationOrder('helm_repository', 'organization_id'),

  `CREATE TABLE alert_receiver (${identity}, ${organization}, ${name}, description TEXT, type TEXT NOT NULL) STRICT`,
  creationOrder('alert_receiver', 'organization_id'),
  `CREATE TABLE alert_rule (
    ${identity}, ${organization}, ${name}, cluster_id TEXT NOT NULL REFERENCES cluster (id), description TEXT NOT NULL,
    tag TEXT NOT NULL, condition TEXT NOT NULL, for_duration TEXT NOT NULL, severity TEXT NOT NULL, ${flag('enabled')},
    alert_receiver_ids TEXT NOT NULL, presentation TEXT NOT NULL, source TEXT NOT NULL, state TEXT NOT NULL,
    target_type TEXT NOT NULL, target_id TEXT NOT NULL, ${flag('is_up_to_date')}, starts_at TEXT) STRICT`,
  creationOrder('alert_rule', 'organization_id'),

  `CREATE TABLE role (${identity}, ${organization}, ${name}, description TEXT, legacy_role TEXT NOT NULL,
    UNIQUE (organization_id, name)) STRICT`,
  creationOrder('role', 'organization_id'),
  `CREATE TABLE member (
    ${identity}, ${organization}, name TEXT NOT NULL, email TEXT NOT NULL COLLATE NOCASE, nickname TEXT NOT NULL,
    profile_picture_url TEXT NOT NULL, last_activity_at TEXT NOT NULL, role_id TEXT NOT NULL REFERENCES role (id),
    UNIQUE (organization_id, email)) STRICT`,
  creationOrder('member', 'organization_id'),
  `CREATE TABLE invitation (
    ${identity}, ${organization}, email TEXT NOT NULL COLLATE NOCASE, role_id TEXT NOT NULL REFERENCES role (id),
    inviter TEXT NOT NULL, expires_at TEXT NOT NULL) STRICT`,
  creationOrder('invitation', 'organization_id'),
  'CREATE INDEX invitation_of_address ON invitation (organization_id, email, expires_at)',
  `CREATE TABLE billing_info (
    organization_id TEXT PRIMARY KEY REFERENCES organization (id), first_name TEXT, last_name TEXT, email TEXT, address TEXT,
    city TEXT, zip TEXT, country_code TEXT, state TEXT, company TEXT, vat_number TEXT) STRICT`,

  `CREATE TABLE webhook (
    ${identity}, ${organization}, kind TEXT NOT NULL, target_url TEXT NOT NULL, events TEXT NOT NULL, ${flag('enabled')},
    description TEXT, sealed_target_secret TEXT) STRICT`,
  creationOrder('webhook', 'organization_id'),

  `CREATE TABLE api_token (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, permission TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
    expires_at TEXT, last_used_at TEXT, revoked_at TEXT) STRICT`,
];

/** All tables except the engine's. */
export const platformTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
