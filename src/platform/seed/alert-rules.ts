import type { Insertable } from 'kysely';
import type { AlertRuleTable } from '../store/schema.ts';
import { organizationId, seedId, seedIds } from './ids.ts';
import type { SeedTime } from './organization.ts';

type Rule = Insertable<AlertRuleTable>;

const rule = (time: SeedTime, name: string, more: Partial<Rule> = {}): Rule => ({
  id: seedId(`alert-rule/${name}`), organization_id: organizationId, created_at: time.ago(60), updated_at: time.ago(10), name, cluster_id: seedIds.cluster_id,
  description: `Watches ${name.replaceAll('-', ' ')}.`, tag: 'shop',
  condition: JSON.stringify({ kind: 'CUSTOM', promql: 'sum(rate(http_requests_total{status=~"5.."}[5m])) > 5', operator: 'NONE', threshold: 0, function: 'NONE' }),
  for_duration: 'PT5M', severity: 'HIGH', enabled: 1, alert_receiver_ids: JSON.stringify([seedIds.alert_receiver_id]),
  presentation: JSON.stringify({ summary: 'Something is wrong with the shop', runbook_url: 'https://runbooks.acme.example/shop' }),
  source: 'MANAGED', state: 'OK', target_type: 'CLUSTER', target_id: seedIds.cluster_id, is_up_to_date: 1, starts_at: null, ...more,
});

/** Alert rules in the states that rules can be found in; one exists in the monitoring system only. */
export const seedAlertRules = (time: SeedTime): Rule[] => [
  rule(time, 'checkout-errors', { target_type: 'SERVICE', target_id: seedIds.application_id }),
  rule(time, 'node-memory', { severity: 'MEDIUM', state: 'UNDEPLOYED', enabled: 0 }),
  rule(time, 'importer-down', { severity: 'CRITICAL', state: 'NOTIFIED', starts_at: time.ago(1), target_type: 'SERVICE', target_id: seedId('service/data/development/importer') }),
  rule(time, 'report-late', { severity: 'LOW', state: 'SUPPRESSED', starts_at: time.ago(2), target_type: 'SERVICE', target_id: seedIds.job_id }),
  rule(time, 'disk-filling', { state: 'UNROUTED', starts_at: time.ago(3), alert_receiver_ids: '[]' }),
  rule(time, 'old-latency', { source: 'GHOST', state: 'OK', is_up_to_date: 0 }),
];
