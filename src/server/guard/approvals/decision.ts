import type { Decision, RecordDecision } from '../../audit/record.ts';
import type { Pending, Verdict } from './pending.ts';

/** Where an operator decides, and what puts their decisions on record. */
export interface DeskPlace {
  readonly how: Decision['how'];
  readonly record: RecordDecision;
}

const decisionOn = ({ code, principal, plan }: Pending, verdict: Decision['verdict'], how: Decision['how']): Decision => ({
  verdict, how, code, caller: principal, tool: plan.tool, tier: plan.tier, target: plan.target, plan: plan.digest,
});

/**
 * Decides once the decision is on record: what nobody would know of afterwards must not happen.
 * @param log stands for where this process records.
 * @param decide makes the decision; false when it was too late for it.
 * @throws Error when the record can't be written, or belongs into another log.
 */
export async function decideOnRecord(pending: Pending, verdict: Verdict, { how, record }: DeskPlace, log: string, decide: () => boolean): Promise<boolean> {
  if (pending.log !== undefined && pending.log !== log) {
    throw new Error(`Nothing was decided: the server that asked for ${pending.code} records its calls elsewhere than this program. Give this one the same INFRA_AUDIT_FILE or INFRA_AUDIT_COMMAND, then decide again.`);
  }
  const put = (told: Decision['verdict']): Promise<void> => record(decisionOn(pending, told, how));
  await put(verdict === 'refused' ? 'refused' : 'approved').catch((error: unknown) => {
    throw new Error(`Nothing was decided: the decision could not be recorded (${(error as Error).message}). Mend that, then decide again.`, { cause: error });
  });
  if (decide()) return true;
  await put('not_made');
  return false;
}
