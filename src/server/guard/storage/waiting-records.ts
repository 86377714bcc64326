/** The operator's decision and, if approved, whether in a terminal or on the page. */
export type Verdict = 'approved' | 'approved_on_page' | 'refused';

/** A waiting call as it is stored: its record with a seal, and what it is found by. */
export interface WaitingRecord {
  readonly code: string;
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  /** Keyed hash of who the caller is: how many calls may wait is counted by it. */
  readonly identity: string;
  /** JSON with `identity`, and the call encrypted. */
  readonly record: string;
  /** Keyed hash of the record, which shows that nobody changed it. */
  readonly seal: string;
  readonly expiresAt: number;
}

/** A stored record and, once made, the operator's decision. Whoever reads it checks the seal. */
export interface FoundRecord extends Pick<WaitingRecord, 'record' | 'seal'> {
  readonly decision?: { readonly verdict: Verdict; readonly signature: string };
}

/** A page of the waiting calls, oldest first by default. */
export interface WaitingPage {
  readonly newestFirst?: boolean;
  /** How many calls to skip. */
  readonly skip?: number;
  readonly most?: number;
}

/** Maximum number of calls that wait for the operator at once: of each caller, and in all. */
export const maximumWaiting = { each: 20, inAll: 1000 } as const;

/** The result of adding a record: it waits now, another process just added the same one, or too many wait. */
export type AddedRecord =
  | { readonly kind: 'added' }
  | { readonly kind: 'present'; readonly code: string }
  | { readonly kind: 'too_many_of_caller' }
  | { readonly kind: 'too_many_in_all' };

/** The calls that wait for the operator, in a store. They leave it when they are used up or dropped. */
export interface WaitingRecords {
  /**
   * Adds a record, unless the same call waits already or too many do. It never replaces one, because somebody may be
   * about to decide that one.
   * @param presentIn finds, among the records of the call, oldest first, the code of the one that makes this one needless.
   */
  add(added: WaitingRecord, now: number, presentIn: (found: readonly FoundRecord[]) => string | undefined): Promise<AddedRecord>;
  /** The records without a decision that have not expired. */
  undecided(now: number, page?: WaitingPage): Promise<FoundRecord[]>;
  countUndecided(now: number): Promise<number>;
  /** The record under a code; empty if there is none, or it expired. */
  withCode(code: string, now: number): Promise<FoundRecord[]>;
  /** The records of a call that have not expired, oldest first. */
  ofCall(call: string, now: number): Promise<FoundRecord[]>;
  /** Stores a decision. False if there is one already, or the call is gone. */
  decide(code: string, verdict: Verdict, signature: string): Promise<boolean>;
  /** Removes a record. True for only one of several concurrent takers. */
  take(code: string): Promise<boolean>;
  /** Removes the records that have expired. @returns how many of them nobody decided. */
  dropExpired(now: number): Promise<number>;
}

/** Whether too many calls wait for one more. @param count of the undecided ones. */
export function waitingLimit(count: { readonly ofCaller: number; readonly inAll: number }): AddedRecord | undefined {
  if (count.ofCaller >= maximumWaiting.each) return { kind: 'too_many_of_caller' };
  return count.inAll >= maximumWaiting.inAll ? { kind: 'too_many_in_all' } : undefined;
}
