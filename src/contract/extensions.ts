import * as z from 'zod';
import { historyQuery } from './documented.ts';
import { operation, shownReplacement } from './operation.ts';
import { listOf, pageQuery, reference } from './primitives.ts';
import { AlertReceiver, AlertRule, ListedAlertRule } from './resources/alert-rule.ts';
import { Application, ApplicationRequest } from './resources/application.ts';
import { Cluster, ClusterLock, ClusterStatus } from './resources/cluster.ts';
import { CustomDomain, CustomDomainCheck, CustomDomainRequest, type DomainKind } from './resources/custom-domain.ts';
import { Container, ContainerRegistry, ContainerRequest } from './resources/container.ts';
import { Database, DatabaseUpdateRequest } from './resources/database.ts';
import { Deployment, DeployRequest, EnvironmentLog, Log, logQuery, ServiceDeploymentStatus } from './resources/deployment.ts';
import { CloneRequest, DeployServicesRequest, Environment, EnvironmentStatus, StopServicesRequest } from './resources/environment.ts';
import { EventPage, eventQuery } from './resources/event.ts';
import { HelmRepository } from './resources/helm-repository.ts';
import { Helm } from './resources/helm.ts';
import { DeploymentHistory, Job, JobRequest } from './resources/job.ts';
import { Link } from './resources/link.ts';
import { AvailableRole, BillingInfo, Invitation } from './resources/organization.ts';
import { AnnotationsGroup, LabelsGroup, type ServiceKind } from './resources/service.ts';
import { Terraform } from './resources/terraform.ts';
import { EnvironmentVariable, Secret, VariableRequest, type OwnerKind } from './resources/variable.ts';
import { Webhook } from './resources/webhook.ts';
import { EnvironmentOfOrganization, EnvironmentOverview, ServiceOfOrganization } from './resources/wide-lists.ts';

const undocumented = { documented: false } as const;
const read = { method: 'GET', effect: 'read', ...undocumented } as const;

const readService = <const Kind extends string, Response extends z.ZodType>(kind: Kind, response: Response) =>
  operation({ ...read, name: `get_${kind}`, path: `/${kind}/{${kind}Id}`, response, summary: `Read one service of kind ${kind}.` });

const readStatus = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read, name: `get_${kind}_status`, path: `/${kind}/{${kind}Id}/status`, response: ServiceDeploymentStatus,
    summary: `Read the deployment state of one service of kind ${kind}.`,
  });

const readLogs = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read, name: `get_${kind}_logs`, path: `/${kind}/{${kind}Id}/log`, query: logQuery, response: Log,
    summary: `Read the newest log lines of one service of kind ${kind}.`,
  });

const readHistory = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read, name: `list_${kind}_deployments`, path: `/${kind}/{${kind}Id}/deploymentHistoryV2`, query: historyQuery,
    response: DeploymentHistory, summary: `List the deployments of one ${kind}, newest first.`,
  });

const readLinks = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read, name: `get_${kind}_links`, path: `/${kind}/{${kind}Id}/link`, response: z.object({ results: z.array(Link) }),
    summary: `Read the public addresses of one service of kind ${kind}.`,
  });

const deploy = <const Kind extends ServiceKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `deploy_${kind}`, method: 'POST', path: `/${kind}/{${kind}Id}/deploy`, body: DeployRequest,
    response: Deployment, effect: 'write', permission: 'deploy', target: kind, redeploy: `redeploy_${kind}`,
    summary: `Deploy one service of kind ${kind}.`,
  });

const redeploy = <const Kind extends ServiceKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `redeploy_${kind}`, method: 'POST', path: `/${kind}/{${kind}Id}/redeploy`, response: ServiceDeploymentStatus,
    effect: 'write', permission: 'deploy', target: kind, summary: `Deploy the present version of one service of kind ${kind} again.`,
  });

