import { condition, type Condition } from '../../contract/index.ts';
import type { Db } from '../store/index.ts';
import { type AlertRuleRow, lastFinding, refusalOfCondition, runtimeOfTarget } from './alert-conditions.ts';
import { notificationProblems } from './alert-notifications.ts';
import type { EngineContext } from './context.ts';

/**
 * Why a rule isn't evaluated at present, or its receivers aren't notified; empty if there is no problem, or the rule is
 * disabled.
 */
export async function alertRuleProblems(
  context: EngineContext,
  db: Db,
  rule: AlertRuleRow,
): Promise<readonly Condition[]> {
  if (rule.enabled === 0 || rule.source === 'GHOST' || (await runtimeOfTarget(context, db, rule)).simulatedCondition)
    return [];
  const refusal = refusalOfCondition(context, rule);
  const found = refusal === undefined ? await lastFinding(db, rule) : undefined;
  const evaluation = refusal ?? (found === undefined ? condition('RULE_NOT_EVALUATED', {}) : found.problem);
  return [...(evaluation === undefined ? [] : [evaluation]), ...(await notificationProblems(context, db, rule))];
}
