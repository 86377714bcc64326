import { flag, text, time } from './column-types.ts';

const identity = `id ${text} primary key, created_at ${time} not null, updated_at ${time} not null`;
const organization = `organization_id ${text} not null references organization (id)`;
const name = `name ${text} not null`;

/** Lists and their pages are in the order of creation. */
const creationOrder = (table: string, owner: string) => `create index ${table}_in_order on ${table} (${owner}, created_at, id)`;

/** No two rows of an owner have texts that differ only in the case of ASCII letters. */
const uniqueIgnoringCase = (table: string, owner: string, column = 'name') => `create unique index ${table}_${column} on ${table} (${owner}, lower(${column}))`;

/** A table of an organization's own resources. */
const owned = (table: string, columns: string): string[] => [`create table ${table} (${identity}, ${organization}, ${columns})`, creationOrder(table, 'organization_id')];

/** The same, with unique names. */
const named = (table: string, columns: string): string[] => [...owned(table, `${name}, ${columns}`), uniqueIgnoringCase(table, 'organization_id')];

/** All tables except the engine's. */
export const platformTableStatements: readonly string[] = [
  `create table organization (${identity}, name ${text} not null, description ${text}, plan ${text}, owner ${text})`,
  ...named('project', `description ${text}`),
  ...named('cluster', `description ${text}, region ${text} not null, cloud_provider ${text} not null, version ${text} not null, next_version ${text},
    ${flag('is_default')}, ${flag('production')}, status ${text} not null, maximum_cpu integer not null, maximum_memory integer not null,
    maximum_gpu integer not null, last_execution_id ${text}, last_deployment_at ${time}, runtime ${text} not null default 'simulated'`),
  `create table cluster_lock (cluster_id ${text} primary key references cluster (id), reason ${text} not null, locked_at ${time} not null, owner_name ${text} not null, ttl_in_days integer not null)`,
  `create table environment (${identity}, project_id ${text} not null references project (id), cluster_id ${text} not null references cluster (id),
    ${name}, mode ${text} not null, updated_by ${text} not null, state ${text} not null)`,
  creationOrder('environment', 'project_id'),
  uniqueIgnoringCase('environment', 'project_id'),
  'create index environment_of_cluster on environment (cluster_id)',
  `create table service (${identity}, environment_id ${text} not null references environment (id), kind ${text} not null, ${name}, spec json not null,
    deployed_state ${text} not null, deployment_status ${text} not null, deployed_spec json, deployed_commit json, deployed_record ${text},
    last_deployment_id ${text}, last_deployment_at ${time})`,
  creationOrder('service', 'environment_id'),
  uniqueIgnoringCase('service', 'environment_id'),
  `create index service_of_helm_repository on service ((spec #>> '{source,repository,repository,id}')) where kind = 'helm'`,
  'create index service_of_last_deployment on service (last_deployment_id) where last_deployment_id is not null',
  `create table variable (${identity}, project_id ${text} references project (id), environment_id ${text} references environment (id), service_id ${text} references service (id),
    key ${text} not null, scope ${text} not null, variable_type ${text} not null, value ${text}, sealed_value ${text}, mount_path ${text}, description ${text},
    enable_interpolation_in_file boolean, linked_variable_id ${text} references variable (id), owned_by ${text},
    unique (project_id, key), unique (environment_id, key), unique (service_id, key),
    check (num_nonnulls(project_id, environment_id, service_id) = 1), check (num_nonnulls(value, sealed_value) = 1))`,
  'create index variable_linking on variable (linked_variable_id)',
  ...['project', 'environment', 'service'].map((owner) =>
    `create index variable_in_order_of_${owner} on variable (${owner}_id, created_at, id) where sealed_value is null and ${owner}_id is not null`),
  `create table custom_domain (${identity}, service_id ${text} not null references service (id) on delete cascade, domain ${text} not null, ${flag('generate_certificate')}, ${flag('use_cdn')})`,
  'create unique index custom_domain_domain on custom_domain (lower(domain))',
  creationOrder('custom_domain', 'service_id'),
  ...named('registry', `kind ${text} not null, url ${text} not null, description ${text}`),
  ...named('labels_group', 'labels json not null'),
  ...named('annotations_group', 'annotations json not null, scopes json not null'),
  ...named('helm_repository', `kind ${text} not null, url ${text}, description ${text}, ${flag('skip_tls_verification')}, config json not null, sealed_config ${text}`),
  ...owned('alert_receiver', `${name}, description ${text}, type ${text} not null`),
  ...owned('alert_rule', `${name}, cluster_id ${text} not null references cluster (id), description ${text} not null, tag ${text} not null, condition json not null,
    for_duration ${text} not null, severity ${text} not null, ${flag('enabled')}, alert_receiver_ids json not null, presentation json not null, source ${text} not null,
    state ${text} not null, target_type ${text} not null, target_id ${text} not null, ${flag('is_up_to_date')}, starts_at ${time}`),
  'create index alert_rule_target on alert_rule (target_id)',
  ...named('role', `description ${text}, legacy_role ${text} not null`),
  ...owned('member', `${name}, email ${text} not null, nickname ${text} not null, profile_picture_url ${text} not null, last_activity_at ${time} not null,
    role_id ${text} not null references role (id)`),
  uniqueIgnoringCase('member', 'organization_id', 'email'),
  ...owned('invitation', `email ${text} not null, role_id ${text} not null references role (id), inviter ${text} not null, expires_at ${time} not null`),
  'create index invitation_of_address on invitation (organization_id, lower(email), expires_at)',
  `create table billing_info (organization_id ${text} primary key references organization (id), first_name ${text}, last_name ${text}, email ${text}, address ${text},
    city ${text}, zip ${text}, country_code ${text}, state ${text}, company ${text}, vat_number ${text})`,
  ...owned('webhook', `kind ${text} not null, target_url ${text} not null, events json not null, ${flag('enabled')}, description ${text}, sealed_target_secret ${text},
    sealed_target_userinfo ${text}`),
  `create table audit_event (seq bigint generated by default as identity primary key, organization_id ${text} not null, created_at ${time} not null, event_type ${text} not null,
    target_type ${text} not null, target_id ${text}, target_name ${text} not null, sub_target_type ${text}, change json not null, original_change json,
    origin ${text} not null, triggered_by ${text} not null, user_agent ${text}, project_id ${text}, project_name ${text}, environment_id ${text}, environment_name ${text})`,
  'create index audit_event_in_order on audit_event (organization_id, created_at, seq)',
  `create table api_token (id ${text} primary key, name ${text} not null, permission ${text} not null, hash ${text} not null unique, created_at ${time} not null,
    expires_at ${time}, last_used_at ${time}, revoked_at ${time})`,
  `create table setting (name ${text} primary key, value ${text} not null)`,
];
