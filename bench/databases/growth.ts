import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { OperationName } from '../../src/contract/index.ts';
import { databaseFile } from '../../src/platform/store/index.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import type { BundledProgram } from '../program.ts';
import { startPlatformProcess } from '../server-processes.ts';
import { connectDirect } from '../clients/direct-client.ts';

const sizes = [10, 1000, 100_000];
const requests = 300;

type Ids = Readonly<Record<string, string>>;
type Input = Readonly<Record<string, unknown>>;

interface Request {
  readonly operation: OperationName;
  readonly input: (ids: Ids, number: number) => Input;
}

// A full page even with ten items.
const page = { page: 1, page_size: 10 };

/** Requests whose latency must not grow with the amount of data: get one item, create one, list the first page. */
const measured: readonly Request[] = [
  { operation: 'get_environment', input: ({ environment_id }) => ({ environment_id }) },
  { operation: 'get_application_status', input: ({ application_id }) => ({ application_id }) },
  { operation: 'create_project', input: ({ organization_id }, number) => ({ organization_id, name: `grown ${number}` }) },
  { operation: 'create_environment', input: ({ project_id, cluster_id }, number) => ({ project_id, cluster_id, mode: 'STAGING', name: `grown ${number}` }) },
  { operation: 'create_environment_variable', input: ({ application_id }, number) => ({ application_id, key: `GROWN_${number}`, value: 'x' }) },
  { operation: 'list_projects', input: ({ organization_id }) => ({ organization_id, ...page }) },
  { operation: 'list_environments', input: ({ project_id }) => ({ project_id, ...page }) },
  { operation: 'list_services', input: ({ environment_id }) => ({ environment_id, ...page }) },
  { operation: 'list_environment_variables', input: ({ application_id }) => ({ application_id, ...page }) },
  { operation: 'list_environment_deployments', input: ({ environment_id }) => ({ environment_id, page: 1, pageSize: 10 }) },
];

/** A row to copy many times, with some columns changed. */
interface Copied {
  readonly table: string;
  readonly where: (ids: Ids) => Readonly<Record<string, string>>;
  /** SQL expressions for the changed columns, using the number `i` of the copy. */
  readonly differs: Readonly<Record<string, string>>;
}

const id = (kind: number): string => `printf('%08x-0000-4000-8000-${String(kind).padStart(12, '0')}', i)`;

const copied: readonly Copied[] = [
  { table: 'project', where: ({ project_id }) => ({ id: project_id! }), differs: { id: id(1), name: `'copy ' || i` } },
  { table: 'environment', where: ({ environment_id }) => ({ id: environment_id! }), differs: { id: id(2), name: `'copy ' || i` } },
  { table: 'service', where: ({ container_id }) => ({ id: container_id! }), differs: { id: id(3), name: `'copy ' || i`, last_deployment_id: 'NULL' } },
  {
    table: 'variable',
    where: ({ environment_variable_id }) => ({ id: environment_variable_id! }),
    differs: { id: id(4), key: `'COPY_' || i`, environment_id: 'NULL', service_id: ':application_id', scope: `'APPLICATION'` },
  },
  { table: 'deployment', where: ({ job_deployment_id }) => ({ id: job_deployment_id! }), differs: { seq: 'NULL', id: id(5) } },
  { table: 'deployment_service', where: ({ job_deployment_id, job_id }) => ({ deployment_id: job_deployment_id!, service_id: job_id! }), differs: { deployment_id: id(5), service_id: id(3) } },
];

function copy(database: DatabaseSync, { table, where, differs }: Copied, ids: Ids, times: number): void {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all().map(({ name }) => String(name));
  const values = columns.map((name) => differs[name] ?? `"${name}"`);
  const found = Object.entries(where(ids));
  const statement = database.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
     INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')})
     SELECT ${values.join(', ')} FROM n, ${table} WHERE ${found.map(([name, value]) => `"${name}" = '${value}'`).join(' AND ')}`,
  );
  statement.setAllowUnknownNamedParameters(true);
  statement.run({ application_id: ids['application_id']! });
}

/** Fills the database of a stopped platform with copies of each kind of row. */
function fill(dataDir: string, ids: Ids, times: number): void {
  const database = new DatabaseSync(join(dataDir, databaseFile));
  const latest = database.prepare('SELECT deployment_id FROM deployment_service WHERE service_id = ? LIMIT 1').get(ids['job_id']!);
  database.exec('BEGIN');
  for (const one of copied) copy(database, one, { ...ids, job_deployment_id: String(latest!['deployment_id']) }, times);
  database.exec('COMMIT');
  database.close();
}

/** Median latency of every request on a platform of one size, in milliseconds. */
async function mediansAt(program: BundledProgram, size: number, times: number): Promise<number[]> {
  const dataDir = await program.directory('platform');
  const seeded = await startPlatformProcess(program, dataDir);
  await seeded.close();
  fill(dataDir, seeded.ids, size);
  const platform = await startPlatformProcess(program, dataDir);
  const direct = connectDirect(platform.url, platform.token);
  const medians: number[] = [];
  let number = 0;
  for (const { operation, input } of measured) {
    const call = () => direct.call(operation, input(platform.ids, (number += 1)));
    await load(Math.ceil(times / 4), 1, call);
    medians.push((await load(times, 1, call)).median);
  }
  await direct.close();
  await platform.close();
  return medians;
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const bySize: number[][] = [];
  for (const size of sizes) bySize.push(await mediansAt(program, size, times(requests)));
  return measured.flatMap(({ operation }, index) => {
    const [reference, ...larger] = sizes.map((size, column): Figure => ({ name: `${operation}, ${size.toLocaleString('en')}`, value: bySize[column]![index]!, unit: 'ms' }));
    return [reference!, ...larger.map((figure) => relativeTo(reference!, figure))];
  });
}

export const growth: Measurement = {
  name: 'growth',
  about: 'Median latency of sequential requests to a platform with 10, 1,000 and 100,000 items of each kind.',
  measure,
};
