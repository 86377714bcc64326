import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseFile } from '../../../src/platform/store/index.ts';
import { recordStatements } from '../../support/every-request.ts';
import { addManyRows } from '../../support/many-rows.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let database: DatabaseSync;
const recording = recordStatements();

beforeAll(async () => {
  platform = await startTestPlatform();
  database = new DatabaseSync(join(platform.dataDir, databaseFile), { timeout: 5000 });
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
    platform.seed,
    1000,
  );
  // oxlint-disable-next-line typescript/unbound-method -- it is called on each database.
  const { prepare } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function record(this: DatabaseSync, text) {
    recording.add({ text, values: [] });
    return prepare.call(this, text);
  });
  platform = await platform.restart();
  await recording.sendAll(platform);
  // What the engine does about it.
  await setTimeout(500);
  vi.restoreAllMocks();
});
afterAll(async () => {
  database?.close();
  await platform?.close();
});

/** Tables that have few rows: what is open, what an organization has of its own, and what somebody set. */
const small = [
  'worker',
  'cluster',
  'cluster_lock',
  'organization',
  'role',
  'timer',
  'setting',
  'duty',
  'running_service',
  'unreachable_cluster',
  'registry',
  'git_token',
  'labels_group',
  'annotations_group',
  'alert_receiver',
  'billing_info',
];

/** Indexes of only those rows that wait for something, or still count. */
const ofWaiting =
  /USING (?:COVERING )?INDEX (?:api_token_in_order|deployment_due|deployment_open|deployment_owner|deployment_service_open|webhook_delivery_\w+)/;

/** The steps of a plan that go through a whole table. */
const scans = (text: string): string[] =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => String(detail))
    .filter(
      (detail) =>
        /^SCAN (?!CONSTANT|gone|held|\(|\d+-ROW VALUES)/.test(detail) &&
        !ofWaiting.test(detail) &&
        !small.some((name) => detail.startsWith(`SCAN ${name}`)),
    );

/** The steps of a plan that look for the few that are open among all of a queue. */
const passesOver = (text: string): string[] =>
  text.includes('"due_ms" is not null')
    ? database
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map(({ detail }) => String(detail))
        .filter((detail) => /deployment USING (?:COVERING )?INDEX deployment_(?:of_last_token|in_queue)/.test(detail))
    : [];

test('what is open is found in the indexes of what is open', () => {
  expect(recording.statements().flatMap(({ text }) => passesOver(text).map((step) => `${step}: ${text}`))).toEqual([]);
});

test('no statement of the API or the engine goes through a table that grows', () => {
  const statements = recording
    .statements()
    .filter(({ text }) => /^\s*(?:select|insert|update|delete|with)\b/i.test(text));
  expect(statements.length).toBeGreaterThan(150);
  expect(statements.flatMap(({ text }) => scans(text).map((scan) => `${scan}: ${text}`))).toEqual([]);
});
