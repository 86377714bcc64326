import type { ResourceNews } from '../../resolve/index.ts';
import type { GuardStore } from './guard-store.ts';
import type { KeyChecks } from './key-checks.ts';
import type { OperatorSessionRecords } from './operator-session-records.ts';

/** What the servers of any number of machines share, beside the state of their guards. Its functions throw StoreUnavailable. */
export interface SharedStore extends GuardStore {
  readonly keyChecks: KeyChecks;
  readonly operatorSessions: OperatorSessionRecords;
  /** What servers learn of resources and tell each other. @param platform identifies the platform and its data. */
  readonly resourceNews: (platform: string) => ResourceNews;
  /** Resolves with the reason once a newer server has changed the store so that this one can't work on it. */
  readonly unusable: Promise<Error>;
}
