import type { OperationName } from '../../../contract/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { alertReceiverHandlers } from './alert-receivers.ts';
import { alertHandlers } from './alerts.ts';
import { anyVariableHandlers } from './any-variable.ts';
import { backupHandlers } from './backups.ts';
import { cloneHandlers } from './clones.ts';
import { clusterHandlers } from './clusters.ts';
import { containerRegistryHandlers } from './container-registries.ts';
import { customDomainHandlers } from './custom-domains.ts';
import { deploymentHandlers } from './deployments.ts';
import { deploymentRuleHandlers } from './deployment-rules.ts';
import { deploymentWindowHandlers } from './deployment-windows.ts';
import { environmentEndHandlers } from './environment-ends.ts';
import { eventHandlers } from './events.ts';
import { gitTokenHandlers } from './git-tokens.ts';
import { groupHandlers } from './groups.ts';
import { helmRepositoryHandlers } from './helm-repositories.ts';
import { jobHandlers } from './jobs.ts';
import { linkHandlers } from './links.ts';
import { apiTokenHandlers } from './api-tokens.ts';
import { organizationHandlers } from './organization.ts';
import { peopleHandlers } from './people.ts';
import { projectHandlers } from './projects.ts';
import { serviceHandlers } from './services.ts';
import { terraformHandlers } from './terraform.ts';
import { variableHandlers } from './variables.ts';
import { singleStopHandlers } from './single-stops.ts';
import { webhookHandlers } from './webhooks.ts';
import { wideListHandlers } from './wide-lists.ts';

/** The handlers of all operations. The type requires one for every operation of the contract. */
export const handlers: OperationHandlers<OperationName> = {
  ...organizationHandlers,
  ...peopleHandlers,
  ...apiTokenHandlers,
  ...projectHandlers,
  ...wideListHandlers,
  ...eventHandlers,
  ...linkHandlers,
  ...serviceHandlers,
  ...jobHandlers,
  ...terraformHandlers,
  ...backupHandlers,
  ...cloneHandlers,
  ...customDomainHandlers,
  ...deploymentHandlers,
  ...deploymentRuleHandlers,
  ...deploymentWindowHandlers,
  ...environmentEndHandlers,
  ...variableHandlers,
  ...anyVariableHandlers,
  ...clusterHandlers,
  ...alertHandlers,
  ...alertReceiverHandlers,
  ...singleStopHandlers,
  ...webhookHandlers,
  ...groupHandlers,
  ...helmRepositoryHandlers,
  ...containerRegistryHandlers,
  ...gitTokenHandlers,
};
