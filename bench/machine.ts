import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

/** Where and when a run was made. */
export interface Machine {
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
