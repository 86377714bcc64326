import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { OperationName } from '../../src/contract/index.ts';
import { databaseFile } from '../../src/platform/store/index.ts';
import { addManyRows, crowded } from '../../test/support/many-rows.ts';
import { connectDirect } from '../clients/direct-client.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import type { BundledProgram } from '../program.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { inDatabase, startBenchPostgres, type BenchPostgres } from './postgres.ts';

const sizes = [10, 1000, 100_000];
const requests = 200;

type Ids = Readonly<Record<string, string>>;
type Input = Readonly<Record<string, unknown>>;

interface Request {
  readonly operation: OperationName;
  readonly input: (ids: Ids, number: number) => Input;
}

// A full page even with ten items.
const page = { page: 1, page_size: 10 };

/**
 * Requests whose latency must not grow with the amount of data: get one item, create one, list the first page, deploy.
 */
const measured: readonly Request[] = [
  { operation: 'get_environment', input: ({ environment_id }) => ({ environment_id }) },
  { operation: 'get_application_status', input: ({ application_id }) => ({ application_id }) },
  {
    operation: 'create_project',
    input: ({ organization_id }, number) => ({ organization_id, name: `grown ${number}` }),
  },
  {
    operation: 'create_environment',
    input: ({ project_id, cluster_id }, number) => ({
      project_id,
      cluster_id,
      mode: 'STAGING',
      name: `grown ${number}`,
    }),
  },
  {
    operation: 'create_environment_variable',
    input: ({ application_id }, number) => ({ application_id, key: `GROWN_${number}`, value: 'x' }),
  },
  { operation: 'list_projects', input: ({ organization_id }) => ({ organization_id, ...page }) },
  { operation: 'list_environments', input: ({ project_id }) => ({ project_id, ...page }) },
  { operation: 'list_services', input: () => ({ environment_id: crowded, ...page }) },
  { operation: 'list_environment_variables', input: ({ application_id }) => ({ application_id, ...page }) },
  {
    operation: 'list_environment_deployments',
    input: ({ environment_id }) => ({ environment_id, page: 1, pageSize: 10 }),
  },
  {
    operation: 'list_events',
    input: ({ organization_id, application_id }) => ({
      organization_id,
      target_type: 'APPLICATION',
      target_id: application_id,
    }),
  },
  { operation: 'deploy_database', input: ({ database_id }) => ({ database_id }) },
];

/** Where the records of a platform are that is to be filled. */
interface Place {
  /** Options that have it keep its records there, as variables. */
  readonly options: (dataDir: string) => Promise<Readonly<Record<string, string>>>;
  readonly fill: (dataDir: string, options: Readonly<Record<string, string>>, ids: Ids, times: number) => Promise<void>;
}

const sqlite: Place = {
  options: async () => ({}),
  fill: async (dataDir, _, ids, times) => {
    const database = new DatabaseSync(join(dataDir, databaseFile), { enableForeignKeyConstraints: false });
    database.exec('BEGIN');
    await addManyRows(
      {
        kind: 'sqlite',
        run: async (statement) => database.exec(statement),
        columnsOf: async (table) =>
          database
            .prepare(`SELECT name FROM pragma_table_info('${table}')`)
            .all()
            .map(({ name }) => String(name)),
      },
      ids,
      times,
    );
    database.exec('COMMIT');
    database.close();
  },
};

const postgresql = (server: BenchPostgres): Place => ({
  options: async () => ({ INFRA_DATABASE_URL: await server.createDatabase() }),
  fill: (_, { INFRA_DATABASE_URL: address }, ids, times) =>
    addManyRows(
      {
        kind: 'postgres',
        run: async (statement) => void (await inDatabase(address!, statement)),
        columnsOf: async (table) =>
          (
            await inDatabase<{ name: string }>(
              address!,
              'select column_name as name from information_schema.columns where table_name = $1',
              [table],
            )
          ).map(({ name }) => name),
      },
      ids,
      times,
    ),
});

async function mediansOf({ ids, url, token }: PlatformProcess, times: number): Promise<number[]> {
  const direct = connectDirect(url, token);
  const medians: number[] = [];
  let number = 0;
  for (const { operation, input } of measured) {
    const call = () => direct.call(operation, input(ids, (number += 1)));
    await load(Math.ceil(times / 4), 1, call);
    medians.push((await load(times, 1, call)).median);
  }
  await direct.close();
  return medians;
}

/** Median latency of every request on a platform of one size, in milliseconds. */
async function mediansAt(program: BundledProgram, place: Place, size: number, times: number): Promise<number[]> {
  const dataDir = await program.directory('platform');
  const options = await place.options(dataDir);
  const seeded = await startPlatformProcess(program, dataDir, 0, options);
  await seeded.close();
  await place.fill(dataDir, options, seeded.ids, size);
  const platform = await startPlatformProcess(program, dataDir, 0, options);
  const medians = await mediansOf(platform, times);
  await platform.close();
  return medians;
}

/** The figures on one database: how they grow with what there is. */
async function growthOn(name: string, program: BundledProgram, place: Place, times: number): Promise<Figure[]> {
  const bySize: number[][] = [];
  for (const size of sizes) bySize.push(await mediansAt(program, place, size, times));
  return measured.flatMap(({ operation }, index) => {
    const [reference, ...larger] = sizes.map((size, column): Figure => ({
      name: `${name}: ${operation}, ${size.toLocaleString('en')}`,
      value: bySize[column]![index]!,
      unit: 'ms',
    }));
    return [reference!, ...larger.map((figure) => relativeTo(reference!, figure))];
  });
}

async function measure(bench: BenchContext): Promise<Figure[]> {
  const program = await bench.program();
  const times = bench.repetitions(requests);
  const figures = await growthOn('SQLite', program, sqlite, times);
  const server = await startBenchPostgres(bench);
  if (!server) return figures;
  try {
    return [...figures, ...(await growthOn('PostgreSQL', program, postgresql(server), times))];
  } finally {
    await server.stop();
  }
}

export const growth: Measurement = {
  name: 'growth',
  about: 'Median latency of sequential requests with 10, 1,000 and 100,000 items of each kind, on both databases.',
  measure,
};
