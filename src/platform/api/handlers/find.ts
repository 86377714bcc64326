import type { Selectable } from 'kysely';
import type { ReferenceKind, ServiceKind } from '../../../contract/index.ts';
import { invalid, notFound, type ServiceSpecs } from '../../common/index.ts';
import {
  compiled,
  type DatabaseSchema,
  type Db,
  type OrganizationTable,
  type ServiceTable,
} from '../../store/index.ts';

/** Tables whose rows have an id of their kind. */
type FoundById = Extract<ReferenceKind, keyof DatabaseSchema>;

const rowOfId = (kind: FoundById) =>
  compiled((db, { id }: { readonly id: string }) =>
    db
      .selectFrom(kind as 'project')
      .selectAll()
      .where('id', '=', id),
  );

const rowsOfIds = new Map<FoundById, ReturnType<typeof rowOfId>>();

/**
 * Finds one row by id.
 * @throws ApiProblem 404 with the kind and the id
 */
export async function findById<Kind extends FoundById>(
  db: Db,
  kind: Kind,
  id: string,
): Promise<Selectable<DatabaseSchema[Kind]>> {
  const find = rowsOfIds.get(kind) ?? rowOfId(kind);
  rowsOfIds.set(kind, find);
  const [row] = await find(db, { id });
  if (row === undefined) throw notFound(kind, id);
  return row as unknown as Selectable<DatabaseSchema[Kind]>;
}

/** Finds one row of an organization by id. A row of another organization counts as unknown. */
export async function findInOrganization<Kind extends FoundById & OrganizationTable>(
  db: Db,
  kind: Kind,
  organizationId: string,
  id: string,
): Promise<Selectable<DatabaseSchema[Kind]>> {
  await findById(db, 'organization', organizationId);
  const row = await findById(db, kind, id);
  if ((row as { organization_id: string }).organization_id !== organizationId) throw notFound(kind, id);
  return row;
}

/** A service's row, with its configuration parsed. */
export type ServiceRow<Kind extends ServiceKind = ServiceKind> = Omit<Selectable<ServiceTable>, 'spec' | 'kind'> & {
  kind: Kind;
  spec: ServiceSpecs[Kind];
};

/** Parses the configuration of a service's row. */
export const parseServiceRow = <Kind extends ServiceKind>(row: Selectable<ServiceTable>): ServiceRow<Kind> => ({
  ...row,
  kind: row.kind as Kind,
  spec: JSON.parse(row.spec) as ServiceSpecs[Kind],
});

const serviceOfKind = compiled((db, { id, kind }: { readonly id: string; readonly kind: ServiceKind }) =>
  db.selectFrom('service').selectAll().where('id', '=', id).where('kind', '=', kind),
);

/**
 * Finds one service by kind and id.
 * @throws ApiProblem 404 with the kind and the id
 */
export async function findService<Kind extends ServiceKind>(db: Db, kind: Kind, id: string): Promise<ServiceRow<Kind>> {
  const [row] = await serviceOfKind(db, { id, kind });
  if (row === undefined) throw notFound(kind, id);
  return parseServiceRow<Kind>(row);
}

/**
 * Checks the ids that a body refers to.
 * @throws ApiProblem 400 with the member and the first unknown id
 */
export async function requireReferences(
  db: Db,
  table: OrganizationTable,
  organizationId: string,
  member: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  // Kept, because they would otherwise go before what refers to them is there.
  const rows = await db.sql
    .kept(
      db
        .selectFrom(table as 'role')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('id', 'in', [...new Set(ids)]),
    )
    .execute();
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw invalid(member, `no ${table.replaceAll('_', ' ')} has the id ${missing}`);
}
