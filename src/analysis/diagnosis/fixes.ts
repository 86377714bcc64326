import * as z from 'zod';
import { isRecord, Probe, terminalOutcome, VariableRequest, type VariableScope, type VariableType } from '../../contract/index.ts';
import type { ProposedCall } from './diagnosis.ts';
import { safeName } from './inspections.ts';
import { serviceArgument, diagnosisTools, type CallBuilder } from './next-calls.ts';

// Fixes: proposed calls that change what is wrong.

export const useLastGoodTag: CallBuilder = ({ evidence: { service }, lastGood, deployment, configuration }) => {
  const tag = lastGood?.tag;
  if (service.kind !== 'container' || tag === undefined || tag === (deployment?.tag ?? configuration.tag)) return undefined;
  return { tool: diagnosisTools.updateContainer, arguments: { container_id: service.id, tag }, why: `${tag} is the tag that last ran well` };
};

/** The evidence doesn't show which registry has the image: only the user knows. */
export const useOtherRegistry: CallBuilder = ({ evidence: { service } }) =>
  service.kind === 'container'
    ? { tool: diagnosisTools.updateContainer, arguments: { container_id: service.id }, needs: 'registry_id <its name>', why: 'with the name of a registry that gives it out, if there is another' }
    : undefined;

export const deployLastGoodCommit: CallBuilder = ({ evidence: { service }, lastGood, deployment }) => {
  const commit = lastGood?.commit;
  if (service.kind !== 'application' || commit === undefined || commit === deployment?.commit) return undefined;
  return { tool: diagnosisTools.deployApplication, arguments: { application_id: service.id, git_commit_id: commit }, why: 'goes back to the commit that last ran well' };
};

export const giveMoreMemory: CallBuilder = ({ evidence: { service }, configuration: { memory, maximumMemory } }) => {
  if (service.kind !== 'container' || memory === undefined) return undefined;
  const wanted = Math.min(memory * 2, maximumMemory ?? Infinity);
  return wanted > memory
    ? { tool: diagnosisTools.updateContainer, arguments: { container_id: service.id, memory: wanted }, why: `it has ${memory} MB` }
    : undefined;
};

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** A probe with its port changed from `from` to `to`, if it had that port. */
const probeWithPort = (probe: unknown, from: number, to: number): unknown => {
  const type = Object.entries(record(record(probe)['type'])).map(([kind, check]) =>
    [kind, record(check)['port'] === from ? { ...record(check), port: to } : check] as const);
  return { ...record(probe), type: Object.fromEntries(type) };
};

export const useListeningPort: CallBuilder = ({ evidence: { service } }, facts) => {
  const { ports, healthchecks } = record(service.configuration);
  const [from, to] = [Number(facts['asked']), Number(facts['listens'])];
  if (service.kind !== 'container' || !Array.isArray(ports) || !(from > 0 && to > 0 && from !== to)) return undefined;
  const checks = Object.entries(record(healthchecks)).map(([name, probe]) => [name, probeWithPort(probe, from, to)] as const);
  const isDeclared = ports.some((port: unknown) => record(port)['internal_port'] === from);
  return {
    tool: diagnosisTools.updateContainer,
    arguments: {
      container_id: service.id,
      // A probe may ask at a port that isn't declared: then it alone is wrong.
      ...(isDeclared && { ports: ports.map((port: unknown) => (record(port)['internal_port'] === from ? { ...record(port), internal_port: to } : port)) }),
      ...(checks.length > 0 && { healthchecks: Object.fromEntries(checks) }),
    },
    why: `the app listens on ${to}`,
  };
};

/** Timing of a probe; absent members have their defaults. */
const ProbeTiming = Probe.pick({ initial_delay_seconds: true, period_seconds: true, failure_threshold: true });

/** Seconds until a probe gives up. */
const secondsUntilFailure = (timing: z.infer<typeof ProbeTiming>): number => timing.initial_delay_seconds + timing.period_seconds * timing.failure_threshold;

/** Restores the default timing of a probe that gives up earlier than that. Useless if the probe gets a 4xx response. */
export const waitLongerForProbe = (name: 'readiness_probe' | 'liveness_probe'): CallBuilder => ({ evidence: { service } }, facts) => {
  const probe = record(record(service.configuration)['healthchecks'])[name];
  const now = ProbeTiming.safeParse(probe).data;
  if (service.kind !== 'container' || !now || facts['status']?.startsWith('4')) return undefined;
  const usual = ProbeTiming.parse({});
  if (secondsUntilFailure(now) >= secondsUntilFailure(usual)) return undefined;
  return {
    tool: diagnosisTools.updateContainer,
    arguments: { container_id: service.id, healthchecks: { [name]: usual } },
    why: `the probe gives up after ${secondsUntilFailure(now)} s; the usual is ${secondsUntilFailure(usual)} s`,
  };
};

