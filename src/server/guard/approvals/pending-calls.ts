import { createHmac, randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Plan } from '../plan.ts';
import { identityInRecord } from '../storage/store.ts';

/** A call that waits for the operator. Holds nothing that may not be shown. */
export interface Pending {
  readonly code: string;
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  readonly principal: string;
  /** Who the caller is, independent of its permission on the platform. Absent in records of earlier versions. */
  readonly identity?: string;
  readonly plan: Plan;
  /** The text to type to approve it; undefined if saying yes is enough. */
  readonly typed?: string;
  /** Identifies the log to which the call is recorded. Absent in records of earlier versions. */
  readonly log?: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** The target of a waiting call. Calls stored by an earlier version have no path. */
export const waitingTarget = ({ plan: { target } }: Pending): string => target.path ?? target.id ?? target.kind;

/** The address that shows one waiting call. @param page address of the approvals page. */
export const waitingCallAddress = (page: string, code: string): string => `${page}?code=${code}`;

/** The operator's decision and, if approved, whether in a terminal or on the page. */
export const verdicts = ['approved', 'approved_on_page', 'refused'] as const;
export type Verdict = (typeof verdicts)[number];

/** A waiting call as stored, with its seal and, once made, the operator's decision. */
export interface StoredCall {
  readonly pending: Pending;
  /** Keyed hash of the record, which shows that nobody changed it. */
  readonly seal: string;
  readonly decision?: { readonly verdict: Verdict; readonly signature: string };
}

/** A page of the waiting calls, oldest first by default. */
export interface SignedPart {
  readonly newestFirst?: boolean;
  /** How many calls to skip. */
  readonly skip?: number;
  readonly most?: number;
}

/** The text that the operator signs: a verdict on exactly this record. */
export const signedText = (seal: string, verdict: Verdict): string => `${verdict} ${seal}`;

// Without letters and digits that look alike.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

const fourLetters = (): string => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A random code that people can read to each other, such as `K7QM-2XRD`. */
export const newCode = (): string => `${fourLetters()}-${fourLetters()}`;

/** A typed code, in the form in which it is stored. */
export const normalCode = (typed: string): string => typed.trim().toUpperCase();

interface Row {
  readonly record: string;
  readonly seal: string;
  readonly verdict: Verdict | null;
  readonly signature: string | null;
}

const select = 'SELECT record, seal, verdict, signature FROM pending LEFT JOIN decision USING (code)';

/** The waiting calls in a database. Ignores records that were changed without the key. */
export function pendingIn(database: DatabaseSync, key: Uint8Array) {
  const sealOf = (record: string): string => createHmac('sha256', key).update(record).digest('base64url');

  const open = ({ record, seal, verdict, signature }: Row): StoredCall | undefined => {
    if (seal !== sealOf(record)) return undefined;
    return { pending: JSON.parse(record) as Pending, seal, ...(verdict !== null && signature !== null && { decision: { verdict, signature } }) };
  };

  const rows = (where: string, ...values: (string | number)[]): StoredCall[] =>
    (database.prepare(`${select} WHERE ${where}`).all(...values) as unknown as Row[]).flatMap((row) => open(row) ?? []);

  const count = (where: string, ...values: (string | number)[]): number =>
    Number(database.prepare(`SELECT count(*) AS n FROM pending LEFT JOIN decision USING (code) WHERE verdict IS NULL AND expires_at > ? AND ${where}`).get(...values)!['n']);

  return {
    add: (pending: Pending): void => {
      const record = JSON.stringify(pending);
      database.prepare('INSERT INTO pending VALUES (?, ?, ?, ?, ?)').run(pending.code, pending.call, record, sealOf(record), pending.expiresAt);
    },
    /** The calls without a decision that have not expired. */
    undecided: (now: number, { newestFirst = false, skip = 0, most = -1 }: SignedPart): Pending[] => {
      const order = newestFirst ? 'DESC' : 'ASC';
      const calls = rows(`verdict IS NULL AND expires_at > ? ORDER BY expires_at ${order}, pending.rowid ${order} LIMIT ? OFFSET ?`, now, most, skip);
      return calls.flatMap(({ pending }) => (pending.expiresAt > now ? [pending] : []));
    },
    countUndecided: (now: number): number => count('true', now),
    countOf: (identity: string, now: number): number => count(`${identityInRecord} = ?`, now, identity),
    withCode: (code: string, now: number): StoredCall | undefined => rows('code = ? AND expires_at > ?', code, now).find(({ pending }) => pending.code === code && pending.expiresAt > now),
    /** The newest record of a call. */
    forCall: (call: string, now: number): StoredCall | undefined => rows('call = ? AND expires_at > ? ORDER BY expires_at, pending.rowid', call, now).findLast(({ pending }) => pending.call === call && pending.expiresAt > now),
    /** Stores a decision. False if there is one already, or the call is gone. */
    decide: (code: string, verdict: Verdict, signature: string): boolean =>
      database.prepare('INSERT INTO decision SELECT code, ?, ? FROM pending WHERE code = ? ON CONFLICT DO NOTHING').run(verdict, signature, code).changes === 1,
    /** Removes a call. True for only one of several concurrent takers. */
    take: (code: string): boolean => database.prepare('DELETE FROM pending WHERE code = ?').run(code).changes === 1,
    /** Removes the calls that have expired. @returns how many of them nobody decided. */
    dropExpired: (now: number): number => {
      const { changes } = database.prepare('DELETE FROM pending WHERE expires_at <= ? AND code NOT IN (SELECT code FROM decision)').run(now);
      database.prepare('DELETE FROM pending WHERE expires_at <= ?').run(now);
      return Number(changes);
    },
  };
}

export type PendingCalls = ReturnType<typeof pendingIn>;
