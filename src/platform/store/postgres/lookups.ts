import { jsonMemberOf } from '../../../database/index.ts';

/** Indexes for what would be looked for among all deployments of an environment, all webhooks, events and totals. */
export const lookupStatements: readonly string[] = [
  'create index deployment_of_last_token on deployment (queue, fencing_token)',
  'create index deployment_open_of_environment on deployment (environment_id, seq) where due_ms is not null',
  'create index webhook_to_notify on webhook (organization_id, enabled)',
  ...['target', 'environment', 'project'].map((subject) => `create index audit_event_of_${subject} on audit_event (${subject}_id, created_at, seq) where ${subject}_id is not null`),
  `create index audit_event_of_former_domain on audit_event (${jsonMemberOf('original_change', ['domain'])}) where event_type = 'DELETE' and sub_target_type = 'CUSTOM_DOMAIN'`,
  'create index totals_of_owner on list_total (owner_id)',
];

/** Indexes for what fails of a cluster, and for secrets among variables. */
export const failureAndSecretStatements: readonly string[] = [
  'create index service_in_state on service (deployed_state)',
  'create index running_service_down on running_service (service_id) where running = 0',
  ...['project', 'environment', 'service'].map((owner) => `create index secret_of_${owner} on variable (${owner}_id, created_at, id) where sealed_value is not null and ${owner}_id is not null`),
];
