import { defaultPageSizes } from './limits.ts';
import { operation, shownReplacement } from './operation.ts';
import { listOf, pageQuery, PageNumber, PageSize } from './primitives.ts';
import { AlertRule, AlertRuleRequest } from './resources/alert-rule.ts';
import { Application, ApplicationRequest } from './resources/application.ts';
import { ClusterLock, ClusterLockRequest, ClusterStatus } from './resources/cluster.ts';
import { Container, ContainerRequest } from './resources/container.ts';
import { Database, DatabaseRequest } from './resources/database.ts';
import { ApplicationStatus, Deployment, DeployRequest, Log, logQuery, RestartedServices, ServiceDeploymentStatus } from './resources/deployment.ts';
import { Environment, EnvironmentRequest, EnvironmentStatus, RestartServicesRequest } from './resources/environment.ts';
import { HelmRepository, HelmRepositoryRequest } from './resources/helm-repository.ts';
import { Helm, HelmRequest } from './resources/helm.ts';
import { DeploymentHistory } from './resources/job.ts';
import { BillingInfo, BillingInfoRequest, Invitation, InvitationRequest, Member, Organization, Project, ProjectRequest } from './resources/organization.ts';
import { LabelsGroup } from './resources/service.ts';
import { EnvironmentVariable, Secret, SecretRequest, VariableOverrideRequest, VariableRequest } from './resources/variable.ts';
import { Webhook, WebhookEvent, WebhookRequest } from './resources/webhook.ts';

/** Query of the deployment histories, which use `pageSize` instead of `page_size`. */
export const historyQuery = {
  page: PageNumber.optional(),
  pageSize: PageSize.nullish().describe(`Deployments per page, default ${defaultPageSizes.rows}.`),
};

