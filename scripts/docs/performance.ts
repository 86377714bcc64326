import { existsSync } from 'node:fs';
import { figureCells } from '../../bench/report.ts';
import { baseline, databaseBaseline, dockerBaseline, readRun, type Run } from '../../bench/run.ts';
import { isMet, targetFor } from '../../bench/targets.ts';
import { markdownTable } from './markdown.ts';

const run = await readRun(baseline);
const dockerRun = await readRun(dockerBaseline);
const databaseRun = existsSync(databaseBaseline) ? await readRun(databaseBaseline) : undefined;

/** The machine, time and commit of measurements. */
function machineOf({ machine: { at, commit, node, system, processor, cores, memoryGb, loadBefore } }: Run): string {
  return `Node ${node}, ${system}, ${cores} × ${processor}, ${memoryGb} GB; ${at.slice(0, 16).replace('T', ' ')} UTC, at ${commit}; load average ${loadBefore} at the start.`;
}

/** The targets with the measured ratios. */
export function performanceTargets(): string {
  const rows = Object.entries(run.results).flatMap(([measurement, figures]) =>
    figures.flatMap((figure) => {
      const target = targetFor(measurement, figure.name);
      if (!target || figure.ratio === undefined) return [];
      return [[`${measurement}: ${figure.name}`, `${target.bound} ${target.ratio} ×`, `${figure.ratio.toFixed(2)} ×`, isMet(target, figure) ? 'met' : 'missed']];
    }),
  );
  return markdownTable(['What', 'Target', 'Measured', ''], rows);
}

/** The machine, time and commit of the measurements. */
export const performanceMachine = (): string => machineOf(run);

/** All figures of a run, with the machine. */
function figuresOf(measured: Run): string {
  const rows = Object.entries(measured.results).flatMap(([measurement, figures]) => figures.filter(({ name }) => name !== 'a second').map((figure) => [...figureCells(measurement, figure)]));
  return `${markdownTable(['What', 'Measured', 'Ratio', 'Target'], rows)}\n\n${machineOf(measured)}`;
}

/** The figures measured on a Docker engine. */
export const performanceOnDocker = (): string => figuresOf(dockerRun);

/** The figures measured on the two databases. */
export const performanceOnDatabases = (): string => (databaseRun ? figuresOf(databaseRun) : 'No run is recorded yet.');
