import type { Insertable } from 'kysely';
import type {
  ClusterState,
  DeploymentState,
  EnvironmentMode,
  PermissionLevel,
  ServiceKind,
  VariableScope,
  VariableType,
} from '../../../contract/index.ts';
import { flag, integer, json, type RowsOf, table, text, time } from '../../../database/index.ts';
import { identity, inOrder, inOrganization, name, named } from './columns.ts';
import { engineTables } from './engine-tables.ts';
import { measurementTables } from './measurement-tables.ts';
import { organizationTables, resourceTables } from './organization-tables.ts';
import { referenceIndexes } from './service-references.ts';

/**
 * The platform's data about itself: `seeded`, set once the seed is complete; `key_check`, a signature by the key that
 * sealed the secrets; `starts`, the number of starts on these records; `stepped_time`, the time of a stepped clock, in
 * milliseconds since the epoch; `events_since`, since when every change has its event; `events_removed`, set once old
 * events were removed; `platform_id`, by which it recognizes its objects on engines; `moved_from`, a digest of the data
 * directory whose records were moved to this database; `…_of_cluster/…`, data that a cluster's runtime keeps under a
 * name that it chooses, empty once deleted.
 */
export type SettingName =
  | 'seeded'
  | 'key_check'
  | 'starts'
  | 'stepped_time'
  | 'events_since'
  | 'events_removed'
  | 'platform_id'
  | 'fault_rules'
  | 'moved_from'
  | `${string}_of_cluster/${string}`;

const owners = ['project', 'environment', 'service'] as const;

const isOf = (owner: string): string => `case when ${owner}_id is null then 0 else 1 end`;

const projectTables = {
  project: table({ ...inOrganization(), description: text().orNull() }, { indexes: named('project') }),
  cluster: table(
    {
      ...inOrganization(),
      description: text().orNull(),
      region: text(),
      cloud_provider: text(),
      version: text(),
      /** The version that an upgrade installs; null if there is none. */
      next_version: text().orNull(),
      is_default: flag(),
      production: flag(),
      status: text<ClusterState>(),
      maximum_cpu: integer(),
      maximum_memory: integer(),
      maximum_gpu: integer(),
      last_execution_id: text().orNull(),
      last_deployment_at: time().orNull(),
      /** The name of the runtime that its services run on. */
      runtime: text().default('simulated'),
    },
    { indexes: named('cluster') },
  ),
  /** At most one lock per cluster. An expired lock counts as none. */
  cluster_lock: table({
    cluster_id: text().key().references('cluster'),
    reason: text(),
    locked_at: time(),
    owner_name: text(),
    ttl_in_days: integer(),
  }),
  environment: table(
    {
      ...identity(),
      project_id: text().references('project'),
      cluster_id: text().references('cluster'),
      name: name(),
      mode: text<EnvironmentMode>(),
      updated_by: text(),
      /** The aggregate of its services' states, maintained by the engine. */
      state: text<DeploymentState>(),
      /** When the platform deletes it, why, and who set that; null if it has no end. */
      ends_at: time().orNull().since(16),
      end_reason: text().orNull().since(16),
      end_set_by: text().orNull().since(16),
    },
    { indexes: { ...named('environment', 'project_id'), environment_of_cluster: { on: ['cluster_id'] } } },
  ),
  service: table(
    {
      ...identity(),
      environment_id: text().references('environment'),
      kind: text<ServiceKind>(),
      name: name(),
      /** The configuration: the member of `ServiceSpecs` (service-spec.ts) for the kind. */
      spec: json(),
      deployed_state: text<DeploymentState>(),
      deployment_status: text<'NEVER_DEPLOYED' | 'UP_TO_DATE' | 'OUT_OF_DATE'>(),
      /** The running configuration, written by the engine when a deployment succeeds. */
      deployed_spec: json().orNull(),
      /** The running commit, as `DeployedCommit` (service-spec.ts). Written by the engine. */
      deployed_commit: json().orNull(),
      /** The runtime's record of the running version. Written by the engine. */
      deployed_record: text().orNull(),
      /** What was deployed, as `Deployable` (engine/deployable.ts); null if that isn't known. Written by the engine. */
      deployed_digest: json().orNull().since(10),
      /**
       * The deployment that wrote the digest. Triggers remove the digest when a deployment is recorded without it: the
       * versions before this column leave the digest of an earlier deployment behind.
       */
      deployed_digest_of: text().orNull().since(17),
      last_deployment_id: text().orNull(),
      last_deployment_at: time().orNull(),
    },
    {
      indexes: {
        ...named('service', 'environment_id'),
        service_of_last_deployment: { on: ['last_deployment_id'], where: 'last_deployment_id is not null' },
        ...referenceIndexes,
        service_in_state: { on: ['deployed_state'], since: 4 },
        service_without_digest: { on: ['deployment_status'], where: 'deployed_digest is null', since: 17 },
      },
    },
  ),
  /** A variable or secret. It belongs to exactly one project, environment or service. */
  variable: table(
    {
      ...identity(),
      project_id: text().references('project').orNull(),
      environment_id: text().references('environment').orNull(),
      service_id: text().references('service').orNull(),
      key: text(),
      scope: text<VariableScope>(),
      variable_type: text<VariableType>(),
      /** In plain text; null for secrets, which have a sealed value. */
      value: text().orNull(),
      sealed_value: text().orNull(),
      mount_path: text().orNull(),
      description: text().orNull(),
      enable_interpolation_in_file: flag().orNull(),
      /** The variable that an ALIAS or OVERRIDE refers to. */
      linked_variable_id: text().references('variable').orNull(),
      owned_by: text().orNull(),
    },
    {
      constraints: [
        ...owners.map((owner) => `unique (${owner}_id, key)`),
        `check (${owners.map(isOf).join(' + ')} = 1)`,
        'check ((value is null) <> (sealed_value is null))',
      ],
      indexes: {
        variable_linking: { on: ['linked_variable_id'] },
        ...Object.fromEntries(
          owners.flatMap((owner) => {
            const on = [`${owner}_id`, 'created_at', 'id'];
            return [
              [`variable_in_order_of_${owner}`, { on, where: `sealed_value is null and ${owner}_id is not null` }],
              [`secret_of_${owner}`, { on, where: `sealed_value is not null and ${owner}_id is not null`, since: 4 }],
            ];
          }),
        ),
      },
    },
  ),
  /** A domain of a service. It is unique, ignoring case. */
  custom_domain: table(
    {
      ...identity(),
      service_id: text().references('service', { onDelete: 'cascade' }),
      domain: text().caseless(),
      generate_certificate: flag(),
      use_cdn: flag(),
    },
    {
      indexes: { custom_domain_domain: { on: ['domain'], isUnique: true }, ...inOrder('custom_domain', 'service_id') },
    },
  ),
};

