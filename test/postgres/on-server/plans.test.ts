import { setTimeout } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPool, parseAddress, type PostgresPool } from '../../../src/postgres/index.ts';
import { recordStatements, type SentStatement } from '../../support/every-request.ts';
import { addManyRows } from '../../support/many-rows.ts';
import { addressOf, databaseOf } from '../../support/postgres/test-databases.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

const copies = 5000;

/** Far more than a page has, and than there are services in an environment of the seed; far fewer than copies. */
const mostRows = 1500;

let platform: TestPlatform;
let admin: PostgresPool;
const recording = recordStatements();

beforeAll(async () => {
  platform = await startTestPlatform();
  admin = openPool(parseAddress(addressOf(databaseOf(platform.dataDir)!)), {
    applicationName: 'test',
    maximumConnections: 1,
  });
  await addManyRows(
    {
      kind: 'postgres',
      run: async (statement) => void (await admin.query(statement)),
      columnsOf: async (table) =>
        (
          await admin.query<{ name: string }>(
            'select column_name as name from information_schema.columns where table_name = $1',
            [table],
          )
        ).rows.map(({ name }) => name),
    },
    platform.seed,
    copies,
  );
  // oxlint-disable-next-line typescript/unbound-method -- it is called on each client.
  const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function record(this: Client, ...args: unknown[]) {
    const sent = args[0] as { text?: string; values?: unknown[] };
    if (typeof sent.text === 'string') recording.add({ text: sent.text, values: sent.values ?? [] });
    return query.apply(this, args);
  });
  platform = await platform.restart();
  await recording.sendAll(platform);
  // What the engine does about it.
  await setTimeout(1500);
  vi.restoreAllMocks();
});
afterAll(async () => {
  await admin?.end();
  await platform?.close();
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows a plan has read, those among them that it passed over. */
const rowsRead = ({
  'Node Type': type,
  'Actual Rows': rows = 0,
  'Actual Loops': loops = 0,
  'Rows Removed by Filter': removed = 0,
  Plans: plans = [],
}: PlanNode): number =>
  (type.includes('Scan') ? (rows + removed) * loops : 0) + plans.reduce((sum, plan) => sum + rowsRead(plan), 0);

/** How many rows a statement reads, and returns. */
interface Rows {
  readonly read: number;
  readonly returned: number;
}

/** Counts the rows of a statement. What it changes is undone. */
async function rowsReadBy({ text, values }: SentStatement): Promise<Rows> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    const {
      rows: [row],
    } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, timing off, format json) ${text}`, [...values]);
    const [plan] = JSON.parse(row!['QUERY PLAN']) as readonly [{ readonly Plan: PlanNode }];
    return { read: rowsRead(plan.Plan), returned: plan.Plan['Actual Rows'] ?? 0 };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Rows go where their indexes say, in as many steps as the logarithm of what is there. */
const isInsertion = ({ text }: SentStatement): boolean => /^\s*insert/i.test(text);

/** Statements that may read many rows, each with what it has to be like then. */
const mayReadMany: readonly { readonly form: RegExp; readonly isRight: (rows: Rows) => boolean }[] = [
  // Every variable that services receive, as a deployment reads them: what is read is what is there.
  {
    form: /^select (?:\*|"id", "key", .*) from "variable" where "service_id" in \(/,
    isRight: ({ read, returned }) => read <= 3 * returned,
  },
  // What uses a registry, which nearly all services here do; json-members.test.ts has the indexes.
  {
    form: /^select (?:count\(\*\) as "total"|"service"\."id" as "service_id").*'\{registry_id\}'/s,
    isRight: ({ read }) => read <= 5 * copies,
  },
  // What has a group of labels or annotations, asked when an administrator changes or deletes it: no index has these.
  { form: /^select "service"\."id" as "service_id", .* like \$/s, isRight: () => true },
  // Which alert rules have a receiver, asked when an administrator deletes it.
  { form: /^select "id", "alert_receiver_ids", "state" from "alert_rule" .* like \$/s, isRight: () => true },
];

const isAllowed = ({ text }: SentStatement, rows: Rows): boolean =>
  mayReadMany.some(({ form, isRight }) => form.test(text) && isRight(rows));

test('no statement of the API or the engine reads more rows because there are more of them', async () => {
  const statements = recording
    .statements()
    .filter((statement) => /^\s*(?:select|update|delete|with)\b/i.test(statement.text) && !isInsertion(statement));
  expect(statements.length).toBeGreaterThan(150);
  const tooMany: unknown[] = [];
  let explained = 0;
  for (const statement of statements) {
    const rows = await rowsReadBy(statement).catch((error: unknown) => {
      // Some can't be made again, such as what a check of the table forbids by now.
      if (error instanceof DatabaseError) return undefined;
      throw error;
    });
    if (rows === undefined) continue;
    explained += 1;
    if (rows.read > mostRows && !isAllowed(statement, rows)) tooMany.push([rows.read, statement.text]);
  }
  expect(tooMany).toEqual([]);
  expect(explained).toBeGreaterThan(statements.length * 0.9);
});
