import type { Tool } from '../src/server/tool/index.ts';
import { listAlertRules } from './alert-rule/list-alert-rules.ts';
import { updateAlertRule } from './alert-rule/update-alert-rule.ts';
import { createApplication } from './application/create-application.ts';
import { deployApplication } from './application/deploy-application.ts';
import { getApplicationLogs } from './application/get-application-logs.ts';
import { getApplicationStatus } from './application/get-application-status.ts';
import { rollbackApplication } from './application/rollback-application.ts';
import { updateApplication } from './application/update-application.ts';
import { listClusters } from './cluster/list-clusters.ts';
import { lockCluster } from './cluster/lock-cluster.ts';
import { unlockCluster } from './cluster/unlock-cluster.ts';
import { upgradeCluster } from './cluster/upgrade-cluster.ts';
import { createContainer } from './container/create-container.ts';
import { updateContainer } from './container/update-container.ts';
import { createDatabaseBackup } from './database/create-database-backup.ts';
import { createDatabase } from './database/create-database.ts';
import { deployDatabase } from './database/deploy-database.ts';
import { listDatabaseBackups } from './database/list-database-backups.ts';
import { restoreDatabase } from './database/restore-database.ts';
import { updateDatabase } from './database/update-database.ts';
import { deployService } from './deployment/deploy-service.ts';
import { diagnoseDeployment } from './deployment/diagnose-deployment.ts';
import { listDeployments } from './deployment/list-deployments.ts';
import { waitForDeployment } from './deployment/wait-for-deployment.ts';
import { createCustomDomain } from './domain/create-custom-domain.ts';
import { deleteCustomDomain } from './domain/delete-custom-domain.ts';
import { cancelDeployment } from './environment/cancel-deployment.ts';
import { cloneEnvironment } from './environment/clone-environment.ts';
import { compareEnvironments } from './environment/compare-environments.ts';
import { createEnvironment } from './environment/create-environment.ts';
import { deleteEnvironment } from './environment/delete-environment.ts';
import { getEnvironmentOverview } from './environment/get-environment-overview.ts';
import { getEnvironmentStatus } from './environment/get-environment-status.ts';
import { getEnvironment } from './environment/get-environment.ts';
import { listEnvironments } from './environment/list-environments.ts';
import { listServices } from './environment/list-services.ts';
import { restartServices } from './environment/restart-services.ts';
import { stopEnvironment } from './environment/stop-environment.ts';
import { createHelmRepository } from './helm/create-helm-repository.ts';
import { getHelm } from './helm/get-helm.ts';
import { updateHelm } from './helm/update-helm.ts';
import { createJob } from './job/create-job.ts';
import { listJobDeployments } from './job/list-job-deployments.ts';
import { updateJob } from './job/update-job.ts';
import { getLabelsGroup } from './organization/get-labels-group.ts';
import { getOrganizationOverview } from './organization/get-organization-overview.ts';
import { getOrganization } from './organization/get-organization.ts';
import { inviteMember } from './organization/invite-member.ts';
import { listEvents } from './organization/list-events.ts';
import { listMembers } from './organization/list-members.ts';
import { updateBillingInfo } from './organization/update-billing-info.ts';
import { findResource } from './platform/find-resource.ts';
import { getApiBudget } from './platform/get-api-budget.ts';
import { createProject } from './project/create-project.ts';
import { listProjects } from './project/list-projects.ts';
import { deleteService } from './service/delete-service.ts';
import { getService } from './service/get-service.ts';
import { searchLogs } from './service/search-logs.ts';
import { startServices } from './service/start-services.ts';
import { stopServices } from './service/stop-services.ts';
import { planTerraform } from './terraform/plan-terraform.ts';
import { redeployTerraform } from './terraform/redeploy-terraform.ts';
import { createEnvironmentVariable } from './variable/create-environment-variable.ts';
import { createSecret } from './variable/create-secret.ts';
import { deleteEnvironmentVariable } from './variable/delete-environment-variable.ts';
import { listEnvironmentVariables } from './variable/list-environment-variables.ts';
import { overrideEnvironmentVariable } from './variable/override-environment-variable.ts';
import { setEnvironmentVariables } from './variable/set-environment-variables.ts';
import { updateEnvironmentVariable } from './variable/update-environment-variable.ts';
import { createWebhook } from './webhook/create-webhook.ts';
import { listWebhookEvents } from './webhook/list-webhook-events.ts';

export { core, coreName } from './core.ts';

/**
 * Every tool: those of documented operations in the document's order, then those of other operations, then those that
 * combine several.
 */
export const tools: readonly Tool[] = [
  getOrganization,
  listProjects,
  createProject,
  createEnvironment,
  createApplication,
  createDatabase,
  deployDatabase,
  deployApplication,
  getApplicationStatus,
  createEnvironmentVariable,
  listEnvironmentVariables,
  createSecret,
  getApplicationLogs,
  updateEnvironmentVariable,
  overrideEnvironmentVariable,
  updateContainer,
  restartServices,
  stopEnvironment,
  updateHelm,
  getHelm,
  planTerraform,
  redeployTerraform,
  lockCluster,
  upgradeCluster,
  listMembers,
  inviteMember,
  updateAlertRule,
  createHelmRepository,
  updateBillingInfo,
  listJobDeployments,
  getLabelsGroup,
  createWebhook,
  listWebhookEvents,
  listEnvironments,
  getEnvironment,
  listServices,
  getEnvironmentStatus,
  listClusters,
  cancelDeployment,
  unlockCluster,
  listAlertRules,
  listEvents,
  cloneEnvironment,
  listDatabaseBackups,
  createDatabaseBackup,
  restoreDatabase,
  findResource,
  getOrganizationOverview,
  getEnvironmentOverview,
  getService,
  listDeployments,
  diagnoseDeployment,
  searchLogs,
  compareEnvironments,
  waitForDeployment,
  deployService,
  rollbackApplication,
  updateApplication,
  createContainer,
  updateDatabase,
  createJob,
  updateJob,
  setEnvironmentVariables,
  stopServices,
  startServices,
  deleteService,
  deleteEnvironment,
  createCustomDomain,
  deleteCustomDomain,
  deleteEnvironmentVariable,
  getApiBudget,
];
