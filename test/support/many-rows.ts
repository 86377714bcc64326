/** Ids of rows to copy, by the contract's parameter names: those of the seed. */
type Ids = Readonly<Record<string, string>>;

/** A database to fill. Its platform doesn't run meanwhile. */
export interface FilledDatabase {
  readonly kind: 'sqlite' | 'postgres';
  readonly run: (statement: string) => Promise<void>;
  readonly columnsOf: (table: string) => Promise<readonly string[]>;
}

/** What the databases say differently. `i` is the number of a copy, from 1. */
const words = {
  sqlite: {
    numbers: (times: number) =>
      `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times}) SELECT i FROM n) AS numbers`,
    hexadecimal: `printf('%08x', i)`,
    // Data directories have no statistics.
    finish: [],
    // The connection that fills it doesn't check references.
    quickly: '',
  },
  postgres: {
    numbers: (times: number) => `generate_series(1, ${times}) AS numbers (i)`,
    hexadecimal: `lpad(to_hex(i), 8, '0')`,
    // Without triggers, the totals of lists are of what was there before.
    finish: [
      `INSERT INTO list_total SELECT 'project', organization_id, count(*) FROM project GROUP BY organization_id ON CONFLICT (list, owner_id) DO UPDATE SET total = excluded.total`,
      `INSERT INTO list_total SELECT 'environment', project_id, count(*) FROM environment GROUP BY project_id ON CONFLICT (list, owner_id) DO UPDATE SET total = excluded.total`,
      `INSERT INTO list_total SELECT 'service', environment_id, count(*) FROM service GROUP BY environment_id ON CONFLICT (list, owner_id) DO UPDATE SET total = excluded.total`,
      `INSERT INTO list_total SELECT 'variable', service_id, count(*) FROM variable WHERE service_id IS NOT NULL AND sealed_value IS NULL GROUP BY service_id ON CONFLICT (list, owner_id) DO UPDATE SET total = excluded.total`,
      'VACUUM ANALYZE',
    ],
    // Neither references nor triggers, which take most of the time.
    quickly: 'SET LOCAL session_replication_role = replica; ',
  },
} as const;

/** A row to copy many times. */
interface Copied {
  readonly table: string;
  /** Which row, as a condition. */
  readonly where: string;
  /** SQL expressions for the columns that differ. One that is undefined gets what the database gives it. */
  readonly differs: Readonly<Record<string, string | undefined>>;
}

const byId = (value: string | undefined): string => `id = '${value}'`;

const copiesOf = (ids: Ids, hexadecimal: string): readonly Copied[] => {
  const id = (kind: number): string => `${hexadecimal} || '-0000-4000-8000-${String(kind).padStart(12, '0')}'`;
  const name = `'copy ' || i`;
  const ofJob = `service_id = '${ids['job_id']}'`;
  const latest = `deployment_id = (SELECT deployment_id FROM deployment_service WHERE ${ofJob} LIMIT 1)`;
  return [
    { table: 'project', where: byId(ids['project_id']), differs: { id: id(1), name } },
    { table: 'environment', where: byId(ids['environment_id']), differs: { id: id(2), name } },
    // In an environment of their own: what a deployment does depends on how many services its environment has.
    { table: 'environment', where: byId(ids['environment_id']), differs: { id: `'${crowded}'`, name: `'crowded'` } },
    {
      table: 'service',
      where: byId(ids['container_id']),
      differs: { id: id(3), name, environment_id: `'${crowded}'`, last_deployment_id: 'NULL' },
    },
    {
      table: 'variable',
      where: byId(ids['environment_variable_id']),
      differs: {
        id: id(4),
        key: `'COPY_' || i`,
        environment_id: 'NULL',
        service_id: `'${ids['application_id']}'`,
        scope: `'APPLICATION'`,
      },
    },
    {
      table: 'deployment',
      where: `id = (SELECT deployment_id FROM deployment_service WHERE ${ofJob} LIMIT 1)`,
      differs: { seq: undefined, id: id(5) },
    },
    {
      table: 'deployment_service',
      where: `${latest} AND ${ofJob}`,
      differs: { deployment_id: id(5), service_id: id(3) },
    },
    {
      table: 'deployment_step',
      where: `${latest} AND ${ofJob} AND position = 0`,
      differs: { deployment_id: id(5), service_id: id(3) },
    },
    {
      table: 'deployment_event',
      where: `${latest} AND ${ofJob} AND revision = 0`,
      differs: { seq: undefined, deployment_id: id(5), service_id: id(3) },
    },
    {
      table: 'log_line',
      where: `seq = (SELECT min(seq) FROM log_line WHERE ${latest})`,
      differs: { seq: undefined, deployment_id: id(5), service_id: id(3) },
    },
    {
      table: 'custom_domain',
      where: 'id = (SELECT min(id) FROM custom_domain)',
      differs: { id: id(6), service_id: id(3), domain: `'copy' || i || '.example.com'` },
    },
    { table: 'webhook', where: 'id = (SELECT min(id) FROM webhook)', differs: { id: id(7), enabled: '%false' } },
    {
      table: 'member',
      where: 'id = (SELECT min(id) FROM member)',
      differs: { id: id(8), email: `'copy' || i || '@example.com'` },
    },
    { table: 'helm_repository', where: 'id = (SELECT min(id) FROM helm_repository)', differs: { id: id(9), name } },
    { table: 'alert_rule', where: 'id = (SELECT min(id) FROM alert_rule)', differs: { id: id(10), target_id: id(3) } },
    {
      table: 'audit_event',
      where: 'seq = (SELECT min(seq) FROM audit_event)',
      differs: { seq: undefined, target_id: id(3), environment_id: id(2), project_id: id(1) },
    },
  ];
};

/** The environment that has most of the services. */
export const crowded = 'ffffffff-0000-4000-8000-000000000002';

/** Tables of which no more rows stay than this, whatever happens. */
const most: Readonly<Record<string, number>> = { audit_event: 19_000 };

/** Fills a database with copies of each kind of row, and has it know what is there. */
export async function addManyRows({ kind, run, columnsOf }: FilledDatabase, ids: Ids, times: number): Promise<void> {
  const { numbers, hexadecimal, finish, quickly } = words[kind];
  for (const { table, where, differs } of copiesOf(ids, hexadecimal)) {
    const columns = (await columnsOf(table)).filter((column) => !(column in differs) || differs[column] !== undefined);
    const values = columns.map((column) =>
      (differs[column] ?? `source."${column}"`).replace('%false', kind === 'sqlite' ? '0' : 'false'),
    );
    const isOne = differs['id'] === `'${crowded}'`;
    await run(`${quickly}INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')})
      SELECT ${values.join(', ')} FROM ${numbers(isOne ? 1 : Math.min(times, most[table] ?? times))}, (SELECT * FROM ${table} WHERE ${where}) AS source`);
  }
  for (const statement of finish) await run(statement);
}
