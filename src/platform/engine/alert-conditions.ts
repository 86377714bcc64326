import type { Selectable } from 'kysely';
import type * as z from 'zod';
import { condition, readCondition, type AlertRuleRequest, type Condition } from '../../contract/index.ts';
import { sum } from '../common/index.ts';
import { simulatedRuntimeName, type Runtime } from '../runtime/index.ts';
import type { AlertRuleTable, Db } from '../store/index.ts';
import { type LabelledValue, type Matches, labelsText } from './alert-matches.ts';
import type { EngineContext } from './context.ts';
import { metricNames } from './measurements/metric-definitions.ts';
import { selected, selectorIn } from './measurements/selector.ts';
import type { Gap, Present, Series } from './measurements/series.ts';
import type { PrometheusValues } from './prometheus.ts';
import { watchedFails } from './watched-services.ts';

export type AlertRuleRow = Selectable<AlertRuleTable>;
type RuleCondition = z.output<typeof AlertRuleRequest>['condition'];

/**
 * The result of evaluating a rule's condition: whether it holds, for which values, and which part of it is unknown; or
 * why nothing is known.
 */
export type Finding =
  | { readonly holds: boolean; readonly matches: readonly LabelledValue[]; readonly problem?: Condition }
  | { readonly holds?: undefined; readonly problem: Condition };

const comparisons: Readonly<Record<RuleCondition['operator'], (value: number, threshold: number) => boolean>> = {
  NONE: (value) => value !== 0,
  ABOVE: (value, threshold) => value > threshold,
  BELOW: (value, threshold) => value < threshold,
  ABOVE_OR_EQUAL: (value, threshold) => value >= threshold,
  BELOW_OR_EQUAL: (value, threshold) => value <= threshold,
  EQUAL: (value, threshold) => value === threshold,
};

/** Reduces several values to one. No values give no result, except for COUNT. */
const functions: Readonly<Record<RuleCondition['function'], (values: readonly number[]) => readonly number[]>> = {
  NONE: (values) => values,
  AVG: (values) => (values.length === 0 ? [] : [sum(values) / values.length]),
  MAX: (values) => (values.length === 0 ? [] : [Math.max(...values)]),
  MIN: (values) => (values.length === 0 ? [] : [Math.min(...values)]),
  SUM: (values) => (values.length === 0 ? [] : [sum(values)]),
  COUNT: (values) => [values.length],
};

/** The condition of a rule, with defaults for omitted members. */
export const conditionOfRule = (rule: AlertRuleRow): RuleCondition =>
  ({
    operator: 'NONE',
    threshold: 0,
    function: 'NONE',
    ...(JSON.parse(rule.condition) as Partial<RuleCondition>),
  }) as RuleCondition;

/**
 * The values that meet a condition. A function's result is one value, which belongs to no series. NaN never meets a
 * condition.
 */
function meeting(
  { operator, threshold, function: reduce }: RuleCondition,
  values: readonly LabelledValue[],
): readonly LabelledValue[] {
  const reduced =
    reduce === 'NONE'
      ? values
      : functions[reduce](values.map(({ value }) => value)).map((value) => ({ labels: {}, value }));
  return reduced.filter(({ value }) => !Number.isNaN(value) && comparisons[operator](value, threshold));
}

/**
 * Like Prometheus' own alerts: an expression that contains the comparison returns the values that meet it, and none
 * otherwise.
 */
const meetingOf = (of: RuleCondition, { kind, values }: PrometheusValues): readonly LabelledValue[] =>
  kind === 'series' && of.operator === 'NONE' && of.function === 'NONE' ? values : meeting(of, values);

const found = (matches: readonly LabelledValue[], problem?: Condition): Finding => ({
  holds: matches.length > 0,
  matches,
  ...(problem !== undefined && { problem }),
});

/** The problem of an expression that can't be evaluated without Prometheus. */
const needsPrometheus = condition('PROMETHEUS_MISSING', { metrics: [...metricNames] });

/** Why a condition can't be evaluated; undefined if it can be. */
export const refusalOfCondition = (
  { prometheus }: Pick<EngineContext, 'prometheus'>,
  rule: AlertRuleRow,
): Condition | undefined =>
  prometheus === undefined && selectorIn(conditionOfRule(rule).promql) === undefined ? needsPrometheus : undefined;

const isAbout =
  ({ target_id: target }: AlertRuleRow) =>
  ({ labels }: Pick<Series, 'labels'>): boolean =>
    [labels['service_id'], labels['environment_id'], labels['cluster_id']].includes(target);

/** How many gaps are listed. */
const mostGaps = 5;

