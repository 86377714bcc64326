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

/** The processes that have a text in their command line. */
export const processesWith = (text: string): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && read(pid, 'cmdline').includes(text));

/** The CPU time that processes have used since they began, in seconds. */
function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The name of the program, in parentheses, may have spaces.
    const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
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
