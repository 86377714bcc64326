import type { Selectable, SelectQueryBuilder } from 'kysely';
import { invalid } from '../../common/index.ts';
import type { RequestContext } from '../handler.ts';
import type { DatabaseSchema, Db, OrganizationTable } from '../../store/index.ts';
import { findById } from './find.ts';
import { type ListQuery, totalOf } from './page.ts';

/**
 * Lists an organization's rows of a table, in the order of their creation.
 * @throws ApiProblem 404 for an unknown organization
 */
export async function ownedBy<Table extends OrganizationTable>(
  { db }: Pick<RequestContext, 'db'>,
  table: Table,
  organizationId: string,
): Promise<ListQuery<Table, Selectable<DatabaseSchema[Table]>>> {
  await findById(db, 'organization', organizationId);
  const rows = db
    .selectFrom(table as 'project')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id');
  return {
    rows: rows as unknown as SelectQueryBuilder<DatabaseSchema, Table, Selectable<DatabaseSchema[Table]>>,
    total: () => totalOf(db, table, [organizationId]),
  };
}

type WithoutNulls<Row> = { [K in keyof Row]: null extends Row[K] ? Exclude<Row[K], null> | undefined : Row[K] };

/** Removes the null columns of a row, because optional members of responses are absent, not null. */
export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;

/** The tables whose names are unique per owner. */
type Named =
  | {
      [Table in OrganizationTable]: 'name' extends keyof DatabaseSchema[Table] ? Table : never;
    }[OrganizationTable]
  | 'environment'
  | 'deployment_window';

/**
 * Refuses a name that a sibling already has, ignoring case.
 * @param itself the id of the row that gets the name, if it exists already
 * @throws ApiProblem 400 with the member
 */
export async function requireFreeName(db: Db, table: Named, ownerId: string, name: string, itself = ''): Promise<void> {
  const taken = await db
    .selectFrom(table as 'project')
    .select(['id', 'name'])
    .where((table === 'environment' ? 'project_id' : 'organization_id') as 'organization_id', '=', ownerId)
    .where(db.sql.sameIgnoringCase('name', name))
    .where('id', '<>', itself)
    .executeTakeFirst();
  if (taken)
    throw invalid('name', `the ${table.replaceAll('_', ' ')} "${taken.name}" (${taken.id}) has that name already`);
}
