import { timeValue } from './clock.ts';
import type { GuardDatabase } from './database.ts';
import type { GuardQueries, Verdict } from './tables.ts';

/** A waiting call as stored: its record with a seal, and the columns by which it is found. */
export interface WaitingRecord {
  readonly code: string;
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  /** Keyed hash of the caller's identity: waiting calls are counted by it. */
  readonly identity: string;
  /** JSON with `identity`, and the call encrypted. */
  readonly record: string;
  /** Keyed hash of the record, which proves that it is unchanged. */
  readonly seal: string;
  readonly expiresAt: number;
}

/** A stored record and, once made, the operator's decision. Readers must check the seal. */
export interface FoundRecord extends Pick<WaitingRecord, 'record' | 'seal'> {
  readonly decision?: { readonly verdict: Verdict; readonly signature: string };
}

/** A call that waits, or that waited not long ago, as stored. Readers must check the seal. */
export interface KnownRecord extends FoundRecord {
  /** Whether it has left the waiting calls. */
  readonly isEnded: boolean;
  /** How it ended, sealed; undefined if it expired. */
  readonly ending?: string | undefined;
}

/** The decision of a named operator, as stored. Readers must check the signature. */
export interface OperatorDecision {
  readonly operator: string;
  readonly verdict: Verdict;
  /** Where and why it was made, sealed. The signature covers it. */
  readonly note: string;
  readonly signature: string;
}

/**
 * What became of an operator's decision: it decides the call, more have to agree, this operator decided before, or the
 * call is gone or decided.
 */
export type AddedDecision = 'decided' | 'counted' | 'decided_before' | 'gone';

/** A page of the waiting calls, oldest first by default. */
export interface WaitingPage {
  readonly newestFirst?: boolean;
  /** How many calls to skip. */
  readonly skip?: number;
  readonly most?: number;
}

/** Maximum number of calls that wait for the operator at once: of each caller, and in all. */
export const maximumWaiting = { each: 20, inAll: 1000 } as const;

/** How long it is kept how a call ended, in milliseconds. */
const endedLifetime = 60 * 60_000;

/** The result of adding a record: it waits now, another process just added the same call, or too many calls wait. */
export type AddedRecord =
  | { readonly kind: 'added' }
  | { readonly kind: 'present'; readonly code: string }
  | { readonly kind: 'too_many_of_caller' }
  | { readonly kind: 'too_many_in_all' };

/** The calls that wait for the operator, in a store. They leave it when they are used up or dropped. */
export interface WaitingRecords {
  /**
   * Adds a record, unless the same call or too many calls wait already. It never replaces one, because the operator may
   * be about to decide on it.
   * @param presentIn finds, among the records of the call, oldest first, the code of the one that makes this one
   *   unnecessary.
   */
  add(
    added: WaitingRecord,
    now: number,
    presentIn: (found: readonly FoundRecord[]) => string | undefined,
  ): Promise<AddedRecord>;
  /** The records without a decision that have not expired. */
  undecided(now: number, page?: WaitingPage): Promise<FoundRecord[]>;
  countUndecided(now: number): Promise<number>;
  /** The record with a code; empty if there is none, or it expired. */
  withCode(code: string, now: number): Promise<FoundRecord[]>;
  /** The records of a call that have not expired, oldest first. */
  ofCall(call: string, now: number): Promise<FoundRecord[]>;
  /**
   * Stores a decision. False if there is one already, or the call is gone.
   * @param noted the same decision with a note, kept beside it.
   */
  decide(code: string, verdict: Verdict, signature: string, noted?: OperatorDecision): Promise<boolean>;
  /**
   * Stores the decision of a named operator. It decides the call if it refuses, or if enough operators then agree.
   * Concurrent decisions are made one after another.
   * @param needed how many operators have to agree.
   */
  addDecision(code: string, decision: OperatorDecision, needed: number): Promise<AddedDecision>;
  /** The decisions of named operators about these calls, by code. */
  decisionsOn(codes: readonly string[]): Promise<ReadonlyMap<string, readonly OperatorDecision[]>>;
  /**
   * Removes a record. Returns true to only one of several concurrent callers.
   * @param ended how it ended, sealed, and when: this is kept for a while.
   */
  take(code: string, ended?: { readonly ending: string; readonly now: number }): Promise<boolean>;
  /** Removes the records that have expired, and keeps that they have. @returns how many of them had no decision. */
  dropExpired(now: number): Promise<number>;
  /** The record with a code, also if it has expired or ended. */
  known(code: string): Promise<KnownRecord | undefined>;
}

/** Whether too many calls wait to add another. @param count of the undecided ones. */
function waitingLimit(count: { readonly ofCaller: number; readonly inAll: number }): AddedRecord | undefined {
  if (count.ofCaller >= maximumWaiting.each) return { kind: 'too_many_of_caller' };
  return count.inAll >= maximumWaiting.inAll ? { kind: 'too_many_in_all' } : undefined;
}

const found = ({
  record,
  seal,
  verdict,
  signature,
}: {
  readonly record: string;
  readonly seal: string;
  readonly verdict: Verdict | null;
  readonly signature: string | null;
}): FoundRecord => ({
  record,
  seal,
  ...(verdict !== null && signature !== null && { decision: { verdict, signature } }),
});

const waiting = (queries: GuardQueries, now: number) =>
  queries.selectFrom('guard_waiting').where('expires_at', '>', timeValue(now));

const columns = ['record', 'seal', 'verdict', 'signature'] as const;

const ofCall = async (queries: GuardQueries, call: string, now: number): Promise<FoundRecord[]> =>
  (
    await waiting(queries, now).select(columns).where('call', '=', call).orderBy('expires_at').orderBy('seq').execute()
  ).map(found);

