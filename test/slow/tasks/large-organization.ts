import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../../src/platform/store/index.ts';
import type { TestPlatform } from '../../support/test-platform.ts';

/** How many more there are in a large organization, which has 200 environments and 2,000 services in all. */
const more = { projects: 20, environments: 183, services: 1_950 } as const;

/** Tasks that are also done in a large organization: what is found, counted and changed all over it. */
export const largeTasks: readonly string[] = [
  'find something by a part of its name',
  'see whether staging is all right',
  'give all environments of the shop a variable',
  'give a container more memory',
  'know what differs between staging and production',
  'find errors in a log',
  'freeze a cluster in an incident',
  'turn off all that is not production, and have the staging of the shop back',
  'know where LOG_LEVEL is set, over all projects, and which services see it',
  'report in a paragraph how the whole organization stands',
  'put checkout-api on staging back by one version, and know what ran there and who put it there',
];

/** The SQL of the id of a copy. */
const idOf = (kind: number, number: string): string =>
  `printf('%08x', ${number}) || '-0000-4000-8000-${String(kind).padStart(12, '0')}'`;

/**
 * Adds projects, environments and services to a platform, as copies of a seeded one of each. All of these environments
 * are production, so that what is asked of the others concerns as many as before.
 */
export function enlarge({ dataDir, seed }: Pick<TestPlatform, 'dataDir' | 'seed'>): void {
  const db = new DatabaseSync(join(dataDir, databaseFile), { timeout: 10_000 });
  const copy = (table: string, of: string, times: number, differs: Readonly<Record<string, string>>): void => {
    const columns = db
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name));
    const values = columns.map((column) => differs[column] ?? `source."${column}"`);
    db.exec(`INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join(', ')})
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
      SELECT ${values.join(', ')} FROM n, (SELECT * FROM "${table}" WHERE id = '${of}') AS source`);
  };
  db.exec('BEGIN IMMEDIATE');
  copy('project', seed['project_id']!, more.projects, { id: idOf(1, 'i'), name: `'copied project ' || i` });
  copy('environment', seed['environment_id']!, more.environments, {
    id: idOf(2, 'i'),
    project_id: idOf(1, `1 + i % ${more.projects}`),
    name: `'copied environment ' || i`,
    mode: `'PRODUCTION'`,
  });
  copy('service', seed['container_id']!, more.services, {
    id: idOf(3, 'i'),
    environment_id: idOf(2, `1 + i % ${more.environments}`),
    name: `'copied service ' || i`,
    last_deployment_id: 'NULL',
  });
  db.exec('COMMIT');
  db.close();
}
