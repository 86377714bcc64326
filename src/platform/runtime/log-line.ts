import type { Condition } from '../../contract/index.ts';

/** One log line, with its time and pod. */
export interface RuntimeLogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly message: string;
  readonly pod: string;
  /** The version that the pod runs: a short commit, an image tag, a chart version. */
  readonly version: string;
  /** The condition that it reports, as data. */
  readonly condition?: Condition;
}

type Place = Omit<RuntimeLogLine, 'message' | 'condition'>;

/** The line that reports a condition. */
export const conditionLine = (condition: Condition, line: Place): RuntimeLogLine => ({
  ...line,
  message: condition.message,
  condition,
});

/** The line for a condition or a plain message. */
export const toldLine = (told: Condition | string, line: Place): RuntimeLogLine =>
  typeof told === 'string' ? { ...line, message: told } : conditionLine(told, line);

/** Adds a line to the log of the work under way. */
export type Say = (told: Condition | string) => void;
