/** Runs benchmarks of the program and its baselines in one run, and reports their ratios. See `--help`. */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { inOwnNamespaces } from '../test/support/docker/own-namespaces.ts';
import { findRegressions } from './compare.ts';
import { databaseMeasurements } from './databases/database-measurements.ts';
import { dockerMeasurements, hostMeasurements } from './docker/docker-measurements.ts';
import { runApart } from './docker/run-apart.ts';
import type { Figure } from './figure.ts';
import {
  baseline,
  databaseBaseline,
  dockerBaseline,
  hostsBaseline,
  machineFacts,
  othersBaseline,
  readRun,
  type Run,
} from './run.ts';
import type { BenchContext, Measurement, OtherServer } from './measurement.ts';
import { measurements } from './measurements/measurements.ts';
import { otherMeasurements } from './others/other-measurements.ts';
import { buildProgram, type BundledProgram } from './program.ts';
import { measurementTable } from './report.ts';

const listed = (all: readonly Measurement[]): string =>
  all.map(({ name, about }) => `  ${name.padEnd(10)}${about}`).join('\n');

const usage = `npm run bench -- [measurement ...] [options]

Measurements (default: all):
${listed(measurements)}

With --docker, on a Docker engine that is started for them; needs root and what the docker tests need:
${listed(dockerMeasurements)}

With --hosts, on one host and on three with an engine each; needs the same:
${listed(hostMeasurements)}

With --databases, on SQLite and on PostgreSQL; needs Debian's postgresql-15, without which some are left out:
${listed(databaseMeasurements)}

With --others, beside public servers, which npm installs into a temporary folder:
${listed(otherMeasurements)}

  --docker         run those on a Docker engine in place of the others
  --hosts          run those on several hosts in place of the others
  --databases      run those on the two databases in place of the others
  --quick          fewer repetitions: under a minute, for a rough estimate
  --runs <times>   process starts for each figure (default: 15)
  --others         run those beside public servers in place of the others
  --servers <file> JSON list of other servers to measure too: [{ "name", "command", "args" }]
  --json <file>    also write the figures and the machine's details to a file
  --compare        report clear regressions since the committed baseline
  --with <file>    compare with this run instead of the baseline
`;

const { values: options, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    docker: { type: 'boolean', default: false },
    hosts: { type: 'boolean', default: false },
    databases: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    others: { type: 'boolean', default: false },
    servers: { type: 'string' },
    json: { type: 'string' },
    compare: { type: 'boolean', default: false },
    with: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** What can be measured, and the committed run of it. */
function group(): readonly [readonly Measurement[], string] {
  if (options.docker) return [dockerMeasurements, dockerBaseline];
  if (options.hosts) return [hostMeasurements, hostsBaseline];
  if (options.others) return [otherMeasurements, othersBaseline];
  return options.databases ? [databaseMeasurements, databaseBaseline] : [measurements, baseline];
}

const [offered, reference] = group();

const readJson = async <Value>(path: string): Promise<Value> => JSON.parse(await readFile(path, 'utf8')) as Value;

/** Runs the chosen measurements and prints each table as soon as it is complete. */
async function measure(): Promise<Run> {
  const machine = machineFacts();
  const { quick } = options;
  let program: Promise<BundledProgram> | undefined;
  const bench: BenchContext = {
    program: () => (program ??= buildProgram()),
    others: options.servers === undefined ? [] : await readJson<OtherServer[]>(options.servers),
    runs: Number(options.runs ?? (quick ? 3 : 15)),
    repetitions: (full) => (quick ? Math.ceil(full / 20) : full),
    log: (line) => void process.stderr.write(`${line}\n`),
  };
  const results: Record<string, readonly Figure[]> = {};
  try {
    for (const { name, measure: run } of offered.filter((one) => chosen.length === 0 || chosen.includes(one.name))) {
      results[name] = await run(bench);
      process.stdout.write(`${measurementTable(name, results[name])}\n`);
    }
  } finally {
    await (await program)?.close();
  }
  return { machine, quick, results };
}

/** Reports regressions since an earlier run. Sets the exit code if there are any. */
async function compare(run: Run): Promise<void> {
  const earlier = await readRun(options.with ?? reference);
  const found = findRegressions(earlier.results, run.results);
  if (found.length === 0) return void process.stdout.write(`No regressions since ${earlier.machine.commit}.\n`);
  const lines = found.map(
    ({ figure, before, now, times }) =>
      `  ${times.toFixed(2)} × worse: ${figure} (${before.toFixed(2)}, now ${now.toFixed(2)})`,
  );
  process.stdout.write(`Regressions since ${earlier.machine.commit}:\n${lines.join('\n')}\n`);
  process.exitCode = 1;
}

const unknown = chosen.filter((name) => offered.every((one) => one.name !== name));
if (options.help || unknown.length > 0) {
  process.stdout.write(usage);
  if (unknown.length > 0) {
    process.stderr.write(`There is no measurement "${unknown.join('", "')}".\n`);
    process.exitCode = 1;
  }
} else if ((options.docker || options.hosts) && process.env[inOwnNamespaces] === undefined) {
  process.exitCode = await runApart('bench/main.ts', process.argv.slice(2));
} else {
  const run = await measure();
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(run, null, 1)}\n`);
  if (options.compare) await compare(run);
}
