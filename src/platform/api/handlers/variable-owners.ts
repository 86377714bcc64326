import type { Selectable } from 'kysely';
import type { VariableOwnerKind } from '../../../contract/index.ts';
import { isoNow, notFound } from '../../common/index.ts';
import type { RequestContext } from '../handler.ts';
import type { Db, VariableTable } from '../../store/index.ts';
import { findUnlockedCluster, requireUnlockedProject, touchEnvironment } from './environment-changes.ts';
import { findById, findService } from './find.ts';
import { totalOf } from './page.ts';

/** A row of a variable or secret. */
export type VariableRow = Selectable<VariableTable>;

/** The column of a variable's row that holds its owner's id. */
export type OwnerColumn = 'project_id' | 'environment_id' | 'service_id';

/**
 * An owner of variables and secrets: a project, an environment or a service, with the ids of the owners it inherits
 * from.
 */
export interface StoredOwner {
  readonly kind: VariableOwnerKind;
  readonly id: string;
  readonly holder: OwnerColumn;
  readonly projectId: string;
  readonly environmentId?: string;
}

/** Finds an owner by kind and id. @throws ApiProblem 404 with the kind and the id */
export async function findOwner(db: Db, kind: VariableOwnerKind, id: string): Promise<StoredOwner> {
  if (kind === 'project') return { kind, id, holder: 'project_id', projectId: (await findById(db, 'project', id)).id };
  const environmentId = kind === 'environment' ? id : (await findService(db, kind, id)).environment_id;
  const { project_id: projectId } = await findById(db, 'environment', environmentId);
  return { kind, id, holder: kind === 'environment' ? 'environment_id' : 'service_id', projectId, environmentId };
}

/** Finds the owner of a row. */
export async function ownerOfRow(
  db: Db,
  { project_id, environment_id, service_id }: VariableRow,
): Promise<StoredOwner> {
  if (project_id !== null) return findOwner(db, 'project', project_id);
  if (environment_id !== null) return findOwner(db, 'environment', environment_id);
  const service = await db
    .selectFrom('service')
    .select(['id', 'kind'])
    .where('id', '=', service_id!)
    .executeTakeFirstOrThrow();
  return findOwner(db, service.kind as VariableOwnerKind, service.id);
}

/**
 * Requires that an owner's variables may change, and records the change. A project's variables apply to all its
 * environments.
 * @throws ApiProblem 400 while a cluster that it affects is locked, or its environment is being deleted
 */
export async function requireChangeable(
  { projectId, environmentId }: StoredOwner,
  context: RequestContext,
): Promise<void> {
  const { db, clock } = context;
  if (environmentId !== undefined) {
    await findUnlockedCluster(environmentId, context);
    return touchEnvironment(environmentId, context);
  }
  await requireUnlockedProject(projectId, context);
  await db
    .updateTable('project')
    .set({ updated_at: isoNow(clock) })
    .where('id', '=', projectId)
    .execute();
}

const holdersOf = ({ id, projectId, environmentId }: StoredOwner): readonly (readonly [OwnerColumn, string])[] => [
  ['project_id', projectId],
  ...(environmentId === undefined ? [] : [['environment_id', environmentId] as const]),
  ...(id === projectId || id === environmentId ? [] : [['service_id', id] as const]),
];

/**
 * The variables that an owner sees, inherited ones included; its secrets; or both.
 * @param most the maximum number of rows per holder; default all
 */
export const visibleVariables = (
  db: Db,
  owner: StoredOwner,
  which: 'variables' | 'secrets' | 'both',
  most?: number,
) => {
  // A union uses one index per owner. With OR, every page would read and sort all rows.
  const heldBy = ([holder, id]: readonly [OwnerColumn, string]) => {
    const all = db.selectFrom('variable').selectAll().where(holder, '=', id);
    const wanted = which === 'both' ? all : all.where('sealed_value', which === 'secrets' ? 'is not' : 'is', null);
    // The query planner doesn't infer that a page needs no more rows of each holder.
    return most === undefined
      ? wanted
      : (db
          .selectFrom(wanted.orderBy('created_at').orderBy('id').limit(most).as('held'))
          .selectAll() as unknown as typeof wanted);
  };
  const [first, ...others] = holdersOf(owner).map(heldBy);
  const all = others.reduce((union, one) => union.unionAll(one), first!);
  return all.orderBy('created_at').orderBy('id');
};

/**
 * The list of variables that an owner sees, for pages. It contains no secrets, because the stored totals don't count
 * them.
 */
export const pagedVariables = async (
  db: Db,
  owner: StoredOwner,
  slice?: { readonly offset: number; readonly limit: number },
) => {
  const rows =
    slice === undefined
      ? await visibleVariables(db, owner, 'variables').execute()
      : await visibleVariables(db, owner, 'variables', slice.offset + slice.limit)
          .limit(slice.limit)
          .offset(slice.offset)
          .execute();
  return {
    rows,
    total: await totalOf(
      db,
      'variable',
      holdersOf(owner).map(([, id]) => id),
    ),
  };
};

/** The services that a variable applies to: its own service, or all of its environment or project. */
export async function affectedServices(
  db: Db,
  { service_id, environment_id, project_id }: VariableRow,
): Promise<string[]> {
  if (service_id !== null) return [service_id];
  const services = db.selectFrom('service').select('service.id');
  const found =
    environment_id === null
      ? services
          .innerJoin('environment', 'environment.id', 'service.environment_id')
          .where('environment.project_id', '=', project_id)
      : services.where('environment_id', '=', environment_id);
  return (await found.execute()).map(({ id }) => id);
}

/** Finds a variable, or one that is a secret, by id. @throws ApiProblem 404 */
export async function findVariable(
  db: Db,
  word: 'environment_variable' | 'secret',
  id: string,
  isMeant: (row: VariableRow) => boolean = () => true,
): Promise<VariableRow> {
  const row = await db
    .selectFrom('variable')
    .selectAll()
    .where('id', '=', id)
    .where('sealed_value', word === 'secret' ? 'is not' : 'is', null)
    .executeTakeFirst();
  if (!row || !isMeant(row)) throw notFound(word, id);
  return row;
}
