/** The source of a secret typed in a terminal, which has no network address. It doesn't count toward the limit over all addresses. */
export const terminalSource = 'terminal';

/** How many wrong secrets lock a source, and for how long in milliseconds. */
const maximumWrongTries = 5;
export const lockTime = 15 * 60_000;

/** How many wrong secrets of all addresses together lock them all, in case many addresses guess together. */
const maximumWrongTriesInAll = 100;

/** Too many wrong secrets from a source or, if `everywhere`, from all addresses together: then each has one try instead of five. */
export interface SecretLock {
  readonly kind: 'locked';
  readonly until: number;
  readonly everywhere?: true;
}

/** One try at the secret, or a lock. */
export type CountedTry = { readonly kind: 'try'; readonly id: string } | SecretLock;

/** Tries at the operator's secret, in a store. */
export interface SecretTries {
  /** Counts a try as wrong before it is made, so that concurrent tries are all counted. @param source a network address or `terminalSource`. */
  begin(source: string, clock: number): Promise<CountedTry>;
  /** Forgets a try that turned out to be right. */
  forget(id: string): Promise<void>;
  /** How many tries a source has left before it is locked. */
  left(source: string): Promise<number>;
}

/** When a lock ends, if there were too many wrong tries. @param times of the wrong tries, oldest first. */
const lockedUntil = (times: readonly number[], most: number): number | undefined => (times.length < most ? undefined : times[times.length - most]! + lockTime);

/**
 * Whether a source is locked.
 * @param own times of its wrong tries in the last `lockTime`, oldest first.
 * @param ofAddresses the same of all addresses.
 */
export function secretLock(source: string, own: readonly number[], ofAddresses: () => readonly number[]): SecretLock | undefined {
  const until = lockedUntil(own, maximumWrongTries);
  if (until !== undefined) return { kind: 'locked', until };
  // An address without wrong tries always has one, so that others' wrong tries can't lock the operator out.
  const untilForAll = source === terminalSource || own.length === 0 ? undefined : lockedUntil(ofAddresses(), maximumWrongTriesInAll);
  return untilForAll === undefined ? undefined : { kind: 'locked', until: untilForAll, everywhere: true };
}

/** How many tries a source has left. @param wrong how many it got wrong. */
export const triesLeft = (wrong: number): number => Math.max(0, maximumWrongTries - wrong);
