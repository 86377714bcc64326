import { scheduleRequester, timetableRequester } from '../contract/index.ts';
import type { PastDeployment } from './history.ts';

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

/** Whether an item follows a stop, or has another version than the last good one before it: then it is no mere run. */
function bringsItUp(past: PastDeployment, earlier: readonly PastDeployment[]): boolean {
  const last = earlier.find(({ end }) => end === 'good');
  if (last === undefined) return false;
  if (last.action === 'STOP') return true;
  const [version, before] = [versionOf(past), versionOf(last)];
  return version !== undefined && before !== undefined && version !== before;
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
