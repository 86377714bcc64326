import type { Condition } from '../../../contract/index.ts';
import { type Observation, type Task, toldLine, whyFailed } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { isDockerAway } from './api/index.ts';
import { type PollInterval, pollPause } from './waits.ts';
import { versionShown } from './version.ts';

/** How often to observe a piece of work. If the image is already present, a pull takes only a moment. */
const poll: PollInterval = { least: 50, most: 200, part: 0.2 };

/** A phase that this process performs itself. */
export interface WorkPhase {
  readonly key: string;
  /** The source of its lines. */
  readonly pod: string;
  /** Starts it, unless it is under way. */
  readonly begin: () => Promise<void>;
  /** Returns the additional members of the observation on success. */
  readonly onSuccess: (result: unknown) => Pick<Observation, 'record' | 'commit'>;
}

/**
 * Reports the progress of a phase. One that another process started is started again, and all of its lines are
 * reported.
 */
export async function observeWork(
  { work, clock }: Pick<DockerContext, 'clock' | 'work'>,
  task: Pick<Task, 'service' | 'commitId'>,
  cursor: string | null,
  { key, pod, begin, onSuccess }: WorkPhase,
): Promise<Observation> {
  if (work.progressOf(key) === undefined) await begin();
  const { run, since, lines, end } = work.progressOf(key)!;
  const [toldRun, toldLines] = (cursor ?? '').split(' ');
  const told = toldRun === run ? Number(toldLines) : 0;
  const version = versionShown(task);
  const line = (at: number, said: Condition | string) => toldLine(said, { at, pod, version });
  const interrupted =
    cursor !== null && toldRun !== run
      ? [line(clock.now(), 'The platform was interrupted: this step starts again.')]
      : [];
  const seen = {
    lines: [...interrupted, ...lines.slice(told).map((each) => line(each.at, each.told))],
    cursor: `${run} ${lines.length}`,
  };
  if (end === undefined) {
    const now = clock.now();
    return { ...seen, outcome: 'ongoing', nextPollAt: now + pollPause(poll, now - since) };
  }
  if ('error' in end && isDockerAway(end.error)) {
    // The engine is unavailable or very busy, and often back in a moment: the phase then starts again.
    work.drop(key);
    throw end.error;
  }
  if ('result' in end) return { ...seen, outcome: 'succeeded', ...onSuccess(end.result) };
  const why = whyFailed(end.error);
  return { ...seen, lines: [...seen.lines, line(clock.now(), why)], outcome: 'failed', why };
}
