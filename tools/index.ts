import {
  createDeploymentWindow,
  deleteDeploymentWindow,
  listDeploymentWindows,
} from './deployment-window/deployment-windows.ts';
import { setEnvironmentEnd, unsetEnvironmentEnd } from './environment/environment-ends.ts';
import { getDeploymentRule, updateDeploymentRule } from './environment/deployment-rules.ts';
import { isOfferedByDefault, type Tool } from '../src/server/tool/index.ts';
import {
  createAlertRule,
  deleteAlertRule,
  silenceAlertRule,
  unsilenceAlertRule,
} from './alert-rule/alert-administration.ts';
import {
  createAlertReceiver,
  deleteAlertReceiver,
  listAlertReceivers,
  testAlertReceiver,
  updateAlertReceiver,
} from './alert-rule/alert-receivers.ts';
import { listAlertRules, updateAlertRule } from './alert-rule/alert-rules.ts';
import {
  createApplication,
  deployApplication,
  updateApplication,
  getApplicationStatus,
  getApplicationLogs,
} from './application/applications.ts';
import { rollbackApplication } from './application/rollback-application.ts';
import { getCluster } from './cluster/get-cluster.ts';
import { listClusters, lockCluster, unlockCluster, upgradeCluster } from './cluster/clusters.ts';
import { createContainer, updateContainer } from './container/containers.ts';
import {
  createDatabaseBackup,
  deleteDatabaseBackup,
  listDatabaseBackups,
  restoreDatabase,
} from './database/database-backups.ts';
import { createDatabase, updateDatabase, deployDatabase } from './database/databases.ts';
import { deployService } from './deployment/deploy-service.ts';
import { diagnoseDeployment } from './deployment/diagnose-deployment.ts';
import { listDeployments } from './deployment/list-deployments.ts';
import { waitForDeployment } from './deployment/wait-for-deployment.ts';
import { createCustomDomain, deleteCustomDomain } from './domain/domains.ts';
import {
  cancelDeployment,
  createEnvironment,
  getEnvironment,
  listEnvironments,
  deleteEnvironment,
  stopEnvironment,
  updateEnvironment,
} from './environment/environments.ts';
import { listServices } from './environment/list-services.ts';
import { cloneEnvironment } from './environment/clone-environment.ts';
import { compareEnvironments } from './environment/compare-environments.ts';
import { getEnvironmentOverview } from './environment/get-environment-overview.ts';
import { getEnvironmentStatus } from './environment/get-environment-status.ts';
import { restartServices } from './environment/restart-services.ts';
import {
  createAnnotationsGroup,
  createLabelsGroup,
  deleteAnnotationsGroup,
  deleteLabelsGroup,
  listAnnotationsGroups,
  listLabelsGroups,
  updateAnnotationsGroup,
  updateLabelsGroup,
} from './group/groups.ts';
import { createHelm, createHelmRepository, getHelm, updateHelm } from './helm/helm.ts';
import { cancelJobRun, runJob } from './job/job-runs.ts';
import { createJob, updateJob, listJobDeployments } from './job/jobs.ts';
import {
  getLabelsGroup,
  getOrganization,
  updateBillingInfo,
  listMembers,
  inviteMember,
} from './organization/organizations.ts';
import { createApiToken, listApiTokens, revokeApiToken } from './people/api-tokens.ts';
import { listInvitations, resendInvitation, revokeInvitation } from './people/invitations.ts';
import { removeMember, updateMemberRole } from './people/members.ts';
import { listRoles } from './people/roles.ts';
import { getOrganizationOverview } from './organization/get-organization-overview.ts';
import { listEvents } from './organization/list-events.ts';
import { findResource } from './platform/find-resource.ts';
import { getApiBudget } from './platform/get-api-budget.ts';
import { deleteProject, updateProject } from './project/project-administration.ts';
import { createProject, listProjects } from './project/projects.ts';
import { deleteService } from './service/delete-service.ts';
import { getService } from './service/get-service.ts';
import { searchLogs } from './service/search-logs.ts';
import { startServices } from './service/start-services.ts';
import { stopServices } from './service/stop-services.ts';
import { createTerraform, planTerraform, redeployTerraform } from './terraform/terraform.ts';
import { updateTerraform } from './terraform/update-terraform.ts';
import { createEnvironmentVariable, overrideEnvironmentVariable, createSecret } from './variable/new-variables.ts';
import {
  createContainerRegistry,
  deleteContainerRegistry,
  listContainerRegistries,
  updateContainerRegistry,
} from './registry/container-registries.ts';
import { createGitToken, deleteGitToken, listGitTokens, updateGitToken } from './registry/git-tokens.ts';
import {
  deleteHelmRepository,
  listHelmCharts,
  listHelmRepositories,
  updateHelmRepository,
} from './registry/helm-repositories.ts';
import { deleteEnvironmentVariable } from './variable/delete-environment-variable.ts';
import { listEnvironmentVariables } from './variable/list-environment-variables.ts';
import { setEnvironmentVariables } from './variable/set-environment-variables.ts';
import { updateEnvironmentVariable } from './variable/update-environment-variable.ts';
import { deleteWebhook, listWebhooks, testWebhook, updateWebhook } from './webhook/webhook-administration.ts';
import { createWebhook, listWebhookEvents } from './webhook/webhooks.ts';

export { core, coreName } from './core.ts';

/**
 * Every tool: those of documented operations in the document's order, then those of other operations, then those that
 * combine several, and those of the toolset administration.
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
  listWebhooks,
  updateProject,
  deleteProject,
  updateEnvironment,
  listRoles,
  updateMemberRole,
  removeMember,
  listInvitations,
  revokeInvitation,
  resendInvitation,
  listApiTokens,
  createApiToken,
  revokeApiToken,
  updateWebhook,
  testWebhook,
  deleteWebhook,
  createAlertRule,
  silenceAlertRule,
  unsilenceAlertRule,
  deleteAlertRule,
  listAlertReceivers,
  createAlertReceiver,
  updateAlertReceiver,
  testAlertReceiver,
  deleteAlertReceiver,
  listHelmRepositories,
  updateHelmRepository,
  deleteHelmRepository,
  listHelmCharts,
  listContainerRegistries,
  createContainerRegistry,
  updateContainerRegistry,
  deleteContainerRegistry,
  listGitTokens,
  createGitToken,
  updateGitToken,
  deleteGitToken,
  listLabelsGroups,
  createLabelsGroup,
  updateLabelsGroup,
  deleteLabelsGroup,
  listAnnotationsGroups,
  createAnnotationsGroup,
  updateAnnotationsGroup,
  deleteAnnotationsGroup,
  getDeploymentRule,
  updateDeploymentRule,
  listDeploymentWindows,
  createDeploymentWindow,
  deleteDeploymentWindow,
  setEnvironmentEnd,
  unsetEnvironmentEnd,
  runJob,
  cancelJobRun,
  createHelm,
  createTerraform,
  updateTerraform,
  getCluster,
  deleteDatabaseBackup,
];

/** The tools that are offered if nothing is chosen. */
export const defaultTools: readonly Tool[] = tools.filter(isOfferedByDefault);
