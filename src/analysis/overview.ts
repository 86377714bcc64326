import { terminalOutcome } from '../contract/index.ts';
import { actionIn, type LenientServiceStatus } from './deployment-progress.ts';

/** A service with its status, which is absent if the platform returned none. */
export interface WatchedService {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly status?: LenientServiceStatus | null;
}

/** Conditions of services, most urgent first. */
export const conditions = ['failed', 'unavailable', 'canceled', 'moving', 'unknown', 'out of date', 'stopped', 'never deployed', 'well'] as const;
export type Condition = (typeof conditions)[number];

export interface ServiceCondition {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly condition: Condition;
  readonly state?: string;
  /** The reason for the condition, in a few words. */
  readonly reason: string;
  /** When it was last deployed. */
  readonly at?: string;
}

export interface Overview {
  /** Most urgent first, then the most recently deployed. */
  readonly services: readonly ServiceCondition[];
  readonly counts: Readonly<Partial<Record<Condition, number>>>;
}

/** What a condition is told from. */
type JudgedStatus = Pick<LenientServiceStatus, 'state' | 'service_deployment_status' | 'steps' | 'status_details' | 'running'>;

const failures: Readonly<Record<string, string>> = {
  BUILD_ERROR: 'its build failed',
  DEPLOYMENT_ERROR: 'its deployment failed',
  RESTART_ERROR: 'its restart failed',
  STOP_ERROR: 'it could not be stopped',
  DELETE_ERROR: 'it could not be deleted',
};

const failingStep = (status: JudgedStatus): string => {
  const step = status.steps?.details?.find((one) => one.status === 'ERROR')?.step_name;
  return step ? ` at ${step}` : '';
};

// A job and Terraform run and end.
const wellTexts: Readonly<Record<string, string>> = { job: 'its last run ended well', terraform: 'it was applied' };

const settled = (state: string, status: JudgedStatus, kind: string): readonly [Condition, string] | undefined => {
  if (state.endsWith('ERROR')) return ['failed', `${failures[state] ?? `its state is ${state}`}${failingStep(status)}`];
  const warning = status.running?.warnings?.find((each) => typeof each === 'string');
  if (state === 'UNAVAILABLE') return ['unavailable', warning ?? 'it can\'t be reached or keeps crashing'];
  if (state === 'CANCELED') return ['canceled', 'its last deployment was canceled'];
  if (state === 'STOPPED' || state === 'DELETED') return ['stopped', `it is ${state.toLowerCase()}`];
  if (state === 'READY' || status.service_deployment_status === 'NEVER_DEPLOYED') return ['never deployed', 'it was never deployed'];
  if (terminalOutcome('DEPLOY', state) !== 'good') return undefined;
  return status.service_deployment_status === 'OUT_OF_DATE'
    ? ['out of date', warning ?? 'its configuration or a variable changed since it was deployed']
    : ['well', wellTexts[kind] ?? 'it runs'];
};

/** The condition that a status tells of, of a service of a kind or of an environment as a whole, with the reason in a few words. */
export const conditionOf = (status: JudgedStatus | null | undefined, kind = 'environment'): readonly [Condition, string] => {
  const state = status?.state;
  if (!status || !state) return ['unknown', 'the platform tells no state'];
  const end = settled(state, status, kind);
  if (end) return end;
  const action = actionIn(status.status_details);
  return ['moving', action ? `${action.toLowerCase()} under way: ${state}` : `under way: ${state}`];
};

const time = ({ at }: ServiceCondition): number => Date.parse(at ?? '') || 0;

/** The conditions of an environment's services, most urgent first. Unknown states count as `moving`. */
export function overviewOf(services: readonly WatchedService[]): Overview {
  const rows = services.map((service): ServiceCondition => {
    const { id, name, kind, status } = service;
    const [condition, reason] = conditionOf(service.status, service.kind);
    return { id, name, kind, condition, state: status?.state ?? undefined, reason, at: status?.last_deployment_date ?? undefined };
  });
  const counts: Partial<Record<Condition, number>> = {};
  for (const { condition } of rows) counts[condition] = (counts[condition] ?? 0) + 1;
  return {
    services: rows.toSorted((one, other) =>
      conditions.indexOf(one.condition) - conditions.indexOf(other.condition) || time(other) - time(one) || one.name.localeCompare(other.name)),
    counts,
  };
}
