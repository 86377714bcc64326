import type { PostgresAddress } from '../../../../postgres/index.ts';
import type { SharedStore } from '../shared-store.ts';
import { postgresChainAnchors } from './chain-anchors.ts';
import { guardConnection } from './connection.ts';
import { postgresHighRiskCalls, postgresSecretTries } from './limits.ts';
import { postgresKeyChecks } from './key-checks.ts';
import { postgresOperatorSessions } from './operator-sessions.ts';
import { postgresResourceNews } from './resource-news.ts';
import { postgresSingleUses } from './single-uses.ts';
import { postgresWaitingRecords } from './waiting-records.ts';

export { guardSchema } from './schema-steps.ts';

const defaultConnections = 5;

/** How many connections a server has at most: those for queries, and the one that it listens on. */
export const serverConnections = defaultConnections + 1;

/** How a process uses the database. */
export interface PostgresGuardOptions {
  /** How many connections it has at most. Calls that need the store take one for moments. */
  readonly maximumConnections?: number;
  /** Whether the time is that of callers instead of the database's own: for whoever makes up times. */
  readonly isTimeGiven?: boolean;
}

/** A store in a database that the servers of any number of machines share. Its tables are made or migrated at the first use. */
export function postgresGuardStore(address: PostgresAddress, { maximumConnections = defaultConnections, isTimeGiven = false }: PostgresGuardOptions = {}): SharedStore {
  const connection = guardConnection(address, { maximumConnections, isTimeGiven });
  return {
    time: (clock) => connection.transact(({ time }) => time(clock)),
    waiting: postgresWaitingRecords(connection),
    secretTries: postgresSecretTries(connection),
    highRiskCalls: postgresHighRiskCalls(connection),
    singleUses: postgresSingleUses(connection),
    anchors: postgresChainAnchors(connection),
    keyChecks: postgresKeyChecks(connection),
    operatorSessions: postgresOperatorSessions(connection),
    resourceNews: (platform) => postgresResourceNews(connection, address, platform),
    unusable: connection.unusable,
    close: connection.close,
  };
}
