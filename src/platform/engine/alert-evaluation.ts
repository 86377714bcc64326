import { storedCondition } from '../../contract/index.ts';
import type { Db } from '../store/index.ts';
import { type AlertRuleRow, evaluateCondition, type Finding, runtimeOfTarget } from './alert-conditions.ts';
import { matchesOf } from './alert-matches.ts';
import { conditionMayHaveChanged } from './alert-rules.ts';
import type { RepeatedWork } from './background-loop.ts';
import type { EngineContext } from './context.ts';
import { LeaderLockLost, type LeaderLocks } from './leader-locks.ts';
import { measuredClusters, readMeasurements } from './measurements/series.ts';

/** How often conditions are evaluated, in milliseconds. */
const intervalMilliseconds = 10_000;

const says = {
  failure: 'the conditions of alert rules could not be evaluated',
  recovery: 'the conditions of alert rules are evaluated again',
};

/** The rules with real conditions that must be evaluated. */
async function rulesToEvaluate(context: EngineContext): Promise<AlertRuleRow[]> {
  const rules = await context.db
    .selectFrom('alert_rule')
    .selectAll()
    .where('enabled', '=', 1)
    .where('source', '=', 'MANAGED')
    .orderBy('id')
    .execute();
  const isReal = await Promise.all(
    rules.map(async (rule) => (await runtimeOfTarget(context, context.db, rule)).simulatedCondition === undefined),
  );
  return rules.filter((_, index) => isReal[index]);
}

/**
 * Saves the finding for a condition, and advances the rule if the result has changed. If the condition could not be
 * evaluated, the previous result remains.
 */
async function saveFinding(context: EngineContext, trx: Db, rule: AlertRuleRow, finding: Finding): Promise<void> {
  await trx.lock(rule.id);
  const current = await trx.selectFrom('alert_rule').selectAll().where('id', '=', rule.id).executeTakeFirst();
  if (current?.condition !== rule.condition) return;
  const present = await trx
    .selectFrom('alert_evaluation')
    .selectAll()
    .where('rule_id', '=', rule.id)
    .executeTakeFirst();
  const last = present?.condition === rule.condition ? present : undefined;
  const before = last?.holds === 1;
  // When it no longer holds, receivers are notified of the values for which it did.
  const matches = finding.holds ? JSON.stringify(matchesOf(finding.matches)) : (last?.matches ?? null);
  const row = {
    condition: rule.condition,
    holds: (finding.holds ?? before) ? (1 as const) : (0 as const),
    problem: finding.problem ? storedCondition(finding.problem) : null,
    matches,
  };
  if (last !== undefined && last.holds === row.holds && last.problem === row.problem && last.matches === row.matches)
    return;
  await trx
    .insertInto('alert_evaluation')
    .values({ rule_id: rule.id, ...row })
    .onConflict((conflict) => conflict.column('rule_id').doUpdateSet(row))
    .execute();
  // A rule that is being rolled out already has its timer.
  if ((row.holds === 1) !== before && current.state !== 'UNDEPLOYED')
    await conditionMayHaveChanged(context, trx, current);
}

/** Evaluates the conditions of alert rules on real clusters, in one worker at a time, outside transactions. */
export function evaluatingOf(context: EngineContext, leaderLocks: LeaderLocks, wake: () => void): RepeatedWork {
  return {
    interval: intervalMilliseconds,
    says,
    run: async (signal) => {
      if (context.runtimes.all.every(([, { simulatedCondition }]) => simulatedCondition !== undefined)) return;
      const rules = await rulesToEvaluate(context);
      const leaderLock = rules.length === 0 ? undefined : await leaderLocks.take('evaluating alert rules');
      if (leaderLock === undefined) return;
      const now = context.clock.now();
      const present = await context.db.read(async (trx) => ({
        ...(await readMeasurements(trx, now)),
        clusters: await measuredClusters(trx, now),
      }));
      const findings = await Promise.all(
        rules.map(async (rule) => ({ rule, finding: await evaluateCondition(context, rule, present, signal) })),
      );
      try {
        // One transaction each, so that other writes don't wait for all of them.
        for (const { rule, finding } of findings)
          await leaderLock.write((trx) => saveFinding(context, trx, rule, finding));
      } catch (error) {
        if (!(error instanceof LeaderLockLost)) throw error;
      }
      wake();
    },
  };
}
