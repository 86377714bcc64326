import { backupText, terminalOutcome } from '../contract/index.ts';
import { outsideChangeIn } from './conditions.ts';
import { actionIn, type LenientServiceStatus } from './deployment-progress.ts';
import { strandedDataIn, warningsOfServices } from './warnings.ts';

/** What is said of a run that was due, as text. */
export interface LateText {
  readonly text: string;
  /** Whether it is missing or failed; false if it is not told whether it is. */
  readonly isKnown: boolean;
  /** When it was due, if that is told. */
  readonly due?: string;
}

/** A service with its status, which is absent if the platform returned none. */
export interface WatchedService {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** Of a job, as far as its row tells: CRON or LIFECYCLE. */
  readonly jobType?: string;
  readonly status?: LenientServiceStatus | null;
  /** Who asked for its last deployment; absent if that isn't known. */
  readonly by?: string;
  /** What is said of a run of a cron job that was due. */
  readonly late?: LateText;
  /** Whether a probe checks that it works; absent for kinds without probes, or if that isn't known. */
  readonly isChecked?: boolean;
}

/** Conditions of services, most urgent first. */
export const standings = [
  'failed',
  'unavailable',
  'canceled',
  'overdue',
  'moving',
  'unknown',
  'never succeeded',
  'out of date',
  'stopped',
  'never deployed',
  'healthy',
] as const;
export type Standing = (typeof standings)[number];

export interface ServiceCondition {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly condition: Standing;
  /** Its other conditions, less urgent; absent if there are none. */
  readonly besides?: readonly Standing[];
  readonly state?: string;
  /** The reason for the condition, in a few words. */
  readonly reason: string;
  /** For a database whose node is lost: the newest backup from which it could be restored, or "none". */
  readonly backup?: string;
  /** When it was last deployed, and by whom. */
  readonly at?: string;
  readonly by?: string;
  /** When the run of a cron job was due that is missing or failed. */
  readonly due?: string;
}

export interface Overview {
  /** Most urgent first, then the most recently deployed. */
  readonly services: readonly ServiceCondition[];
  readonly counts: Readonly<Partial<Record<Standing, number>>>;
  /** How many of the healthy ones only run: no probe checks them. */
  readonly unchecked: number;
}

/** The members of a status that determine a condition. */
type JudgedStatus = Pick<
  LenientServiceStatus,
  'state' | 'service_deployment_status' | 'steps' | 'status_details' | 'running'
>;

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

// Jobs and Terraform run to completion.
const wellTexts: Readonly<Record<string, string>> = { job: 'its last run ended well', terraform: 'it was applied' };

const settled = (
  state: string,
  status: JudgedStatus,
  kind: string,
  warning: string | undefined,
): readonly [Standing, string] | undefined => {
  if (state.endsWith('ERROR')) return ['failed', `${failures[state] ?? `its state is ${state}`}${failingStep(status)}`];
  if (state === 'UNAVAILABLE') return ['unavailable', warning ?? "it can't be reached or keeps crashing"];
  if (state === 'CANCELED') return ['canceled', 'its last deployment was canceled'];
  // A stop hides what was before: no deployment at all, or failed ones only. The status doesn't tell which.
  if (state === 'STOPPED' && status.service_deployment_status === 'NEVER_DEPLOYED')
    return ['never succeeded', 'it is stopped, and no deployment of it has succeeded'];
  if (state === 'STOPPED' || state === 'DELETED') return ['stopped', `it is ${state.toLowerCase()}`];
  if (state === 'READY' || status.service_deployment_status === 'NEVER_DEPLOYED')
    return ['never deployed', 'it was never deployed'];
  if (terminalOutcome('DEPLOY', state) !== 'good') return undefined;
  if (status.service_deployment_status !== 'OUT_OF_DATE')
    return ['healthy', `${wellTexts[kind] ?? 'it runs'}${warning === undefined ? '' : `, but: ${warning}`}`];
  return [
    'out of date',
    outsideChangeIn(status)?.message ??
      `its configuration or a variable changed since it was deployed${warning === undefined ? '' : `; besides: ${warning}`}`,
  ];
};

/**
 * The condition that a status shows, for a service of a kind or for an environment as a whole, with a short reason.
 * @param warning the platform's warning about the running service
 */
