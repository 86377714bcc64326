import type { Tool } from '../src/server/tool/index.ts';
import { deployApplication, getApplicationLogs } from './application/applications.ts';
import { rollbackApplication } from './application/rollback-application.ts';
import { unlockCluster } from './cluster/clusters.ts';
import { updateContainer } from './container/containers.ts';
import { deployService } from './deployment/deploy-service.ts';
import { diagnoseDeployment } from './deployment/diagnose-deployment.ts';
import { listDeployments } from './deployment/list-deployments.ts';
import { waitForDeployment } from './deployment/wait-for-deployment.ts';
import { cancelDeployment, stopEnvironment } from './environment/environments.ts';
import { compareEnvironments } from './environment/compare-environments.ts';
import { getEnvironmentOverview } from './environment/get-environment-overview.ts';
import { restartServices } from './environment/restart-services.ts';
import { getOrganizationOverview } from './organization/get-organization-overview.ts';
import { listEvents } from './organization/list-events.ts';
import { findResource } from './platform/find-resource.ts';
import { getService } from './service/get-service.ts';
import { listEnvironmentVariables } from './variable/list-environment-variables.ts';
import { setEnvironmentVariables } from './variable/set-environment-variables.ts';

/** The name that selects the core tools, used like the names of toolsets. */
export const coreName = 'core';

/**
 * The tools for everyday work, few enough to use little of a model's context: find, inspect, explain, deploy, roll
 * back, configure.
 */
export const core: readonly Tool[] = [
  findResource,
  getOrganizationOverview,
  getEnvironmentOverview,
  getService,
  diagnoseDeployment,
  getApplicationLogs,
  listEvents,
  listDeployments,
  compareEnvironments,
  waitForDeployment,
  deployService,
  deployApplication,
  rollbackApplication,
  cancelDeployment,
  restartServices,
  stopEnvironment,
  updateContainer,
  listEnvironmentVariables,
  setEnvironmentVariables,
  unlockCluster,
];
