import { isRecord } from '../values.ts';
import type { NextCall } from './diagnosis.ts';
import type { Facts } from './rules/rule.ts';
import type { Situation } from './situation.ts';

/** A call that mends or shows more, made complete from the evidence; undefined where it can't be. Nothing of a log becomes an argument but numbers and names of variables. */
export type Fix = (situation: Situation, facts: Facts) => NextCall | undefined;

/** The tools that a diagnosis may name. */
export const diagnosisTools = {
  updateContainer: 'update_container',
  updateHelm: 'update_helm',
  deployApplication: 'deploy_application',
  deployDatabase: 'deploy_database',
  deployService: 'deploy_service',
  redeployTerraform: 'redeploy_terraform',
  cancelDeployment: 'cancel_deployment',
  unlockCluster: 'unlock_cluster',
  listVariables: 'list_environment_variables',
  getService: 'get_service',
  searchLogs: 'search_logs',
  diagnose: 'diagnose_deployment',
  listDeployments: 'list_deployments',
} as const;

/** How tools that take a service of any kind want it named. */
const addressed = (id: string) => ({ service: id });

export const useLastGoodTag: Fix = ({ evidence: { service }, lastGood, deployment, configuration }) => {
  const tag = lastGood?.tag;
  if (service.kind !== 'container' || tag === undefined || tag === (deployment?.tag ?? configuration.tag)) return undefined;
  return { tool: diagnosisTools.updateContainer, arguments: { container_id: service.id, tag }, why: `${tag} is the tag that last ran well; deploy it afterwards` };
};

export const deployLastGoodCommit: Fix = ({ evidence: { service }, lastGood, deployment }) => {
  const commit = lastGood?.commit;
  if (service.kind !== 'application' || commit === undefined || commit === deployment?.commit) return undefined;
  return { tool: diagnosisTools.deployApplication, arguments: { application_id: service.id, git_commit_id: commit }, why: 'goes back to the commit that last ran well' };
};

export const giveMoreMemory: Fix = ({ evidence: { service }, configuration: { memory, maximumMemory } }) => {
  if (service.kind !== 'container' || memory === undefined) return undefined;
  const wanted = Math.min(memory * 2, maximumMemory ?? Infinity);
  return wanted > memory
    ? { tool: diagnosisTools.updateContainer, arguments: { container_id: service.id, memory: wanted }, why: `it has ${memory} MB; deploy it afterwards` }
    : undefined;
};

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** A probe that asks another port, if it asked the first. */
const probeOn = (probe: unknown, from: number, to: number): unknown => {
  const type = Object.entries(record(record(probe)['type'])).map(([kind, check]) =>
    [kind, record(check)['port'] === from ? { ...record(check), port: to } : check] as const);
  return { ...record(probe), type: Object.fromEntries(type) };
};

export const usePortOfApp: Fix = ({ evidence: { service } }, facts) => {
  const { ports, healthchecks } = record(service.configuration);
  const [from, to] = [Number(facts['asked']), Number(facts['listens'])];
  if (service.kind !== 'container' || !Array.isArray(ports) || !(from > 0 && to > 0 && from !== to)) return undefined;
  const checks = Object.entries(record(healthchecks)).map(([name, probe]) => [name, probeOn(probe, from, to)] as const);
  return {
    tool: diagnosisTools.updateContainer,
    arguments: {
      container_id: service.id,
      ports: ports.map((port: unknown) => (record(port)['internal_port'] === from ? { ...record(port), internal_port: to } : port)),
      ...(checks.length > 0 && { healthchecks: Object.fromEntries(checks) }),
    },
    why: `the app listens on ${to}; deploy it afterwards`,
  };
};

export const deployAgain: Fix = ({ evidence: { service } }) =>
  service.kind === 'terraform'
    ? { tool: diagnosisTools.redeployTerraform, arguments: { terraform_id: service.id }, why: 'runs it again once the cause is gone' }
    : { tool: diagnosisTools.deployService, arguments: addressed(service.id), why: 'deploys it again once the cause is gone' };

