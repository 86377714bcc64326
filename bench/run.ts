import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Results } from './compare.ts';

/** The machine, time and commit of a run. */
interface Machine {
  readonly at: string;
  readonly commit: string;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Load average over the last minute. Above 0.5, the figures are from a busy machine. */
  readonly loadBefore: number;
}

const commit = (): string => {
  try {
    const describe = ['describe', '--always', '--dirty'];
    return execFileSync('git', describe, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
};

/** Facts about this machine, with its current load. */
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

/** A saved run. */
export interface Run {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly results: Results;
}

/** The committed run: the reference of --compare, shown in docs/performance.md. */
export const baseline = join(import.meta.dirname, 'baseline.json');

/** The same for the measurements on a Docker engine, which need root and are made apart. */
export const dockerBaseline = join(import.meta.dirname, 'docker-baseline.json');

/** The same for the measurements on several hosts. */
export const hostsBaseline = join(import.meta.dirname, 'hosts-baseline.json');

/** The same for the measurements that compare the two databases. */
export const databaseBaseline = join(import.meta.dirname, 'database-baseline.json');

/** The same for the measurements beside public servers. */
export const othersBaseline = join(import.meta.dirname, 'others-baseline.json');

/** Reads a saved run. */
export const readRun = async (path: string): Promise<Run> => JSON.parse(await readFile(path, 'utf8')) as Run;
