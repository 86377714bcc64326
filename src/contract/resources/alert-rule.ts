import * as z from 'zod';
import { Condition } from '../conditions/index.ts';
import { DateTime, Duration, HttpUrl, identity, Name, reference, resourceOf, Uri, Uuid } from '../primitives.ts';
import { AlertRuleState } from '../states.ts';

export const Severity = z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']);

const RuleCondition = z.object({
  kind: z.enum(['CUSTOM', 'BUILT']).default('CUSTOM').describe('Who wrote it.'),
  promql: z.string().min(1).describe('PromQL expression.'),
  operator: z.enum(['NONE', 'ABOVE', 'BELOW', 'ABOVE_OR_EQUAL', 'BELOW_OR_EQUAL', 'EQUAL']).default('NONE'),
  threshold: z.number().default(0),
  function: z.enum(['NONE', 'AVG', 'MAX', 'MIN', 'SUM', 'COUNT']).default('NONE'),
});

const Presentation = z.object({ summary: z.string().optional(), runbook_url: HttpUrl.nullish() });

export const AlertRuleRequest = z.object({
  name: Name,
  description: z.string(),
  tag: z.string().describe('Groups rules.'),
  condition: RuleCondition,
  for_duration: Duration.describe('ISO 8601, such as PT5M.'),
  severity: Severity,
  enabled: z.boolean(),
  alert_receiver_ids: z.array(reference('alert_receiver')).min(1),
  presentation: Presentation,
});

/** What alert rules can watch. Some platforms write words with a space before. */
const watchedTypes = ['CLUSTER', 'ENVIRONMENT', 'APPLICATION', 'CONTAINER', 'JOB', 'CRONJOB', 'HELM', 'TERRAFORM'];

/** A request for a new alert rule. It names its organization itself, and the cluster of what it watches. */
export const NewAlertRuleRequest = AlertRuleRequest.extend({
  organization_id: Uuid,
  cluster_id: Uuid,
  target: z.object({
    target_type: z
      .string()
      .refine((type) => watchedTypes.includes(type.trim()), { error: `must be one of ${watchedTypes.join(', ')}` }),
    target_id: Uuid,
  }),
});

/** A request to tell nobody of an alert rule for a time. */
export const SilenceRequest = z.object({
  until: DateTime.describe('When it ends.'),
  reason: z.string().min(1).max(500).optional().describe('Shown beside it.'),
});

const TargetService = z.object({
  id: Uuid,
  name: z.string(),
  description: z.string().optional(),
  icon_uri: Uri,
  service_type: z.string(),
  project_id: Uuid,
  project_name: z.string(),
  environment_id: Uuid,
  environment_name: z.string(),
  cluster_id: Uuid,
  job_type: z.string().optional(),
});

export const AlertRule = resourceOf(
  'alert_rule',
  AlertRuleRequest.extend({
    ...identity,
    // May be empty: a rule that lost its last receiver is UNROUTED.
    alert_receiver_ids: z.array(Uuid),
    presentation: Presentation.extend({ runbook_url: HttpUrl.optional() }),
    source: z.enum(['MANAGED', 'GHOST']),
    state: AlertRuleState,
    organization_id: Uuid,
    cluster_id: Uuid,
    target: z.object({ target_type: z.string(), target_id: Uuid, service: TargetService.optional() }),
    is_up_to_date: z.boolean(),
    starts_at: DateTime.optional(),
    // Not in the API document.
    silenced_until: DateTime.optional().describe('Nobody is told of it until then.'),
    silence_reason: z.string().optional(),
    problem: z.string().optional().describe('Why its condition is not evaluated, or nobody told of it.'),
    conditions: z.array(Condition).optional().describe('The same as data.'),
  }),
);

/** A rule as lists show it: those that exist only in the monitoring system (GHOST) may have no id. */
export const ListedAlertRule = resourceOf('alert_rule', AlertRule.extend({ id: Uuid.optional() }));
