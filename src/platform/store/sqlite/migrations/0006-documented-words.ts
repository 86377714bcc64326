import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The kind of an alert rule's target: the kind of its service, where a scheduled job is a CRONJOB. */
const targetKind = `(
  SELECT CASE WHEN kind = 'job' AND json_extract(spec, '$.job_type') = 'CRON' THEN 'CRONJOB' ELSE upper(kind) END
  FROM service WHERE service.id = alert_rule.target_id)`;

/** A configuration of a Helm service whose ports speak HTTP where they spoke TCP or UDP. */
const withHelmPorts = (column: string): string => `json_set(${column}, '$.ports', json((
  SELECT json_group_array(json(CASE WHEN port.value ->> '$.protocol' IN ('TCP', 'UDP') THEN json_set(port.value, '$.protocol', 'HTTP') ELSE port.value END))
  FROM json_each(${column}, '$.ports') AS port)))`;

const helmPorts = (table: string, column: string): string =>
  `UPDATE ${table} SET ${column} = ${withHelmPorts(column)} WHERE kind = 'helm' AND json_type(${column}, '$.ports') = 'array'`;

const statements = [
  `UPDATE alert_rule SET target_type = coalesce(${targetKind}, target_type) WHERE target_type = 'SERVICE'`,
  helmPorts('service', 'spec'),
  helmPorts('service', 'deployed_spec'),
  helmPorts('deployment_service', 'spec'),
];

/** Words of earlier versions that are no documented ones: targets of alert rules, and what the ports of Helm services speak. */
export const documentedWords: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