const updateVariable = <const Kind extends 'application' | 'container' | 'job'>(kind: Kind) =>
  operation({
    ...undocumented, name: `update_variable_of_${kind}`, method: 'PUT', path: `/${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
    body: VariableRequest, response: EnvironmentVariable, effect: 'destructive', target: kind, summary: `Replace a variable of one service of kind ${kind}.`,
  });

const remove = <const Kind extends ServiceKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `delete_${kind}`, method: 'DELETE', path: `/${kind}/{${kind}Id}`, effect: 'destructive', permission: 'admin', target: kind,
    summary: `Take down one service of kind ${kind} and delete it for good.`,
  });

const listSecrets = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...read, name: `list_secrets_of_${kind}`, path: `/${kind}/{${kind}Id}/secret`, query: pageQuery, response: listOf(Secret),
    summary: `List the secrets of one ${kind} and those it inherits, without their values.`,
  });

const deleteVariable = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `delete_variable_of_${kind}`, method: 'DELETE', path: `/${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
    effect: 'destructive', target: kind, summary: `Delete a variable of one ${kind}, with its overrides and aliases.`,
  });

const deleteSecret = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `delete_secret_of_${kind}`, method: 'DELETE', path: `/${kind}/{${kind}Id}/secret/{secretId}`,
    effect: 'destructive', target: kind, summary: `Delete a secret of one ${kind}, with its overrides and aliases.`,
  });

const listDomains = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...read, name: `list_${kind}_domains`, path: `/${kind}/{${kind}Id}/customDomain`, query: pageQuery, response: listOf(CustomDomain),
    summary: `List the domains of one service of kind ${kind}.`,
  });

const checkDomains = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...read, name: `check_${kind}_domains`, path: `/${kind}/{${kind}Id}/checkCustomDomain`, response: z.object({ results: z.array(CustomDomainCheck) }),
    summary: `Ask the name servers whether the domains of one service of kind ${kind} point to it.`,
  });

const createDomain = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `create_${kind}_domain`, method: 'POST', path: `/${kind}/{${kind}Id}/customDomain`, body: CustomDomainRequest,
    response: CustomDomain, effect: 'write', target: kind, creates: { kind: 'custom_domain', in: kind },
    summary: `Give one service of kind ${kind} a domain of its own.`,
  });

const deleteDomain = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `delete_${kind}_domain`, method: 'DELETE', path: `/${kind}/{${kind}Id}/customDomain/{customDomainId}`,
    effect: 'destructive', target: kind, summary: `Take a domain from one service of kind ${kind}.`,
  });

const listInOrganization = <const Name extends string, const Segment extends string, Row extends z.ZodType>(
  name: Name, segment: Segment, row: Row, summary: string,
) => operation({ ...read, name, path: `/organization/{organizationId}/${segment}`, query: pageQuery, response: listOf(row), summary });

/** A list of everything below its target in one answer, without pages. */
const wideList = <const Name extends string, const Path extends string, Row extends z.ZodType>(name: Name, path: Path, row: Row, summary: string) =>
  operation({ ...read, name, path, response: z.object({ results: z.array(row) }), showsEnvironments: true, summary });

// One list mixes services of every kind: members that all kinds share are typed, the others pass through.
const AnyService = z.union([Application, Container, Database, Job, Helm, Terraform]);

const statuses = z.array(ServiceDeploymentStatus);

