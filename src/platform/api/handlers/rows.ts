import type { Selectable, SelectQueryBuilder } from 'kysely';
import { invalid } from '../../common/index.ts';
import type { RequestContext } from '../handler.ts';
import type { DatabaseSchema, Db } from '../../store/index.ts';
import { findById } from './find.ts';
import { type ListQuery, totalOf } from './page.ts';

/** The tables whose rows belong to an organization. */
type Owned =
  | 'project'
  | 'cluster'
  | 'labels_group'
  | 'annotations_group'
  | 'registry'
  | 'helm_repository'
  | 'alert_rule'
  | 'alert_receiver'
  | 'role'
  | 'member'
  | 'webhook'
  | 'invitation';

/**
 * Lists an organization's rows of a table, in the order of their creation.
 * @throws ApiProblem 404 for an unknown organization
 */
export async function ownedBy<Table extends Owned>(
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

/** The owner within which names are unique, by table. */
const owners = {
  project: 'organization_id',
  environment: 'project_id',
  helm_repository: 'organization_id',
  labels_group: 'organization_id',
  annotations_group: 'organization_id',
  deployment_window: 'organization_id',
} as const;

/**
 * Refuses a name that a sibling already has, ignoring case.
 * @param itself the id of the row that gets the name, if it exists already
 * @throws ApiProblem 400 with the member
 */
export async function requireFreeName(
  db: Db,
  table: keyof typeof owners,
  ownerId: string,
  name: string,
  itself = '',
): Promise<void> {
  const taken = await db
    .selectFrom(table as 'project')
    .select(['id', 'name'])
    .where(owners[table] as 'organization_id', '=', ownerId)
    .where(db.sql.sameIgnoringCase('name', name))
    .where('id', '<>', itself)
    .executeTakeFirst();
  if (taken)
    throw invalid('name', `the ${table.replaceAll('_', ' ')} "${taken.name}" (${taken.id}) has that name already`);
}
