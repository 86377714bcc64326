import type { ServiceKind } from '../../../contract/index.ts';
import type { DeploymentRequest, ServiceStatusAnswer } from '../../engine/index.ts';
import type { OperationHandlers, NonTransactionalContext, RequestContext } from '../handler.ts';
import { invalid, type DeployedCommit } from '../../common/index.ts';
import type { Db } from '../../store/index.ts';
import { findById, findService } from './find.ts';
import { historyPage, type PageInput } from './page.ts';
import { memberOfKind, setVersions, type WantedService, wantedServices } from './versions-to-deploy.ts';

/** Who asks for a deployment. */
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

async function deploy(kind: ServiceKind, id: string, context: RequestContext, commitId?: string) {
  const { db, engine } = context;
  const service = await findService(db, kind, id);
  const request = await engine.request(db, {
    ...requester(context), action: 'DEPLOY', environmentId: service.environment_id, serviceIds: [id], ...(commitId !== undefined && { commitId }),
  });
  return acceptedAnswer(request, await engine.serviceStatus(db, id));
}

/** Deploys a service at the version that is asked for. @throws ApiProblem 400 if it can't have such a version */
async function deployAt(wanted: WantedService, context: RequestContext) {
  const { kind, id } = wanted;
  // The request names one service, so its members are named without a path.
  const commitIds = await setVersions([{ ...wanted, at: '' }], context);
  return deploy(kind, id, context, commitIds[id]);
}

/** The commits that services run, by their ids. */
async function deployedCommits(db: Db, ids: readonly string[]): Promise<Readonly<Record<string, string | undefined>>> {
  const rows = await db.selectFrom('service').select(['id', 'deployed_commit']).where('id', 'in', [...ids]).execute();
  return Object.fromEntries(rows.map(({ id, deployed_commit: commit }) => [id, commit === null ? undefined : (JSON.parse(commit) as DeployedCommit).git_commit_id]));
}

/** Deploys a service again, at the commit that it runs, and answers its status. */
async function redeploy(kind: ServiceKind, id: string, context: RequestContext): Promise<ServiceStatusAnswer> {
  await findService(context.db, kind, id);
  await deploy(kind, id, context, (await deployedCommits(context.db, [id]))[id]);
  return context.engine.serviceStatus(context.db, id);
}

async function statusOf(kind: ServiceKind, id: string, { db, engine }: RequestContext) {
  await findService(db, kind, id);
  return engine.serviceStatus(db, id);
}

async function logs(kind: ServiceKind, id: string, tail: number | undefined, { db, engine }: NonTransactionalContext) {
  await db.read((trx) => findService(trx, kind, id));
  return engine.logs(db, id, tail);
}

async function commits(kind: ServiceKind, id: string, { db, engine }: NonTransactionalContext) {
  const { name, environment_id, spec } = await db.read((trx) => findService(trx, kind, id));
  return engine.commits({ id, name, environmentId: environment_id, kind, spec } as Parameters<typeof engine.commits>[0]);
}

async function history(kind: ServiceKind, id: string, page: PageInput, { db, engine }: RequestContext) {
  await findService(db, kind, id);
  return engine.serviceHistory(db, id, historyPage(page));
}

const serviceIdsOf = async ({ db }: RequestContext, environmentId: string): Promise<string[]> => {
  const rows = await db.selectFrom('service').select('id').where('environment_id', '=', environmentId).orderBy('created_at').orderBy('id').execute();
  return rows.map(({ id }) => id);
};

async function requestForEnvironment(action: 'DEPLOY' | 'STOP', environmentId: string, context: RequestContext) {
  const { db, engine } = context;
  await findById(db, 'environment', environmentId);
  await engine.request(db, { ...requester(context), action, environmentId, serviceIds: await serviceIdsOf(context, environmentId) });
  return engine.environmentStatus(db, environmentId);
}

/** Deletes a service. It is gone once its deployment has ended. */
async function remove(kind: ServiceKind, id: string, context: RequestContext): Promise<undefined> {
  const service = await findService(context.db, kind, id);
  await context.engine.request(context.db, { ...requester(context), action: 'DELETE', environmentId: service.environment_id, serviceIds: [id] });
  return undefined;
}

/** The status endpoint of applications reports RUNNING after a successful deployment, where all others report DEPLOYED. */
const applicationState = (state: ServiceStatusAnswer['state']) => (state === 'DEPLOYED' || state === 'RESTARTED' ? 'RUNNING' : state);

/**
 * Checks that services are of the environment, and of their kinds.
 * @throws ApiProblem 400 with the member and the id that is no such service of the environment
 */
