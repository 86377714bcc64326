import { operations } from '../../src/contract/index.ts';
import { partialUpdate, defineTool, type JsonRecord } from '../../src/server/tool/index.ts';

/** Rules that the platform found in its monitoring system only are shown, and not its own to change. */
const fixed = ({ source }: JsonRecord) =>
  source === 'GHOST'
    ? {
        what: "this alert rule (source GHOST) exists in the monitoring system only, and the platform can't change it",
        next: 'It is changed where it was made: tell the user.',
      }
    : undefined;

export const updateAlertRule = defineTool(operations.update_alert_rule, {
  toolset: 'alerts',
  title: 'Change or silence an alert',
  description:
    'Tune or mute an alert (alarm) that is too noisy: turn it off, raise its threshold, change condition, severity or receivers. Give only what ' +
    'changes.',
  ...partialUpdate(operations.update_alert_rule, { fixed }),
  fields: {
    alert_rule_id: 'Id of the rule.',
    alert_receiver_ids: 'Who is told: names or ids.',
    'condition.threshold': 'Compared by operator.',
    presentation: 'What a notification shows: {summary, runbook_url}.',
  },
  folded: ['presentation'],
  next: 'is_up_to_date turns true once the alerting system has taken it over.',
});
