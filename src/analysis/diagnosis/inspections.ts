import type { Sibling } from '../changes.ts';
import { serviceArgument, diagnosisTools, type CallBuilder } from './next-calls.ts';

// Inspections: proposed read-only calls that show more.

export const showVariables: CallBuilder = ({ evidence: { service } }, facts) => {
  const why = facts['variable']
    ? `shows whether ${facts['variable']} is set, and in which scope`
    : 'shows which variables it sees';
  return service.kind === 'application'
    ? { tool: diagnosisTools.listVariables, arguments: serviceArgument(service.id), why }
    : { tool: diagnosisTools.getService, arguments: serviceArgument(service.id), why: 'shows its configuration' };
};

/**
 * The reason for a call is presented as the server's own text, so a name that could be a sentence is replaced by the
 * kind.
 */
export const safeName = ({ kind, name }: { kind: string; name: string }): string =>
  /^[\w.-]{1,60}$/.test(name) ? name : `the ${kind}`;

const siblingText = (sibling: { kind: string; name: string }): string =>
  safeName(sibling) === sibling.name ? `${sibling.kind} ${sibling.name}` : safeName(sibling);

/** Diagnoses the sibling that a cause was traced to. Rules identify it by its id, as read from the platform. */
export const diagnoseDependency: CallBuilder = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling']);
  return (
    sibling && {
      tool: diagnosisTools.diagnose,
      arguments: serviceArgument(sibling.id),
      why: `${siblingText(sibling)} is what it needs`,
    }
  );
};

/** Diagnoses a sibling that failed before the service, for causes that may lie there. */
export const diagnoseFailedSibling =
  (sibling: Sibling): CallBuilder =>
  () => ({
    tool: diagnosisTools.diagnose,
    arguments: serviceArgument(sibling.id),
    why: `${siblingText(sibling)} failed before it`,
  });

export const showConfiguration: CallBuilder = ({ evidence: { service } }) => ({
  tool: diagnosisTools.getService,
  arguments: serviceArgument(service.id),
  why: 'shows its configuration and status',
});

/** Only if there are errors: a search without results misleads. */
export const showErrors: CallBuilder = ({ evidence: { service }, entries }) =>
  !entries.some(({ level }) => level === 'error')
    ? undefined
    : {
        tool: diagnosisTools.searchLogs,
        arguments: { ...serviceArgument(service.id), level: 'error', context: 5 },
        why: 'shows every error with the lines around it',
      };

/** Shows the whole log of the deployment, from its end: the output of a build has no level. */
export const showDeploymentLog: CallBuilder = ({ evidence: { service }, deployment }) => ({
  tool: diagnosisTools.searchLogs,
  arguments: {
    ...serviceArgument(service.id),
    ...(deployment?.id !== undefined && { deployment_id: deployment.id }),
    level: 'debug',
    limit: 100,
  },
  why: 'shows the log of the deployment, with all that the build said',
});

export const showHistory: CallBuilder = ({ evidence: { service } }) => ({
  tool: diagnosisTools.listDeployments,
  arguments: serviceArgument(service.id),
  why: 'shows which deployments went well and what they deployed',
});

/** Shows the state of the environment: the reason for a lock may still hold. */
export const showEnvironment: CallBuilder = ({ evidence: { cluster, environment, service } }) => {
  const isLocked = cluster?.lock !== undefined && cluster.lock !== null;
  return environment
    ? {
        tool: diagnosisTools.showEnvironment,
        arguments: { environment: environment.id },
        why: `shows how the rest stands and which alerts fire${isLocked ? ': whether what it was locked for is over' : ''}`,
      }
    : {
        tool: diagnosisTools.getService,
        arguments: serviceArgument(service.id),
        why: `shows how it stands${isLocked ? ', before anybody lifts the lock' : ''}`,
      };
};

/** Shows the machines with the labels by which they are chosen. */
export const showClusters: CallBuilder = () => ({
  tool: diagnosisTools.showClusters,
  arguments: {},
  why: 'shows the nodes with their labels',
});