/** Operations that aren't in the API document but that platforms of this kind serve: the other reads, and missing actions. */
export const extensionOperations = {
  list_environments: operation({
    ...read, name: 'list_environments', path: '/project/{projectId}/environment', query: pageQuery, response: listOf(Environment),
    summary: 'List the environments of a project.',
  }),
  list_services_of_organization: operation({
    ...read, name: 'list_services_of_organization', path: '/organization/{organizationId}/services',
    query: { project_id: reference('project').optional(), environment_id: reference('environment').optional(), cluster_id: reference('cluster').optional() },
    roles: { project_id: { within: 'project' }, environment_id: { within: 'environment' }, cluster_id: { within: 'cluster' } },
    response: z.object({ results: z.array(ServiceOfOrganization) }), showsEnvironments: true,
    summary: 'List the services of an organization, of every kind, with their places.',
  }),
  list_environments_of_organization: wideList(
    'list_environments_of_organization', '/organization/{organizationId}/environments', EnvironmentOfOrganization, 'List the environments of an organization.',
  ),
  list_environment_overviews: wideList(
    'list_environment_overviews', '/project/{projectId}/environment/overview', EnvironmentOverview, 'List the environments of a project with their clusters and states.',
  ),
  list_environment_statuses: wideList(
    'list_environment_statuses', '/project/{projectId}/environment/status', EnvironmentStatus, 'List the states of the environments of a project.',
  ),
  list_events: operation({
    ...read, name: 'list_events', path: '/organization/{organizationId}/events', query: eventQuery, response: EventPage, showsEnvironments: true,
    roles: { service_project_id: { within: 'project' }, service_environment_id: { within: 'environment' } },
    summary: 'List who changed what, newest first.',
  }),
  get_environment: operation({
    ...read, name: 'get_environment', path: '/environment/{environmentId}', response: Environment,
    summary: 'Read an environment.',
  }),
  list_services: operation({
    ...read, name: 'list_services', path: '/environment/{environmentId}/services', query: pageQuery, response: listOf(AnyService),
    summary: 'List the services of an environment, of every kind.',
  }),
  get_environment_status: operation({
    ...read, name: 'get_environment_status', path: '/environment/{environmentId}/statuses',
    response: z.object({
      environment: EnvironmentStatus, applications: statuses, containers: statuses, databases: statuses, jobs: statuses,
      helms: statuses, terraforms: statuses,
    }),
    summary: 'Read the deployment states of an environment and of each of its services.',
  }),
  get_application: readService('application', Application),
  get_container: readService('container', Container),
  get_database: readService('database', Database),
  get_job: readService('job', Job),
  get_terraform: readService('terraform', Terraform),
  get_container_status: readStatus('container'),
  get_database_status: readStatus('database'),
  get_job_status: readStatus('job'),
  get_helm_status: readStatus('helm'),
  get_terraform_status: readStatus('terraform'),
  get_container_logs: readLogs('container'),
  get_database_logs: readLogs('database'),
  get_job_logs: readLogs('job'),
  get_helm_logs: readLogs('helm'),
  get_terraform_logs: readLogs('terraform'),
  list_application_deployments: readHistory('application'),
  list_container_deployments: readHistory('container'),
  list_database_deployments: readHistory('database'),
  list_helm_deployments: readHistory('helm'),
  list_terraform_deployments: readHistory('terraform'),
  list_environment_deployments: readHistory('environment'),
  get_environment_logs: operation({
    ...read, name: 'get_environment_logs', path: '/environment/{environmentId}/logs', query: logQuery, response: EnvironmentLog,
    summary: "Read the log of an environment's latest deployments, with step and service.",
  }),
  get_application_links: readLinks('application'),
  get_container_links: readLinks('container'),
  get_helm_links: readLinks('helm'),
  list_links_of_environment: operation({
    ...read, name: 'list_links_of_environment', path: '/environment/{environmentId}/link', response: z.object({ results: z.array(Link) }),
    summary: 'List the public addresses of the services of an environment.',
  }),
  list_variables_of_environment: operation({
    ...read, name: 'list_variables_of_environment', path: '/environment/{environmentId}/environmentVariable', query: pageQuery,
    response: listOf(EnvironmentVariable), summary: 'List the variables an environment sees.',
  }),
  list_variables_of_container: operation({
    ...read, name: 'list_variables_of_container', path: '/container/{containerId}/environmentVariable', query: pageQuery,
    response: listOf(EnvironmentVariable), summary: 'List the variables a container sees, of every scope.',
  }),
  update_variable_of_application: updateVariable('application'),
  update_variable_of_container: updateVariable('container'),
  update_variable_of_job: updateVariable('job'),
  list_clusters: listInOrganization('list_clusters', 'cluster', Cluster, 'List the clusters of an organization.'),
  get_cluster_status: operation({
    ...read, name: 'get_cluster_status', path: '/organization/{organizationId}/cluster/{clusterId}/status', response: ClusterStatus,
    summary: "Read a cluster's state, lock and next version.",
  }),
  list_cluster_locks: listInOrganization('list_cluster_locks', 'cluster/lock', ClusterLock, 'List the locks on clusters of an organization.'),
  list_locks: listInOrganization('list_locks', 'lock', ClusterLock, 'List the locks on clusters of an organization, under its other path.'),
  list_alert_rules: listInOrganization('list_alert_rules', 'alert-rules', ListedAlertRule, 'List the alert rules of an organization.'),
  get_alert_rule: operation({
    ...read, name: 'get_alert_rule', path: '/alert-rules/{alertRuleId}', response: AlertRule, summary: 'Read an alert rule.',
  }),
  list_alert_receivers: listInOrganization('list_alert_receivers', 'alert-receivers', AlertReceiver, 'List where alerts are sent.'),
  list_webhooks: listInOrganization('list_webhooks', 'webhook', Webhook, 'List the webhooks, without their secrets.'),
  list_labels_groups: listInOrganization('list_labels_groups', 'labelsGroups', LabelsGroup, 'List the labels groups.'),
  list_annotations_groups: listInOrganization('list_annotations_groups', 'annotationsGroups', AnnotationsGroup, 'List the annotations groups.'),
  list_helm_repositories: listInOrganization('list_helm_repositories', 'helmRepository', HelmRepository, 'List the helm repositories, without credentials.'),
  list_container_registries: listInOrganization('list_container_registries', 'containerRegistry', ContainerRegistry, 'List the container registries.'),
  list_roles: listInOrganization('list_roles', 'availableRole', AvailableRole, 'List the roles members can have.'),
  list_invitations: listInOrganization('list_invitations', 'inviteMember', Invitation, 'List the invitations.'),
  get_billing_info: operation({
    ...read, name: 'get_billing_info', path: '/organization/{organizationId}/billingInfo', response: BillingInfo,
    summary: 'Read the billing information.',
  }),
  update_application: operation({
    ...undocumented, name: 'update_application', method: 'PUT', path: '/application/{applicationId}', body: ApplicationRequest, response: Application, ...shownReplacement,
    target: 'application', roles: { build_mode: 'unrelated', 'autoscaling.mode': 'unrelated' }, summary: "Replace an application's whole configuration.",
  }),
  update_database: operation({
    ...undocumented, name: 'update_database', method: 'PUT', path: '/database/{databaseId}', body: DatabaseUpdateRequest, response: Database, ...shownReplacement,
    target: 'database', summary: "Replace a database's configuration; its type and mode stay.",
  }),
  create_container: operation({
    ...undocumented, name: 'create_container', method: 'POST', path: '/environment/{environmentId}/container', body: ContainerRequest, response: Container, effect: 'write',
    target: 'environment', creates: { kind: 'container', in: 'environment' }, roles: { 'autoscaling.mode': 'unrelated' }, summary: 'Create a container from an image.',
  }),
  create_job: operation({
    ...undocumented, name: 'create_job', method: 'POST', path: '/environment/{environmentId}/job', body: JobRequest, response: Job, effect: 'write',
    target: 'environment', creates: { kind: 'job', in: 'environment' }, summary: 'Create a job that runs on a schedule or at events of its environment.',
  }),
  update_job: operation({
    ...undocumented, name: 'update_job', method: 'PUT', path: '/job/{jobId}', body: JobRequest, response: Job, ...shownReplacement,
    target: 'job', summary: "Replace a job's whole configuration.",
  }),
  deploy_container: deploy('container'),
  deploy_helm: deploy('helm'),
  deploy_job: deploy('job'),
  redeploy_application: redeploy('application'),
  redeploy_container: redeploy('container'),
  redeploy_helm: redeploy('helm'),
  redeploy_job: redeploy('job'),
  deploy_environment: operation({
    ...undocumented, name: 'deploy_environment', method: 'POST', path: '/environment/{environmentId}/deploy', response: EnvironmentStatus,
    effect: 'write', permission: 'deploy', target: 'environment',
    carriesOut: {
      application: 'deploy_application', container: 'deploy_container', database: 'deploy_database', job: 'deploy_job', helm: 'deploy_helm',
      terraform: 'redeploy_terraform',
    },
    summary: 'Deploy every service of an environment: applications at their newest commits, jobs are run, Terraform plans and applies.',
  }),
  stop_services: operation({
    ...undocumented, name: 'stop_services', method: 'POST', path: '/environment/{environmentId}/service/stop', body: StopServicesRequest,
    effect: 'destructive', permission: 'deploy', target: 'environment',
    roles: {
      application_ids: { within: 'application' }, container_ids: { within: 'container' }, database_ids: { within: 'database' }, job_ids: { within: 'job' },
      helm_ids: { within: 'helm' }, terraform_ids: { within: 'terraform' },
    },
    summary: 'Stop selected services of an environment.',
  }),
  start_services: operation({
    ...undocumented, name: 'start_services', method: 'POST', path: '/environment/{environmentId}/service/deploy', body: DeployServicesRequest, response: EnvironmentStatus,
    effect: 'disruptive', permission: 'deploy', target: 'environment',
    roles: { 'applications.application_id': { within: 'application' }, 'containers.id': { within: 'container' }, 'helms.id': { within: 'helm' }, databases: { within: 'database' } },
    summary: 'Deploy selected services of an environment at given versions or, without one, at those that were deployed before.',
  }),
  delete_application: remove('application'),
  delete_container: remove('container'),
  delete_database: remove('database'),
  delete_job: remove('job'),
  delete_helm: remove('helm'),
  delete_terraform: remove('terraform'),
  delete_environment: operation({
    ...undocumented, name: 'delete_environment', method: 'DELETE', path: '/environment/{environmentId}', effect: 'destructive', permission: 'admin', target: 'environment',
    carriesOut: {
      application: 'delete_application', container: 'delete_container', database: 'delete_database', job: 'delete_job', helm: 'delete_helm', terraform: 'delete_terraform',
    },
    summary: 'Take down an environment and delete it for good, with every service in it.',
  }),
  cancel_deployment: operation({
    ...undocumented, name: 'cancel_deployment', method: 'POST', path: '/environment/{environmentId}/cancelDeployment',
    // Without members it sends an empty one, which some platforms require.
    body: z.object({}), response: EnvironmentStatus, effect: 'disruptive', permission: 'deploy', target: 'environment', summary: "Cancel an environment's running deployment.",
  }),
  unlock_cluster: operation({
    ...undocumented, name: 'unlock_cluster', method: 'DELETE', path: '/cluster/{clusterId}/lock', effect: 'disruptive', permission: 'admin', target: 'cluster',
    summary: "Remove a cluster's lock.",
  }),
  clone_environment: operation({
    ...undocumented, name: 'clone_environment', method: 'POST', path: '/environment/{environmentId}/clone', body: CloneRequest, response: Environment,
    effect: 'write', target: 'environment', creates: { kind: 'environment', in: 'project' },
    roles: { mode: 'mode', cluster_id: { pointsAt: 'cluster' }, project_id: { pointsAt: 'project' } },
    summary: 'Copy an environment with its services, variables and secrets, without the data of databases.',
  }),
  list_variables_of_job: operation({
    ...read, name: 'list_variables_of_job', path: '/job/{jobId}/environmentVariable', query: pageQuery,
    response: listOf(EnvironmentVariable), summary: 'List the variables a job sees, of every scope.',
  }),
  list_secrets_of_application: listSecrets('application'),
  list_secrets_of_container: listSecrets('container'),
  list_secrets_of_job: listSecrets('job'),
  list_secrets_of_environment: listSecrets('environment'),
  delete_variable_of_application: deleteVariable('application'),
  delete_variable_of_container: deleteVariable('container'),
  delete_variable_of_job: deleteVariable('job'),
  delete_variable_of_environment: deleteVariable('environment'),
  delete_secret_of_application: deleteSecret('application'),
  delete_secret_of_container: deleteSecret('container'),
  delete_secret_of_job: deleteSecret('job'),
  delete_secret_of_environment: deleteSecret('environment'),
  list_application_domains: listDomains('application'),
  list_container_domains: listDomains('container'),
  list_helm_domains: listDomains('helm'),
  check_application_domains: checkDomains('application'),
  check_container_domains: checkDomains('container'),
  check_helm_domains: checkDomains('helm'),
  create_application_domain: createDomain('application'),
  create_container_domain: createDomain('container'),
  create_helm_domain: createDomain('helm'),
  delete_application_domain: deleteDomain('application'),
  delete_container_domain: deleteDomain('container'),
  delete_helm_domain: deleteDomain('helm'),
} as const;
