import * as z from 'zod';
import { isUntold, joinPath, operations } from '../../src/contract/index.ts';
import { alertNames } from '../../src/analysis/index.ts';
import {
  defineTool,
  isRecord,
  omit,
  organizationOf,
  pick,
  pruneRecord,
  readUses,
  recordsIn,
  rowsIn,
  show,
  table,
  textOf,
  type JsonRecord,
  type Renderer,
  type ToolContext,
  partialUpdate,
} from '../../src/server/tool/index.ts';
import { clustersOf } from '../shared/cluster-nodes.ts';
import { endlessSilences, firingAlert, unwatchedLine, unwatchedText } from '../shared/firing-alerts.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { joined } from '../shared/plan-parts.ts';
import { changedWhileFiring } from './firing-state.ts';
import { changedReceivers } from './receiver-names.ts';

const receiverMembers = ['name', 'id', 'type'];

/** What a rule watches, with the path of a service, or the id of what the rule doesn't name. */
function targetOf({ target }: JsonRecord): unknown {
  if (!isRecord(target)) return target;
  const { service, target_type: type, target_id: id } = target;
  const names = isRecord(service)
    ? ['project_name', 'environment_name', 'name'].flatMap((member) => textOf(service, member) ?? [])
    : [];
  const path = names.length > 0 ? joinPath(names) : String(type).trim() === 'CLUSTER' ? undefined : id;
  return { ...target, ...(path !== undefined && { path }) };
}

/** A condition as it is evaluated: without an operator there is nothing that its threshold is compared with. */
const conditionOf = ({ condition }: JsonRecord): unknown =>
  isRecord(condition) && condition['operator'] === 'NONE' && condition['threshold'] === 0
    ? omit(condition, ['operator', 'threshold'])
    : condition;

/** Alert rules with the names of their clusters, and which of them watch nothing. */
async function withClusters(context: ToolContext, answer: JsonRecord): Promise<JsonRecord> {
  const rules = rowsIn(answer);
  const names = new Map((await clustersOf(context)).map((row) => [row['id'], textOf(row, 'name')]));
  const unwatched = unwatchedText(rules);
  const untold = alertNames(rules.filter(({ state }) => isUntold(state)).map((rule) => firingAlert(rule)));
  const [silences] = endlessSilences(rules);
  return {
    ...answer,
    results: rules.map((row) => ({
      ...row,
      ...(row['target'] !== undefined && { target: targetOf(row) }),
      ...(row['condition'] !== undefined && { condition: conditionOf(row) }),
      cluster: names.get(row['cluster_id']) ?? row['cluster_id'],
    })),
    ...(unwatched !== undefined && { unwatched }),
    ...(untold.length > 0 && { untold }),
    ...(silences !== undefined && { silences }),
  };
}

/** Alert rules with the names of their receivers, and all available receivers; without these if they can't be read. */
async function withReceivers(organizationId: unknown, context: ToolContext, answer: JsonRecord): Promise<JsonRecord> {
  const list = await ifPossible(context, 'Who can be told', async () => {
    const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
    return organization === undefined
      ? undefined
      : context.attempt(operations.list_alert_receivers, { organization_id: organization });
  });
  if (!list) return answer;
  const receivers = rowsIn(list);
  const names = new Map(receivers.map((receiver) => [receiver['id'], textOf(receiver, 'name')]));
  const told = ({ alert_receiver_ids: ids }: JsonRecord): readonly unknown[] | undefined =>
    Array.isArray(ids) ? ids.map((id: unknown) => names.get(id) ?? id) : undefined;
  return {
    ...answer,
    results: rowsIn(answer).map((row) => ({ ...row, receivers: told(row) })),
    receivers: receivers.map((receiver) => pruneRecord(pick(receiver, receiverMembers))),
  };
}

