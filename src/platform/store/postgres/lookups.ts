import { jsonMemberOf } from './json-members.ts';

/** Indexes for what would be looked for among all deployments of an environment, all webhooks, events and totals. */
export const lookupStatements: readonly string[] = [
  'create index deployment_of_last_token on deployment (queue, fencing_token)',
  'create index deployment_open_of_environment on deployment (environment_id, seq) where due_ms is not null',
  'create index webhook_to_notify on webhook (organization_id, enabled)',
  ...['target', 'environment', 'project'].map((subject) => `create index audit_event_of_${subject} on audit_event (${subject}_id, created_at, seq) where ${subject}_id is not null`),
  `create index audit_event_of_former_domain on audit_event (${jsonMemberOf('original_change', ['domain'])}) where event_type = 'DELETE' and sub_target_type = 'CUSTOM_DOMAIN'`,
  'create index totals_of_owner on list_total (owner_id)',
];
