import type { ProposedCall } from './diagnosis.ts';
import type { DeploymentSituation, Facts } from './situation.ts';

/**
 * Builds a call that fixes or shows something, from the evidence; undefined if it doesn't apply. Only numbers and
 * variable names from logs may become arguments.
 */
export type CallBuilder = (situation: DeploymentSituation, facts: Facts) => ProposedCall | undefined;

/** A call, or several that each depend on the one before: if the first doesn't apply, none is proposed. */
export type Remedy = CallBuilder | readonly [CallBuilder, ...CallBuilder[]];

/** The tools that a diagnosis may propose. */
export const diagnosisTools = {
  updateApplication: 'update_application',
  updateContainer: 'update_container',
  updateDatabase: 'update_database',
  restoreDatabase: 'restore_database',
  updateJob: 'update_job',
  updateHelm: 'update_helm',
  setVariables: 'set_environment_variables',
  deleteVariable: 'delete_environment_variable',
  deployApplication: 'deploy_application',
  deployService: 'deploy_service',
  startServices: 'start_services',
  restartServices: 'restart_services',
  cancelDeployment: 'cancel_deployment',
  unlockCluster: 'unlock_cluster',
  showEnvironment: 'get_environment_overview',
  showClusters: 'list_clusters',
  listVariables: 'list_environment_variables',
  getService: 'get_service',
  searchLogs: 'search_logs',
  diagnose: 'diagnose_deployment',
  listDeployments: 'list_deployments',
} as const;

/** The argument of tools that take a service of any kind. */
export const serviceArgument = (id: string) => ({ service: id });

/** A fix that makes another one unnecessary, and says so if the other one applies. */
export const orInstead =
  (other: CallBuilder, fix: CallBuilder): CallBuilder =>
  (situation, facts) => {
    const call = fix(situation, facts);
    return call && other(situation, facts) ? { ...call, why: `or instead: ${call.why}` } : call;
  };

const maximumCalls = 3;

const callsOf = (remedy: Remedy, situation: DeploymentSituation, facts: Facts): ProposedCall[] => {
  const built = (typeof remedy === 'function' ? [remedy] : remedy).map((build) => build(situation, facts));
  const calls = built.filter((call) => call !== undefined);
  return built[0] === undefined
    ? []
    : calls.map((call, index) => (index === 0 ? call : { ...call, after: calls[index - 1]!.tool }));
};

/** The first calls that apply, without duplicates. */
export function nextCalls(remedies: readonly Remedy[], situation: DeploymentSituation, facts: Facts): ProposedCall[] {
  const calls = remedies.flatMap((remedy) => callsOf(remedy, situation, facts));
  const keys = calls.map((call) => JSON.stringify([call.tool, call.arguments, call.needs]));
  return calls.filter((_, index) => keys.indexOf(keys[index]!) === index).slice(0, maximumCalls);
}

/**
 * The usual placeholder for a value that is still to be filled in. It is neither a valid value nor a name, so a call
 * with it is refused.
 */
export const valuePlaceholder = '...';
