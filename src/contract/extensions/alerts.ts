import { operation } from '../operation.ts';
import { AlertRule, NewAlertRuleRequest, SilenceRequest } from '../resources/alert-rule.ts';
import { undocumented } from './common.ts';

const rule = '/alert-rules/{alertRuleId}';

const ofRule = { ...undocumented, target: 'alert_rule' } as const;

/** Operations outside the API document: what happens to alert rules besides their replacement. */
export const alertExtensions = {
  create_alert_rule: operation({
    ...undocumented,
    name: 'create_alert_rule',
    method: 'POST',
    path: '/alert-rules',
    body: NewAlertRuleRequest,
    response: AlertRule,
    effect: 'write',
    target: 'environment',
    targetBy: { scope: 'target.target_type', id: 'target.target_id' },
    creates: { kind: 'alert_rule', in: 'environment' },
    roles: {
      alert_receiver_ids: { pointsAt: 'alert_receiver' },
      organization_id: 'unrelated',
      // The cluster of what is watched: a rule changes nothing on it.
      cluster_id: 'unrelated',
    },
    summary: 'Create an alert rule about a service, an environment or a cluster.',
  }),
  silence_alert_rule: operation({
    ...ofRule,
    name: 'silence_alert_rule',
    method: 'POST',
    path: `${rule}/silence`,
    body: SilenceRequest,
    response: AlertRule,
    effect: 'disruptive',
    summary: 'Tell nobody of an alert rule until a time.',
  }),
  unsilence_alert_rule: operation({
    ...ofRule,
    name: 'unsilence_alert_rule',
    method: 'DELETE',
    path: `${rule}/silence`,
    response: AlertRule,
    effect: 'write',
    summary: 'End the silence of an alert rule.',
  }),
  delete_alert_rule: operation({
    ...ofRule,
    name: 'delete_alert_rule',
    method: 'DELETE',
    path: rule,
    effect: 'destructive',
    summary: 'Delete an alert rule.',
  }),
} as const;
