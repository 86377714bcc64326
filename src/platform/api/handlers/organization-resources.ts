import type { Selectable } from 'kysely';
import { isoNow } from '../../common/index.ts';
import type { DatabaseSchema, Db } from '../../store/index.ts';
import type { RequestContext } from '../handler.ts';
import { findById, findInOrganization } from './find.ts';
import { type PageInput, pageOf } from './page.ts';
import { ownedBy, requireFreeName } from './rows.ts';
import { requireUnused, type Used, usesOf } from './uses.ts';

/** The columns that a request doesn't set. */
type Identity = 'id' | 'created_at' | 'updated_at' | 'organization_id' | 'name';

/** How requests set the columns of a kind of resource, and how responses show its rows. */
interface ResourceKind<Table extends Used, Request, Answer> {
  /**
   * The columns that a request sets, besides the name.
   * @param stored the row to change; absent for a new one
   * @throws ApiProblem 400 with the member
   */
  readonly columns: (
    request: Request,
    context: RequestContext,
    stored?: Selectable<DatabaseSchema[Table]>,
  ) => Promise<Omit<Selectable<DatabaseSchema[Table]>, Identity>> | Omit<Selectable<DatabaseSchema[Table]>, Identity>;
  readonly answer: (row: Selectable<DatabaseSchema[Table]>, db: Db) => Answer | Promise<Answer>;
}

/** A request that names an organization, and the new or changed values of one of its resources. */
type Valued<Request> = Request & { readonly organization_id: string; readonly name: string };

/**
 * What the API does with the named resources of an organization that services use. Each function throws ApiProblem: 404
 * for an unknown organization or resource, 400 for a name that is taken, and for the deletion of what services use.
 */
export function organizationResources<Table extends Used, Request, Answer>(
  table: Table,
  { columns, answer }: ResourceKind<Table, Request, Answer>,
) {
  type Row = Selectable<DatabaseSchema[Table]>;
  // The query builder can't tell that these tables have the same columns.
  const oneOf = table as 'labels_group';
  return {
    get: async (organizationId: string, id: string, { db }: RequestContext) =>
      answer(await findInOrganization(db, table, organizationId, id), db),
    create: async ({ organization_id, name, ...request }: Valued<Request>, context: RequestContext) => {
      const { db, clock, random } = context;
      await findById(db, 'organization', organization_id);
      await requireFreeName(db, table, organization_id, name);
      const now = isoNow(clock);
      const identity = { id: random.uuid(), created_at: now, updated_at: now, organization_id, name };
      const row = await db
        .insertInto(oneOf)
        .values({ ...identity, ...(await columns(request as Request, context)) } as never)
        .returningAll()
        .executeTakeFirstOrThrow();
      return answer(row as unknown as Row, db);
    },
    update: async (id: string, { organization_id, name, ...request }: Valued<Request>, context: RequestContext) => {
      const { db, clock } = context;
      const stored = await findInOrganization(db, table, organization_id, id);
      await requireFreeName(db, table, organization_id, name, id);
      const row = await db
        .updateTable(oneOf)
        .set({ name, ...(await columns(request as Request, context, stored)), updated_at: isoNow(clock) } as never)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return answer(row as unknown as Row, db);
    },
    remove: async (organizationId: string, id: string, { db }: RequestContext): Promise<undefined> => {
      await requireUnused(table, organizationId, id, db);
      await db.deleteFrom(oneOf).where('id', '=', id).execute();
      return undefined;
    },
    uses: async (organizationId: string, id: string, { db }: RequestContext) => ({
      results: await usesOf(table, organizationId, id, db),
    }),
    list: async (input: PageInput & { readonly organization_id: string }, context: RequestContext) =>
      pageOf(await ownedBy(context, table, input.organization_id), input, (rows) =>
        Promise.all(rows.map((row) => answer(row, context.db))),
      ),
  };
}
