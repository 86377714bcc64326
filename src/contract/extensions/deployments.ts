import * as z from 'zod';
import { operation } from '../operation.ts';
import { Deployment, DeployRequest, ServiceDeploymentStatus, versionFields } from '../resources/deployment.ts';
import { DeployServicesRequest, EnvironmentStatus, StopServicesRequest } from '../resources/environment.ts';
import { JobRun, JobRunCancelRequest, JobRunRequest } from '../resources/job.ts';
import { type ServiceKind } from '../resources/service.ts';
import { TerraformPlan } from '../resources/terraform.ts';
import { undocumented } from './common.ts';

const deploy = <const Kind extends ServiceKind, Body extends z.ZodObject>(kind: Kind, body: Body) =>
  operation({
    ...undocumented,
    name: `deploy_${kind}`,
    changesWhatRuns: true,
    method: 'POST',
    path: `/${kind}/{${kind}Id}/deploy`,
    body,
    response: Deployment,
    effect: 'write',
    permission: 'deploy',
    target: kind,
    redeploy: `redeploy_${kind}`,
    summary: `Deploy one service of kind ${kind}.`,
  });

const redeploy = <const Kind extends ServiceKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `redeploy_${kind}`,
    changesWhatRuns: true,
    method: 'POST',
    path: `/${kind}/{${kind}Id}/redeploy`,
    response: ServiceDeploymentStatus,
    effect: 'write',
    permission: 'deploy',
    target: kind,
    summary: `Deploy the present version of one service of kind ${kind} again.`,
  });

const stop = <const Kind extends ServiceKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `stop_${kind}`,
    changesWhatRuns: true,
    method: 'POST',
    path: `/${kind}/{${kind}Id}/stop`,
    response: ServiceDeploymentStatus,
    effect: 'destructive',
    permission: 'deploy',
    target: kind,
    summary: `Stop one service of kind ${kind}.`,
  });

/** The operation that deploys a single service of each kind. */
const carriesOut = {
  application: 'deploy_application',
  container: 'deploy_container',
  database: 'deploy_database',
  job: 'deploy_job',
  helm: 'deploy_helm',
  terraform: 'redeploy_terraform',
} as const satisfies Readonly<Record<ServiceKind, string>>;

/** Operations outside the API document: deploying, stopping and canceling. */
export const deploymentExtensions = {
  deploy_container: deploy('container', DeployRequest.extend(versionFields.container)),
  deploy_helm: deploy('helm', DeployRequest.extend(versionFields.helm)),
  deploy_job: deploy('job', DeployRequest),
  redeploy_application: redeploy('application'),
  redeploy_container: redeploy('container'),
  redeploy_helm: redeploy('helm'),
  redeploy_job: redeploy('job'),
  run_job: operation({
    ...undocumented,
    name: 'run_job',
    method: 'POST',
    path: '/job/{jobId}/run',
    body: JobRunRequest,
    response: JobRun,
    // Its arguments decide what it does: more than a deployment, whose configuration shows it.
    effect: 'disruptive',
    permission: 'deploy',
    target: 'job',
    summary: 'Run the deployed version of a job once now, with arguments for this run only.',
  }),
  cancel_job_run: operation({
    ...undocumented,
    name: 'cancel_job_run',
    method: 'POST',
    path: '/job/{jobId}/run/cancel',
    body: JobRunCancelRequest,
    response: JobRun,
    effect: 'disruptive',
    permission: 'deploy',
    target: 'job',
    summary: 'Cancel a run of a job that is under way. Its schedule stays.',
  }),
  plan_terraform: operation({
    ...undocumented,
    name: 'plan_terraform',
    method: 'POST',
    path: '/terraform/{terraformId}/plan',
    body: DeployRequest,
    response: TerraformPlan,
    effect: 'write',
    permission: 'deploy',
    target: 'terraform',
    summary: 'Plan what a deployment of one terraform service would change. Nothing is changed.',
  }),
  stop_application: stop('application'),
  stop_container: stop('container'),
  stop_database: stop('database'),
  stop_helm: stop('helm'),
  stop_job: stop('job'),
  deploy_environment: operation({
    ...undocumented,
    name: 'deploy_environment',
    changesWhatRuns: true,
    method: 'POST',
    path: '/environment/{environmentId}/deploy',
    response: EnvironmentStatus,
    effect: 'write',
    permission: 'deploy',
    target: 'environment',
    carriesOut,
    summary:
      'Deploy every service of an environment: applications at their newest commits, jobs are run, Terraform plans and applies.',
  }),
  stop_services: operation({
    ...undocumented,
    name: 'stop_services',
    changesWhatRuns: true,
    method: 'POST',
    path: '/environment/{environmentId}/service/stop',
    body: StopServicesRequest,
    effect: 'destructive',
    permission: 'deploy',
    target: 'environment',
    // Services that depend on others first, like a stop of all services.
    oneByOne: {
      helm_ids: 'stop_helm',
      application_ids: 'stop_application',
      container_ids: 'stop_container',
      job_ids: 'stop_job',
      database_ids: 'stop_database',
    },
    roles: {
      application_ids: { within: 'application' },
      container_ids: { within: 'container' },
      database_ids: { within: 'database' },
      job_ids: { within: 'job' },
      helm_ids: { within: 'helm' },
      terraform_ids: { within: 'terraform' },
    },
    summary: 'Stop selected services of an environment.',
  }),
  deploy_services: operation({
    ...undocumented,
    name: 'deploy_services',
    changesWhatRuns: true,
    method: 'POST',
    path: '/environment/{environmentId}/service/deploy',
    body: DeployServicesRequest,
    response: EnvironmentStatus,
    // A deployment counts as much as deploying each service. Starting stopped services can't show the version of every
    // kind, and so needs confirmation.
    effect: 'write',
    effectIfHidden: 'disruptive',
    permission: 'deploy',
    target: 'environment',
    carriesOut,
    oneByOne: {
      databases: 'deploy_database',
      containers: 'deploy_container',
      applications: 'deploy_application',
      helms: 'deploy_helm',
    },
    roles: {
      'applications.application_id': { within: 'application' },
      'containers.id': { within: 'container' },
      databases: { within: 'database' },
      'jobs.id': { within: 'job' },
      'helms.id': { within: 'helm' },
      'terraforms.id': { within: 'terraform' },
    },
    summary:
      'Deploy selected services of an environment: each at the version that is given for it or, without one, at its configured tag or chart version, or the commit that was deployed last.',
  }),
  cancel_deployment: operation({
    ...undocumented,
    name: 'cancel_deployment',
    method: 'POST',
    path: '/environment/{environmentId}/cancelDeployment',
    // A body without members is sent as an empty object, which some platforms require.
    body: z.object({}),
    response: EnvironmentStatus,
    effect: 'disruptive',
    permission: 'deploy',
    target: 'environment',
    summary: "Cancel an environment's running deployment.",
  }),
} as const;
