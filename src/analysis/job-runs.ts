import { scheduleRequester, timetableRequester } from '../contract/index.ts';
import { isSameTimes, type PastDeployment } from './history.ts';

/**
 * How an item of a job's history came about, as far as its data tells. A run and a deployment that somebody asked for
 * look the same, unless the run has arguments of its own or the deployment brings another version.
 */
export type RunKind =
  | 'by schedule'
  | 'run on request'
  | 'deployment'
  | 'run or deployment on request'
  | 'restart'
  | 'stop'
  | 'deletion'
  | 'not told';

const byAction: Readonly<Record<string, RunKind | undefined>> = {
  STOP: 'stop',
  DELETE: 'deletion',
  RESTART: 'restart',
};

const requestOrigins: readonly (string | undefined)[] = ['API', 'CLI', 'CONSOLE'];
// What follows a repository or a configuration as code brings versions; it doesn't ask for runs.
const deploymentOrigins: readonly (string | undefined)[] = ['GIT', 'TERRAFORM_PROVIDER'];

type Requester = Pick<PastDeployment, 'origin' | 'triggeredBy'>;

const isBy = ({ origin, triggeredBy }: PastDeployment, requester: Requester): boolean =>
  origin === requester.origin && triggeredBy === requester.triggeredBy;

const versionOf = ({ commit, image }: PastDeployment): string | undefined => commit ?? image;

/**
 * Whether an item follows a stop, or has another version or schedule than the last good one before it: then it is no
 * mere run.
 */
function bringsItUp(past: PastDeployment, earlier: readonly PastDeployment[]): boolean {
  const last = earlier.find(({ end }) => end === 'good');
  if (last === undefined) return false;
  if (last.action === 'STOP') return true;
  const [version, before] = [versionOf(past), versionOf(last)];
  if (version !== undefined && before !== undefined && version !== before) return true;
  return past.schedule !== undefined && last.schedule !== undefined && !isSameTimes(past.schedule, last.schedule);
}

function kindOf(
  past: PastDeployment,
  earlier: readonly PastDeployment[],
  beganWhenDue: (past: PastDeployment) => boolean,
): RunKind {
  const { action, state, origin } = past;
  if (action !== 'DEPLOY') return byAction[action] ?? 'not told';
  if (isBy(past, scheduleRequester)) return 'by schedule';
  // An action that isn't told counts as a deployment; a state tells more.
  if (state?.startsWith('STOP') === true) return 'stop';
  if (past.hasOwnArguments) return 'run on request';
  if (isBy(past, timetableRequester) || deploymentOrigins.includes(origin)) return 'deployment';
  if (requestOrigins.includes(origin)) return bringsItUp(past, earlier) ? 'deployment' : 'run or deployment on request';
  // Whatever a platform calls its schedules, only they begin something by themselves just when a run is due.
  return origin === scheduleRequester.origin && beganWhenDue(past) ? 'by schedule' : 'not told';
}

/**
 * How each item of a job's history came about.
 * @param history newest first
 * @param beganWhenDue whether an item began when a run was due; false for a job without a clock
 */
export const runKindsOf = (
  history: readonly PastDeployment[],
  beganWhenDue: (past: PastDeployment) => boolean,
): readonly RunKind[] => history.map((past, index) => kindOf(past, history.slice(index + 1), beganWhenDue));

/** The step of a deployment that runs a job. */
const runStep = 'EXECUTING';

/** The step that ran a job among those of a deployment; undefined if there is none. */
export const runStepIn = <Step extends { readonly step_name?: string | null }>(
  steps: readonly Step[] | null | undefined,
): Step | undefined => steps?.find(({ step_name: name }) => name === runStep);

/** Whether a deployment of a job also ran it, and when that was asked for. */
export interface RunByDeployment {
  readonly ran: boolean;
  readonly at: string;
}

/**
 * What the newest deployment of a job shows of whether deployments run it; undefined if the history has none that is
 * known to be one and tells its steps. The oldest item of a whole history is one: nothing runs before.
 * @param history newest first
 */
export function runByDeployment(history: readonly PastDeployment[], isWhole: boolean): RunByDeployment | undefined {
  const kinds = runKindsOf(history, () => false);
  const isDeployment = (index: number): boolean =>
    kinds[index] === 'deployment' ||
    (isWhole && index === history.length - 1 && kinds[index] === 'run or deployment on request');
  const found = history.find(({ end, steps = [] }, index) => end === 'good' && steps.length > 0 && isDeployment(index));
  return found?.startedAt === undefined
    ? undefined
    : { ran: found.steps!.some(({ name }) => name === runStep), at: found.startedAt };
}
