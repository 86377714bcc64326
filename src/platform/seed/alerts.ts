import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { AlertRuleRequest } from '../../contract/index.ts';
import { requirePromql } from '../api/index.ts';
import type { Engine } from '../engine/index.ts';
import type { DataStore, Db } from '../store/index.ts';
import { organizationId, seedId } from './ids.ts';

/** The mail settings of the seeded receiver of e-mail. */
export const teamMail = {
  to: 'team@acme.example',
  from: 'alerts@acme.example',
  smarthost: 'mail.acme.example:587',
  auth_username: 'alerts',
  require_tls: true,
};

/** A receiver of alerts that the operator configures. Its address stays out of the records. */
export interface AlertReceiverToAdd {
  readonly name: string;
  readonly kind: 'STANDARD' | 'SLACK';
  readonly url: string;
}

/** An alert rule about a cluster, with the names of its receivers. */
export interface AlertRuleToAdd extends Pick<
  z.output<typeof AlertRuleRequest>,
  'name' | 'description' | 'condition' | 'for_duration' | 'severity' | 'presentation'
> {
  readonly cluster: string;
  readonly receivers: readonly string[];
}

/** The id of a receiver that the operator configures. */
export const alertReceiverId = (name: string): string => seedId(`alert-receiver/${name}`);

/** Whether an existing rule matches the operator's configuration. */
async function isAsConfigured(
  db: Db,
  id: string,
  { condition, presentation, receivers, description, for_duration: duration, severity }: AlertRuleToAdd,
): Promise<boolean> {
  const row = await db
    .selectFrom('alert_rule')
    .select(['condition', 'presentation', 'alert_receiver_ids', 'description', 'for_duration', 'severity'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return isDeepStrictEqual(
    [
      JSON.parse(row.condition),
      JSON.parse(row.presentation),
      JSON.parse(row.alert_receiver_ids),
      row.description,
      row.for_duration,
      row.severity,
    ],
    [condition, presentation, receivers.map(alertReceiverId), description, duration, severity],
  );
}

/**
 * Adds the missing receivers and rules. An existing rule stays unchanged, because it may have been edited since.
 * @returns the names of the existing rules that differ
 * @throws ApiProblem for a condition that isn't PromQL
 */
export async function addAlerts(
  db: DataStore,
  engine: Engine,
  {
    receivers,
    rules,
  }: { readonly receivers: readonly AlertReceiverToAdd[]; readonly rules: readonly AlertRuleToAdd[] },
  now: string,
): Promise<readonly string[]> {
  for (const { name, condition } of rules)
    requirePromql(`The condition of the alert rule "${name}" in the clusters file`, condition.promql);
  const owned = (id: string, name: string) => ({
    id,
    organization_id: organizationId,
    name,
    created_at: now,
    updated_at: now,
  });
  return db.write(async (trx) => {
    const differing: string[] = [];
    for (const { name, kind } of receivers) {
      await trx
        .insertInto('alert_receiver')
        .values({ ...owned(alertReceiverId(name), name), description: null, type: kind })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ type: kind }))
        .execute();
    }
    for (const configured of rules) {
      const { name, cluster, condition, presentation, receivers: told, ...rule } = configured;
      const [id, clusterId] = [seedId(`alert-rule/${name}`), seedId(`cluster/${cluster}`)];
      const added = await trx
        .insertInto('alert_rule')
        .values({
          ...owned(id, name),
          ...rule,
          cluster_id: clusterId,
          tag: '',
          condition: JSON.stringify(condition),
          presentation: JSON.stringify(presentation),
          enabled: 1,
          source: 'MANAGED',
          alert_receiver_ids: JSON.stringify(told.map(alertReceiverId)),
          state: 'UNDEPLOYED',
          target_type: 'CLUSTER',
          target_id: clusterId,
          is_up_to_date: 0,
          starts_at: null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (added) await engine.alertRuleChanged(trx, id);
      else if (!(await isAsConfigured(trx, id, configured))) differing.push(name);
    }
    return differing;
  });
}