export const deployAgain: CallBuilder = ({ evidence: { service } }) => ({
  tool: diagnosisTools.deployService, arguments: serviceArgument(service.id), why: `${service.kind === 'terraform' ? 'runs' : 'deploys'} it again once the cause is gone`,
});

/** For a lock or deadlock, which is temporary: trying again may be enough. */
export const deployAgainIfTransient: CallBuilder = (situation, facts) =>
  /deadlock|lock (?:wait )?timeout/i.test(facts['what'] ?? '') ? { ...deployAgain(situation, facts)!, why: 'tries again: what was locked then may be free by now' } : undefined;

export const waitLongerForHelm: CallBuilder = ({ evidence: { service }, configuration: { timeLimit } }) =>
  service.kind === 'helm' && timeLimit !== undefined && timeLimit > 0
    ? { tool: diagnosisTools.updateHelm, arguments: { helm_id: service.id, timeout_sec: timeLimit * 2 }, why: `if it only needs longer than ${timeLimit} s` }
    : undefined;

/** Sets a variable of `owner` to a value that only the user knows. Uses .env text, in which a key that names a secret creates a secret. */
const setVariable = (owner: Readonly<Record<string, string>>, key: string | undefined, why: string): ProposedCall | undefined =>
  VariableRequest.shape.key.safeParse(key).success ? { tool: diagnosisTools.setVariables, arguments: { ...owner }, needs: `env_text ${key}=<its value>`, why } : undefined;

/** Sets the variable that the log asks for, if none of that name is set. The platform creates variables only on applications. */
export const setMissingVariable: CallBuilder = ({ evidence: { service, variables } }, facts) =>
  service.kind === 'application' && !variables?.some(({ key }) => key === facts['variable'])
    ? setVariable({ application: service.id }, facts['variable'], `with the value that the user gives for ${facts['variable']}`)
    : undefined;

const settable: readonly (string | null | undefined)[] = ['VALUE', 'FILE', 'OVERRIDE'] satisfies VariableType[];

/** Sets the variable that changed since the last good deployment, where it is defined, if it is the only one. */
export const setChangedVariable: CallBuilder = ({ evidence: { service, environment, variables = [] }, changes }) => {
  const [key, ...others] = changes.flatMap(({ variable }) => variable ?? []);
  const [changed, ...namesakes] = variables.filter((variable) => variable.key === key);
  if (!changed || others.length + namesakes.length > 0 || !settable.includes(changed.variable_type)) return undefined;
  const why = `${key} changed since the last good deployment: with its right value`;
  if (changed.scope === ('ENVIRONMENT' satisfies VariableScope)) return environment && setVariable({ environment: environment.id }, key, why);
  const isOwn = service.kind === 'application' || service.kind === 'container';
  return isOwn && changed.scope !== ('BUILT_IN' satisfies VariableScope) ? setVariable({ [service.kind]: service.id }, key, why) : undefined;
};

const stateText = (state: string | null | undefined): string => (state && /^[A-Z_]{1,40}$/.test(state) ? state : 'not running');

export const deployDependency: CallBuilder = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling'] && facts['down'] === 'yes');
  return sibling && { tool: diagnosisTools.deployService, arguments: serviceArgument(sibling.id), why: `${safeName(sibling)} is ${stateText(sibling.state)}` };
};

const restartable = { application: 'application_ids', container: 'container_ids', database: 'database_ids' } as const;

const isRestartable = (kind: string): kind is keyof typeof restartable => kind in restartable;

/** Restarts what holds the lock of a Terraform state, which gives it back. It is somebody else's, and may be at work. */
export const restartLockHolder: CallBuilder = ({ evidence: { lockHolder: holder } }) => {
  if (holder === undefined || !isRestartable(holder.kind) || terminalOutcome('RESTART', holder.state ?? '') !== 'good') return undefined;
  return {
    tool: diagnosisTools.restartServices, arguments: { environment_id: holder.environmentId, [restartable[holder.kind]]: [holder.id] },
    why: `${safeName(holder)} holds the lock and gives it back; it is somebody else's work: only once they agree`,
  };
};

export const cancelRunningDeployment: CallBuilder = ({ evidence: { environment }, outcome }) =>
  environment && outcome === 'in_progress'
    ? { tool: diagnosisTools.cancelDeployment, arguments: { environment_id: environment.id }, why: 'it is still going and keeps others of its environment waiting' }
    : undefined;

/** Never proposed as the first call, because a lock has a reason. */
export const proposeUnlockCluster: CallBuilder = ({ evidence: { cluster } }) =>
  cluster && { tool: diagnosisTools.unlockCluster, arguments: { cluster_id: cluster.id }, why: 'nothing can be deployed before; only once whoever locked it agrees' };
