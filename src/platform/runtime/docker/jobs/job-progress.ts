import { type Condition, condition } from '../../../../contract/index.ts';
import { conditionLine, type Observation, type RuntimeLogLine, type Task } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import type { ReportedUntil } from '../observation/instance-logs.ts';
import type { RunEnd, ToldAttempts } from './job-attempts.ts';
import { type PollInterval, pollPause } from '../waits.ts';
import type { ReadPlan } from '../terraform/plan.ts';
import { versionShown } from '../version.ts';

/** How often to observe a run, in milliseconds: the longer it takes, the less often. */
const poll: PollInterval = { least: 300, most: 3000, part: 0.05 };

/** State that is kept between two observations of a run. Times are in milliseconds since the epoch. */
export interface RunProgress {
  /** Since when this run waits for an earlier one of the same job. */
  readonly waitingSince?: number;
  /** Since when the engine has this run. */
  readonly since?: number;
  readonly unschedulableSince?: number;
  readonly told: ToldAttempts;
  readonly reported: ReportedUntil;
  /** The part of the plan's output that was read so far. */
  readonly plan?: ReadPlan;
  /** A digest of the variables that the plan is created with. */
  readonly variables?: string;
  /** The tasks whose logs have been read to their end. */
  readonly read: readonly string[];
  /** How the run ended, when that was first observed, and whether its whole log was reported. */
  readonly end?: RunEnd & { readonly at: number; readonly isTold: boolean };
}

/** Reads the cursor of a run; null means that it has not started. */
export function readRunProgress(text: string | null): RunProgress {
  if (text === null) return { told: {}, reported: {}, read: [] };
  const progress = JSON.parse(text) as RunProgress;
  const failure: Condition | string | undefined = progress.end?.failure;
  // Earlier versions recorded only the sentence.
  return typeof failure === 'string'
    ? { ...progress, end: { ...progress.end!, failure: condition('OTHER', { told: failure }) } }
    : progress;
}

/** The lines of an observation: the job's own, and messages about it. */
interface Told {
  readonly lines?: readonly RuntimeLogLine[];
  readonly messages?: readonly string[];
  readonly conditions?: readonly Condition[];
}

/** The part that all observations of a run share. */
export const seenOfRun = (
  { clock }: Pick<DockerContext, 'clock'>,
  task: Task,
  progress: RunProgress,
  { lines = [], messages = [], conditions = [] }: Told,
): Pick<Observation, 'lines' | 'cursor'> => {
  const place = { at: clock.now(), pod: task.service.kind, version: versionShown(task) };
  return {
    lines: [
      ...lines,
      ...messages.map((message) => ({ ...place, message })),
      ...conditions.map((each) => conditionLine(each, place)),
    ],
    cursor: JSON.stringify(progress),
  };
};

/** An observation of a run that continues. */
export function runGoesOn(
  context: Pick<DockerContext, 'clock'>,
  task: Task,
  progress: RunProgress,
  told: Told = {},
): Observation {
  const now = context.clock.now();
  return {
    ...seenOfRun(context, task, progress, told),
    outcome: 'ongoing',
    nextPollAt: now + pollPause(poll, now - (progress.since ?? now)),
  };
}
