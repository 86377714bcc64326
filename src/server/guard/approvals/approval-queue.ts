import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalsConfig } from './approvals.ts';
import { signerFor } from './operator-secret.ts';
import { storedTime } from '../storage/stored-time.ts';
import { inOneTransaction } from '../storage/store.ts';
import { normalCode, pendingIn, signedText, type SignedPart, type Pending, type Verdict } from './pending-calls.ts';
import type { Decision, RecordDecision } from '../../audit/index.ts';

/** Where an operator decides, and the function that records their decisions. */
interface ApprovalChannel {
  readonly how: Decision['how'];
  readonly record: RecordDecision;
}

const decisionOn = ({ code, principal, plan }: Pending, verdict: Decision['verdict'], how: Decision['how']): Decision => ({
  verdict, how, code, caller: principal, tool: plan.tool, tier: plan.tier, target: plan.target, plan: plan.digest,
});

/**
 * Records a decision, then makes it: there must be no decision without a record.
 * @param log identifies the log to which this process records.
 * @param decide makes the decision; returns false if it came too late.
 * @throws Error if the record can't be written, or belongs in another log.
 */
async function decideOnRecord(pending: Pending, verdict: Verdict, { how, record }: ApprovalChannel, log: string, decide: () => boolean): Promise<boolean> {
  if (pending.log !== undefined && pending.log !== log) {
    throw new Error(`Nothing was decided: the server that asked for ${pending.code} records its calls elsewhere than this program. Give this one the same INFRA_AUDIT_FILE or INFRA_AUDIT_COMMAND, then decide again.`);
  }
  const recordVerdict = (recorded: Decision['verdict']): Promise<void> => record(decisionOn(pending, recorded, how));
  await recordVerdict(verdict === 'refused' ? 'refused' : 'approved').catch((error: unknown) => {
    throw new Error(`Nothing was decided: the decision could not be recorded (${(error as Error).message}). Mend that, then decide again.`, { cause: error });
  });
  if (decide()) return true;
  await recordVerdict('not_made');
  return false;
}

/** The source of a secret typed in a terminal, which has no network address. It doesn't count toward the limit over all addresses. */
export const terminalSource = 'terminal';

/** How many wrong secrets lock a source, and for how long in milliseconds. */
const maximumWrongTries = 5;
const lockTime = 15 * 60_000;

/** How many wrong secrets of all addresses together lock them all, in case many addresses guess together. */
const maximumWrongTriesInAll = 100;

/** The result of trying a secret. */
export type UnlockedQueue =
  | { readonly kind: 'unlocked'; readonly sign: (text: string) => string }
  | { readonly kind: 'wrong_secret'; readonly left: number }
  /** Too many wrong secrets from this source or, if `everywhere`, from all addresses together: then each has one try instead of five. */
  | { readonly kind: 'locked'; readonly until: number; readonly everywhere?: true };

/** The operator's side of approvals. Times are milliseconds since 1970. */
export interface ApprovalQueue {
  /** The calls that wait for a decision, or a page of them. */
  waiting(now: number, part?: SignedPart): Promise<Pending[]>;
  /** How many calls wait for a decision. */
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

/** One try at the secret, or a lock. A try is counted as wrong before it is made, so that concurrent tries are all counted. */
type Try = { readonly kind: 'try'; readonly row: number | bigint } | Extract<UnlockedQueue, { kind: 'locked' }>;

/** When a lock ends, if there were too many wrong tries. @param times of the wrong tries, oldest first. */
const lockedUntil = (times: readonly number[], most: number): number | undefined => (times.length < most ? undefined : times[times.length - most]! + lockTime);

const timesIn = (database: DatabaseSync, where: string, source: string): number[] =>
  database.prepare(`SELECT at FROM wrong_secret WHERE ${where} ORDER BY at`).all(source).map(({ at }) => Number(at));

const beginTry = (database: DatabaseSync, source: string, now: number): Try =>
  inOneTransaction(database, () => {
    storedTime(database, now);
    database.prepare('DELETE FROM wrong_secret WHERE at <= ?').run(now - lockTime);
    const wrong = timesIn(database, 'source = ?', source);
    const own = lockedUntil(wrong, maximumWrongTries);
    if (own !== undefined) return { kind: 'locked', until: own };
    // An address without wrong tries always has one, so that others' wrong tries can't lock the operator out.
    const inAll = source === terminalSource || wrong.length === 0 ? undefined : lockedUntil(timesIn(database, 'source != ?', terminalSource), maximumWrongTriesInAll);
    if (inAll !== undefined) return { kind: 'locked', until: inAll, everywhere: true };
    return { kind: 'try', row: database.prepare('INSERT INTO wrong_secret (at, source) VALUES (?, ?)').run(now, source).lastInsertRowid };
  });

/**
 * The approval queue of a data directory.
 * @param channel where the operator decides, and the function that records their decisions.
 */
export function createApprovalQueue({ store, keys, operator, log }: ApprovalsConfig, channel: ApprovalChannel): ApprovalQueue {
  const open = async (clock: number) => {
    const database = await store.open();
    return { calls: pendingIn(database, keys('approval')), now: inOneTransaction(database, () => storedTime(database, clock)) };
  };
  return {
    waiting: async (clock, part = {}) => {
      const { calls, now } = await open(clock);
      return calls.undecided(now, part);
    },
    count: async (clock) => {
      const { calls, now } = await open(clock);
      return calls.countUndecided(now);
    },
    find: async (code, clock) => {
      const { calls, now } = await open(clock);
      const stored = calls.withCode(normalCode(code), now);
      return stored?.decision ? undefined : stored?.pending;
    },
    unlock: async (secret, source, now) => {
      const database = await store.open();
      const attempt = beginTry(database, source, now);
      if (attempt.kind === 'locked') return attempt;
      const sign = await signerFor(operator, secret);
      if (!sign) return { kind: 'wrong_secret', left: Math.max(0, maximumWrongTries - timesIn(database, 'source = ?', source).length) };
      database.prepare('DELETE FROM wrong_secret WHERE rowid = ?').run(attempt.row);
      return { kind: 'unlocked', sign };
    },
    decide: async (code, verdict, sign, clock) => {
      const { calls, now } = await open(clock);
      const stored = calls.withCode(normalCode(code), now);
      if (stored === undefined || stored.decision) return false;
      return decideOnRecord(stored.pending, verdict, channel, log(), () => calls.decide(stored.pending.code, verdict, sign(signedText(stored.seal, verdict))));
    },
  };
}
