import { changeOperations } from './changes.ts';
import { deploymentOperations } from './deployments.ts';
import { domainOperations } from './domains.ts';
import { organizationOperations } from './organization.ts';
import { serviceReadOperations } from './service-reads.ts';
import { variableOperations } from './variables.ts';
import { wideReadOperations } from './wide-reads.ts';

/** Operations that aren't in the API document but that platforms of this kind serve: the other reads, and missing actions. */
export const extensionOperations = {
  ...variableOperations,
  ...domainOperations,
  ...wideReadOperations,
  ...organizationOperations,
  ...serviceReadOperations,
  ...deploymentOperations,
  ...changeOperations,
} as const;
