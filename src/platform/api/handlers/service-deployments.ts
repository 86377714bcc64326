import type { ServiceKind } from '../../../contract/index.ts';
import type { DeploymentRequest, ServiceStatusAnswer } from '../../engine/index.ts';
import type { NonTransactionalContext, RequestContext } from '../handler.ts';
import { invalid, type DeployedCommit } from '../../common/index.ts';
import type { Db } from '../../store/index.ts';
import { findById, findService } from './find.ts';
import { historyPage, type PageInput } from './page.ts';
import { setVersions, type WantedService } from './versions-to-deploy.ts';

/** The requester of a deployment. */
export const requester = ({ principal }: RequestContext) => ({ origin: 'API', triggeredBy: principal.name }) as const;

/** The accepted deployment, together with its service's status. `id` is the deployment's. */
export const acceptedAnswer = (request: DeploymentRequest, status: ServiceStatusAnswer) => ({
  ...status,
  id: request.id,
  status: 'QUEUED' as const,
  created_at: request.createdAt,
  deployment_request_id: request.id,
  execution_id: request.id,
});

export async function deploy(kind: ServiceKind, id: string, context: RequestContext, commitId?: string) {
  const { db, engine } = context;
  const service = await findService(db, kind, id);
  const request = await engine.request(db, {
    ...requester(context),
    action: 'DEPLOY',
    environmentId: service.environment_id,
    serviceIds: [id],
    ...(commitId !== undefined && { commitId }),
  });
  return acceptedAnswer(request, await engine.serviceStatus(db, id));
}

/** Deploys a service at the requested version. @throws ApiProblem 400 if it can't have such a version */
export async function deployAt(wanted: WantedService, context: RequestContext) {
  const { kind, id } = wanted;
  // The request names one service, so its members are named without a path.
  const commitIds = await setVersions([{ ...wanted, at: '' }], context);
  return deploy(kind, id, context, commitIds[id]);
}

/** The ids of the commits that services run, by the ids of the services. */
export async function deployedCommits(
  db: Db,
  ids: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const rows = await db
    .selectFrom('service')
    .select(['id', 'deployed_commit'])
    .where('id', 'in', [...ids])
    .execute();
  return Object.fromEntries(
    rows.map(({ id, deployed_commit: commit }) => [
      id,
      commit === null ? undefined : (JSON.parse(commit) as DeployedCommit).git_commit_id,
    ]),
  );
}

/** Deploys a service again, at the commit that it runs, and returns its status. */
export async function redeploy(kind: ServiceKind, id: string, context: RequestContext): Promise<ServiceStatusAnswer> {
  await findService(context.db, kind, id);
  await deploy(kind, id, context, (await deployedCommits(context.db, [id]))[id]);
  return context.engine.serviceStatus(context.db, id);
}

export async function statusOf(kind: ServiceKind, id: string, { db, engine }: RequestContext) {
  await findService(db, kind, id);
  return engine.serviceStatus(db, id);
}

export async function logs(
  kind: ServiceKind,
  id: string,
  tail: number | undefined,
  { db, engine }: NonTransactionalContext,
) {
  await db.read((trx) => findService(trx, kind, id));
  return engine.logs(db, id, tail);
}

export async function commits(kind: ServiceKind, id: string, { db, engine }: NonTransactionalContext) {
  const { name, environment_id, spec } = await db.read((trx) => findService(trx, kind, id));
  return engine.commits({ id, name, environmentId: environment_id, kind, spec } as Parameters<
    typeof engine.commits
  >[0]);
}

export async function history(kind: ServiceKind, id: string, page: PageInput, { db, engine }: RequestContext) {
  await findService(db, kind, id);
  return engine.serviceHistory(db, id, historyPage(page));
}

export const serviceIdsOf = async ({ db }: RequestContext, environmentId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('service')
    .select('id')
    .where('environment_id', '=', environmentId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
};

export async function requestForEnvironment(action: 'DEPLOY' | 'STOP', environmentId: string, context: RequestContext) {
  const { db, engine } = context;
  await findById(db, 'environment', environmentId);
  await engine.request(db, {
    ...requester(context),
    action,
    environmentId,
    serviceIds: await serviceIdsOf(context, environmentId),
  });
  return engine.environmentStatus(db, environmentId);
}

/** Deletes a service. It is gone once its deployment has finished. */
export async function remove(kind: ServiceKind, id: string, context: RequestContext): Promise<undefined> {
  const service = await findService(context.db, kind, id);
  await context.engine.request(context.db, {
    ...requester(context),
    action: 'DELETE',
    environmentId: service.environment_id,
    serviceIds: [id],
  });
  return undefined;
}

/**
 * The status endpoint of applications reports RUNNING after a successful deployment, where all others report DEPLOYED.
 */
export const applicationState = (state: ServiceStatusAnswer['state']) =>
  state === 'DEPLOYED' || state === 'RESTARTED' ? 'RUNNING' : state;

/**
 * Checks that services belong to the environment, and have the stated kinds.
 * @throws ApiProblem 400 with the member and the id that is no such service of the environment
 */
export async function requireIn(
  { db }: RequestContext,
  environmentId: string,
  services: readonly { readonly kind: string; readonly id: string; readonly member: string }[],
): Promise<void> {
  await findById(db, 'environment', environmentId);
  const rows = await db
    .selectFrom('service')
    .select(['id', 'kind'])
    .where('environment_id', '=', environmentId)
    .execute();
  const kindOf = new Map<string, string>(rows.map((row) => [row.id, row.kind]));
  const stranger = services.find(({ id, kind }) => kindOf.get(id) !== kind);
  if (stranger)
    throw invalid(stranger.member, `no ${stranger.kind} of the environment ${environmentId} has the id ${stranger.id}`);
}

/**
 * Collects the ids of services of an environment, after checking their kinds.
 * @throws ApiProblem 400 with the member and the id that is no such service of the environment
 */
export async function idsIn(
  context: RequestContext,
  environmentId: string,
  lists: Partial<Record<`${ServiceKind}_ids`, readonly string[] | undefined>>,
): Promise<string[]> {
  await requireIn(
    context,
    environmentId,
    Object.entries(lists).flatMap(([member, ids]) =>
      (ids ?? []).map((id) => ({ kind: member.replace(/_ids$/, ''), id, member })),
    ),
  );
  return [...new Set(Object.values(lists).flatMap((ids) => ids ?? []))];
}
