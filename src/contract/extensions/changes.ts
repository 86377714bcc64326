import { operation, shownReplacement } from '../operation.ts';
import { Application, ApplicationRequest } from '../resources/application.ts';
import { Container, ContainerRequest } from '../resources/container.ts';
import { Database, DatabaseUpdateRequest } from '../resources/database.ts';
import { CloneRequest, Environment } from '../resources/environment.ts';
import { Job, JobRequest } from '../resources/job.ts';
import { type ServiceKind } from '../resources/service.ts';
import { Terraform, TerraformRequest } from '../resources/terraform.ts';
import { undocumented } from './common.ts';

const remove = <const Kind extends ServiceKind>(kind: Kind) =>
  operation({
    ...undocumented, name: `delete_${kind}`, method: 'DELETE', path: `/${kind}/{${kind}Id}`, effect: 'destructive', permission: 'admin', target: kind,
    summary: `Take down one service of kind ${kind} and delete it for good.`,
  });

/** Operations outside the API document: creating, replacing and deleting services and environments. */
export const changeExtensions = {
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
  create_terraform: operation({
    ...undocumented, name: 'create_terraform', method: 'POST', path: '/environment/{environmentId}/terraform', body: TerraformRequest, response: Terraform, effect: 'write',
    target: 'environment', creates: { kind: 'terraform', in: 'environment' }, summary: 'Create a terraform service from a git repository.',
  }),
  update_terraform: operation({
    ...undocumented, name: 'update_terraform', method: 'PUT', path: '/terraform/{terraformId}', body: TerraformRequest, response: Terraform, ...shownReplacement,
    target: 'terraform', summary: "Replace a terraform service's whole configuration.",
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
  clone_environment: operation({
    ...undocumented, name: 'clone_environment', method: 'POST', path: '/environment/{environmentId}/clone', body: CloneRequest, response: Environment,
    effect: 'write', target: 'environment', creates: { kind: 'environment', in: 'project' },
    roles: { mode: 'mode', cluster_id: { pointsAt: 'cluster' }, project_id: { pointsAt: 'project' } },
    summary: 'Copy an environment with its services, variables and secrets, without the data of databases.',
  }),
} as const;
