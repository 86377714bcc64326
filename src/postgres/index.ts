/** Databases of PostgreSQL, for whoever keeps records in one. Loaded only where one is used. */

export { examineDatabase, type Examination, type ExaminedServer, type SchemaState } from './examine.ts';
export { isOnThisMachine, parseAddress, shownAddress, type PostgresAddress } from './address.ts';
export { copyTable, type CopiedTable } from './copied-table.ts';
export { dumpCommands } from './dump-commands.ts';
export { CommitUnknown, explained, isBusy, isConnectionLost, isOutdatedStatement } from './failures.ts';
export { listen, type Listener } from './listener.ts';
export { IncompatibleSchema, migrateSchema, requireCompatibleSchema, type SchemaSteps } from './migrations.ts';
export { clientConfig, openPool, storableText, typeNumbers, type PoolOptions, type PostgresClient, type PostgresPool } from './pool.ts';
export { withSessionLock } from './session-lock.ts';
export { transaction } from './transaction.ts';
