import { measurementTable as figuresTable } from '../../bench/report.ts';
import { baseline, readRun } from '../../bench/run.ts';
import { isMet, targetFor } from '../../bench/targets.ts';
import { markdownTable } from './markdown.ts';

const run = await readRun(baseline);

/** The machine, time and commit of the measurements. */
export function performanceMachine(): string {
  const { at, commit, node, system, processor, cores, memoryGb, loadBefore } = run.machine;
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

/** Every figure, with one table for each measurement. */
export const performanceFigures = (): string => Object.entries(run.results).map(([name, figures]) => figuresTable(name, figures)).join('\n');
