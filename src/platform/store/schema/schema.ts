import type { Generated } from 'kysely';
import type { ClusterState, DeploymentState, EnvironmentMode, PermissionLevel, ServiceKind, VariableScope, VariableType } from '../../../contract/index.ts';
import type { BooleanColumn, IdentityColumns, InOrganization, Json } from './columns.ts';
import type { EngineTables } from './engine-tables.ts';
import type { MeasurementTables } from './measurement-tables.ts';
import type { OrganizationTables } from './organization-tables.ts';

export interface ProjectTable extends InOrganization {
  description: string | null;
}

export interface ClusterTable extends InOrganization {
  description: string | null;
  region: string;
  cloud_provider: string;
  version: string;
  /** The version that an upgrade installs; null if there is none. */
  next_version: string | null;
  is_default: BooleanColumn;
  production: BooleanColumn;
  status: ClusterState;
  maximum_cpu: number;
  maximum_memory: number;
  maximum_gpu: number;
  last_execution_id: string | null;
  last_deployment_at: string | null;
  /** The name of the runtime that its services run on. */
  runtime: Generated<string>;
}

/** At most one lock per cluster. An expired lock counts as none. */
export interface ClusterLockTable {
  cluster_id: string;
  reason: string;
  locked_at: string;
  owner_name: string;
  ttl_in_days: number;
}

export interface EnvironmentTable extends IdentityColumns {
  project_id: string;
  cluster_id: string;
  name: string;
  mode: EnvironmentMode;
  updated_by: string;
  /** The aggregate of its services' states, maintained by the engine. */
  state: DeploymentState;
}

export interface ServiceTable extends IdentityColumns {
  environment_id: string;
  kind: ServiceKind;
  name: string;
  /** The configuration: the member of `ServiceSpecs` (service-spec.ts) for the kind. */
  spec: Json;
  deployed_state: DeploymentState;
  deployment_status: 'NEVER_DEPLOYED' | 'UP_TO_DATE' | 'OUT_OF_DATE';
  /** The running configuration, written by the engine when a deployment succeeds. */
  deployed_spec: Json | null;
  /** The running commit, as `DeployedCommit` (service-spec.ts). Written by the engine. */
  deployed_commit: Json | null;
  /** What the runtime recorded of the running version. Written by the engine. */
  deployed_record: string | null;
  last_deployment_id: string | null;
  last_deployment_at: string | null;
}

/** A variable or secret. It belongs to exactly one project, environment or service. */
export interface VariableTable extends IdentityColumns {
  project_id: string | null;
  environment_id: string | null;
  service_id: string | null;
  key: string;
  scope: VariableScope;
  variable_type: VariableType;
  /** In plain text; null for secrets, which have a sealed value. */
  value: string | null;
  sealed_value: string | null;
  mount_path: string | null;
  description: string | null;
  enable_interpolation_in_file: BooleanColumn | null;
  /** The variable that an ALIAS or OVERRIDE refers to. */
  linked_variable_id: string | null;
  owned_by: string | null;
}

/** A domain of a service. It is unique, ignoring case. */
export interface CustomDomainTable extends IdentityColumns {
  service_id: string;
  domain: string;
  generate_certificate: BooleanColumn;
  use_cdn: BooleanColumn;
}

/** The number of rows in each list of an owner. Database triggers maintain it. */
export interface ListTotalTable {
  list: string;
  owner_id: string;
  total: number;
}

export interface ApiTokenTable {
  id: string;
  name: string;
  permission: PermissionLevel;
  /** SHA-256 of the value, hexadecimal. */
  hash: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/**
 * What the platform stores about itself: `seeded`, set once the seed is complete; `key_check`, a signature by the key that
 * sealed the secrets; `starts`, the number of starts on these records; `stepped_time`, the time of a stepped clock, in
 * milliseconds since the epoch; `events_since`, since when every change has its event; `events_removed`, set once old events
 * were removed; `platform_id`, by which it knows what it made on engines;
 * `moved_from`, what was stored in the data directory whose records were moved to this database, as a digest; `swarm_of_…`, the
 * swarm of a cluster that has several addresses, by the name of its runtime; empty if it is to be forgotten.
 */
export type SettingName = 'seeded' | 'key_check' | 'starts' | 'stepped_time' | 'events_since' | 'events_removed' | 'platform_id' | 'fault_rules' | 'moved_from' | `swarm_of_${string}`;

export interface SettingTable {
  name: SettingName;
  value: string;
}

interface PlatformTables {
  project: ProjectTable;
  cluster: ClusterTable;
  cluster_lock: ClusterLockTable;
  environment: EnvironmentTable;
  service: ServiceTable;
  variable: VariableTable;
  custom_domain: CustomDomainTable;
  api_token: ApiTokenTable;
  setting: SettingTable;
  list_total: ListTotalTable;
}

/** Every table, with its rows as code sees them. */
export type DatabaseSchema = PlatformTables & OrganizationTables & EngineTables & MeasurementTables;
