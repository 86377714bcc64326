import type { Condition } from '../../../contract/index.ts';
import { type Observation, type Task, toldLine, whyFailed } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { isDockerAway } from './api/index.ts';
import { type PollInterval, pollPause } from './waits.ts';
import { versionShown } from './version.ts';

/** How often to look at a piece of work. An image that is there already is pulled in a moment. */
const poll: PollInterval = { least: 50, most: 200, part: 0.2 };

/** A phase that this process carries out itself. */
export interface WorkPhase {
  readonly key: string;
  /** What its lines come from. */
  readonly pod: string;
  /** Begins it, unless it is under way. */
  readonly begin: () => Promise<void>;
  /** What an observation of its success has beside the lines. */
  readonly onSuccess: (result: unknown) => Pick<Observation, 'record' | 'commit'>;
}

/** How far a phase is. One that another process began is begun again, and its lines are told from the start. */
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
      ? [line(clock.now(), 'The platform was interrupted: this step begins again.')]
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
    // The engine is away or very busy, and often back in a moment: it begins again then.
    work.drop(key);
    throw end.error;
  }
  if ('result' in end) return { ...seen, outcome: 'succeeded', ...onSuccess(end.result) };
  const why = whyFailed(end.error);
  return { ...seen, lines: [...seen.lines, line(clock.now(), why)], outcome: 'failed', why };
}
