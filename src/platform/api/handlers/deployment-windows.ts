import type { Selectable } from 'kysely';
import type * as z from 'zod';
import {
  isInForce,
  isoAt,
  occurrenceOf,
  windowFault,
  type DeploymentWindow,
  type DeploymentWindowRequest,
} from '../../../contract/index.ts';
import { invalid, isoNow, notFound } from '../../common/index.ts';
import type { Db, DeploymentWindowTable } from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findById } from './find.ts';
import { pageOfFetched } from './page.ts';
import { requireFreeName } from './rows.ts';

type WindowRow = Selectable<DeploymentWindowTable>;

type Kind = 'cluster' | 'project' | 'environment';

const targetOf = ({ cluster_id: cluster, project_id: project, environment_id: environment }: WindowRow) =>
  environment !== null
    ? ({ kind: 'environment', id: environment } as const)
    : project !== null
      ? ({ kind: 'project', id: project } as const)
      : ({ kind: 'cluster', id: cluster! } as const);

/** The name of what a window is about, that of an environment after its project's. */
async function nameOf(db: Db, { kind, id }: { readonly kind: Kind; readonly id: string }): Promise<string> {
  if (kind !== 'environment') return (await findById(db, kind, id)).name;
  const { name, project_id: project } = await findById(db, 'environment', id);
  return `${(await findById(db, 'project', project)).name}/${name}`;
}

async function windowAnswer(
  row: WindowRow,
  { db, clock }: Pick<RequestContext, 'db' | 'clock'>,
): Promise<z.output<typeof DeploymentWindow>> {
  const target = targetOf(row);
  const now = clock.now();
  const occurrence = occurrenceOf(row, now);
  return {
    ...row,
    reason: row.reason ?? undefined,
    target_type: target.kind.toUpperCase() as Uppercase<Kind>,
    target_id: target.id,
    target_name: await nameOf(db, target),
    production_only: row.production_only === 1,
    in_force: isInForce(occurrence, now),
    ...(occurrence && { from: isoAt(occurrence.begins)!, until: isoAt(occurrence.ends)! }),
  };
}

/**
 * The organization of what a window is to be about.
 * @throws ApiProblem 400 if the organization has no such cluster, project or environment
 */
async function requireTarget(
  db: Db,
  organizationId: string,
  { target_type: type, target_id: id }: z.output<typeof DeploymentWindowRequest>,
): Promise<void> {
  const environment =
    type === 'ENVIRONMENT'
      ? await db.selectFrom('environment').select('project_id').where('id', '=', id).executeTakeFirst()
      : undefined;
  const holder = type === 'ENVIRONMENT' ? environment?.project_id : id;
  const found =
    holder === undefined
      ? undefined
      : await db
          .selectFrom(type === 'CLUSTER' ? 'cluster' : 'project')
          .select('id')
          .where('id', '=', holder)
          .where('organization_id', '=', organizationId)
          .executeTakeFirst();
  if (found === undefined) throw invalid('target_id', `no ${type.toLowerCase()} of this organization has the id ${id}`);
}

export const deploymentWindowHandlers = {
  list_deployment_windows: async (input, context) => {
    await findById(context.db, 'organization', input.organization_id);
    const rows = await context.db
      .selectFrom('deployment_window')
      .selectAll()
      .where('organization_id', '=', input.organization_id)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return pageOfFetched(input, async ({ offset, limit } = { offset: 0, limit: rows.length }) => ({
      rows: await Promise.all(rows.slice(offset, offset + limit).map((row) => windowAnswer(row, context))),
      total: rows.length,
    }));
  },
  create_deployment_window: async ({ organization_id, ...wanted }, context) => {
    const { db, clock, random, principal } = context;
    await findById(db, 'organization', organization_id);
    const target = { ...wanted, target_id: wanted.target_id.toLowerCase() };
    await requireTarget(db, organization_id, target);
    const fault = windowFault(wanted);
    if (fault !== undefined) throw invalid('ends', fault);
    const now = clock.now();
    if (occurrenceOf(wanted, now) === undefined) throw invalid('ends', `must be later than now, ${isoNow(clock)}`);
    await requireFreeName(db, 'deployment_window', organization_id, wanted.name);
    const idOf = (type: typeof wanted.target_type) => (target.target_type === type ? target.target_id : null);
    const row = await db
      .insertInto('deployment_window')
      .values({
        id: random.uuid(),
        created_at: isoNow(clock),
        updated_at: isoNow(clock),
        organization_id,
        name: wanted.name,
        reason: wanted.reason ?? null,
        cluster_id: idOf('CLUSTER'),
        project_id: idOf('PROJECT'),
        environment_id: idOf('ENVIRONMENT'),
        production_only: wanted.production_only ? 1 : 0,
        begins: wanted.begins,
        ends: wanted.ends,
        time_zone: wanted.time_zone,
        owner_name: principal.name,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return windowAnswer(row, context);
  },
  delete_deployment_window: async ({ organization_id, deployment_window_id: id }, { db }) => {
    await findById(db, 'organization', organization_id);
    const { numDeletedRows } = await db
      .deleteFrom('deployment_window')
      .where('organization_id', '=', organization_id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('deployment_window', id);
  },
} satisfies Partial<
  OperationHandlers<'list_deployment_windows' | 'create_deployment_window' | 'delete_deployment_window'>
>;
