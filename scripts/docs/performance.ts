import { figureCells } from '../../bench/report.ts';
import { baseline, dockerBaseline, readRun, type Run } from '../../bench/run.ts';
import { isMet, targetFor } from '../../bench/targets.ts';
import { markdownTable } from './markdown.ts';

const run = await readRun(baseline);
const dockerRun = await readRun(dockerBaseline);

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

/** The figures measured on a Docker engine, with the machine. */
export function performanceOnDocker(): string {
  const rows = Object.entries(dockerRun.results).flatMap(([measurement, figures]) => figures.filter(({ name }) => name !== 'a second').map((figure) => [...figureCells(measurement, figure)]));
  return `${markdownTable(['What', 'Measured', 'Ratio', 'Target'], rows)}\n\n${machineOf(dockerRun)}`;
}
