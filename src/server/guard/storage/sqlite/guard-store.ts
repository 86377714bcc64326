import type { GuardStore } from '../guard-store.ts';
import { sqliteChainAnchors } from './chain-anchors.ts';
import { sqliteConnection } from './connection.ts';
import { sqliteHighRiskCalls, sqliteSecretTries } from './limits.ts';
import { sqliteSingleUses } from './single-uses.ts';
import { storedTime } from './stored-time.ts';
import { sqliteWaitingRecords } from './waiting-records.ts';

/** A store in a file that the processes of one machine share. @param path of the file, which is created at the first use. */
export function sqliteGuardStore(path: string): GuardStore {
  const connection = sqliteConnection(path);
  return {
    time: (clock) => connection.transact((database) => storedTime(database, clock)),
    waiting: sqliteWaitingRecords(connection),
    secretTries: sqliteSecretTries(connection),
    highRiskCalls: sqliteHighRiskCalls(connection),
    singleUses: sqliteSingleUses(connection),
    anchors: sqliteChainAnchors(connection),
    close: async () => connection.close(),
  };
}
