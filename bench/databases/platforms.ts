import type { OperationName } from '../../src/contract/index.ts';
import { createApplications, deployAll } from '../applications.ts';
import { connectDirect } from '../clients/direct-client.ts';
import { type Figure, relativeTo } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { cpuTime, withProbe } from '../probe.ts';
import type { BundledProgram } from '../program.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { type BenchPostgres, startBenchPostgres } from './postgres.ts';

/** How many platforms share a database. */
const numbers = [1, 2, 4];
const environments = 64;
const deployments = 1000;
const reads = 4000;
/** Reads of the seed's environment whose CPU time is measured. */
const readsByCpuTime: readonly (readonly [string, OperationName])[] = [
  ['look-up', 'get_environment'],
  ['status', 'get_environment_status'],
];
/** Concurrent requests, over all platforms; of reads by CPU time, to each platform. */
const [deploying, reading] = [32, 16];

/** Platforms on the same records. */
interface Fleet {
  readonly name: string;
  readonly platforms: readonly PlatformProcess[];
  /** The CPU time of the processes of their database, in milliseconds; 0 where it is part of the platform. */
  readonly databaseCpuTime: () => number;
}

async function onSqlite(program: BundledProgram): Promise<Fleet> {
  return {
    name: 'one platform on SQLite',
    platforms: [await startPlatformProcess(program, await program.directory('platform'))],
    databaseCpuTime: () => 0,
  };
}

async function onPostgres(program: BundledProgram, postgres: BenchPostgres, count: number): Promise<Fleet> {
  const shared = {
    INFRA_DATABASE_URL: await postgres.createDatabase(),
    INFRA_KEYS_DIR: await program.directory('keys'),
  };
  const platforms: PlatformProcess[] = [];
  // The first one makes the records.
  for (let index = 0; index < count; index += 1)
    platforms.push(await startPlatformProcess(program, await program.directory('platform'), 0, shared));
  return { name: `${count} on PostgreSQL`, platforms, databaseCpuTime: postgres.cpuTime };
}

/** What one arrangement does: by the clock, and by the CPU time of the platforms and their database. */
interface Measured {
  readonly byClock: readonly Figure[];
  readonly byCpuTime: readonly Figure[];
}

async function measured(
  { name, platforms, databaseCpuTime }: Fleet,
  times: BenchContext['repetitions'],
): Promise<Measured> {
  const clients = platforms.map(({ url, token }) => connectDirect(url, token, deploying));
  const byCpuTime: Figure[] = [];

  const cpuTimeOfAll = async (): Promise<number> => {
    const each = await Promise.all(platforms.map(({ child }) => cpuTime(child)));
    return each.reduce((sum, one) => sum + one, databaseCpuTime());
  };
  const countedBy = async <Result>(what: string, count: number, run: () => Promise<Result>): Promise<Result> => {
    const before = await cpuTimeOfAll();
    const result = await run();
    const value = (count / ((await cpuTimeOfAll()) - before)) * 1000;
    byCpuTime.push({ name: `${name}: ${what}, by CPU time`, value, unit: 'per s' });
    return result;
  };
  let turn = 0;
  const calling = (operation: OperationName, input: (number: number) => Readonly<Record<string, unknown>>) => () =>
    clients[(turn += 1) % clients.length]!.call(operation, input(turn));

  try {
    const { environment_id } = platforms[0]!.ids;
    for (const [what, operation] of readsByCpuTime) {
      const read = calling(operation, () => ({ environment_id }));
      // Each platform has as much to do as one alone, before it is measured and while: its code is compiled while it
      // runs, which takes as long for half of the requests.
      const [count, atOnce] = [times(reads) * platforms.length, reading * platforms.length];
      await load(count, atOnce, read);
      await countedBy(what, count, () => load(count, atOnce, read));
    }
    const all = await createApplications(clients[0]!, platforms[0]!.ids, environments);
    const count = times(deployments);
    await deployAll(clients, all, Math.ceil(count / 4) * platforms.length, deploying);
    const began = performance.now();
    await countedBy('deployment until its end', count, () => deployAll(clients, all, count, deploying));
    const seconds = (performance.now() - began) / 1000;
    const read = calling('get_application_status', (number) => ({
      application_id: all[number % all.length]!.application_id,
    }));
    await load(Math.ceil(times(reads) / 10), reading, read);
    const { perSecond, median, p95 } = await load(times(reads), reading, read);
    return {
      byClock: [
        { name: `${name}: deployments`, value: count / seconds, unit: 'per s' },
        { name: `${name}: reads`, value: perSecond, unit: 'per s' },
        { name: `${name}: read, median`, value: median, unit: 'ms' },
        { name: `${name}: read, p95`, value: p95, unit: 'ms' },
      ],
      byCpuTime,
    };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(platforms.map((platform) => platform.close()));
  }
}

const relativeToEach = (references: readonly Figure[], figures: readonly Figure[]): Figure[] =>
  figures.map((figure, index) => relativeTo(references[index]!, figure));

/** What several platforms would do if none of them, nor the database, waited for a core, beside what one does. */
const withCores = (count: number, one: readonly Figure[], several: readonly Figure[]): Figure[] =>
  relativeToEach(
    one,
    several.map((figure) => ({
      ...figure,
      name: figure.name.replace('by CPU time', 'with cores for all'),
      value: figure.value * count,
    })),
  );

async function measure(bench: BenchContext): Promise<Figure[]> {
  const program = withProbe(await bench.program());
  const postgres = await startBenchPostgres(bench);
  if (!postgres) return [];
  try {
    const onFile = await measured(await onSqlite(program), bench.repetitions);
    const figures = [...onFile.byClock, ...onFile.byCpuTime];
    let one: readonly Figure[] | undefined;
    for (const count of numbers) {
      const fleet = await onPostgres(program, postgres, count);
      const { byClock, byCpuTime } = await measured(fleet, bench.repetitions);
      figures.push(...relativeToEach(onFile.byClock, byClock));
      if (one) figures.push(...withCores(count, one, byCpuTime));
      else figures.push(...relativeToEach(onFile.byCpuTime, (one = byCpuTime)));
    }
    return figures;
  } finally {
    await postgres.stop();
  }
}

export const platforms: Measurement = {
  name: 'platforms',
  about: `Deployments (${deploying} requests at once) and reads (${reading} at once) of 1, 2 and 4 platforms on PostgreSQL, beside one on SQLite: by the clock, and per second of CPU time of platforms and database.`,
  measure,
};
