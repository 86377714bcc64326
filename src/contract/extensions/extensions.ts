import { alertReceiverExtensions } from './alert-receivers.ts';
import { alertExtensions } from './alerts.ts';
import { anyVariableExtensions, variableExtensions } from './variables.ts';
import { backupExtensions } from './backups.ts';
import { changeExtensions } from './changes.ts';
import { deploymentExtensions } from './deployments.ts';
import { domainExtensions } from './domains.ts';
import { groupExtensions } from './groups.ts';
import { organizationExtensions } from './organization.ts';
import { placeExtensions } from './places.ts';
import { peopleExtensions } from './people.ts';
import { registryExtensions } from './registries.ts';
import { scheduleExtensions } from './schedules.ts';
import { serviceReadExtensions } from './service-reads.ts';
import { webhookExtensions } from './webhooks.ts';
import { wideReadExtensions } from './wide-reads.ts';

/**
 * Operations that aren't in the API document but that platforms of this kind offer: other reads, and missing actions.
 */
export const extensionOperations = {
  ...anyVariableExtensions,
  ...variableExtensions,
  ...domainExtensions,
  ...wideReadExtensions,
  ...organizationExtensions,
  ...placeExtensions,
  ...peopleExtensions,
  ...webhookExtensions,
  ...alertExtensions,
  ...alertReceiverExtensions,
  ...scheduleExtensions,
  ...registryExtensions,
  ...groupExtensions,
  ...serviceReadExtensions,
  ...deploymentExtensions,
  ...changeExtensions,
  ...backupExtensions,
} as const;
