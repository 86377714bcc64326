import type { ServiceKind } from '../../../contract/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { compiled } from '../../store/index.ts';
import { findById } from './find.ts';
import { historyPage } from './page.ts';
import { memberOfKind, setVersions, wantedServices } from './versions-to-deploy.ts';
import {
  requester,
  deploy,
  deployAt,
  deployedCommits,
  redeploy,
  statusOf,
  logs,
  commits,
  history,
  serviceIdsOf,
  requestForEnvironment,
  remove,
  applicationState,
  requireIn,
  idsIn,
} from './service-deployments.ts';

const servicesOfEnvironment = compiled((db, { environment_id }: { readonly environment_id: string }) =>
  db
    .selectFrom('service')
    .select(['id', 'kind'])
    .where('environment_id', '=', environment_id)
    .orderBy('created_at')
    .orderBy('id'),
);

export const deploymentHandlers = {
  deploy_application: async ({ application_id, git_commit_id }, context) => ({
    ...(await deployAt({ kind: 'application', id: application_id, commit: git_commit_id }, context)),
    application_id,
  }),
  deploy_database: async ({ database_id }, context) => ({
    ...(await deploy('database', database_id, context)),
    database_id,
  }),
  deploy_container: async ({ container_id, git_commit_id, image_tag }, context) => ({
    ...(await deployAt({ kind: 'container', id: container_id, commit: git_commit_id, tag: image_tag }, context)),
    container_id,
  }),
  deploy_helm: async ({ helm_id, git_commit_id, chart_version }, context) => ({
    ...(await deployAt({ kind: 'helm', id: helm_id, commit: git_commit_id, chart: chart_version }, context)),
    helm_id,
  }),
  deploy_job: async ({ job_id, git_commit_id }, context) => ({
    ...(await deployAt({ kind: 'job', id: job_id, commit: git_commit_id }, context)),
    job_id,
  }),
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
    await context.engine.request(context.db, {
      ...requester(context),
      action: 'STOP',
      environmentId: environment_id,
      serviceIds,
    });
    return undefined;
  },
  deploy_services: async ({ environment_id, ...lists }, context) => {
    const { db, engine } = context;
    const services = wantedServices({ environment_id, ...lists });
    await requireIn(
      context,
      environment_id,
      services.map(({ kind, id }) => ({ kind, id, member: memberOfKind(kind) })),
    );
    const serviceIds = services.map(({ id }) => id);
    const commitIds = { ...(await deployedCommits(db, serviceIds)), ...(await setVersions(services, context)) };
    await engine.request(db, {
      ...requester(context),
      action: 'DEPLOY',
      environmentId: environment_id,
      serviceIds,
      commitIds,
    });
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
    await engine.request(db, {
      ...requester(context),
      action: 'DELETE',
      environmentId: environment_id,
      serviceIds,
      takesEnvironment: true,
    });
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
  get_environment_status: async ({ environment_id }, { db, engine }) => {
    const [environment, services] = await Promise.all([
      engine.environmentStatus(db, environment_id),
      servicesOfEnvironment(db, { environment_id }),
    ]);
    const statuses = await engine.serviceStatuses(
      db,
      services.map(({ id }) => id),
    );
    const of = (kind: ServiceKind) => statuses.filter((_, index) => services[index]!.kind === kind);
    return {
      environment,
      applications: of('application'),
      containers: of('container'),
      databases: of('database'),
      jobs: of('job'),
      helms: of('helm'),
      terraforms: of('terraform'),
    };
  },
  get_application_logs: {
    withoutTransaction: ({ application_id, tail }, context) => logs('application', application_id, tail, context),
  },
  get_container_logs: {
    withoutTransaction: ({ container_id, tail }, context) => logs('container', container_id, tail, context),
  },
  get_database_logs: {
    withoutTransaction: ({ database_id, tail }, context) => logs('database', database_id, tail, context),
  },
  get_job_logs: { withoutTransaction: ({ job_id, tail }, context) => logs('job', job_id, tail, context) },
  get_helm_logs: { withoutTransaction: ({ helm_id, tail }, context) => logs('helm', helm_id, tail, context) },
  get_terraform_logs: {
    withoutTransaction: ({ terraform_id, tail }, context) => logs('terraform', terraform_id, tail, context),
  },
  list_application_commits: {
    withoutTransaction: ({ application_id }, context) => commits('application', application_id, context),
  },
  list_helm_commits: { withoutTransaction: ({ helm_id }, context) => commits('helm', helm_id, context) },
  list_job_commits: { withoutTransaction: ({ job_id }, context) => commits('job', job_id, context) },
  list_terraform_commits: {
    withoutTransaction: ({ terraform_id }, context) => commits('terraform', terraform_id, context),
  },
  get_environment_logs: async ({ environment_id, tail }, { db, engine }) => {
    await findById(db, 'environment', environment_id);
    return engine.environmentLogs(db, environment_id, tail);
  },
  list_job_deployments: ({ job_id, ...page }, context) => history('job', job_id, page, context),
  list_application_deployments: ({ application_id, ...page }, context) =>
    history('application', application_id, page, context),
  list_container_deployments: ({ container_id, ...page }, context) => history('container', container_id, page, context),
  list_database_deployments: ({ database_id, ...page }, context) => history('database', database_id, page, context),
  list_helm_deployments: ({ helm_id, ...page }, context) => history('helm', helm_id, page, context),
  list_terraform_deployments: ({ terraform_id, ...page }, context) => history('terraform', terraform_id, page, context),
  list_environment_deployments: async ({ environment_id, ...page }, { db, engine }) => {
    await findById(db, 'environment', environment_id);
    return engine.environmentHistory(db, environment_id, historyPage(page));
  },
} satisfies Partial<
  OperationHandlers<
    | 'deploy_application'
    | 'deploy_database'
    | 'deploy_container'
    | 'deploy_helm'
    | 'deploy_job'
    | 'redeploy_application'
    | 'redeploy_container'
    | 'redeploy_helm'
    | 'redeploy_job'
    | 'redeploy_terraform'
    | 'restart_services'
    | 'stop_services'
    | 'deploy_services'
    | `delete_${ServiceKind}`
    | 'delete_environment'
    | 'stop_environment'
    | 'deploy_environment'
    | 'cancel_deployment'
    | 'get_environment_status'
    | 'get_environment_logs'
    | 'list_environment_deployments'
    | 'list_application_commits'
    | 'list_helm_commits'
    | 'list_job_commits'
    | 'list_terraform_commits'
    | `get_${ServiceKind}_status`
    | `get_${ServiceKind}_logs`
    | `list_${ServiceKind}_deployments`
  >
>;