const ownTables = {
  api_token: table(
    {
      id: text().key(),
      name: text(),
      /** The member whose token it is. It is revoked when they are removed. */
      member_id: text().orNull().since(11),
      permission: text<PermissionLevel>(),
      /** SHA-256 of the value, hexadecimal. */
      hash: text().unique(),
      created_at: time(),
      expires_at: time().orNull(),
      last_used_at: time().orNull(),
      revoked_at: time().orNull(),
    },
    {
      indexes: {
        api_token_of_member: { on: ['member_id'], where: 'member_id is not null', since: 11 },
        api_token_in_order: { on: ['created_at', 'id'], where: 'revoked_at is null', since: 11 },
      },
    },
  ),
  setting: table({ name: text<SettingName>().key(), value: text() }),
};

const scheduleTables = {
  /** When an environment is stopped and started by itself. An environment without a row has the default, which is off. */
  deployment_rule: table(
    {
      ...identity(),
      environment_id: text().unique().references('environment', { onDelete: 'cascade' }),
      timezone: text(),
      /** ISO 8601. Only the time of day counts. */
      start_time: time(),
      stop_time: time(),
      /** JSON array of days of the week. */
      weekdays: json(),
      auto_stop: flag(),
      auto_preview: flag(),
      on_demand_preview: flag(),
    },
    { since: 14 },
  ),
  /** Times at which deployments of a cluster, a project or an environment are refused. */
  deployment_window: table(
    {
      ...inOrganization(),
      reason: text().orNull(),
      cluster_id: text().references('cluster', { onDelete: 'cascade' }).orNull(),
      project_id: text().references('project', { onDelete: 'cascade' }).orNull(),
      environment_id: text().references('environment', { onDelete: 'cascade' }).orNull(),
      production_only: flag(),
      /** See `WindowTimes` of the contract. */
      begins: text(),
      ends: text(),
      time_zone: text(),
      owner_name: text(),
    },
    {
      since: 15,
      indexes: {
        ...inOrder('deployment_window'),
        ...Object.fromEntries(
          ['cluster', 'project', 'environment'].map((about) => [
            `deployment_window_of_${about}`,
            { on: [`${about}_id`] },
          ]),
        ),
      },
    },
  ),
};

/** Every table. A table comes after those that it refers to. */
export const platformTables = {
  ...organizationTables,
  ...projectTables,
  ...resourceTables,
  ...scheduleTables,
  ...ownTables,
  ...engineTables,
  ...measurementTables,
  /** The number of rows in each list of an owner. Database triggers maintain it. */
  list_total: table(
    { list: text(), owner_id: text(), total: integer() },
    { key: ['list', 'owner_id'], indexes: { totals_of_owner: { on: ['owner_id'], since: 3 } } },
  ),
};

/** Every table, with the types of its rows. */
export type DatabaseSchema = RowsOf<typeof platformTables>;

export type ProjectTable = DatabaseSchema['project'];
export type ClusterTable = DatabaseSchema['cluster'];
export type ClusterLockTable = DatabaseSchema['cluster_lock'];
export type EnvironmentTable = DatabaseSchema['environment'];
export type ServiceTable = DatabaseSchema['service'];
export type VariableTable = DatabaseSchema['variable'];
export type DeploymentRuleTable = DatabaseSchema['deployment_rule'];
export type DeploymentWindowTable = DatabaseSchema['deployment_window'];
export type CustomDomainTable = DatabaseSchema['custom_domain'];
export type ApiTokenTable = DatabaseSchema['api_token'];

/** What a service has in its columns of deployments until it is deployed for the first time. */
export const neverDeployed = {
  deployed_state: 'READY',
  deployment_status: 'NEVER_DEPLOYED',
  deployed_spec: null,
  deployed_commit: null,
  deployed_record: null,
  deployed_digest: null,
  deployed_digest_of: null,
  last_deployment_id: null,
  last_deployment_at: null,
} as const satisfies Partial<Insertable<ServiceTable>>;
