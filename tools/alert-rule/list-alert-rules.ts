import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listAlertRules = defineTool(operations.list_alert_rules, {
  toolset: 'alerts',
  description:
    'Is anything alerting, which alerts are firing? The alert rules (alarms) that we have, with state (NOTIFIED and TRIGGERED fire now), ' +
    'severity, what they watch, condition and receivers.',
  render: table('alert rule', [
    'name', 'state', 'severity', 'enabled', 'starts_at', 'target.service.name', 'target.service.environment_name', 'target.target_type', 'condition.promql',
    'condition.operator', 'condition.threshold', 'for_duration', 'alert_receiver_ids', 'source', 'is_up_to_date', 'tag', 'id',
  ]),
});
