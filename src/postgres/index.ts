/** PostgreSQL databases, for code that keeps records in one. Loaded only where one is used. */

export { dumpCommands, isOnThisMachine, parseAddress, shownAddress, type PostgresAddress } from './address.ts';
export { copyTable, type CopiedTable } from './copied-table.ts';
export { listen, notify, type Listener } from './listener.ts';
export { clientConfig, openPool, type PoolOptions, type PostgresClient, type PostgresPool } from './pool.ts';
export { databaseTime, queriesOn, type Statements } from './queries.ts';
export { examineDatabase, type Examination, type ExaminedServer, migrateSchema, requireCompatible } from './schema.ts';
export { CommitUnknown, explained, isBusy, isConnectionLost, transaction, withSessionLock } from './transaction.ts';
