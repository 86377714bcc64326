import type { NextCall } from './diagnosis.ts';
import type { DeploymentSituation, Facts } from './situation.ts';

/** A call that mends or shows more, made complete from the evidence; undefined where it can't be. Nothing of a log becomes an argument but numbers and names of variables. */
export type CallBuilder = (situation: DeploymentSituation, facts: Facts) => NextCall | undefined;

/** A fix, or several of which each needs the one before: none is proposed where the first can't be made. */
export type Remedy = CallBuilder | readonly [CallBuilder, ...CallBuilder[]];

/** The tools that a diagnosis may name. */
export const diagnosisTools = {
  updateContainer: 'update_container',
  updateHelm: 'update_helm',
  setVariables: 'set_environment_variables',
  deployApplication: 'deploy_application',
  deployService: 'deploy_service',
  cancelDeployment: 'cancel_deployment',
  unlockCluster: 'unlock_cluster',
  showEnvironment: 'get_environment_overview',
  listVariables: 'list_environment_variables',
  getService: 'get_service',
  searchLogs: 'search_logs',
  diagnose: 'diagnose_deployment',
  listDeployments: 'list_deployments',
} as const;

/** How tools that take a service of any kind want it named. */
export const serviceArgument = (id: string) => ({ service: id });

const maximumCalls = 3;

const callsOf = (remedy: Remedy, situation: DeploymentSituation, facts: Facts): NextCall[] => {
  const made = (typeof remedy === 'function' ? [remedy] : remedy).map((fix) => fix(situation, facts));
  const calls = made.filter((call) => call !== undefined);
  return made[0] === undefined ? [] : calls.map((call, index) => (index === 0 ? call : { ...call, after: calls[index - 1]!.tool }));
};

/** The first calls of a list that can be made, without repeats. */
export function nextCalls(remedies: readonly Remedy[], situation: DeploymentSituation, facts: Facts): NextCall[] {
  const calls = remedies.flatMap((remedy) => callsOf(remedy, situation, facts));
  const told = calls.map((call) => JSON.stringify([call.tool, call.arguments]));
  return calls.filter((_, index) => told.indexOf(told[index]!) === index).slice(0, maximumCalls);
}

/**
 * What stands in a proposed call for a value that only the user knows. Nothing has such a value or name, so that a call
 * made without filling it in is refused.
 */
export const valuePlaceholder = '...';
