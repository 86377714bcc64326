import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalsConfig } from './approvals.ts';
import { decideOnRecord, type DeskPlace } from './decision.ts';
import { signerFor } from './operator.ts';
import { storedTime } from '../stored-time.ts';
import { together } from '../store.ts';
import { normalCode, pendingIn, signedText, type Pending, type Verdict } from './pending.ts';

/** Wrong secrets after which none is tried for a while, and how long that is in milliseconds. */
const mostWrong = 5;
const pause = 15 * 60_000;

/** What came of giving the secret. */
export type Unlocked =
  | { readonly kind: 'unlocked'; readonly sign: (text: string) => string }
  | { readonly kind: 'wrong_secret'; readonly left: number }
  /** Too many wrong secrets. */
  | { readonly kind: 'locked'; readonly until: number };

/** The operator's side of approvals. Times are milliseconds since 1970. */
export interface Desk {
  /** What waits for a decision, oldest first. */
  waiting(now: number): Promise<Pending[]>;
  /** One that waits, by its code. */
  find(code: string, now: number): Promise<Pending | undefined>;
  /** Tries the operator's secret. */
  unlock(secret: string, now: number): Promise<Unlocked>;
  /**
   * Decides with what unlocking gave, and puts it on record before. False when it expired, was decided before, or never was.
   * @throws Error when it can't be recorded: then nothing is decided.
   */
  decide(code: string, verdict: Verdict, sign: (text: string) => string, now: number): Promise<boolean>;
}

/** One try at the secret, or until when there is none. Counted as wrong before it is tried, so that many tries at once count as many. */
type Try = { readonly kind: 'try'; readonly row: number | bigint } | { readonly kind: 'locked'; readonly until: number };

const beginTry = (database: DatabaseSync, now: number): Try =>
  together(database, () => {
    storedTime(database, now);
    database.prepare('DELETE FROM wrong_secret WHERE at <= ?').run(now - pause);
    const times = database.prepare('SELECT at FROM wrong_secret ORDER BY at').all().map(({ at }) => Number(at));
    if (times.length >= mostWrong) return { kind: 'locked', until: times[times.length - mostWrong]! + pause };
    return { kind: 'try', row: database.prepare('INSERT INTO wrong_secret (at) VALUES (?)').run(now).lastInsertRowid };
  });

const wrongSoFar = (database: DatabaseSync): number => Number(database.prepare('SELECT count(*) AS n FROM wrong_secret').get()!['n']);

/**
 * The desk at which the calls of a data directory are decided.
 * @param place where the operator sits at it, and where their decisions are recorded.
 */
export function createDesk({ store, keys, operator, log }: ApprovalsConfig, place: DeskPlace): Desk {
  const open = async (clock: number) => {
    const database = await store.open();
    return { calls: pendingIn(database, keys('approval')), now: together(database, () => storedTime(database, clock)) };
  };
  return {
    waiting: async (clock) => {
      const { calls, now } = await open(clock);
      return calls.all(now).filter(({ decision }) => !decision).map(({ pending }) => pending);
    },
    find: async (code, clock) => {
      const { calls, now } = await open(clock);
      const kept = calls.withCode(normalCode(code), now);
      return kept?.decision ? undefined : kept?.pending;
    },
    unlock: async (secret, now) => {
      const database = await store.open();
      const tried = beginTry(database, now);
      if (tried.kind === 'locked') return tried;
      const sign = await signerFor(operator, secret);
      if (!sign) return { kind: 'wrong_secret', left: Math.max(0, mostWrong - wrongSoFar(database)) };
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
