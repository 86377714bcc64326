import { directoryForRecords } from '../../support/memory-directory.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type DataStore } from '../../../src/platform/store/index.ts';
import { addEnvironment, addOrganization, projectId } from '../engine/engine-fixture.ts';

let dataDir: string;
let db: DataStore;

beforeEach(async () => {
  dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-totals-'));
  db = await openDatabase(dataDir);
  await addOrganization(db);
});

afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

/** What the totals say, without those that came down to nothing. */
const totals = async (): Promise<unknown> =>
  (
    await db.selectFrom('list_total').selectAll().where('total', '!=', 0).orderBy('list').orderBy('owner_id').execute()
  ).map((row) => ({ ...row }));

const byListAndOwner = (one: { list: string; owner_id: string }, other: { list: string; owner_id: string }): number =>
  one.list.localeCompare(other.list) || one.owner_id.localeCompare(other.owner_id);

/** The same, counted. */
async function counted(): Promise<unknown> {
  const lists = [
    ['cluster', 'organization_id'],
    ['environment', 'project_id'],
    ['project', 'organization_id'],
    ['service', 'environment_id'],
  ] as const;
  const rows = [];
  for (const [list, owner] of lists) {
    const found = await sql<{
      owner_id: string;
      total: number;
    }>`SELECT ${sql.ref(owner)} AS owner_id, count(*) AS total FROM ${sql.table(list)} GROUP BY 1 ORDER BY 1`.execute(
      db,
    );
    rows.push(...found.rows.map((row) => ({ list, ...row })));
  }
  for (const owner of ['project_id', 'environment_id', 'service_id']) {
    const found = await sql<{ owner_id: string; total: number }>`
      SELECT ${sql.ref(owner)} AS owner_id, count(*) AS total FROM variable WHERE sealed_value IS NULL AND ${sql.ref(owner)} IS NOT NULL GROUP BY 1`.execute(
      db,
    );
    rows.push(...found.rows.map((row) => ({ list: 'variable', ...row })));
  }
  return rows.toSorted(byListAndOwner);
}

const addVariable = (id: string, holder: object, sealed = false) => {
  const at = '2026-01-05T08:00:00.000Z';
  return db
    .insertInto('variable')
    .values({
      id,
      created_at: at,
      updated_at: at,
      project_id: null,
      environment_id: null,
      service_id: null,
      ...holder,
      key: id,
      scope: 'ENVIRONMENT',
      variable_type: 'VALUE',
      value: sealed ? null : 'x',
      sealed_value: sealed ? 'sealed' : null,
      mount_path: null,
      description: null,
      enable_interpolation_in_file: null,
      linked_variable_id: null,
      owned_by: null,
    })
    .execute();
};

async function fill(): Promise<void> {
  const { environmentId, ids } = await addEnvironment(db, 'first', {
    one: { kind: 'application' },
    two: { kind: 'container' },
  });
  const second = await addEnvironment(db, 'second', { one: { kind: 'job' } });
  await addVariable('a', { project_id: projectId });
  await addVariable('b', { environment_id: environmentId });
  await addVariable('c', { service_id: ids['one'] });
  await addVariable('d', { service_id: ids['one'] });
  await addVariable('e', { service_id: ids['one'] }, true);
  await addVariable('f', { environment_id: second.environmentId }, true);
}

test('the totals of lists follow what comes and goes; secrets are in none', async () => {
  await fill();
  expect(await totals()).toEqual(await counted());
  await db.deleteFrom('variable').where('id', 'in', ['a', 'd', 'e']).execute();
  await db.deleteFrom('service').where('kind', '=', 'container').execute();
  expect(await totals()).toEqual(await counted());
});

test('what a transaction undoes is not counted', async () => {
  await fill();
  const before = await totals();
  const failing = db.write(async (trx) => {
    await addEnvironment(trx, 'third', { one: { kind: 'helm' } });
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await totals()).toEqual(before);
});
