import type { Tool } from '../src/server/tool/index.ts';
import { deployApplication } from './application/deploy-application.ts';
import { rollbackApplication } from './application/rollback-application.ts';
import { unlockCluster } from './cluster/unlock-cluster.ts';
import { deployService } from './deployment/deploy-service.ts';
import { diagnoseDeployment } from './deployment/diagnose-deployment.ts';
import { listDeployments } from './deployment/list-deployments.ts';
import { waitForDeployment } from './deployment/wait-for-deployment.ts';
import { cancelDeployment } from './environment/cancel-deployment.ts';
import { getEnvironmentOverview } from './environment/get-environment-overview.ts';
import { restartServices } from './environment/restart-services.ts';
import { findResource } from './platform/find-resource.ts';
import { getService } from './service/get-service.ts';
import { searchLogs } from './service/search-logs.ts';
import { listEnvironmentVariables } from './variable/list-environment-variables.ts';
import { setEnvironmentVariables } from './variable/set-environment-variables.ts';

/** The name that selects the core tools, used beside the names of toolsets. */
export const coreName = 'core';

/** The tools for everyday work, few enough to take little of a model's context: find, inspect, explain, deploy, roll back, configure. */
export const core: readonly Tool[] = [
  findResource,
  getEnvironmentOverview,
  getService,
  searchLogs,
  diagnoseDeployment,
  listDeployments,
  waitForDeployment,
  deployService,
  deployApplication,
  rollbackApplication,
  cancelDeployment,
  restartServices,
  listEnvironmentVariables,
  setEnvironmentVariables,
  unlockCluster,
];
