import type { AlertRuleState } from '../../../contract/index.ts';
import { flag, json, numbered, type RowsOf, table, text, time } from '../../../database/index.ts';
import { identity, inOrder, inOrganization, named } from './columns.ts';

/** The organization, and the tables that belong to it alone. */
export const organizationTables = {
  organization: table({
    ...identity(),
    name: text(),
    description: text().orNull(),
    plan: text().orNull(),
    owner: text().orNull(),
  }),
};

/** The other tables of the organization's resources. */
export const resourceTables = {
  registry: table(
    {
      ...inOrganization(),
      kind: text(),
      url: text(),
      description: text().orNull(),
      /** The part of the credentials that responses may show. Null: there are none. */
      config: json().orNull().since(18),
      sealed_config: text().orNull().since(18),
    },
    { indexes: named('registry') },
  ),
  labels_group: table({ ...inOrganization(), labels: json() }, { indexes: named('labels_group') }),
  annotations_group: table(
    { ...inOrganization(), annotations: json(), scopes: json() },
    { indexes: named('annotations_group') },
  ),
  helm_repository: table(
    {
      ...inOrganization(),
      kind: text(),
      url: text().orNull(),
      description: text().orNull(),
      skip_tls_verification: flag(),
      /** The part of the credentials that responses may show. */
      config: json(),
      sealed_config: text().orNull(),
    },
    { indexes: named('helm_repository') },
  ),
  git_token: table(
    {
      ...inOrganization(),
      type: text(),
      description: text().orNull(),
      /** The address of its server. Null: the public one of its type. */
      git_api_url: text().orNull(),
      expired_at: time().orNull(),
      sealed_token: text(),
    },
    { since: 18, indexes: named('git_token') },
  ),
  alert_receiver: table(
    {
      ...inOrganization(),
      description: text().orNull(),
      type: text(),
      send_resolved: flag().default(1).since(19),
      owner: text().orNull().since(19),
      severity: text().orNull().since(19),
      /** The settings of e-mail that aren't secret: `MailSettings` of the engine. Null for a chat. */
      mail: json().orNull().since(19),
      /** The address of a chat, unless the operator configures it. */
      sealed_webhook_url: text().orNull().since(19),
      sealed_auth_password: text().orNull().since(19),
    },
    { indexes: inOrder('alert_receiver') },
  ),
  alert_rule: table(
    {
      ...inOrganization(),
      cluster_id: text().references('cluster'),
      description: text(),
      tag: text(),
      condition: json(),
      for_duration: text(),
      severity: text<'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL'>(),
      enabled: flag(),
      alert_receiver_ids: json(),
      presentation: json(),
      source: text<'MANAGED' | 'GHOST'>(),
      state: text<AlertRuleState>(),
      target_type: text(),
      target_id: text(),
      is_up_to_date: flag(),
      starts_at: time().orNull(),
      /** Nobody is told of it until then. Null: it isn't silenced or, if it is SUPPRESSED, no end is known. */
      silenced_until: time().orNull().since(13),
      silence_reason: text().orNull().since(13),
    },
    { indexes: { ...inOrder('alert_rule'), alert_rule_target: { on: ['target_id'] } } },
  ),
  role: table(
    {
      ...inOrganization(),
      description: text().orNull(),
      /** The value of the deprecated member `role`. */
      legacy_role: text<'ADMIN' | 'DEVELOPER' | 'OWNER' | 'VIEWER'>(),
    },
    { indexes: named('role') },
  ),
  member: table(
    {
      ...inOrganization(),
      name: text(),
      email: text().caseless(),
      nickname: text(),
      profile_picture_url: text(),
      last_activity_at: time(),
      role_id: text().references('role'),
    },
    { indexes: named('member', 'organization_id', 'email') },
  ),
  invitation: table(
    {
      ...identity(),
      organization_id: text().references('organization'),
      email: text().caseless(),
      role_id: text().references('role'),
      inviter: text(),
      expires_at: time(),
    },
    {
      indexes: { ...inOrder('invitation'), invitation_of_address: { on: ['organization_id', 'email', 'expires_at'] } },
    },
  ),
  billing_info: table({
    organization_id: text().key().references('organization'),
    first_name: text().orNull(),
    last_name: text().orNull(),
    email: text().orNull(),
    address: text().orNull(),
    city: text().orNull(),
    zip: text().orNull(),
    country_code: text().orNull(),
    state: text().orNull(),
    company: text().orNull(),
    vat_number: text().orNull(),
  }),
  webhook: table(
    {
      ...identity(),
      organization_id: text().references('organization'),
      kind: text<'STANDARD' | 'SLACK'>(),
      target_url: text(),
      /** JSON array of event kinds. */
      events: json(),
      enabled: flag(),
      description: text().orNull(),
      sealed_target_secret: text().orNull(),
      /** User name and password of the target URL. `target_url` itself has none. */
      sealed_target_userinfo: text().orNull(),
      /** JSON arrays of names, in which * stands for anything, and of modes. Null: every project, every mode. */
      project_names_filter: json().orNull().since(12),
      environment_types_filter: json().orNull().since(12),
    },
    { indexes: { ...inOrder('webhook'), webhook_to_notify: { on: ['organization_id', 'enabled'], since: 3 } } },
  ),
  /**
   * An accepted change. `change` and `original_change` hold no secrets. Names are those at that time. There are no
   * foreign keys, because an event outlives its subject.
   */
  audit_event: table(
    {
      seq: numbered(),
      organization_id: text(),
      created_at: time(),
      event_type: text(),
      target_type: text(),
      target_id: text().orNull(),
      target_name: text(),
      sub_target_type: text().orNull(),
      change: json(),
      original_change: json().orNull(),
      origin: text(),
      triggered_by: text(),
      user_agent: text().orNull(),
      project_id: text().orNull(),
      project_name: text().orNull(),
      environment_id: text().orNull(),
      environment_name: text().orNull(),
    },
    {
      indexes: {
        audit_event_in_order: { on: ['organization_id', 'created_at', 'seq'] },
        audit_event_of_former_domain: {
          on: [{ column: 'original_change', path: ['domain'] }],
          where: "event_type = 'DELETE' and sub_target_type = 'CUSTOM_DOMAIN'",
          since: 3,
        },
        ...Object.fromEntries(
          ['target', 'environment', 'project'].map((subject) => [
            `audit_event_of_${subject}`,
            { on: [`${subject}_id`, 'created_at', 'seq'], where: `${subject}_id is not null`, since: 3 },
          ]),
        ),
      },
    },
  ),
};

type Rows = RowsOf<typeof resourceTables>;
export type RoleTable = Rows['role'];
export type MemberTable = Rows['member'];
export type InvitationTable = Rows['invitation'];
export type RegistryTable = Rows['registry'];
export type LabelsGroupTable = Rows['labels_group'];
export type AnnotationsGroupTable = Rows['annotations_group'];
export type HelmRepositoryTable = Rows['helm_repository'];
export type AlertReceiverTable = Rows['alert_receiver'];
export type AlertRuleTable = Rows['alert_rule'];
export type WebhookTable = Rows['webhook'];
export type AuditEventTable = Rows['audit_event'];
