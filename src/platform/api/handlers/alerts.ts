import type { Selectable } from 'kysely';
import type * as z from 'zod';
import type { AlertRuleRequest } from '../../../contract/index.ts';
import { defaultIcon, invalid, isoNow, refused } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import type { AlertRuleTable, Db } from '../../store/index.ts';
import { targetColumns } from './alert-rule-target.ts';
import { findById, requireReferences } from './find.ts';
import { requirePromql } from './field-validation.ts';
import { pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

type Rule = z.output<typeof AlertRuleRequest>;

const targetService = async (db: Db, row: Selectable<AlertRuleTable>) => {
  const service = await db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .select([
      'service.id',
      'service.name',
      'service.kind',
      'service.spec',
      'environment.id as environment_id',
      'environment.name as environment_name',
      'environment.cluster_id',
      'project.id as project_id',
      'project.name as project_name',
    ])
    .where('service.id', '=', row.target_id)
    .executeTakeFirst();
  if (!service) return undefined;
  const { kind, spec, ...rest } = service;
  const { description, job_type, icon_uri } = JSON.parse(spec) as {
    description?: string;
    job_type?: string;
    icon_uri?: string;
  };
  return { ...rest, description, job_type, service_type: kind.toUpperCase(), icon_uri: icon_uri ?? defaultIcon(kind) };
};

const problemsOf = async ({ db, engine }: Pick<RequestContext, 'db' | 'engine'>, row: Selectable<AlertRuleTable>) => {
  const conditions = await engine.alertRuleProblems(db, row);
  return conditions.length === 0
    ? {}
    : { problem: conditions.map(({ message }) => message).join(' '), conditions: [...conditions] };
};

type Answering = Pick<RequestContext, 'db' | 'engine' | 'clock'>;

/** A silence that has ended is not shown. */
const silenceOf = ({ silenced_until: until, silence_reason: reason }: Selectable<AlertRuleTable>, now: number) =>
  until !== null && Date.parse(until) > now
    ? { silenced_until: until, silence_reason: reason ?? undefined }
    : { silenced_until: undefined, silence_reason: undefined };

const ruleAnswer = async (context: Answering, row: Selectable<AlertRuleTable>) => ({
  ...withoutNulls(row),
  ...silenceOf(row, context.clock.now()),
  ...(await problemsOf(context, row)),
  condition: JSON.parse(row.condition) as Rule['condition'],
  presentation: withoutNulls(JSON.parse(row.presentation) as Rule['presentation']),
  alert_receiver_ids: JSON.parse(row.alert_receiver_ids) as string[],
  enabled: row.enabled === 1,
  is_up_to_date: row.is_up_to_date === 1,
  target: {
    target_type: row.target_type,
    target_id: row.target_id,
    service: row.target_type === 'CLUSTER' ? undefined : await targetService(context.db, row),
  },
});

/** The columns that a request sets. */
const columnsOf = (rule: Rule) => ({
  name: rule.name,
  description: rule.description,
  tag: rule.tag,
  for_duration: rule.for_duration,
  severity: rule.severity,
  condition: JSON.stringify(rule.condition),
  presentation: JSON.stringify(rule.presentation),
  alert_receiver_ids: JSON.stringify(rule.alert_receiver_ids),
  enabled: rule.enabled ? (1 as const) : (0 as const),
});

/**
 * An alert rule that the platform has itself.
 * @throws ApiProblem 404, and 400 for one that exists in the monitoring system only
 */
async function findOwnRule(db: Db, id: string, done: string): Promise<Selectable<AlertRuleTable>> {
  const row = await findById(db, 'alert_rule', id);
  if (row.source === 'GHOST')
    throw refused(
      `The alert rule ${row.name} (${row.id}) exists in the monitoring system only and can't be ${done} here.`,
    );
  return row;
}

export const alertHandlers = {
  create_alert_rule: async (rule, { db, clock, random, engine }) => {
    const organization = await findById(db, 'organization', rule.organization_id);
    const watched = await targetColumns(db, rule);
    requirePromql('condition.promql', rule.condition.promql);
    await requireReferences(db, 'alert_receiver', organization.id, 'alert_receiver_ids', rule.alert_receiver_ids);
    const now = isoNow(clock);
    const { id } = await db
      .insertInto('alert_rule')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id: organization.id,
        ...columnsOf(rule),
        ...watched,
        source: 'MANAGED',
        state: 'UNDEPLOYED',
        is_up_to_date: 0,
        starts_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await engine.alertRuleChanged(db, id);
    return ruleAnswer({ db, engine, clock }, await findById(db, 'alert_rule', id));
  },
  delete_alert_rule: async ({ alert_rule_id }, { db, engine }) => {
    const { id } = await findOwnRule(db, alert_rule_id, 'deleted');
    await engine.deleteAlertRule(db, id);
  },
  silence_alert_rule: async ({ alert_rule_id, until, reason }, { db, clock, engine }) => {
    const row = await findOwnRule(db, alert_rule_id, 'silenced');
    const end = Date.parse(until);
    if (end <= clock.now()) throw invalid('until', `must be later than now, ${isoNow(clock)}`);
    await engine.silenceAlertRule(db, row, { until: new Date(end).toISOString(), reason: reason ?? null });
    return ruleAnswer({ db, engine, clock }, await findById(db, 'alert_rule', row.id));
  },
  unsilence_alert_rule: async ({ alert_rule_id }, { db, clock, engine }) => {
    const row = await findOwnRule(db, alert_rule_id, 'changed');
    await engine.silenceAlertRule(db, row, null);
    return ruleAnswer({ db, engine, clock }, await findById(db, 'alert_rule', row.id));
  },
  list_alert_rules: async (input, context) =>
    pageOf(await ownedBy(context, 'alert_rule', input.organization_id), input, (rows) =>
      Promise.all(rows.map((row) => ruleAnswer(context, row))),
    ),
  get_alert_rule: async ({ alert_rule_id }, context) =>
    ruleAnswer(context, await findById(context.db, 'alert_rule', alert_rule_id)),
  update_alert_rule: async ({ alert_rule_id, ...rule }, { db, clock, engine }) => {
    const row = await findOwnRule(db, alert_rule_id, 'edited');
    requirePromql('condition.promql', rule.condition.promql);
    await requireReferences(db, 'alert_receiver', row.organization_id, 'alert_receiver_ids', rule.alert_receiver_ids);
    await db
      .updateTable('alert_rule')
      .set({ ...columnsOf(rule), updated_at: isoNow(clock) })
      .where('id', '=', row.id)
      .execute();
    await engine.alertRuleChanged(db, row.id);
    return ruleAnswer({ db, engine, clock }, await findById(db, 'alert_rule', row.id));
  },
} satisfies Partial<
  OperationHandlers<
    | 'list_alert_rules'
    | 'get_alert_rule'
    | 'create_alert_rule'
    | 'update_alert_rule'
    | 'delete_alert_rule'
    | 'silence_alert_rule'
    | 'unsilence_alert_rule'
  >
>;
