import { documentedOrganizationOperations } from './organization.ts';
import { documentedProjectOperations } from './projects.ts';

/** Every operation in the API document's Endpoints table, in the same order. */
export const documentedOperations = { ...documentedProjectOperations, ...documentedOrganizationOperations } as const;
