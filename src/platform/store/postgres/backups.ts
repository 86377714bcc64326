import { flag, text, time } from './column-types.ts';

/** Backups of databases, and deployments that bring a database back from one. */
export const backupStatements: readonly string[] = [
  `create table backup (
    id ${text} primary key, service_id ${text} not null references service (id) on delete cascade, name ${text} not null, message ${text} not null,
    state ${text} not null, ${flag('is_scheduled')}, created_at ${time} not null, ended_at ${time}, due_ms bigint,
    record ${text}, node ${text}, bytes bigint, reason ${text})`,
  'create index backup_of_service on backup (service_id, created_at, id)',
  `create unique index one_backup_at_a_time on backup (service_id) where state = 'ongoing'`,
  'create index backup_due on backup (due_ms) where due_ms is not null',
  `alter table deployment_service add column restoration ${text}`,
];
