import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Results } from './compare.ts';

/** Where and when a run was made. */
interface Machine {
  readonly at: string;
  readonly commit: string;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Processes that wanted to run, on average over the minute before. Above 0.5 the figures are of a busy machine. */
  readonly loadBefore: number;
}

const commit = (): string => {
  try {
    const describe = ['describe', '--always', '--dirty'];
    return execFileSync('git', describe, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
};

/** What this machine is, and how busy it was just now. */
export const machineFacts = (): Machine => ({
  at: new Date().toISOString(),
  commit: commit(),
  node: process.versions.node,
  system: `${platform()} ${release()} ${arch()}`,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  loadBefore: Number(loadavg()[0]!.toFixed(2)),
});

/** What a run leaves behind. */
export interface Run {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly results: Results;
}

/** The run that others are compared with, and that the page of performance shows. */
export const baseline = join(import.meta.dirname, 'baseline.json');

export const readRun = async (path: string): Promise<Run> => JSON.parse(await readFile(path, 'utf8')) as Run;