export const waitLongerForHelm: Fix = ({ evidence: { service }, configuration: { timeLimit } }) =>
  service.kind === 'helm' && timeLimit !== undefined && timeLimit > 0
    ? { tool: diagnosisTools.updateHelm, arguments: { helm_id: service.id, timeout_sec: timeLimit * 2 }, why: `if it only needs longer than ${timeLimit} s; deploy it afterwards` }
    : undefined;

export const showVariables: Fix = ({ evidence: { service } }, facts) => {
  const why = facts['variable'] ? `shows whether ${facts['variable']} is set, and in which scope` : 'shows which variables it sees';
  return service.kind === 'application'
    ? { tool: diagnosisTools.listVariables, arguments: { application_id: service.id }, why }
    : { tool: diagnosisTools.getService, arguments: addressed(service.id), why: 'shows its configuration' };
};

/** What a call is for is told as our own words, so a name that could be a sentence stays out of it. */
const nameOf = ({ kind, name }: { kind: string; name: string }): string => (/^[\w.-]{1,60}$/.test(name) ? name : `the ${kind}`);

const called = (sibling: { kind: string; name: string }): string => (nameOf(sibling) === sibling.name ? `${sibling.kind} ${sibling.name}` : nameOf(sibling));

const stateWord = (state: string | null | undefined): string => (state && /^[A-Z_]{1,40}$/.test(state) ? state : 'not running');

/** The sibling that a cause was traced to; rules name it by its id, read from the platform. */
export const diagnoseDependency: Fix = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling']);
  return sibling && { tool: diagnosisTools.diagnose, arguments: addressed(sibling.id), why: `${called(sibling)} is what it needs` };
};

/** The sibling that failed before it, for causes that may lie there. */
export const diagnoseFailedSibling: Fix = ({ failedSiblings: [sibling] }) =>
  sibling && { tool: diagnosisTools.diagnose, arguments: addressed(sibling.id), why: `${called(sibling)} failed before it` };

export const deployDependency: Fix = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling'] && facts['down'] === 'yes');
  if (sibling === undefined) return undefined;
  const why = `${nameOf(sibling)} is ${stateWord(sibling.state)}`;
  return sibling.kind === 'database'
    ? { tool: diagnosisTools.deployDatabase, arguments: { database_id: sibling.id }, why }
    : { tool: diagnosisTools.deployService, arguments: addressed(sibling.id), why };
};

export const cancelIt: Fix = ({ evidence: { environment }, outcome }) =>
  environment && outcome === 'in_progress'
    ? { tool: diagnosisTools.cancelDeployment, arguments: { environment_id: environment.id }, why: 'it is still going and keeps others of its environment waiting' }
    : undefined;

export const unlockCluster: Fix = ({ evidence: { cluster } }) =>
  cluster && { tool: diagnosisTools.unlockCluster, arguments: { cluster_id: cluster.id }, why: 'only once whoever locked it agrees' };

export const showConfiguration: Fix = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.getService, arguments: addressed(service.id), why: 'shows its configuration and status' });

export const showErrors: Fix = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.searchLogs, arguments: { ...addressed(service.id), level: 'error', context: 5 }, why: 'shows every error with the lines around it' });

export const showHistory: Fix = ({ evidence: { service } }) =>
  ({ tool: diagnosisTools.listDeployments, arguments: addressed(service.id), why: 'shows which deployments went well and what they deployed' });

const most = 3;

/** The first calls of a list that can be made, without repeats. */
export function nextCalls(fixes: readonly Fix[], situation: Situation, facts: Facts): NextCall[] {
  const calls = new Map<string, NextCall>();
  for (const fix of fixes) {
    const call = fix(situation, facts);
    if (call) calls.set(JSON.stringify([call.tool, call.arguments]), call);
  }
  return [...calls.values()].slice(0, most);
}
