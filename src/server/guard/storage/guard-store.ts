import type { ChainAnchors } from '../../audit/index.ts';
import type { CacheInvalidation } from '../../resolve/index.ts';
import type { GuardDatabase } from './database.ts';
import { keyChecks, operatorSessions, type KeyChecks, type OperatorSessionRecords } from './keys.ts';
import {
  storedHighRiskCalls,
  storedSecretTries,
  storedSingleUses,
  type HighRiskCalls,
  type SecretTries,
  type SingleUses,
} from './limits.ts';
import { waitingRecords, type WaitingRecords } from './waiting-records.ts';

/**
 * State that several server processes and the operator's command share. Each function is atomic across all processes,
 * and its effect survives a loss of power once it resolves. Times are milliseconds since 1970. The time by the calling
 * process's clock is called `clock`; `now` is a result of `time`.
 */
export interface GuardStore {
  /**
   * The time to use for the store's data: never before a time that any process used earlier. If the clock stepped back
   * by seconds, the age of waiting calls, their decisions and questions can't be known: they are deleted, and have to
   * be requested again. What counts against a limit stays, dated no later than now.
   */
  time(clock: number): Promise<number>;
  /** The calls that wait for the operator. */
  readonly waiting: WaitingRecords;
  /** Wrong secrets, which lock their source. */
  readonly secretTries: SecretTries;
  /** The count of high-risk calls. */
  readonly highRiskCalls: HighRiskCalls;
  /** Questions and plan tokens that can be answered once, at any process. */
  readonly singleUses: SingleUses;
  /** The progress of the audit chains of all processes. */
  readonly anchors: ChainAnchors;
  close(): Promise<void>;
}

/**
 * State that the servers of any number of machines share, in addition to that of their guards. Its functions throw
 * StoreUnavailable.
 */
export interface SharedStore extends GuardStore {
  readonly keyChecks: KeyChecks;
  readonly operatorSessions: OperatorSessionRecords;
  /** Shares the resources that servers learn about. @param platform identifies the platform and its data. */
  readonly cacheInvalidation: (platform: string) => CacheInvalidation;
  /** Resolves with the reason once a newer server has changed the store to an incompatible schema. */
  readonly unusable: Promise<Error>;
}

const chainAnchors = ({ read, write }: GuardDatabase): ChainAnchors => ({
  put: ({ chain, count: entries, sealed }) =>
    write(
      async ({ queries }) =>
        void (await queries
          .insertInto('guard_chain_anchor')
          .values({ chain, entries, sealed })
          .onConflict((conflict) =>
            conflict.column('chain').doUpdateSet({ entries, sealed }).where('guard_chain_anchor.entries', '<', entries),
          )
          .execute()),
    ),
  all: () =>
    read((queries) =>
      queries
        .selectFrom('guard_chain_anchor')
        .select(['chain', 'entries as count', 'sealed'])
        .orderBy('chain')
        .execute(),
    ),
});

/** A store in a database. */
export const storeIn = (database: GuardDatabase): GuardStore & Pick<SharedStore, 'keyChecks' | 'operatorSessions'> => ({
  time: (clock) => database.write(({ time }) => time(clock)),
  waiting: waitingRecords(database),
  secretTries: storedSecretTries(database),
  highRiskCalls: storedHighRiskCalls(database),
  singleUses: storedSingleUses(database),
  anchors: chainAnchors(database),
  keyChecks: keyChecks(database),
  operatorSessions: operatorSessions(database),
  close: database.close,
});

/**
 * A store in a file that the processes of one machine share.
 * @param path of the file, which is created on first use.
 */
export function sqliteGuardStore(path: string): GuardStore {
  let opening: Promise<GuardDatabase> | undefined;
  // Modules that only a store needs are loaded with it.
  const database = (): Promise<GuardDatabase> =>
    (opening ??= import('./database.ts').then(({ fileDatabase }) => fileDatabase(path)));
  return storeIn({
    read: async (query) => (await database()).read(query),
    write: async (change) => (await database()).write(change),
    close: async () => (await opening)?.close(),
  });
}