async function requireIn({ db }: RequestContext, environmentId: string, services: readonly { readonly kind: string; readonly id: string; readonly member: string }[]): Promise<void> {
  await findById(db, 'environment', environmentId);
  const rows = await db.selectFrom('service').select(['id', 'kind']).where('environment_id', '=', environmentId).execute();
  const kindOf = new Map<string, string>(rows.map((row) => [row.id, row.kind]));
  const stranger = services.find(({ id, kind }) => kindOf.get(id) !== kind);
  if (stranger) throw invalid(stranger.member, `no ${stranger.kind} of the environment ${environmentId} has the id ${stranger.id}`);
}

/**
 * Collects the ids of services of an environment, after checking their kinds.
 * @throws ApiProblem 400 with the member and the id that is no such service of the environment
 */
async function idsIn(context: RequestContext, environmentId: string, lists: Partial<Record<`${ServiceKind}_ids`, readonly string[] | undefined>>): Promise<string[]> {
  await requireIn(context, environmentId, Object.entries(lists).flatMap(([member, ids]) => (ids ?? []).map((id) => ({ kind: member.replace(/_ids$/, ''), id, member }))));
  return [...new Set(Object.values(lists).flatMap((ids) => ids ?? []))];
}

export const deploymentHandlers = {
  deploy_application: async ({ application_id, git_commit_id }, context) =>
    ({ ...(await deployAt({ kind: 'application', id: application_id, commit: git_commit_id }, context)), application_id }),
  deploy_database: async ({ database_id }, context) => ({ ...(await deploy('database', database_id, context)), database_id }),
  deploy_container: async ({ container_id, git_commit_id, image_tag }, context) =>
    ({ ...(await deployAt({ kind: 'container', id: container_id, commit: git_commit_id, tag: image_tag }, context)), container_id }),
  deploy_helm: async ({ helm_id, git_commit_id, chart_version }, context) =>
    ({ ...(await deployAt({ kind: 'helm', id: helm_id, commit: git_commit_id, chart: chart_version }, context)), helm_id }),
  deploy_job: async ({ job_id, git_commit_id }, context) => ({ ...(await deployAt({ kind: 'job', id: job_id, commit: git_commit_id }, context)), job_id }),
  redeploy_terraform: async ({ terraform_id }, context) => {
    await deploy('terraform', terraform_id, context);
    return context.engine.serviceStatus(context.db, terraform_id);
  },
  redeploy_application: ({ application_id }, context) => redeploy('application', application_id, context),
  redeploy_container: ({ container_id }, context) => redeploy('container', container_id, context),
  redeploy_helm: ({ helm_id }, context) => redeploy('helm', helm_id, context),
  redeploy_job: ({ job_id }, context) => redeploy('job', job_id, context),
  restart_services: async ({ environment_id, application_ids, database_ids, container_ids }, context) => {
    const { db, engine } = context;
    const serviceIds = await idsIn(context, environment_id, { application_ids, database_ids, container_ids });
    await engine.request(db, { ...requester(context), action: 'RESTART', environmentId: environment_id, serviceIds });
    const results = await engine.serviceStatuses(db, serviceIds);
    return { ...results[0]!, results };
  },
  stop_services: async ({ environment_id, ...lists }, context) => {
    const serviceIds = await idsIn(context, environment_id, lists);
    await context.engine.request(context.db, { ...requester(context), action: 'STOP', environmentId: environment_id, serviceIds });
    return undefined;
  },
  deploy_services: async ({ environment_id, ...lists }, context) => {
    const { db, engine } = context;
    const services = wantedServices({ environment_id, ...lists });
    await requireIn(context, environment_id, services.map(({ kind, id }) => ({ kind, id, member: memberOfKind(kind) })));
    const serviceIds = services.map(({ id }) => id);
    const commitIds = { ...(await deployedCommits(db, serviceIds)), ...(await setVersions(services, context)) };
    await engine.request(db, { ...requester(context), action: 'DEPLOY', environmentId: environment_id, serviceIds, commitIds });
    return engine.environmentStatus(db, environment_id);
  },
  stop_environment: ({ environment_id }, context) => requestForEnvironment('STOP', environment_id, context),
  deploy_environment: ({ environment_id }, context) => requestForEnvironment('DEPLOY', environment_id, context),
  delete_application: ({ application_id }, context) => remove('application', application_id, context),
  delete_container: ({ container_id }, context) => remove('container', container_id, context),
  delete_database: ({ database_id }, context) => remove('database', database_id, context),
  delete_job: ({ job_id }, context) => remove('job', job_id, context),
  delete_helm: ({ helm_id }, context) => remove('helm', helm_id, context),
  delete_terraform: ({ terraform_id }, context) => remove('terraform', terraform_id, context),
  delete_environment: async ({ environment_id }, context) => {
    const { db, engine } = context;
    await findById(db, 'environment', environment_id);
    const serviceIds = await serviceIdsOf(context, environment_id);
    await engine.request(db, { ...requester(context), action: 'DELETE', environmentId: environment_id, serviceIds, takesEnvironment: true });
    return undefined;
  },
  cancel_deployment: async ({ environment_id }, { db, engine }) => {
    await findById(db, 'environment', environment_id);
    await engine.cancel(db, environment_id);
    return engine.environmentStatus(db, environment_id);
  },
  get_application_status: async ({ application_id }, context) => {
    const answer = await statusOf('application', application_id, context);
    return { ...answer, state: applicationState(answer.state) };
  },
  get_container_status: ({ container_id }, context) => statusOf('container', container_id, context),
  get_database_status: ({ database_id }, context) => statusOf('database', database_id, context),
  get_job_status: ({ job_id }, context) => statusOf('job', job_id, context),
  get_helm_status: ({ helm_id }, context) => statusOf('helm', helm_id, context),
  get_terraform_status: ({ terraform_id }, context) => statusOf('terraform', terraform_id, context),
  get_environment_status: async ({ environment_id }, context) => {
    const { db, engine } = context;
    await findById(db, 'environment', environment_id);
    const rows = await db.selectFrom('service').select(['id', 'kind']).where('environment_id', '=', environment_id).orderBy('created_at').orderBy('id').execute();
    const of = (kind: ServiceKind) => engine.serviceStatuses(db, rows.filter((row) => row.kind === kind).map(({ id }) => id));
    return {
      environment: await engine.environmentStatus(db, environment_id),
      applications: await of('application'), containers: await of('container'), databases: await of('database'), jobs: await of('job'),
      helms: await of('helm'), terraforms: await of('terraform'),
    };
  },
  get_application_logs: { withoutTransaction: ({ application_id, tail }, context) => logs('application', application_id, tail, context) },
  get_container_logs: { withoutTransaction: ({ container_id, tail }, context) => logs('container', container_id, tail, context) },
  get_database_logs: { withoutTransaction: ({ database_id, tail }, context) => logs('database', database_id, tail, context) },
  get_job_logs: { withoutTransaction: ({ job_id, tail }, context) => logs('job', job_id, tail, context) },
  get_helm_logs: { withoutTransaction: ({ helm_id, tail }, context) => logs('helm', helm_id, tail, context) },
  get_terraform_logs: { withoutTransaction: ({ terraform_id, tail }, context) => logs('terraform', terraform_id, tail, context) },
  list_application_commits: { withoutTransaction: ({ application_id }, context) => commits('application', application_id, context) },
  list_helm_commits: { withoutTransaction: ({ helm_id }, context) => commits('helm', helm_id, context) },
  list_job_commits: { withoutTransaction: ({ job_id }, context) => commits('job', job_id, context) },
  list_terraform_commits: { withoutTransaction: ({ terraform_id }, context) => commits('terraform', terraform_id, context) },
  get_environment_logs: async ({ environment_id, tail }, { db, engine }) => {
    await findById(db, 'environment', environment_id);
    return engine.environmentLogs(db, environment_id, tail);
  },
  list_job_deployments: ({ job_id, ...page }, context) => history('job', job_id, page, context),
  list_application_deployments: ({ application_id, ...page }, context) => history('application', application_id, page, context),
  list_container_deployments: ({ container_id, ...page }, context) => history('container', container_id, page, context),
  list_database_deployments: ({ database_id, ...page }, context) => history('database', database_id, page, context),
  list_helm_deployments: ({ helm_id, ...page }, context) => history('helm', helm_id, page, context),
  list_terraform_deployments: ({ terraform_id, ...page }, context) => history('terraform', terraform_id, page, context),
  list_environment_deployments: async ({ environment_id, ...page }, { db, engine }) => {
    await findById(db, 'environment', environment_id);
    return engine.environmentHistory(db, environment_id, historyPage(page));
  },
} satisfies Partial<OperationHandlers<
  | 'deploy_application' | 'deploy_database' | 'deploy_container' | 'deploy_helm' | 'deploy_job' | 'redeploy_application' | 'redeploy_container' | 'redeploy_helm' | 'redeploy_job' | 'redeploy_terraform' | 'restart_services'
  | 'stop_services' | 'deploy_services' | `delete_${ServiceKind}` | 'delete_environment' | 'stop_environment' | 'deploy_environment' | 'cancel_deployment' | 'get_environment_status' | 'get_environment_logs' | 'list_environment_deployments'
  | 'list_application_commits' | 'list_helm_commits' | 'list_job_commits' | 'list_terraform_commits'
  | `get_${ServiceKind}_status` | `get_${ServiceKind}_logs` | `list_${ServiceKind}_deployments`
>>;
