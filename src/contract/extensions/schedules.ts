import { operation } from '../operation.ts';
import { DeploymentRule, DeploymentRuleRequest } from '../resources/deployment-rule.ts';
import { DeploymentWindow, DeploymentWindowRequest } from '../resources/deployment-window.ts';
import { Environment, EnvironmentEndRequest } from '../resources/environment.ts';
import { read, undocumented } from './common.ts';
import { listInOrganization } from './organization.ts';

const windows = '/organization/{organizationId}/deploymentWindow';

/** What a window is about, by its members. */
const aboutTarget = {
  target: 'environment',
  targetBy: { scope: 'target_type', id: 'target_id' },
  reachesEnvironments: true,
  permission: 'admin',
} as const;

/** Operations outside the API document: when environments stop, start and end by themselves, and when nothing is deployed. */
export const scheduleExtensions = {
  get_deployment_rule: operation({
    ...read,
    name: 'get_deployment_rule',
    path: '/environment/{environmentId}/deploymentRule',
    response: DeploymentRule,
    summary: 'Read when an environment is stopped and started by its timetable.',
  }),
  update_deployment_rule: operation({
    ...undocumented,
    name: 'update_deployment_rule',
    method: 'PUT',
    path: '/environment/{environmentId}/deploymentRule/{deploymentRuleId}',
    body: DeploymentRuleRequest,
    response: DeploymentRule,
    effect: 'disruptive',
    target: 'environment',
    summary: 'Replace the timetable by which an environment is stopped and started.',
  }),
  set_environment_end: operation({
    ...undocumented,
    name: 'set_environment_end',
    method: 'PUT',
    path: '/environment/{environmentId}/end',
    body: EnvironmentEndRequest,
    response: Environment,
    effect: 'destructive',
    permission: 'admin',
    target: 'environment',
    summary: 'Give an environment that is not PRODUCTION an end, at which the platform deletes it.',
  }),
  unset_environment_end: operation({
    ...undocumented,
    name: 'unset_environment_end',
    method: 'DELETE',
    path: '/environment/{environmentId}/end',
    response: Environment,
    effect: 'write',
    target: 'environment',
    summary: 'Remove the end of an environment: it stays until somebody deletes it.',
  }),
  list_deployment_windows: listInOrganization(
    'list_deployment_windows',
    'deploymentWindow',
    DeploymentWindow,
    'List the windows in which deployments are refused.',
    'deployment windows',
  ),
  create_deployment_window: operation({
    ...undocumented,
    ...aboutTarget,
    name: 'create_deployment_window',
    method: 'POST',
    path: windows,
    body: DeploymentWindowRequest,
    response: DeploymentWindow,
    effect: 'disruptive',
    creates: { kind: 'deployment_window', in: 'environment' },
    summary: 'Refuse deployments of a cluster, a project or an environment at some times.',
  }),
  delete_deployment_window: operation({
    ...undocumented,
    ...aboutTarget,
    name: 'delete_deployment_window',
    method: 'DELETE',
    path: `${windows}/{deploymentWindowId}`,
    effect: 'sensitive',
    summary: 'Delete a window in which deployments are refused: they are accepted again at once.',
  }),
} as const;
