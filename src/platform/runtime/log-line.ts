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

type Place = Omit<RuntimeLogLine, 'message' | 'condition'>;

/** The line that tells a condition. */
export const conditionLine = (condition: Condition, line: Place): RuntimeLogLine => ({
  ...line,
  message: condition.message,
  condition,
});

/** The line that tells a condition, or something that is none. */
export const toldLine = (told: Condition | string, line: Place): RuntimeLogLine =>
  typeof told === 'string' ? { ...line, message: told } : conditionLine(told, line);

/** Adds to the log of a piece of work. */
export type Say = (told: Condition | string) => void;
