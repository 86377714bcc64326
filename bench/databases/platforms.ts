import { setTimeout as pause } from 'node:timers/promises';
import { terminalOutcome } from '../../src/contract/index.ts';
import { connectDirect, type DirectClient } from '../clients/direct-client.ts';
import { type Figure, relativeTo } from '../figure.ts';
import { load, type Load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import type { BundledProgram } from '../program.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { type BenchPostgres, startBenchPostgres } from './postgres.ts';

/** How many platforms share a database. */
const numbers = [1, 2, 4];
const environments = 64;
const deployments = 1000;
const reads = 4000;
/** Concurrent requests, over all platforms. */
const [deploying, reading] = [32, 16];

/** Platforms on the same records. */
interface Fleet {
  readonly name: string;
  readonly platforms: readonly PlatformProcess[];
}

async function onSqlite(program: BundledProgram): Promise<Fleet> {
  return {
    name: 'one platform on SQLite',
    platforms: [await startPlatformProcess(program, await program.directory('platform'))],
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
  return { name: `${count} on PostgreSQL`, platforms };
}

/** Creates environments with one application each. @returns the ids of the applications */
const applications = (
  direct: DirectClient,
  { project_id, cluster_id }: PlatformProcess['ids'],
  count: number,
): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const { id: environment_id } = await direct.call('create_environment', {
        project_id,
        cluster_id,
        name: `bench ${number}`,
        mode: 'STAGING',
      });
      const git_repository = { url: 'https://git.example.com/acme/shop.git', branch: 'main' };
      return (
        await direct.call('create_application', { environment_id, name: 'app', git_repository, build_mode: 'DOCKER' })
      )['id'] as string;
    }),
  );

async function isUnderWay(direct: DirectClient, application_id: string): Promise<boolean> {
  const { state } = await direct.call('get_application_status', { application_id });
  return (
    state !== 'READY' && terminalOutcome('DEPLOY', state === 'RUNNING' ? 'DEPLOYED' : (state as string)) === undefined
  );
}

/** Seconds until deployments that are ordered as fast as possible have all ended. */
async function deployAll(clients: readonly DirectClient[], ids: readonly string[], count: number): Promise<number> {
  const began = performance.now();
  let turn = 0;
  await load(count, deploying, (worker) =>
    clients[worker % clients.length]!.call('deploy_application', { application_id: ids[(turn += 1) % ids.length] }),
  );
  for (const id of ids) while (await isUnderWay(clients[0]!, id)) await pause(5);
  return (performance.now() - began) / 1000;
}

/** What one arrangement does. */
interface Measured {
  readonly deployed: number;
  readonly read: Load;
}

async function measured({ platforms }: Fleet, times: BenchContext['repetitions']): Promise<Measured> {
  const clients = platforms.map(({ url, token }) => connectDirect(url, token, deploying));
  try {
    const ids = await applications(clients[0]!, platforms[0]!.ids, environments);
    const count = times(deployments);
    await deployAll(clients, ids, Math.ceil(count / 10));
    const seconds = await deployAll(clients, ids, count);
    let turn = 0;
    const read = () =>
      clients[(turn += 1) % clients.length]!.call('get_application_status', { application_id: ids[turn % ids.length] });
    await load(Math.ceil(times(reads) / 10), reading, read);
    return { deployed: count / seconds, read: await load(times(reads), reading, read) };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(platforms.map((platform) => platform.close()));
  }
}

const figuresOf = (name: string, { deployed, read }: Measured): Figure[] => [
  { name: `${name}: deployments`, value: deployed, unit: 'per s' },
  { name: `${name}: reads`, value: read.perSecond, unit: 'per s' },
  { name: `${name}: read, median`, value: read.median, unit: 'ms' },
  { name: `${name}: read, p95`, value: read.p95, unit: 'ms' },
];

async function measure(bench: BenchContext): Promise<Figure[]> {
  const program = await bench.program();
  const postgres = await startBenchPostgres(bench);
  if (!postgres) return [];
  try {
    const alone = await onSqlite(program);
    const references = figuresOf(alone.name, await measured(alone, bench.repetitions));
    const figures = [...references];
    for (const count of numbers) {
      const fleet = await onPostgres(program, postgres, count);
      const own = figuresOf(fleet.name, await measured(fleet, bench.repetitions));
      figures.push(...own.map((figure, index) => relativeTo(references[index]!, figure)));
    }
    return figures;
  } finally {
    await postgres.stop();
  }
}

export const platforms: Measurement = {
  name: 'platforms',
  about: `Deployments (${deploying} requests at once) and reads (${reading} at once) of 1, 2 and 4 platforms on PostgreSQL, beside one on SQLite.`,
  measure,
};