/** The unknown parts of a rule's target, as the data of a condition. */
const unknownParts = (gaps: readonly Gap[]) => ({
  gaps: gaps.slice(0, mostGaps).map(({ labels, reasons }) => ({ of: labelsText(labels), reasons: [...reasons] })),
  more: Math.max(0, gaps.length - mostGaps),
});

/** The current measurements, and the ids of the clusters that were measured recently. */
export interface PresentMeasurements extends Present {
  readonly clusters: ReadonlySet<string>;
}

/** The result if a metric has no value for a rule's target. While the cluster isn't measured, that proves nothing. */
const withoutValue = (
  metric: string,
  isMeasured: boolean,
  matches: readonly LabelledValue[],
  gaps: readonly Gap[],
): Finding =>
  isMeasured
    ? found(matches, condition('METRIC_WITHOUT_VALUE', { metric, ...unknownParts(gaps) }))
    : { problem: condition('CLUSTER_NOT_MEASURED', {}) };

/** Evaluates the condition of a rule. Of the platform's own measurements, only those of the rule's target count. */
export async function evaluateCondition(
  context: Pick<EngineContext, 'prometheus'>,
  rule: AlertRuleRow,
  present: PresentMeasurements,
  signal: AbortSignal,
): Promise<Finding> {
  const of = conditionOfRule(rule);
  const selector = selectorIn(of.promql);
  if (selector !== undefined) {
    const values = selected(selector, present.series).filter(isAbout(rule));
    const gaps = selected(selector, present.gaps).filter(isAbout(rule));
    const matches = meeting(of, values);
    if (values.length === 0) return withoutValue(selector.metric, present.clusters.has(rule.cluster_id), matches, gaps);
    return found(matches, gaps.length === 0 ? undefined : condition('RULE_PARTLY_EVALUATED', unknownParts(gaps)));
  }
  const { prometheus } = context;
  if (prometheus === undefined) return found([], needsPrometheus);
  try {
    return found(meetingOf(of, await prometheus.query(of.promql, signal)));
  } catch (error) {
    signal.throwIfAborted();
    return { problem: condition('RULE_EVALUATION_FAILED', { said: (error as Error).message }) };
  }
}

/** The runtime of the cluster that a rule watches, or that runs the service or environment that it watches. */
export const runtimeOfTarget = async (
  { runtimes }: Pick<EngineContext, 'runtimes'>,
  db: Db,
  { target_id: id }: AlertRuleRow,
): Promise<Runtime> => {
  const watched = await db
    .selectFrom('cluster')
    .select('runtime')
    .where((eb) =>
      eb.or([
        eb('id', '=', id),
        eb(
          'id',
          '=',
          eb
            .selectFrom('service')
            .innerJoin('environment', 'environment.id', 'service.environment_id')
            .select('environment.cluster_id')
            .where('service.id', '=', id),
        ),
        eb('id', '=', eb.selectFrom('environment').select('environment.cluster_id').where('environment.id', '=', id)),
      ]),
    )
    .executeTakeFirst();
  return runtimes.named(watched?.runtime ?? simulatedRuntimeName);
};

/** The last finding. The matches are those for which the condition holds, or last held. */
interface LastFinding {
  readonly holds: boolean;
  readonly problem?: Condition;
  readonly matches?: Matches;
}

/** The last finding for a rule's condition; undefined if it hasn't been evaluated since the rule was changed. */
export async function lastFinding(db: Db, rule: AlertRuleRow): Promise<LastFinding | undefined> {
  const last = await db.selectFrom('alert_evaluation').selectAll().where('rule_id', '=', rule.id).executeTakeFirst();
  return last?.condition === rule.condition
    ? {
        holds: last.holds === 1,
        ...(last.problem !== null && { problem: readCondition(last.problem) }),
        ...(last.matches !== null && { matches: JSON.parse(last.matches) as Matches }),
      }
    : undefined;
}

/**
 * Whether a rule's condition holds, by its simulation or by the last finding. Runs within a transaction, so it can't
 * query anything outside.
 */
export async function conditionHolds(context: EngineContext, db: Db, rule: AlertRuleRow): Promise<boolean> {
  const { simulatedCondition } = await runtimeOfTarget(context, db, rule);
  if (simulatedCondition === undefined) return (await lastFinding(db, rule))?.holds === true;
  const { promql, operator, threshold } = conditionOfRule(rule);
  return simulatedCondition({
    promql,
    isMetBy: (value) => comparisons[operator](value, threshold),
    watchedServiceFails: await watchedFails(db, rule.target_id),
  });
}
