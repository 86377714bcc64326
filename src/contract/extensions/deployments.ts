import * as z from 'zod';
import { operation } from '../operation.ts';
import { Deployment, DeployRequest, ServiceDeploymentStatus } from '../resources/deployment.ts';
import { DeployServicesRequest, EnvironmentStatus, StopServicesRequest } from '../resources/environment.ts';
import { type ServiceKind } from '../resources/service.ts';
import { undocumented } from './common.ts';

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

/** Operations outside the API document: deploying, stopping and canceling. */
export const deploymentExtensions = {
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
  cancel_deployment: operation({
    ...undocumented, name: 'cancel_deployment', method: 'POST', path: '/environment/{environmentId}/cancelDeployment',
    // Without members it sends an empty one, which some platforms require.
    body: z.object({}), response: EnvironmentStatus, effect: 'disruptive', permission: 'deploy', target: 'environment', summary: "Cancel an environment's running deployment.",
  }),
} as const;