export const standingOf = (
  status: JudgedStatus | null | undefined,
  kind = 'environment',
  warning?: string,
): readonly [Standing, string] => {
  const state = status?.state;
  if (!status || !state) return ['unknown', 'the platform tells no state'];
  const end = settled(state, status, kind, warning);
  if (end) return end;
  const action = actionIn(status.status_details);
  return ['moving', action ? `${action.toLowerCase()} under way: ${state}` : `under way: ${state}`];
};

/**
 * Conditions next to which others are shown. A service that is moving changes by itself, and a stopped one is meant to
 * be stopped, unless no deployment of it ever succeeded.
 */
const withOthers: readonly Standing[] = ['failed', 'unavailable', 'canceled', 'overdue', 'out of date'];

/**
 * The conditions of a service besides its most urgent one: a failed deployment doesn't say whether anything runs, and
 * neither says whether the configuration has changed since.
 */
function besidesOf(
  status: JudgedStatus | null | undefined,
  condition: Standing,
  late: LateText | undefined,
): readonly Standing[] {
  if (condition === 'never succeeded') return ['stopped'];
  const { instances, wanted_instances: wanted } = status?.running ?? {};
  const found: readonly Standing[] = [
    ...(instances === 0 && typeof wanted === 'number' && wanted > 0 ? (['unavailable'] as const) : []),
    ...(late?.isKnown ? (['overdue'] as const) : []),
    ...(status?.service_deployment_status === 'OUT_OF_DATE' ? (['out of date'] as const) : []),
  ];
  return withOthers.includes(condition) ? found.filter((other) => other !== condition) : [];
}

/** Conditions that the reason of a more urgent one has already. */
const inReasons: readonly Standing[] = ['overdue', 'stopped'];

const time = ({ at }: ServiceCondition): number => Date.parse(at ?? '') || 0;

/**
 * A cron job whose last run is missing, or may be, isn't healthy, however its last deployment ended, and a missing run
 * is more urgent than a changed configuration.
 */
function withLateRun(
  [condition, reason]: readonly [Standing, string],
  late: LateText | undefined,
): readonly [Standing, string] {
  if (late === undefined) return [condition, reason];
  if (late.isKnown && ['healthy', 'out of date'].includes(condition)) return ['overdue', late.text];
  return condition === 'healthy' ? ['unknown', late.text] : [condition, `${reason}, and ${late.text}`];
}

/**
 * The conditions of an environment's services, most urgent first, those with a warning before others. Unknown states
 * count as `moving`.
 */
export function overviewOf(services: readonly WatchedService[]): Overview {
  const warnings = warningsOfServices(services);
  const judged = services.map((service) => {
    const { id, name, kind, status, by, late } = service;
    const warning = warnings.get(service);
    const [condition, told] = withLateRun(standingOf(status, kind, warning), late);
    const isUnchecked = condition === 'healthy' && service.isChecked === false;
    const reason = isUnchecked ? `${told}; no health check` : told;
    const stranded = strandedDataIn(status);
    const besides = besidesOf(status, condition, late);
    const row: ServiceCondition = {
      id,
      name,
      kind,
      condition,
      ...(besides.length > 0 && { besides }),
      state: status?.state ?? undefined,
      reason: [reason, ...besides.filter((other) => !inReasons.includes(other)).map((other) => `and is ${other}`)].join(
        ', ',
      ),
      at: status?.last_deployment_date ?? undefined,
      ...(by !== undefined && { by }),
      ...(late?.isKnown === true && late.due !== undefined && { due: late.due }),
      ...(stranded && { backup: stranded.backup ? backupText(stranded.backup) : 'none' }),
    };
    return { row, isWarned: warning !== undefined, isUnchecked };
  });
  const counts: Partial<Record<Standing, number>> = {};
  for (const {
    row: { condition },
  } of judged)
    counts[condition] = (counts[condition] ?? 0) + 1;
  const inOrder = judged.toSorted(
    ({ row: one, isWarned }, { row: other, isWarned: isOtherWarned }) =>
      standings.indexOf(one.condition) - standings.indexOf(other.condition) ||
      (one.condition === 'healthy' ? Number(isOtherWarned) - Number(isWarned) : 0) ||
      time(other) - time(one) ||
      one.name.localeCompare(other.name),
  );
  return {
    services: inOrder.map(({ row }) => row),
    counts,
    unchecked: judged.filter(({ isUnchecked }) => isUnchecked).length,
  };
}
