/** Databases for records: one notation of tables, one migrator and one way to query for all databases. */

export { compiling, type Reads } from './compiled.ts';
export { jsonMemberFunction, jsonMemberOf, postgresDialect, type Queries } from './dialect.ts';
export {
  each,
  IncompatibleSchema,
  requireCompatibleSchema,
  type Run,
  type Schema,
  type SchemaState,
  schemaStateOf,
  stepTableOf,
  takeMissingSteps,
} from './migrate.ts';
export { openFile } from './open-file.ts';
export { AwaitedOutside, readAsMigrated, openSqlite, runOn, type SqliteFile } from './sqlite.ts';
export { flag, type Index, integer, json, long, numbered, type RowsOf, table, text, time } from './tables.ts';
