/** A key, or keys of which several count, that all servers of a store have in common. */
export type SharedKey = 'guard key' | 'question keys' | 'operator';

/** How long the question keys and the operator of a server that no longer says so count, in milliseconds. */
export const reportedTime = 3 * 60_000;

/**
 * What servers of a store compare to find that their keys differ: digests, by which no key can be found out. The guard key of the
 * first server counts for ever. Question keys and the operator change, and count for `reportedTime`.
 */
export interface KeyChecks {
  /** The digests that count now. */
  known(key: SharedKey, clock: number): Promise<readonly string[]>;
  /** Reports digests if one of them counts already, or none does. @returns whether it did. */
  report(key: SharedKey, digests: readonly string[], clock: number): Promise<boolean>;
  /** Reports a digest in place of all others, when what it is of was replaced. */
  replace(key: SharedKey, digest: string, clock: number): Promise<void>;
}
