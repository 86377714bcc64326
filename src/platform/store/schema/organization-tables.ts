import type { Generated } from 'kysely';
import type { AlertRuleState } from '../../../contract/index.ts';
import type { BooleanColumn, IdentityColumns, InOrganization, Json } from './columns.ts';

export interface OrganizationTable extends IdentityColumns {
  name: string;
  description: string | null;
  plan: string | null;
  owner: string | null;
}

export interface RoleTable extends InOrganization {
  description: string | null;
  /** The value of the deprecated member `role`. */
  legacy_role: 'ADMIN' | 'DEVELOPER' | 'OWNER' | 'VIEWER';
}

export interface MemberTable extends InOrganization {
  email: string;
  nickname: string;
  profile_picture_url: string;
  last_activity_at: string;
  role_id: string;
}

export interface InvitationTable extends IdentityColumns {
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
  skip_tls_verification: BooleanColumn;
  /** The part of the credentials that responses may show. */
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
  enabled: BooleanColumn;
  alert_receiver_ids: Json;
  presentation: Json;
  source: 'MANAGED' | 'GHOST';
  state: AlertRuleState;
  target_type: string;
  target_id: string;
  is_up_to_date: BooleanColumn;
  starts_at: string | null;
}

export interface WebhookTable extends IdentityColumns {
  organization_id: string;
  kind: 'STANDARD' | 'SLACK';
  target_url: string;
  /** JSON array of event kinds. */
  events: Json;
  enabled: BooleanColumn;
  description: string | null;
  sealed_target_secret: string | null;
  /** User name and password of the target URL. `target_url` itself has none. */
  sealed_target_userinfo: Generated<string | null>;
}

/** A change that was accepted. `change` and `original_change` hold no secrets. Names are those of the time. */
export interface AuditEventTable {
  seq: Generated<number>;
  organization_id: string;
  created_at: string;
  event_type: string;
  target_type: string;
  target_id: string | null;
  target_name: string;
  sub_target_type: string | null;
  change: Json;
  original_change: Json | null;
  origin: string;
  triggered_by: string;
  user_agent: string | null;
  project_id: string | null;
  project_name: string | null;
  environment_id: string | null;
  environment_name: string | null;
}

/** The tables of the organization's own resources. */
export interface OrganizationTables {
  organization: OrganizationTable;
  role: RoleTable;
  member: MemberTable;
  invitation: InvitationTable;
  billing_info: BillingInfoTable;
  registry: RegistryTable;
  labels_group: LabelsGroupTable;
  annotations_group: AnnotationsGroupTable;
  helm_repository: HelmRepositoryTable;
  alert_receiver: AlertReceiverTable;
  alert_rule: AlertRuleTable;
  webhook: WebhookTable;
  audit_event: AuditEventTable;
}
