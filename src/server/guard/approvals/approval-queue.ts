import type { ApprovalsConfig } from './approvals.ts';
import { operatorKeyFor, type OperatorKey } from './operator-secret.ts';
import type { SecretLock } from '../storage/limits.ts';
import type { Verdict } from '../storage/tables.ts';
import type { WaitingPage } from '../storage/waiting-records.ts';
import {
  callSealer,
  callWithCode,
  isCode,
  normalCode,
  signedText,
  type Pending,
  type StoredCall,
} from './pending-calls.ts';
import type { Decision, RecordDecision } from '../../audit/index.ts';

/** The channel through which an operator decides, with the function that records their decisions. */
interface ApprovalChannel {
  readonly how: Decision['how'];
  readonly record: RecordDecision;
}

const decisionOn = (
  { code, principal, plan }: Pending,
  verdict: Decision['verdict'],
  how: Decision['how'],
): Decision => ({
  verdict,
  how,
  code,
  caller: principal,
  tool: plan.tool,
  tier: plan.tier,
  target: plan.target,
  plan: plan.digest,
});

/**
 * Records a decision, then makes it: every decision must be on record.
 * @param log identifies the log to which this process records.
 * @param decide makes the decision; returns false if it came too late.
 * @throws Error if the record can't be written, or belongs in another log.
 */
async function decideOnRecord(
  pending: Pending,
  verdict: Verdict,
  { how, record }: ApprovalChannel,
  log: string,
  decide: () => Promise<boolean>,
): Promise<boolean> {
  if (pending.log !== undefined && pending.log !== log) {
    throw new Error(
      `Nothing was decided: the server that asked for ${pending.code} records its calls elsewhere than this program. Give this one the same INFRA_AUDIT_FILE or INFRA_AUDIT_COMMAND, then decide again.`,
    );
  }
  const recordVerdict = (recorded: Decision['verdict']): Promise<void> => record(decisionOn(pending, recorded, how));
  await recordVerdict(verdict === 'refused' ? 'refused' : 'approved').catch((error: unknown) => {
    throw new Error(
      `Nothing was decided: the decision could not be recorded (${(error as Error).message}). Mend that, then decide again.`,
      { cause: error },
    );
  });
  if (await decide()) return true;
  await recordVerdict('not_made');
  return false;
}

/** The result of trying a secret. */
export type UnlockedQueue =
  | ({ readonly kind: 'unlocked' } & OperatorKey)
  | { readonly kind: 'wrong_secret'; readonly left: number }
  | SecretLock;

/**
 * Says that a secret is wrong, and how many more tries there are. They are counted apart for terminals and for each
 * network address.
 */
export const wrongSecretText = (left: number, where: 'in a terminal' | 'from your address'): string =>
  `That is not the secret. ${left} more ${left === 1 ? 'try' : 'tries'} ${where} before a pause.`;

/** The operator's side of approvals. Times are milliseconds since 1970. */
export interface ApprovalQueue {
  /** The calls that wait for a decision, or a page of them. */
  waiting(now: number, page?: WaitingPage): Promise<Pending[]>;
  /** The number of calls that wait for a decision. */
  count(now: number): Promise<number>;
  /** A waiting call, by its code. */
  find(code: string, now: number): Promise<Pending | undefined>;
  /**
   * Tries the operator's secret.
   * @param source where it was typed: a network address or `terminalSource`. Too many wrong secrets lock their source.
   */
  unlock(secret: string, source: string, now: number): Promise<UnlockedQueue>;
  /**
   * Records a decision, then makes it. Returns false if the call expired, was decided before, or doesn't exist.
   * @param sign from `unlock`.
   * @throws Error if it can't be recorded: then nothing is decided.
   */
  decide(code: string, verdict: Verdict, sign: (text: string) => string, now: number): Promise<boolean>;
}

/**
 * The approval queue of a store.
 * @param channel where the operator decides, and the function that records their decisions.
 */
export function createApprovalQueue(
  { store, keys, operator, log }: ApprovalsConfig,
  channel: ApprovalChannel,
): ApprovalQueue {
  const { waiting, secretTries } = store;
  const sealer = () => callSealer(keys);
  const withCode = async (typed: string, clock: number): Promise<StoredCall | undefined> => {
    const code = normalCode(typed);
    if (!isCode(code)) return undefined;
    const now = await store.time(clock);
    return callWithCode(sealer().open(await waiting.withCode(code, now), now), code);
  };
  return {
    waiting: async (clock, page) => {
      const now = await store.time(clock);
      return sealer()
        .open(await waiting.undecided(now, page), now)
        .map(({ pending }) => pending);
    },
    count: async (clock) => waiting.countUndecided(await store.time(clock)),
    find: async (code, clock) => {
      const stored = await withCode(code, clock);
      return stored?.decision ? undefined : stored?.pending;
    },
    unlock: async (secret, source, clock) => {
      const attempt = await secretTries.begin(source, clock);
      if (attempt.kind === 'locked') return attempt;
      const key = await operatorKeyFor(operator, secret);
      if (!key) return { kind: 'wrong_secret', left: await secretTries.left(source) };
      await secretTries.forget(attempt.id);
      return { kind: 'unlocked', ...key };
    },
    decide: async (code, verdict, sign, clock) => {
      const stored = await withCode(code, clock);
      if (stored === undefined || stored.decision) return false;
      return decideOnRecord(stored.pending, verdict, channel, log(), () =>
        waiting.decide(stored.pending.code, verdict, sign(signedText(stored.seal, verdict))),
      );
    },
  };
}
