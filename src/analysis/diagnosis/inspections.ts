import { serviceArgument, diagnosisTools, type CallBuilder } from './next-calls.ts';

/** Fixes that show more and change nothing. */

export const showVariables: CallBuilder = ({ evidence: { service } }, facts) => {
  const why = facts['variable'] ? `shows whether ${facts['variable']} is set, and in which scope` : 'shows which variables it sees';
  return service.kind === 'application'
    ? { tool: diagnosisTools.listVariables, arguments: { application_id: service.id }, why }
    : { tool: diagnosisTools.getService, arguments: serviceArgument(service.id), why: 'shows its configuration' };
};

/** What a call is for is told as our own words, so a name that could be a sentence stays out of it. */
export const safeName = ({ kind, name }: { kind: string; name: string }): string => (/^[\w.-]{1,60}$/.test(name) ? name : `the ${kind}`);

const siblingText = (sibling: { kind: string; name: string }): string => (safeName(sibling) === sibling.name ? `${sibling.kind} ${sibling.name}` : safeName(sibling));

/** The sibling that a cause was traced to; rules name it by its id, read from the platform. */
export const diagnoseDependency: CallBuilder = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling']);
  return sibling && { tool: diagnosisTools.diagnose, arguments: serviceArgument(sibling.id), why: `${siblingText(sibling)} is what it needs` };
};

/** The sibling that failed before it, for causes that may lie there. */
export const diagnoseFailedSibling: CallBuilder = ({ failedSiblings: [sibling] }) =>
  sibling && { tool: diagnosisTools.diagnose, arguments: serviceArgument(sibling.id), why: `${siblingText(sibling)} failed before it` };

export const showConfiguration: CallBuilder = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.getService, arguments: serviceArgument(service.id), why: 'shows its configuration and status' });

export const showErrors: CallBuilder = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.searchLogs, arguments: { ...serviceArgument(service.id), level: 'error', context: 5 }, why: 'shows every error with the lines around it' });

export const showHistory: CallBuilder = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.listDeployments, arguments: serviceArgument(service.id), why: 'shows which deployments went well and what they deployed' });

/** How everything around it stands: a lock has a reason, which may still hold. */
export const showEnvironment: CallBuilder = ({ evidence: { environment, service } }) =>
  environment
    ? { tool: diagnosisTools.showEnvironment, arguments: { environment: environment.id }, why: 'shows how the rest stands and which alerts fire: whether what it was locked for is over' }
    : { tool: diagnosisTools.getService, arguments: serviceArgument(service.id), why: 'shows how it stands, before anybody lifts the lock' };
