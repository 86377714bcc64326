import { each, type Run } from '../../../database/index.ts';
import { platformTables } from '../schema/schema.ts';

/**
 * The table in which earlier programs look for migrations that they don't know. They refuse a directory that has one.
 */
export const migrationTable = 'kysely_migration';

/** The last migration of a program from before the steps. */
const lastMigration = '0018-conditions';

/** The migration by whose name those programs refuse what this one has made. */
const refusal = '0019-schema-steps';

const earlier = (table: string): string => `earlier_${table}`;

const namesOf = async (run: Run, query: string): Promise<readonly string[]> =>
  (await run(query)).map(({ name }) => String(name));

/**
 * The migrations that a directory has; none if it is new, or of a process that was killed at its first start.
 * @throws Error if a newer program made one
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

/** Makes way for the tables of this program. @returns the tables that are set aside */
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
 * Brings the rows of a table that was set aside into this program's, in their order. Numbers that were given are not
 * given again.
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

/** What migrations changed in rows, which those of an earlier program lack. */
const changesOf: Readonly<Record<string, readonly string[]>> = {
  // Those programs seeded their records, and didn't record it.
  '0003-settings': [
    "insert into setting (name, value) select 'seeded', 'yes' where exists (select 1 from organization)",
  ],
  // Words that are no documented ones: targets of alert rules, and what the ports of Helm services speak.
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
 * Takes over what programs from before the steps left in a data directory, of whichever version: their rows come into
 * the tables of this program, which are then those of a new directory, with what such a program lacked empty or as it
 * is by default. Those programs are kept away, also from new directories. Requires that references aren't enforced
 * meanwhile.
 * @throws Error if the database is of a version that this program doesn't know, or refers to rows that are not there
 */
export async function takeOverEarlierDirectory(run: Run, takeSteps: () => Promise<void>): Promise<void> {
  const made = await madeMigrations(run);
  const tables = made.length === 0 ? [] : await setAside(run);
  await takeSteps();
  // Triggers count the totals of lists anew.
  // On one connection.
  for (const table of tables.filter((name) => name !== 'list_total')) await bringRows(run, table);
  if (tables.length > 0)
    await each(
      run,
      Object.entries(changesOf).flatMap(([name, statements]) => (made.includes(name) ? [] : statements)),
    );
  await each(run, [
    // Nothing of what is replaced later, such as passwords, may stay in pages that nobody reads any more.
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
