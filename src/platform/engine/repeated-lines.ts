import { shortened } from '../../contract/index.ts';

/** A line as it is stored and returned. */
interface TimedLine {
  readonly created_at: string;
  readonly pod_name: string;
  readonly message: string;
}

/** The maximum length of a stored line, in characters. */
const longestKeptLine = 4000;

/** Shortens a line for storage: instances can log megabytes without a newline. */
export const shortenedLine = (message: string): string => shortened(message, longestKeptLine);

/** The same key for a line and for its copy, which may have been shortened. */
const keyOf = ({ created_at: at, pod_name: pod, message }: TimedLine): string =>
  `${at} ${pod} ${shortenedLine(message)}`;

/**
 * The lines that are not among the known ones. A line that an instance logged twice within a millisecond stays as often
 * as it isn't known: both lists come from the same log.
 */
export function withoutKnownLines<Line extends TimedLine>(lines: readonly Line[], known: readonly TimedLine[]): Line[] {
  const counts = new Map<string, number>();
  for (const line of known) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  return lines.filter((line) => {
    const key = keyOf(line);
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left <= 0;
  });
}
