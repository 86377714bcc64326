import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalsConfig } from './approvals.ts';
import { signerFor } from './operator-secret.ts';
import { storedTime } from '../storage/stored-time.ts';
import { inOneTransaction } from '../storage/store.ts';
import { normalCode, pendingIn, signedText, type SignedPart, type Pending, type Verdict } from './pending-calls.ts';
import type { Decision, RecordDecision } from '../../audit/call-records.ts';

/** Where an operator decides, and what puts their decisions on record. */
interface ApprovalChannel {
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
async function decideOnRecord(pending: Pending, verdict: Verdict, { how, record }: ApprovalChannel, log: string, decide: () => boolean): Promise<boolean> {
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

/** Where a secret is typed that comes from no address. It has no part in the bound over all. */
export const terminalSource = 'terminal';

/** Wrong secrets of one source after which none of it is tried for a while, and how long that is in milliseconds. */
const maximumWrongTries = 5;
const lockTime = 15 * 60_000;

/** Wrong secrets of all addresses together after which none of theirs is tried: many guess as one. */
const maximumWrongTriesInAll = 100;

/** What came of giving the secret. */
export type UnlockedQueue =
  | { readonly kind: 'unlocked'; readonly sign: (text: string) => string }
  | { readonly kind: 'wrong_secret'; readonly left: number }
  /** Too many wrong secrets of this source or, where `everywhere`, of all addresses together: then each has one try instead of five. */
  | { readonly kind: 'locked'; readonly until: number; readonly everywhere?: true };

/** The operator's side of approvals. Times are milliseconds since 1970. */
export interface ApprovalQueue {
  /** What waits for a decision, all of it or a part. */
  waiting(now: number, part?: SignedPart): Promise<Pending[]>;
  /** How much waits for a decision. */
  count(now: number): Promise<number>;
  /** One that waits, by its code. */
  find(code: string, now: number): Promise<Pending | undefined>;
  /**
   * Tries the operator's secret.
   * @param source where it was typed: an address, or `terminalSource`. Wrong ones pause their source, and no other.
   */
  unlock(secret: string, source: string, now: number): Promise<UnlockedQueue>;
  /**
   * Decides with what unlocking gave, and puts it on record before. False when it expired, was decided before, or never was.
   * @throws Error when it can't be recorded: then nothing is decided.
   */
  decide(code: string, verdict: Verdict, sign: (text: string) => string, now: number): Promise<boolean>;
}

/** One try at the secret, or until when there is none. Counted as wrong before it is tried, so that many tries at once count as many. */
type Try = { readonly kind: 'try'; readonly row: number | bigint } | Extract<UnlockedQueue, { kind: 'locked' }>;

/** When the next try counts, where as many were wrong as may be; times in the order of the tries. */
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
    // Whoever comes from an address of which nothing was wrong has a try all the same: others' wrong ones never shut the operator out.
    const all = source === terminalSource || wrong.length === 0 ? undefined : lockedUntil(timesIn(database, 'source != ?', terminalSource), maximumWrongTriesInAll);
    if (all !== undefined) return { kind: 'locked', until: all, everywhere: true };
    return { kind: 'try', row: database.prepare('INSERT INTO wrong_secret (at, source) VALUES (?, ?)').run(now, source).lastInsertRowid };
  });

/**
 * The desk at which the calls of a data directory are decided.
 * @param place where the operator sits at it, and where their decisions are recorded.
 */
export function createApprovalQueue({ store, keys, operator, log }: ApprovalsConfig, place: ApprovalChannel): ApprovalQueue {
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
      const kept = calls.withCode(normalCode(code), now);
      return kept?.decision ? undefined : kept?.pending;
    },
    unlock: async (secret, source, now) => {
      const database = await store.open();
      const tried = beginTry(database, source, now);
      if (tried.kind === 'locked') return tried;
      const sign = await signerFor(operator, secret);
      if (!sign) return { kind: 'wrong_secret', left: Math.max(0, maximumWrongTries - timesIn(database, 'source = ?', source).length) };
      database.prepare('DELETE FROM wrong_secret WHERE rowid = ?').run(tried.row);
      return { kind: 'unlocked', sign };
    },
    decide: async (code, verdict, sign, clock) => {
      const { calls, now } = await open(clock);
      const kept = calls.withCode(normalCode(code), now);
      if (kept === undefined || kept.decision) return false;
      return decideOnRecord(kept.pending, verdict, place, log(), () => calls.decide(kept.pending.code, verdict, sign(signedText(kept.seal, verdict))));
    },
  };
}
