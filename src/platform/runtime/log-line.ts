import type { Condition } from '../../contract/index.ts';

/** One log line, with its time and pod. */
export interface RuntimeLogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly message: string;
  readonly pod: string;
  /** What the pod runs: a short commit, an image tag, a chart version. */
  readonly version: string;
  /** What it says, as data. */
  readonly condition?: Condition;
}

/** The line that tells a condition. */
export const conditionLine = (
  condition: Condition,
  line: Omit<RuntimeLogLine, 'message' | 'condition'>,
): RuntimeLogLine => ({ ...line, message: condition.message, condition });
