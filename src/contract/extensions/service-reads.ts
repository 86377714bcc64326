import * as z from 'zod';
import { operation } from '../operation.ts';
import { listOf, pageQuery } from '../primitives.ts';
import { Application } from '../resources/application.ts';
import { Container } from '../resources/container.ts';
import { Database } from '../resources/database.ts';
import { EnvironmentLog, Log, logQuery, ServiceDeploymentStatus } from '../resources/deployment.ts';
import { Environment, EnvironmentStatus } from '../resources/environment.ts';
import { Helm } from '../resources/helm.ts';
import { Commit, DeploymentHistory, historyQuery, Job } from '../resources/job.ts';
import { Link } from '../resources/link.ts';
import { Terraform, TerraformPlans } from '../resources/terraform.ts';
import { read } from './common.ts';

const readService = <const Kind extends string, Response extends z.ZodType>(kind: Kind, response: Response) =>
  operation({
    ...read,
    name: `get_${kind}`,
    path: `/${kind}/{${kind}Id}`,
    response,
    summary: `Read one service of kind ${kind}.`,
  });

const readStatus = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read,
    name: `get_${kind}_status`,
    path: `/${kind}/{${kind}Id}/status`,
    response: ServiceDeploymentStatus,
    summary: `Read the deployment state of one service of kind ${kind}.`,
  });

const readLogs = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read,
    name: `get_${kind}_logs`,
    path: `/${kind}/{${kind}Id}/log`,
    query: logQuery,
    response: Log,
    summary: `Read the newest log lines of one service of kind ${kind}.`,
  });

const readHistory = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read,
    name: `list_${kind}_deployments`,
    path: `/${kind}/{${kind}Id}/deploymentHistoryV2`,
    query: historyQuery,
    response: DeploymentHistory,
    summary: `List the deployments of one ${kind}, newest first.`,
  });

const readLinks = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read,
    name: `get_${kind}_links`,
    path: `/${kind}/{${kind}Id}/link`,
    response: z.object({ results: z.array(Link) }),
    summary: `Read the public addresses of one service of kind ${kind}.`,
  });

const readCommits = <const Kind extends string>(kind: Kind) =>
  operation({
    ...read,
    name: `list_${kind}_commits`,
    path: `/${kind}/{${kind}Id}/commit`,
    response: z.object({ results: z.array(Commit) }),
    summary: `List the newest commits of the branch of one service of kind ${kind}, newest first.`,
  });

// One list mixes services of every kind: members that all kinds share are typed, the others pass through.
const AnyService = z.union([Application, Container, Database, Job, Helm, Terraform]);

const statuses = z.array(ServiceDeploymentStatus);

/** Operations outside the API document: the reads of environments and services. */
export const serviceReadExtensions = {
  get_environment: operation({
    ...read,
    name: 'get_environment',
    path: '/environment/{environmentId}',
    response: Environment,
    summary: 'Read an environment.',
  }),
  list_services: operation({
    ...read,
    name: 'list_services',
    path: '/environment/{environmentId}/services',
    query: pageQuery,
    response: listOf(AnyService),
    summary: 'List the services of an environment, of every kind.',
  }),
  get_environment_status: operation({
    ...read,
    name: 'get_environment_status',
    path: '/environment/{environmentId}/statuses',
    response: z.object({
      environment: EnvironmentStatus,
      applications: statuses,
      containers: statuses,
      databases: statuses,
      jobs: statuses,
      helms: statuses,
      terraforms: statuses,
    }),
    summary: 'Read the deployment states of an environment and of each of its services.',
  }),
  get_application: readService('application', Application),
  get_container: readService('container', Container),
  get_database: readService('database', Database),
  get_job: readService('job', Job),
  get_terraform: readService('terraform', Terraform),
  list_terraform_plans: operation({
    ...read,
    name: 'list_terraform_plans',
    path: '/terraform/{terraformId}/plan',
    response: TerraformPlans,
    summary: 'List the newest plans of one terraform service, newest first. Only the first can be applied.',
  }),
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
  list_application_commits: readCommits('application'),
  list_helm_commits: readCommits('helm'),
  list_job_commits: readCommits('job'),
  list_terraform_commits: readCommits('terraform'),
  get_environment_logs: operation({
    ...read,
    name: 'get_environment_logs',
    path: '/environment/{environmentId}/logs',
    query: logQuery,
    response: EnvironmentLog,
    summary: "Read the log of an environment's latest deployments, with step and service.",
  }),
  get_application_links: readLinks('application'),
  get_container_links: readLinks('container'),
  get_helm_links: readLinks('helm'),
  list_links_of_environment: operation({
    ...read,
    name: 'list_links_of_environment',
    path: '/environment/{environmentId}/link',
    response: z.object({ results: z.array(Link) }),
    summary: 'List the public addresses of the services of an environment.',
  }),
} as const;
