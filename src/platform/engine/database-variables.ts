import type { Insertable } from 'kysely';
import { internalHost, uuidFrom, type ServiceSpecs } from '../common/index.ts';
import type { DatabaseCredentials } from '../runtime/index.ts';
import type { Db, VariableTable, Vault } from '../store/index.ts';

type DatabaseType = ServiceSpecs['database']['type'];

/** The connection defaults of a database of each type. */
const access: Readonly<Record<DatabaseType, { readonly port: number; readonly name: string; readonly user: string }>> =
  {
    MONGODB: { port: 27017, name: 'main', user: 'admin' },
    MYSQL: { port: 3306, name: 'main', user: 'admin' },
    POSTGRESQL: { port: 5432, name: 'main', user: 'admin' },
    REDIS: { port: 6379, name: '0', user: 'default' },
  };

/** The parts of a database that determine its address. */
interface DatabaseIdentity {
  readonly id: string;
  readonly name: string;
}

/** The address at which other services of the environment reach a database. */
export const databaseAddress = (
  { id, name }: DatabaseIdentity,
  type: DatabaseType,
): { readonly host: string; readonly port: number } => ({ host: internalHost({ id, name }), port: access[type].port });

/** The suffixes of the keys; the password is a secret. */
const parts = ['HOST', 'PORT', 'NAME', 'USER', 'PASSWORD'] as const;

const variableId = (databaseId: string, part: (typeof parts)[number]): string =>
  uuidFrom(`${databaseId}/built-in/${part}`);

/** The ids of the variables that a database provides to its environment, derived from the database's id. */
export const databaseVariableIds = (databaseId: string): readonly string[] =>
  parts.map((part) => variableId(databaseId, part));

interface DatabaseRow extends DatabaseIdentity {
  readonly environment_id: string;
  readonly created_at: string;
  readonly spec: string;
}

/**
 * The rows that a database adds to its environment. The keys contain its id, so that renaming the database breaks
 * nothing that uses them.
 */
function rowsOf(row: DatabaseRow, vault: Vault): Insertable<VariableTable>[] {
  const { type } = JSON.parse(row.spec) as ServiceSpecs['database'];
  const { host, port } = databaseAddress(row, type);
  const values = { HOST: host, PORT: String(port), NAME: access[type].name, USER: access[type].user };
  return parts.map((part) => ({
    id: variableId(row.id, part),
    created_at: row.created_at,
    updated_at: row.created_at,
    project_id: null,
    environment_id: row.environment_id,
    service_id: null,
    key: `DATABASE_${row.id.slice(0, 8).toUpperCase()}_${part}`,
    scope: 'BUILT_IN',
    variable_type: 'BUILT_IN',
    value: part === 'PASSWORD' ? null : values[part],
    sealed_value: part === 'PASSWORD' ? vault.seal(vault.sign(`database/${row.id}/password`)) : null,
    mount_path: null,
    description: `${part.toLowerCase()} of the database ${row.name}`,
    enable_interpolation_in_file: null,
    linked_variable_id: null,
    owned_by: null,
  }));
}

/** Adds the variables of a database to its environment; existing ones stay. */
export async function addDatabaseVariables(db: Db, row: DatabaseRow, vault: Vault): Promise<void> {
  await db
    .insertInto('variable')
    .values(rowsOf(row, vault))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The credentials for a database, as its variables contain them. @param openSecret opens a sealed value */
export async function databaseCredentials(
  db: Db,
  { id, spec: { type } }: { readonly id: string; readonly spec: ServiceSpecs['database'] },
  openSecret: (sealed: string) => string,
): Promise<DatabaseCredentials> {
  const { sealed_value: sealed } = await db
    .selectFrom('variable')
    .select('sealed_value')
    .where('id', '=', variableId(id, 'PASSWORD'))
    .executeTakeFirstOrThrow();
  return { name: access[type].name, user: access[type].user, password: openSecret(sealed!) };
}

/** Updates the variables of a database to its current name. */
export async function renameDatabaseVariables(
  db: Db,
  row: DatabaseRow,
  vault: Vault,
  updated_at: string,
): Promise<void> {
  for (const { id, value, description } of rowsOf(row, vault)) {
    // The password stays: it has no plain value. Five updates, in one transaction.
    await db
      .updateTable('variable')
      .set({ ...(value !== null && { value }), description, updated_at })
      .where('id', '=', id)
      .execute();
  }
}

/** Adds the variables of all databases that have none: those in data directories of earlier versions. */
export async function addMissingDatabaseVariables(db: Db, vault: Vault): Promise<void> {
  const databases = await db
    .selectFrom('service')
    .select(['id', 'name', 'environment_id', 'created_at', 'spec'])
    .where('kind', '=', 'database')
    .execute();
  const present = new Set(
    (await db.selectFrom('variable').select('id').where('scope', '=', 'BUILT_IN').execute()).map(({ id }) => id),
  );
  // One after another, in one transaction.
  for (const row of databases) if (!present.has(variableId(row.id, 'HOST'))) await addDatabaseVariables(db, row, vault);
}
