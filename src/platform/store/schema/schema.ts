import type { Generated } from 'kysely';
import type { EnvironmentMode } from '../../../contract/resources/environment.ts';
import type { ServiceKind } from '../../../contract/resources/service.ts';
import type { VariableScope, VariableType } from '../../../contract/resources/variable.ts';
import type { AlertRuleState, ClusterState, DeploymentState } from '../../../contract/states.ts';
import type { PermissionLevel } from '../../../contract/operation.ts';
import type { EngineTables } from './engine-tables.ts';

/**
 * Rows as SQLite keeps them. Times are ISO 8601 text; booleans are 0 or 1; JSON is text; `sealed_` columns hold
 * what vault.ts encrypted.
 */
type Flag = 0 | 1;
type Json = string;

interface Identity {
  id: string;
  created_at: string;
  updated_at: string;
}

interface InOrganization extends Identity {
  organization_id: string;
  name: string;
}

export interface OrganizationTable extends Identity {
  name: string;
  description: string | null;
  plan: string | null;
  owner: string | null;
}

export interface ProjectTable extends InOrganization {
  description: string | null;
}

export interface ClusterTable extends InOrganization {
  description: string | null;
  region: string;
  cloud_provider: string;
  version: string;
  /** The version an upgrade leads to; null where there is none. */
  next_version: string | null;
  is_default: Flag;
  production: Flag;
  status: ClusterState;
  maximum_cpu: number;
  maximum_memory: number;
  maximum_gpu: number;
  last_execution_id: string | null;
  last_deployment_at: string | null;
}

/** At most one lock a cluster. One whose days are over counts as gone. */
export interface ClusterLockTable {
  cluster_id: string;
  reason: string;
  locked_at: string;
  owner_name: string;
  ttl_in_days: number;
}

export interface EnvironmentTable extends Identity {
  project_id: string;
  cluster_id: string;
  name: string;
  mode: EnvironmentMode;
  updated_by: string;
  /** The aggregate of its services' states, kept by the engine. */
  state: DeploymentState;
}

export interface ServiceTable extends Identity {
  environment_id: string;
  kind: ServiceKind;
  name: string;
  /** The configuration: a member of `ServiceSpecs` (service-spec.ts) by kind. */
  spec: Json;
  deployed_state: DeploymentState;
  deployment_status: 'NEVER_DEPLOYED' | 'UP_TO_DATE' | 'OUT_OF_DATE';
  /** The configuration that runs; written by the engine when a deployment succeeds. */
  deployed_spec: Json | null;
  /** The commit that runs, as `DeployedCommit` (service-spec.ts); written by the engine. */
  deployed_commit: Json | null;
  last_deployment_id: string | null;
  last_deployment_at: string | null;
}

/** A variable or secret. Exactly one of project, environment and service holds it. */
export interface VariableTable extends Identity {
  project_id: string | null;
  environment_id: string | null;
  service_id: string | null;
  key: string;
  scope: VariableScope;
  variable_type: VariableType;
  /** In clear; null for secrets, whose value stands sealed. */
  value: string | null;
  sealed_value: string | null;
  mount_path: string | null;
  description: string | null;
  enable_interpolation_in_file: Flag | null;
  /** The variable that an ALIAS or OVERRIDE points at. */
  linked_variable_id: string | null;
  owned_by: string | null;
}

export interface RegistryTable extends InOrganization {
  kind: string;
  url: string;
  description: string | null;
}

export interface LabelsGroupTable extends InOrganization {
  labels: Json;
}

export interface AnnotationsGroupTable extends InOrganization {
  annotations: Json;
  scopes: Json;
}

export interface HelmRepositoryTable extends InOrganization {
  kind: string;
  url: string | null;
  description: string | null;
  skip_tls_verification: Flag;
  /** The members of the credentials that may be shown. */
  config: Json;
  sealed_config: string | null;
}

export interface AlertReceiverTable extends InOrganization {
  description: string | null;
  type: string;
}

export interface AlertRuleTable extends InOrganization {
  cluster_id: string;
  description: string;
  tag: string;
  condition: Json;
  for_duration: string;
  severity: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  enabled: Flag;
  alert_receiver_ids: Json;
  presentation: Json;
  source: 'MANAGED' | 'GHOST';
  state: AlertRuleState;
  target_type: string;
  target_id: string;
  is_up_to_date: Flag;
  starts_at: string | null;
}

export interface RoleTable extends InOrganization {
  description: string | null;
  /** What the deprecated member `role` says for it. */
  legacy_role: 'ADMIN' | 'DEVELOPER' | 'OWNER' | 'VIEWER';
}

export interface MemberTable extends InOrganization {
  email: string;
  nickname: string;
  profile_picture_url: string;
  last_activity_at: string;
  role_id: string;
}

export interface InvitationTable extends Identity {
  organization_id: string;
  email: string;
  role_id: string;
  inviter: string;
  expires_at: string;
}

export interface BillingInfoTable {
  organization_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  address: string | null;
  city: string | null;
  zip: string | null;
  country_code: string | null;
  state: string | null;
  company: string | null;
  vat_number: string | null;
}

export interface WebhookTable extends Identity {
  organization_id: string;
  kind: 'STANDARD' | 'SLACK';
  target_url: string;
  /** Array of event kinds. */
  events: Json;
  enabled: Flag;
  description: string | null;
  sealed_target_secret: string | null;
  /** User name and password of the address, which is without them. */
  sealed_target_userinfo: Generated<string | null>;
}

/** How many rows of a table an owner has in its list. Kept by the database itself. */
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

interface PlatformTables {
  organization: OrganizationTable;
  project: ProjectTable;
  cluster: ClusterTable;
  cluster_lock: ClusterLockTable;
  environment: EnvironmentTable;
  service: ServiceTable;
  variable: VariableTable;
  registry: RegistryTable;
  labels_group: LabelsGroupTable;
  annotations_group: AnnotationsGroupTable;
  helm_repository: HelmRepositoryTable;
  alert_receiver: AlertReceiverTable;
  alert_rule: AlertRuleTable;
  role: RoleTable;
  member: MemberTable;
  invitation: InvitationTable;
  billing_info: BillingInfoTable;
  webhook: WebhookTable;
  api_token: ApiTokenTable;
  setting: SettingTable;
  list_total: ListTotalTable;
}

export type DatabaseSchema = PlatformTables & EngineTables;

/**
 * What the platform keeps about itself:
 * `seeded`, once the seed is there whole; `key_check`, a signature by the key that secrets are sealed with; `starts`, how often it began to work on these
 * records; `stepped_time`, where time stands that moves on request only, in milliseconds since the epoch.
 */
export type SettingName = 'seeded' | 'key_check' | 'starts' | 'stepped_time';

/** A row of it. */
export interface SettingTable {
  name: SettingName;
  value: string;
}