/** Every operation in the API document's Endpoints table, in the same order. */
export const documentedOperations = {
  get_organization: operation({
    name: 'get_organization', method: 'GET', path: '/organization',
    response: Organization, effect: 'read',
    summary: "Read the token's organization.",
  }),
  list_projects: operation({
    name: 'list_projects', method: 'GET', path: '/organization/{organizationId}/project',
    query: pageQuery, response: listOf(Project), effect: 'read', placedRows: { member: 'results', are: 'projects' },
    summary: 'List the projects of an organization.',
  }),
  create_project: operation({
    name: 'create_project', method: 'POST', path: '/organization/{organizationId}/project',
    body: ProjectRequest, response: Project, effect: 'write',
    target: 'organization', creates: { kind: 'project', in: 'organization' },
    summary: 'Create a project.',
  }),
  create_environment: operation({
    name: 'create_environment', method: 'POST', path: '/project/{projectId}/environment',
    body: EnvironmentRequest, aliases: { cluster: 'cluster_id' }, response: Environment, effect: 'write',
    target: 'project', creates: { kind: 'environment', in: 'project' }, roles: { mode: 'mode', cluster_id: { pointsAt: 'cluster' } },
    summary: 'Create an environment on a cluster.',
  }),
  create_application: operation({
    name: 'create_application', method: 'POST', path: '/environment/{environmentId}/application',
    body: ApplicationRequest, response: Application, effect: 'write',
    target: 'environment', creates: { kind: 'application', in: 'environment' }, roles: { build_mode: 'unrelated', 'autoscaling.mode': 'unrelated' },
    summary: 'Create an application built from a git repository.',
  }),
  create_database: operation({
    name: 'create_database', method: 'POST', path: '/environment/{environmentId}/database',
    body: DatabaseRequest, response: Database, effect: 'write',
    // How the database runs, not the mode of an environment.
    target: 'environment', creates: { kind: 'database', in: 'environment' }, roles: { mode: 'unrelated' },
    summary: 'Create a database.',
  }),
  deploy_database: operation({
    name: 'deploy_database', method: 'POST', path: '/database/{databaseId}/deploy',
    response: Deployment, effect: 'write', permission: 'deploy',
    target: 'database',
    summary: 'Deploy a database.',
  }),
  deploy_application: operation({
    name: 'deploy_application', method: 'POST', path: '/application/{applicationId}/deploy',
    body: DeployRequest, response: Deployment, effect: 'write', permission: 'deploy',
    target: 'application', redeploy: 'redeploy_application',
    summary: 'Deploy an application, at its newest or a given commit.',
  }),
  get_application_status: operation({
    name: 'get_application_status', method: 'GET', path: '/application/{applicationId}/status',
    response: ApplicationStatus, effect: 'read',
    summary: "Read an application's deployment state.",
  }),
  create_environment_variable: operation({
    name: 'create_environment_variable', method: 'POST', path: '/application/{applicationId}/environmentVariable',
    body: VariableRequest, response: EnvironmentVariable, effect: 'write',
    target: 'application', creates: { kind: 'environment_variable', in: 'application' },
    summary: 'Add a variable to an application.',
  }),
  list_environment_variables: operation({
    name: 'list_environment_variables', method: 'GET', path: '/application/{applicationId}/environmentVariable',
    query: pageQuery, response: listOf(EnvironmentVariable), effect: 'read',
    summary: 'List the variables an application sees, of every scope.',
  }),
  create_secret: operation({
    name: 'create_secret', method: 'POST', path: '/application/{applicationId}/secret',
    body: SecretRequest, response: Secret, effect: 'write',
    target: 'application', creates: { kind: 'secret', in: 'application' },
    summary: 'Add a secret to an application; its value is never shown again.',
  }),
  get_application_logs: operation({
    name: 'get_application_logs', method: 'GET', path: '/application/{applicationId}/log',
    query: logQuery, response: Log, effect: 'read',
    summary: "Read an application's newest log lines.",
  }),
  update_environment_variable: operation({
    name: 'update_environment_variable', method: 'PUT',
    path: '/environment/{environmentId}/environmentVariable/{environmentVariableId}',
    body: VariableRequest, response: EnvironmentVariable, effect: 'destructive',
    target: 'environment', elsewhere: ['update_variable_of_application', 'update_variable_of_container', 'update_variable_of_job'],
    summary: 'Replace a variable of an environment.',
  }),
  override_environment_variable: operation({
    name: 'override_environment_variable', method: 'POST',
    path: '/container/{containerId}/environmentVariable/{environmentVariableId}/override',
    body: VariableOverrideRequest, response: EnvironmentVariable, effect: 'write',
    target: 'container', creates: { kind: 'environment_variable', in: 'container' },
    summary: 'Give a container its own value of an inherited variable.',
  }),
  update_container: operation({
    name: 'update_container', method: 'PUT', path: '/container/{containerId}',
    body: ContainerRequest, response: Container, ...shownReplacement,
    target: 'container', roles: { 'autoscaling.mode': 'unrelated' },
    summary: "Replace a container's whole configuration.",
  }),
  restart_services: operation({
    name: 'restart_services', method: 'POST', path: '/environment/{environmentId}/service/restart-service',
    body: RestartServicesRequest, response: RestartedServices, effect: 'disruptive', permission: 'deploy',
    target: 'environment',
    roles: { application_ids: { within: 'application' }, database_ids: { within: 'database' }, container_ids: { within: 'container' } },
    summary: 'Restart selected services of an environment.',
  }),
  stop_environment: operation({
    name: 'stop_environment', method: 'POST', path: '/environment/{environmentId}/stop',
    response: EnvironmentStatus, effect: 'destructive', permission: 'deploy',
    target: 'environment', onEachService: true,
    summary: 'Stop every service of an environment.',
  }),
  update_helm: operation({
    name: 'update_helm', method: 'PUT', path: '/helm/{helmId}',
    body: HelmRequest, response: Helm, ...shownReplacement,
    target: 'helm',
    summary: "Replace a helm service's whole configuration.",
  }),
  get_helm: operation({
    name: 'get_helm', method: 'GET', path: '/helm/{helmId}',
    response: Helm, effect: 'read',
    summary: "Read a helm service's configuration.",
  }),
  redeploy_terraform: operation({
    name: 'redeploy_terraform', method: 'POST', path: '/terraform/{terraformId}/redeploy',
    response: ServiceDeploymentStatus, effect: 'disruptive', permission: 'deploy',
    target: 'terraform',
    summary: 'Run a terraform service again.',
  }),
  lock_cluster: operation({
    name: 'lock_cluster', method: 'POST', path: '/cluster/{clusterId}/lock',
    body: ClusterLockRequest, response: ClusterLock, effect: 'disruptive', permission: 'admin',
    target: 'cluster',
    summary: 'Refuse changes to what a cluster hosts, for some days.',
  }),
  upgrade_cluster: operation({
    name: 'upgrade_cluster', method: 'POST', path: '/cluster/{clusterId}/upgrade',
    response: ClusterStatus, effect: 'destructive', permission: 'admin',
    target: 'cluster',
    summary: 'Upgrade a cluster to the next orchestrator version.',
  }),
  list_members: operation({
    name: 'list_members', method: 'GET', path: '/organization/{organizationId}/member',
    query: pageQuery, response: listOf(Member), effect: 'read',
    summary: 'List the members of an organization.',
  }),
  invite_member: operation({
    name: 'invite_member', method: 'POST', path: '/organization/{organizationId}/inviteMember',
    body: InvitationRequest, response: Invitation, effect: 'sensitive', permission: 'admin',
    target: 'organization', creates: { kind: 'invitation', in: 'organization' },
    summary: 'Invite someone into an organization.',
  }),
  update_alert_rule: operation({
    name: 'update_alert_rule', method: 'PUT', path: '/alert-rules/{alertRuleId}',
    body: AlertRuleRequest, response: AlertRule, effect: 'destructive',
    target: 'alert_rule', roles: { alert_receiver_ids: { pointsAt: 'alert_receiver' } },
    summary: 'Replace an alert rule.',
  }),
  create_helm_repository: operation({
    name: 'create_helm_repository', method: 'POST', path: '/organization/{organizationId}/helmRepository',
    body: HelmRepositoryRequest, response: HelmRepository, effect: 'sensitive',
    target: 'organization', creates: { kind: 'helm_repository', in: 'organization' }, roles: { 'config.vendor_project_id': 'unrelated' },
    summary: 'Link a helm repository, with its credentials.',
  }),
  update_billing_info: operation({
    name: 'update_billing_info', method: 'PUT', path: '/organization/{organizationId}/billingInfo',
    body: BillingInfoRequest, response: BillingInfo, effect: 'sensitive', permission: 'admin',
    target: 'organization',
    summary: "Replace an organization's billing information.",
  }),
  list_job_deployments: operation({
    name: 'list_job_deployments', method: 'GET', path: '/job/{jobId}/deploymentHistoryV2',
    query: historyQuery, response: DeploymentHistory, effect: 'read',
    summary: "List a job's deployments, newest first.",
  }),
  get_labels_group: operation({
    name: 'get_labels_group', method: 'GET', path: '/organization/{organizationId}/labelsGroups/{labelsGroupId}',
    response: LabelsGroup, effect: 'read',
    summary: 'Read a labels group.',
  }),
  create_webhook: operation({
    name: 'create_webhook', method: 'POST', path: '/organization/{organizationId}/webhook',
    body: WebhookRequest, response: Webhook, effect: 'sensitive', permission: 'admin',
    target: 'organization', creates: { kind: 'webhook', in: 'organization' },
    summary: 'Have deployment events posted to an address.',
  }),
  list_webhook_events: operation({
    name: 'list_webhook_events', method: 'GET', path: '/organization/{organizationId}/webhook/{webhookId}/event',
    query: pageQuery, response: listOf(WebhookEvent), effect: 'read', placedRows: { member: 'results', are: 'deliveries' },
    summary: 'List the attempted deliveries of a webhook, newest first.',
  }),
} as const;


/** `get_organization` on platforms whose tokens have several organizations: all of them. Servers of the contract have one operation for both. */
export const everyOrganization = operation({
  name: 'list_organizations', method: 'GET', path: '/organization',
  response: listOf(Organization.omit({ results: true })), effect: 'read',
  summary: 'List the organizations of the token.',
});
