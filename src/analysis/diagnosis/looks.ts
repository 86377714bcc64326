import { addressed, diagnosisTools, type Fix } from './next-calls.ts';

/** Fixes that show more and change nothing. */

export const showVariables: Fix = ({ evidence: { service } }, facts) => {
  const why = facts['variable'] ? `shows whether ${facts['variable']} is set, and in which scope` : 'shows which variables it sees';
  return service.kind === 'application'
    ? { tool: diagnosisTools.listVariables, arguments: { application_id: service.id }, why }
    : { tool: diagnosisTools.getService, arguments: addressed(service.id), why: 'shows its configuration' };
};

/** What a call is for is told as our own words, so a name that could be a sentence stays out of it. */
export const nameOf = ({ kind, name }: { kind: string; name: string }): string => (/^[\w.-]{1,60}$/.test(name) ? name : `the ${kind}`);

const called = (sibling: { kind: string; name: string }): string => (nameOf(sibling) === sibling.name ? `${sibling.kind} ${sibling.name}` : nameOf(sibling));

/** The sibling that a cause was traced to; rules name it by its id, read from the platform. */
export const diagnoseDependency: Fix = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling']);
  return sibling && { tool: diagnosisTools.diagnose, arguments: addressed(sibling.id), why: `${called(sibling)} is what it needs` };
};

/** The sibling that failed before it, for causes that may lie there. */
export const diagnoseFailedSibling: Fix = ({ failedSiblings: [sibling] }) =>
  sibling && { tool: diagnosisTools.diagnose, arguments: addressed(sibling.id), why: `${called(sibling)} failed before it` };

export const showConfiguration: Fix = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.getService, arguments: addressed(service.id), why: 'shows its configuration and status' });

export const showErrors: Fix = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.searchLogs, arguments: { ...addressed(service.id), level: 'error', context: 5 }, why: 'shows every error with the lines around it' });

export const showHistory: Fix = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.listDeployments, arguments: addressed(service.id), why: 'shows which deployments went well and what they deployed' });

/** How everything around it stands: a lock has a reason, which may still hold. */
export const showEnvironment: Fix = ({ evidence: { environment, service } }) =>
  environment
    ? { tool: diagnosisTools.showEnvironment, arguments: { environment: environment.id }, why: 'shows how the rest stands and which alerts fire: whether what it was locked for is over' }
    : { tool: diagnosisTools.getService, arguments: addressed(service.id), why: 'shows how it stands, before anybody lifts the lock' };