function receiversText(receivers: unknown): string {
  if (!Array.isArray(receivers))
    return 'Not known: which receivers there are. The platform does not tell, or the token may not read them.';
  const each = recordsIn(receivers).map(
    (receiver) =>
      `${show(receiver['name'])} (${[textOf(receiver, 'type'), `id ${show(receiver['id'])}`].filter(Boolean).join(', ')})`,
  );
  return each.length === 0 ? 'There are no receivers.' : `Receivers that rules can have: ${each.join('; ')}`;
}

/** The alert rules that fire without their receivers being told. */
const untoldLine = (untold: unknown): readonly string[] =>
  Array.isArray(untold) ? [`They fire, and whatever receivers they have are not told: ${untold.join(', ')}.`] : [];

const showingReceivers = (rules: Renderer): Renderer => ({
  ...rules,
  view: (answer) => ({ ...rules.view(answer), ...pick(answer, ['receivers', 'unwatched', 'untold', 'silences']) }),
  text: (view) =>
    [
      rules.text(view),
      ...untoldLine(view['untold']),
      ...(typeof view['silences'] === 'string' ? [view['silences']] : []),
      ...unwatchedLine(view['unwatched']),
      receiversText(view['receivers']),
    ].join('\n'),
  ...(rules.only && { only: (columns: readonly string[]) => showingReceivers(rules.only!(columns)) }),
});

export const listAlertRules = defineTool(operations.list_alert_rules, {
  toolset: 'alerts',
  title: 'Anything alerting now? Each alert, alarm firing',
  description:
    'Alert rules (alerts, alarms, monitoring), firing (TRIGGERED, NOTIFIED, UNROUTED, SUPPRESSED), severity, threshold, ' +
    'condition, receivers.',
  reads: [
    ...readUses(
      'the names of the receivers, and which others there are, are not shown',
      operations.list_alert_receivers,
      operations.get_organization,
    ),
    ...readUses('clusters are shown by their ids', operations.list_clusters),
  ],
  output: operations.list_alert_rules.response.extend({
    receivers: z.array(z.object({ name: z.string(), id: z.string() })).optional(),
  }),
  // Planned, so that scopes and rules about places apply to it: the list contains the rules of all projects.
  expand: (args) => Promise.resolve([{ operation: operations.list_alert_rules, input: args }]),
  answer: async (args, context, [answer = {}]) =>
    withReceivers(args['organization_id'], context, await withClusters(context, answer)),
  render: showingReceivers(
    table('alert rule', [
      'name',
      'state',
      'problem',
      'severity',
      'enabled',
      'starts_at',
      'silenced_until',
      'silence_reason',
      'target.path',
      'target.target_type',
      'cluster',
      'condition.promql',
      'condition.operator',
      'condition.threshold',
      'for_duration',
      'receivers',
      'alert_receiver_ids',
      'source',
      'is_up_to_date',
      'tag',
      'id',
    ]),
  ),
});

/** Rules that exist only in the monitoring system are shown, but the platform can't change them. */
const fixed = ({ source }: JsonRecord) =>
  source === 'GHOST'
    ? {
        what: "this alert rule (source GHOST) exists in the monitoring system only, and the platform can't change it",
        next: 'It is changed where it was made: tell the user.',
      }
    : undefined;

const update = partialUpdate(operations.update_alert_rule, { fixed });

export const updateAlertRule = defineTool(operations.update_alert_rule, {
  toolset: 'alerts',
  title: 'Change or silence an alert, its threshold',
  description:
    'Change, tune, mute, disable or turn off a noisy alert (alarm): raise its threshold (percent), condition, ' +
    'severity, receivers.',
  ...update,
  preview: joined(update.preview, changedReceivers, changedWhileFiring),
  fields: {
    alert_rule_id: 'Name or id.',
    alert_receiver_ids: 'Who is told.',
    'condition.threshold': 'Compared by operator.',
    presentation: '{summary, runbook_url}',
  },
  folded: ['presentation'],
  next: 'is_up_to_date turns true once the alerting system has taken it over.',
});
