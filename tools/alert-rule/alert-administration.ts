import { AlertRuleRequest, isFiring, operations } from '../../src/contract/index.ts';
import {
  composeTool,
  defineTool,
  organizationOf,
  reading,
  readUses,
  record,
  textOf,
  toldOnce,
  type NoOpCheck,
  type Preview,
} from '../../src/server/tool/index.ts';
import { exactlyOne, readsByKind } from '../shared/any-service.ts';
import { unlessPast } from '../shared/future-times.ts';
import { joined, sameName } from '../shared/plan-parts.ts';
import { presentRule, ruleReads, stateLines } from './firing-state.ts';
import { toldByRule } from './receiver-names.ts';
import { watchedBy, watchedInput, watchedMembers } from './watched.ts';

const shown = ['name', 'state', 'severity', 'silenced_until', 'silence_reason', 'id'];

const { name, condition, alert_receiver_ids, severity, for_duration, description, tag, enabled, presentation } =
  AlertRuleRequest.shape;

export const createAlertRule = composeTool({
  name: 'create_alert_rule',
  toolset: 'administration',
  title: 'Set up an alert, an alarm: memory, CPU, errors above a limit',
  description: 'Create an alert rule; severity LOW to CRITICAL, for_duration.',
  input: {
    ...watchedInput,
    name,
    condition,
    alert_receiver_ids,
    severity: severity.default('MEDIUM'),
    for_duration: for_duration.default('PT5M'),
    description: description.default(''),
    tag: tag.default(''),
    enabled: enabled.default(true),
    presentation: presentation.default({}),
  },
  ...exactlyOne(...watchedMembers),
  operations: [operations.create_alert_rule],
  reads: [
    ...readUses('the cluster has to be known from lists', operations.get_organization),
    ...readUses(
      'the cluster of what a rule watches is not known, and the rule is not created',
      operations.get_environment,
      operations.list_environments,
    ),
    ...readsByKind('configuration', 'the configuration'),
  ],
  expand: async (args, context) => {
    const organization =
      (await organizationOf(context)) ??
      context.refuse('the organization is not known, and a rule needs it', 'The token may not read it: tell the user.');
    const rule = Object.fromEntries(Object.entries(args).filter(([member]) => !watchedMembers.includes(member)));
    return [
      {
        operation: operations.create_alert_rule,
        input: { ...rule, organization_id: organization, ...(await watchedBy(context)) },
      },
    ];
  },
  fields: { condition: '{promql, operator: ABOVE…, threshold}', alert_receiver_ids: 'Who is told.' },
  folded: ['condition'],
  hidden: ['severity', 'for_duration', 'description', 'tag', 'enabled', 'presentation'],
  preview: joined(toldByRule, sameName(operations.list_alert_rules, 'an alert rule'), () =>
    Promise.resolve([toldOnce('A tool of this toolset deletes it again.')]),
  ),
  output: operations.create_alert_rule.response,
  answer: (_, __, [answer = {}]) => Promise.resolve(answer),
  render: record({ first: shown }),
  next: 'is_up_to_date turns true once the alerting system has taken it over.',
});

const deleted: Preview = reading(ruleReads, async (args, { reader }) => {
  const rule = await presentRule(args, reader);
  return [
    ...stateLines(rule),
    ...(rule && isFiring(rule['state']) ? ['What it fires for goes on, and nobody is told when it ends.'] : []),
  ];
});

export const deleteAlertRule = defineTool(operations.delete_alert_rule, {
  toolset: 'administration',
  title: 'Delete an alert for good',
  description: 'Delete, remove an alert rule (alarm) for good.',
  preview: deleted,
  render: record(),
});

const silenced: Preview = reading(ruleReads, async (args, { reader }) => stateLines(await presentRule(args, reader)));

/** Whether it is silenced in the same way. */
const alreadySilenced: NoOpCheck = reading(ruleReads, async (args, { reader }) => {
  const rule = await presentRule(args, reader);
  const until = textOf(rule, 'silenced_until');
  return until !== undefined &&
    Date.parse(until) === Date.parse(String(args['until'])) &&
    rule?.['silence_reason'] === args['reason']
    ? { why: 'it is silenced until then already', seen: stateLines(rule) }
    : undefined;
});

export const silenceAlertRule = defineTool(operations.silence_alert_rule, {
  toolset: 'administration',
  title: 'Mute an alert for a time, such as tonight',
  description: 'Silence an alert rule (mute, snooze, maintenance) for hours or until a time: nobody is told.',
  expand: unlessPast(operations.silence_alert_rule, 'until'),
  plan: ({ until }) => [
    `Nobody is told of it until ${until}, neither that it fires nor that it stops. If it fires then, its receivers are told.`,
    'A tool of this toolset ends the silence earlier.',
  ],
  preview: silenced,
  noOpCheck: alreadySilenced,
  render: record({ first: shown }),
});

/** Whether it isn't silenced. */
const notSilenced: NoOpCheck = reading(ruleReads, async (args, { reader }) => {
  const rule = await presentRule(args, reader);
  return rule && rule['state'] !== 'SUPPRESSED' && textOf(rule, 'silenced_until') === undefined
    ? { why: 'it is not silenced', seen: stateLines(rule) }
    : undefined;
});

export const unsilenceAlertRule = defineTool(operations.unsilence_alert_rule, {
  toolset: 'administration',
  title: 'End the silence of an alert',
  description: 'Unmute an alert rule: people are told again, at once if it fires.',
  preview: silenced,
  noOpCheck: notSilenced,
  render: record({ first: shown }),
});