const keepEnded = async (
  queries: GuardQueries,
  ended: readonly (Pick<WaitingRecord, 'code' | 'record' | 'seal'> & { readonly ending: string | null })[],
  now: number,
): Promise<void> => {
  if (ended.length === 0) return;
  const rows = ended.map((one) => ({ ...one, drop_at: timeValue(now + endedLifetime) }));
  await queries
    .insertInto('guard_ended')
    .values(rows)
    .onConflict((conflict) => conflict.column('code').doNothing())
    .execute();
};

/** The waiting calls in a database. */
export const waitingRecords = ({ read, write }: GuardDatabase): WaitingRecords => ({
  add: ({ code, call, identity, record, seal, expiresAt }, now, presentIn) =>
    write(async ({ queries, lock }) => {
      await lock('waiting');
      const present = presentIn(await ofCall(queries, call, now));
      if (present !== undefined) return { kind: 'present', code: present };
      const { ofCaller, inAll } = await waiting(queries, now)
        .where('verdict', 'is', null)
        .select(({ fn }) => [
          fn.countAll<number>().as('inAll'),
          fn.countAll<number>().filterWhere('identity', '=', identity).as('ofCaller'),
        ])
        .executeTakeFirstOrThrow();
      const full = waitingLimit({ ofCaller, inAll });
      if (full) return full;
      await queries
        .insertInto('guard_waiting')
        .values({ code, call, identity, record, seal, expires_at: timeValue(expiresAt) })
        .execute();
      return { kind: 'added' };
    }),
  undecided: (now, { newestFirst = false, skip = 0, most = maximumWaiting.inAll } = {}) => {
    const order = newestFirst ? 'desc' : 'asc';
    return read(async (queries) =>
      (
        await waiting(queries, now)
          .select(columns)
          .where('verdict', 'is', null)
          .orderBy('expires_at', order)
          .orderBy('seq', order)
          .limit(most)
          .offset(skip)
          .execute()
      ).map(found),
    );
  },
  countUndecided: (now) =>
    read(
      async (queries) =>
        (
          await waiting(queries, now)
            .where('verdict', 'is', null)
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
    ),
  withCode: (code, now) =>
    read(async (queries) =>
      (await waiting(queries, now).select(columns).where('code', '=', code).execute()).map(found),
    ),
  ofCall: (call, now) => read((queries) => ofCall(queries, call, now)),
  decide: (code, verdict, signature, noted) =>
    write(async ({ queries }) => {
      const { numUpdatedRows } = await queries
        .updateTable('guard_waiting')
        .set({ verdict, signature })
        .where('code', '=', code)
        .where('verdict', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return false;
      if (noted)
        await queries
          .insertInto('guard_decision')
          .values({ code, ...noted })
          .execute();
      return true;
    }),
  addDecision: (code, { operator, verdict, note, signature }, needed) =>
    write(async ({ queries, lock }) => {
      await lock('waiting');
      const open = await queries
        .selectFrom('guard_waiting')
        .select('code')
        .where('code', '=', code)
        .where('verdict', 'is', null)
        .execute();
      if (open.length === 0) return 'gone';
      const earlier = await queries.selectFrom('guard_decision').select('operator').where('code', '=', code).execute();
      if (earlier.some((one) => one.operator === operator)) return 'decided_before';
      await queries.insertInto('guard_decision').values({ code, operator, verdict, note, signature }).execute();
      if (verdict !== 'refused' && earlier.length + 1 < needed) return 'counted';
      await queries.updateTable('guard_waiting').set({ verdict, signature }).where('code', '=', code).execute();
      return 'decided';
    }),
  decisionsOn: async (codes) => {
    if (codes.length === 0) return new Map();
    const rows = await read((queries) =>
      queries.selectFrom('guard_decision').selectAll().where('code', 'in', codes).orderBy('operator').execute(),
    );
    return Map.groupBy(rows, ({ code }) => code);
  },
  take: (code, ended) =>
    write(async ({ queries }) => {
      await queries.deleteFrom('guard_decision').where('code', '=', code).execute();
      const taken = await queries
        .deleteFrom('guard_waiting')
        .where('code', '=', code)
        .returning(['code', 'record', 'seal'])
        .execute();
      if (ended)
        await keepEnded(
          queries,
          taken.map((one) => ({ ...one, ending: ended.ending })),
          ended.now,
        );
      return taken.length === 1;
    }),
  dropExpired: (now) =>
    write(async ({ queries }) => {
      const dropped = await queries
        .deleteFrom('guard_waiting')
        .where('expires_at', '<=', timeValue(now))
        .returning(['code', 'record', 'seal', 'verdict'])
        .execute();
      await queries.deleteFrom('guard_ended').where('drop_at', '<=', timeValue(now)).execute();
      await keepEnded(
        queries,
        dropped.map(({ code, record, seal }) => ({ code, record, seal, ending: null })),
        now,
      );
      // Others may have removed calls that they know, and no decisions about them: programs before this table.
      if (dropped.length > 0)
        await queries
          .deleteFrom('guard_decision')
          .where('code', 'not in', queries.selectFrom('guard_waiting').select('code'))
          .execute();
      return dropped.filter(({ verdict }) => verdict === null).length;
    }),
  known: (code) =>
    read(async (queries) => {
      const row = await queries.selectFrom('guard_waiting').select(columns).where('code', '=', code).executeTakeFirst();
      if (row) return { ...found(row), isEnded: false };
      const ended = await queries
        .selectFrom('guard_ended')
        .select(['record', 'seal', 'ending'])
        .where('code', '=', code)
        .executeTakeFirst();
      return ended && { ...ended, ending: ended.ending ?? undefined, isEnded: true };
    }),
});
