import type { Db } from '../store/index.ts';
import { type AlertRuleRow, lastFinding, refusalOfCondition, runtimeOfTarget } from './alert-conditions.ts';
import { notificationProblems } from './alert-notifications.ts';
import type { EngineContext } from './context.ts';

/**
 * Why a rule isn't evaluated at present, or its receivers aren't notified, as sentences; undefined if there is no
 * problem, or the rule is disabled.
 */
export async function alertRuleProblem(
  context: EngineContext,
  db: Db,
  rule: AlertRuleRow,
): Promise<string | undefined> {
  if (rule.enabled === 0 || rule.source === 'GHOST' || (await runtimeOfTarget(context, db, rule)).simulatedCondition)
    return undefined;
  const refusal = refusalOfCondition(context, rule);
  const found = refusal === undefined ? await lastFinding(db, rule) : undefined;
  const evaluation = refusal ?? (found === undefined ? 'It was not evaluated yet.' : found.problem);
  return (
    [...(evaluation === null ? [] : [evaluation]), ...(await notificationProblems(context, db, rule))].join(' ') ||
    undefined
  );
}
