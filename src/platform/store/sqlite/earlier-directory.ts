import { each, type Run } from '../../../database/index.ts';
import { platformTables } from '../schema/schema.ts';

/** The table in which earlier versions check for unknown migrations. They refuse a directory that has one. */
export const migrationTable = 'kysely_migration';

/** The last migration of a version from before the steps. */
const lastMigration = '0018-conditions';

/** The migration whose name makes those versions refuse this version's directories. */
const refusal = '0019-schema-steps';

const earlier = (table: string): string => `earlier_${table}`;

const namesOf = async (run: Run, query: string): Promise<readonly string[]> =>
  (await run(query)).map(({ name }) => String(name));

/**
 * The migrations that a directory has; none if it is new, or its process was killed at the first start.
 * @throws Error if one is from a newer version
 */
async function madeMigrations(run: Run): Promise<readonly string[]> {
  if ((await namesOf(run, `select name from sqlite_schema where name = '${migrationTable}'`)).length === 0) return [];
  const made = await namesOf(run, `select name from ${migrationTable} order by name`);
  const unknown = made.find((name) => name > lastMigration);
  if (unknown === undefined) return made;
  throw new Error(
    `The database is of another version of infra-mcp, which made the migration ${unknown}. Nothing was changed. Start that version.`,
  );
}

/** Renames the tables, to make room for those of this version. @returns the renamed tables */
async function setAside(run: Run): Promise<readonly string[]> {
  const present = await namesOf(run, "select name from sqlite_schema where type = 'table'");
  const tables = Object.keys(platformTables).filter((table) => present.includes(table));
  const drops = await run(
    "select 'drop ' || type || ' ' || name as name from sqlite_schema where type = 'trigger' or (type = 'index' and sql is not null)",
  );
  await each(run, [
    ...drops.map(({ name }) => String(name)),
    ...tables.map((table) => `alter table ${table} rename to ${earlier(table)}`),
  ]);
  return tables;
}

/**
 * Copies the rows of a renamed table into this version's table, in their order. Assigned numbers are not assigned
 * again.
 */
async function bringRows(run: Run, table: string): Promise<void> {
  const columns = (await namesOf(run, `select name from pragma_table_info('${earlier(table)}')`))
    .map((name) => `"${name}"`)
    .join(', ');
  await each(run, [
    `insert into sqlite_sequence (name, seq) select '${table}', seq from sqlite_sequence where name = '${earlier(table)}'`,
    `insert into ${table} (${columns}) select ${columns} from ${earlier(table)} order by rowid`,
  ]);
}

/** The kind of an alert rule's target: the kind of its service, where a scheduled job is a CRONJOB. */
const targetKind = `(
  select case when kind = 'job' and json_extract(spec, '$.job_type') = 'CRON' then 'CRONJOB' else upper(kind) end
  from service where service.id = alert_rule.target_id)`;

/** A configuration of a Helm service whose ports speak HTTP where they spoke TCP or UDP. */
const withHelmPorts = (column: string): string => `json_set(${column}, '$.ports', json((
  select json_group_array(json(case when port.value ->> '$.protocol' in ('TCP', 'UDP') then json_set(port.value, '$.protocol', 'HTTP') else port.value end))
  from json_each(${column}, '$.ports') as port)))`;

const helmPorts = (table: string, column: string): string =>
  `update ${table} set ${column} = ${withHelmPorts(column)} where kind = 'helm' and json_type(${column}, '$.ports') = 'array'`;

/** The changes that migrations make in rows, for directories that lack the migrations. */
const changesOf: Readonly<Record<string, readonly string[]>> = {
  // Those versions seeded their records, but didn't record it.
  '0003-settings': [
    "insert into setting (name, value) select 'seeded', 'yes' where exists (select 1 from organization)",
  ],
  // Undocumented values: targets of alert rules, and protocols of the ports of Helm services.
  '0006-documented-words': [
    `update alert_rule set target_type = coalesce(${targetKind}, target_type) where target_type = 'SERVICE'`,
    ...[
      ['service', 'spec'],
      ['service', 'deployed_spec'],
      ['deployment_service', 'spec'],
    ].map(([table, column]) => helmPorts(table!, column!)),
  ],
};

/**
 * Converts a data directory of any version from before the steps. Its rows are copied into the tables of a new
 * directory; columns that the old version lacked are empty or have their defaults. Those versions then refuse the
 * directory, as they refuse new ones. Requires that foreign keys aren't enforced meanwhile.
 * @throws Error if the version of the database is unknown, or it refers to missing rows
 */
export async function takeOverEarlierDirectory(run: Run, takeSteps: () => Promise<void>): Promise<void> {
  const made = await madeMigrations(run);
  const tables = made.length === 0 ? [] : await setAside(run);
  await takeSteps();
  // Triggers count the totals of lists from scratch. On one connection.
  for (const table of tables.filter((name) => name !== 'list_total')) await bringRows(run, table);
  if (tables.length > 0)
    await each(
      run,
      Object.entries(changesOf).flatMap(([name, statements]) => (made.includes(name) ? [] : statements)),
    );
  await each(run, [
    // Values that are replaced later, such as passwords, must not remain in unused pages.
    'pragma secure_delete = on',
    ...[...tables.map(earlier), migrationTable, `${migrationTable}_lock`].map(
      (table) => `drop table if exists ${table}`,
    ),
    'pragma secure_delete = off',
    `create table ${migrationTable} (name text primary key, timestamp text not null) strict`,
    `insert into ${migrationTable} values ('${refusal}', strftime('%Y-%m-%dT%H:%M:%fZ'))`,
  ]);
  if ((await run('select 1 from pragma_foreign_key_check limit 1')).length > 0)
    throw new Error('The database refers to rows that are not there, and was left as it is.');
}
