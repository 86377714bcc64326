import { figureCells } from '../../bench/report.ts';
import {
  baseline,
  databaseBaseline,
  dockerBaseline,
  hostsBaseline,
  othersBaseline,
  readRun,
  type Run,
} from '../../bench/run.ts';
import { isMet, targetFor } from '../../bench/targets.ts';
import { markdownTable } from './markdown.ts';

const run = await readRun(baseline);
const dockerRun = await readRun(dockerBaseline);
const nodesRun = await readRun(hostsBaseline);
const databaseRun = await readRun(databaseBaseline);
const othersRun = await readRun(othersBaseline);

/** The machine, time and commit of measurements. */
function machineOf({ machine: { at, commit, node, system, processor, cores, memoryGb, loadBefore } }: Run): string {
  return `Node ${node}, ${system}, ${cores} × ${processor}, ${memoryGb} GB; ${at.slice(0, 16).replace('T', ' ')} UTC, at ${commit}; load average ${loadBefore} at the start.`;
}

/** The targets with the measured ratios. */
function performanceTargets(): string {
  const rows = Object.entries(run.results).flatMap(([measurement, figures]) =>
    figures.flatMap((figure) => {
      const target = targetFor(measurement, figure.name);
      if (!target || figure.ratio === undefined) return [];
      return [
        [
          `${measurement}: ${figure.name}`,
          `${target.bound} ${target.ratio} ×`,
          `${figure.ratio.toFixed(2)} ×`,
          isMet(target, figure) ? 'met' : 'missed',
        ],
      ];
    }),
  );
  return markdownTable(['What', 'Target', 'Measured', ''], rows);
}

/** All figures of a run, with the machine. */
function figuresOf(measured: Run): string {
  const rows = Object.entries(measured.results).flatMap(([measurement, figures]) =>
    figures.filter(({ name }) => name !== 'a second').map((figure) => [...figureCells(measurement, figure)]),
  );
  return `${markdownTable(['What', 'Measured', 'Ratio', 'Target'], rows)}\n\n${machineOf(measured)}`;
}

/** The generated sections of the page of figures, by their names. */
export const performanceSections = (): Readonly<Record<string, string>> => ({
  'performance targets': performanceTargets(),
  'performance machine': machineOf(run),
  'performance on Docker': figuresOf(dockerRun),
  'performance on nodes': figuresOf(nodesRun),
  'performance on databases': figuresOf(databaseRun),
  'performance beside others': figuresOf(othersRun),
});
