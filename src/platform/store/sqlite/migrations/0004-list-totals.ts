import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The paged lists, by table and owner. Lists of variables contain no secrets. */
const lists: readonly { readonly table: string; readonly owner: string; readonly only?: string }[] = [
  ...[
    'project', 'cluster', 'labels_group', 'annotations_group', 'registry', 'helm_repository', 'alert_rule', 'alert_receiver', 'role', 'member',
    'webhook', 'invitation',
  ].map((table) => ({ table, owner: 'organization_id' })),
  { table: 'environment', owner: 'project_id' },
  { table: 'service', owner: 'environment_id' },
  ...['project_id', 'environment_id', 'service_id'].map((owner) => ({ table: 'variable', owner, only: 'sealed_value IS NULL' })),
];

/** SQL that maintains a list's total: an initial count, then triggers for every inserted or deleted row. */
const statementsOf = ({ table, owner, only = 'TRUE' }: (typeof lists)[number]): string[] => {
  const listed = (row: string): string => `${row}.${owner} IS NOT NULL AND ${only === 'TRUE' ? only : `${row}.${only}`}`;
  const trigger = `${table}_of_${owner.replace('_id', '')}`;
  return [
    `INSERT INTO list_total SELECT '${table}', ${owner}, count(*) FROM ${table} WHERE ${listed(table)} GROUP BY ${owner}`,
    `CREATE TRIGGER ${trigger}_came AFTER INSERT ON ${table} WHEN ${listed('NEW')} BEGIN
      INSERT INTO list_total VALUES ('${table}', NEW.${owner}, 1) ON CONFLICT (list, owner_id) DO UPDATE SET total = total + 1;
    END`,
    `CREATE TRIGGER ${trigger}_went AFTER DELETE ON ${table} WHEN ${listed('OLD')} BEGIN
      UPDATE list_total SET total = total - 1 WHERE list = '${table}' AND owner_id = OLD.${owner};
    END`,
  ];
};

const statements = [
  'CREATE TABLE list_total (list TEXT NOT NULL, owner_id TEXT NOT NULL, total INTEGER NOT NULL, PRIMARY KEY (list, owner_id)) STRICT',
  ...lists.flatMap(statementsOf),
  ...['project_id', 'environment_id', 'service_id'].map((owner) =>
    `CREATE INDEX variable_in_order_of_${owner.replace('_id', '')} ON variable (${owner}, created_at, id) WHERE sealed_value IS NULL AND ${owner} IS NOT NULL`),
  'CREATE INDEX deployment_service_open ON deployment_service (service_id) WHERE ended_at IS NULL',
];

/** The total of each list, so that pages need no counting, and indexes that keep pages and states fast as tables grow. */
export const listTotals: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
