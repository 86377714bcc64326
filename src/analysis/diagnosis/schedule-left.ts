import type { Entry } from '../logs/entries.ts';

const notBegun = /^The schedule of this version does not begin, because this deployment did not end well\. (?<left>No run|The version before)/;

/** What the log of a job's deployment tells of its schedule; undefined if nothing. Not in the words of the log, which anybody may have written. */
export function leftScheduleText(entries: readonly Entry[]): string | undefined {
  const left = entries.map(({ text }) => notBegun.exec(text)?.groups?.['left']).findLast((found) => found !== undefined);
  if (left === undefined) return undefined;
  return left === 'No run' ? 'no run starts by itself until a deployment of it ends well' : 'that of the version before goes on; the new one has not begun';
}
