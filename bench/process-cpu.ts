import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** What the kernel counts CPU time in, per second. */
const ticksPerSecond = 100;

const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has just ended.
    return '';
  }
};

const pidsOf = (names: readonly string[]): readonly number[] => names.map(Number).filter((pid) => pid > 0);

/** The processes that have a text in their command line. */
export const processesWith = (text: string): readonly number[] =>
  pidsOf(readdirSync('/proc')).filter((pid) => pid !== process.pid && read(pid, 'cmdline').includes(text));

/** What the kernel tells of a process, from its state on. The name before that, in parentheses, may have spaces. */
const fieldsOf = (pid: number): readonly string[] => read(pid, 'stat').split(') ')[1]?.split(' ') ?? [];

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

/** Places of times in these fields: the process's own in programs and in the kernel, those of children that ended. */
const [own, ofEnded] = [
  [11, 12],
  [13, 14],
];

const secondsIn = (fields: readonly string[], places: readonly number[]): number =>
  sum(places.map((place) => Number(fields[place] ?? 0))) / ticksPerSecond;

/** The CPU time that processes have used since they began, in seconds. */
const cpuSeconds = (pids: readonly number[]): number => sum(pids.map((pid) => secondsIn(fieldsOf(pid), own)));

/** The CPU time of a process and of its children, those included that have ended, in milliseconds. */
export function cpuTimeWithChildren(pid: number): number {
  const children = pidsOf(readdirSync('/proc')).filter((each) => fieldsOf(each)[1] === String(pid));
  return (secondsIn(fieldsOf(pid), [...own, ...ofEnded]) + cpuSeconds(children)) * 1000;
}

/**
 * How much of one core groups of processes use over the same time, in percent.
 * @param groups their ids, which must not change meanwhile
 */
export async function cpuShares(
  groups: readonly (readonly number[])[],
  milliseconds: number,
): Promise<readonly number[]> {
  const [before, began] = [groups.map(cpuSeconds), performance.now()];
  await pause(milliseconds);
  const seconds = (performance.now() - began) / 1000;
  return groups.map((pids, index) => ((cpuSeconds(pids) - before[index]!) / seconds) * 100);
}
