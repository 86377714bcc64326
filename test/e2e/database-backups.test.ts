import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFile } from '../../src/platform/store/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { type Json, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const orders = { database_id: 'shop/staging/orders-db' };

async function calling(tool: string, args: Json, user = userAnswering(agree)) {
  const result = await (await connectors.modern(user)).call(tool, args);
  return {
    text: textOf(result),
    isError: result.isError === true,
    failure: failureIn(result),
    questions: user.questions.map(({ message }) => message),
  };
}

test('a backup is made without a question, and listed when it is complete', async () => {
  expect(
    await calling('create_database_backup', { ...orders, name: 'by-hand', message: 'Before a change.' }),
  ).toMatchObject({ isError: false, questions: [] });
  await expect
    .poll(async () => (await calling('list_database_backups', orders)).text)
    .toMatch(/3 backups[^]*by-hand \| DEPLOYED \|/);
  // Its size is near that of the one before: a smaller one is told.
  const { text } = await calling('list_database_backups', orders);
  const [made, nightly] = ['by-hand', 'nightly'].map((name) =>
    Number(new RegExp(`^${name} \\|.*\\| simulated \\| (\\d+) \\|`, 'm').exec(text)?.[1]),
  );
  expect(made! / nightly!).toBeGreaterThanOrEqual(1);
  expect(made! / nightly!).toBeLessThan(1.1);
  expect(text).not.toContain('less than half');
});

/** The backups of a database as a platform with these lists them. */
async function listedWith(backups: readonly Json[]) {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) => (/\/backups?(?:\?|$)/.test(path) ? { ...(body as Json), results: backups } : body),
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (await others.modern()).call('list_database_backups', orders);
  await others.close();
  await proxy.close();
  return { text: textOf(result), remarks: (result.structuredContent as Json)['remarks'] };
}

test('a backup much smaller than the one before, and a series that stopped, are told', async () => {
  const now = Date.now();
  const backup = (hoursAgo: number, bytes: number, message = 'By the clock.'): Json => ({
    id: seedId(`backup/${hoursAgo}`),
    name: `backup-${hoursAgo}`,
    message,
    status: { state: 'DEPLOYED' },
    created_at: new Date(now - hoursAgo * 3_600_000).toISOString(),
    bytes,
  });
  const usual = [backup(1, 20e6), backup(25, 20e6), backup(49, 19e6)];
  expect((await listedWith(usual)).remarks).toBeUndefined();
  const small = await listedWith([backup(1, 3e6), ...usual.slice(1)]);
  expect(small.remarks).toEqual([expect.objectContaining({ code: 'SMALLER', name: 'backup-1', bytes: 3e6 })]);
  expect(small.text).toContain('3 MB');
  const stopped = [backup(60, 20e6), backup(84, 20e6), backup(108, 20e6)];
  const late = await listedWith([backup(1, 20e6, 'By hand.'), ...stopped]);
  expect(late.remarks).toEqual([
    expect.objectContaining({ code: 'NONE_SINCE', message: 'By the clock.', longest_pause_seconds: 86_400 }),
  ]);
  expect(late.text).toContain('24 hours at most');
});

test('without a database, each has its newest backup, or why there is none', async () => {
  const { text, isError } = await calling('list_database_backups', {});
  expect([isError, text]).toEqual([false, expect.stringMatching(/3 databases/)]);
  const lineOf = (path: string): string => text.split('\n').find((line) => line.startsWith(path)) ?? '';
  expect(lineOf('shop/staging/orders-db')).toContain('by-hand');
  expect(lineOf('shop/production/orders-db')).toContain('its cloud runs it: whether there are backups is known there');
  expect(lineOf('data/development/events-db')).toContain('type POSTGRESQL');
  expect(text).toContain('Looked at: 3 environments.');
});

test('of a database without backups it is said why', async () => {
  const { text } = await calling('list_database_backups', { database_id: 'shop/production/orders-db' });
  expect(text).not.toMatch(/\b0 backups/);
  expect(text).toMatch(
    /\nNo backups are known here\. Why: its cloud runs it: whether there are backups is known there, and not looked at from here\./,
  );
});

/** Plans a backup on a platform of which the proxy answers some reads with 404, and tells what was sent. */
async function planned(database_id: string, unread: RegExp, dry_run = true) {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method, request, response) => {
      if (method === 'GET' && unread.test(request.url!))
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const user = userAnswering(agree);
  const args = { database_id, name: 'planned', message: 'Before a change.', dry_run };
  const result = await (await others.modern(user)).call('create_database_backup', args);
  await others.close();
  await proxy.close();
  const asked = user.questions.length;
  return { text: textOf(result), failure: failureIn(result), sent: proxy.writes().length, asked };
}

const nothing = /^$/;
const withoutRecovery = /\/recovery(?:\?|$)/;

test.each([
  ['that its cloud runs', 'shop/production/orders-db', 'its cloud runs it'],
  ['of another type', 'data/development/events-db', 'this is a MONGODB'],
])('no backup of a database %s is planned, asked about or sent: the reason is told', async (_, database, reason) => {
  for (const dryRun of [true, false]) {
    const { text, failure, sent, asked } = await planned(database, nothing, dryRun);
    expect([failure?.kind, sent, asked]).toEqual(['not_possible', 0, 0]);
    expect(text).toContain(reason);
    expect(text).not.toContain('would happen');
  }
});

test('a backup that can be made is planned', async () => {
  const { text, failure } = await planned('shop/staging/orders-db', nothing);
  expect([failure, text]).toEqual([undefined, expect.stringContaining('would happen')]);
  expect(text).not.toContain('Not known');
});

test('where the platform does not say whether it backs a database up, the plan does not, either', async () => {
  const managed = await planned('shop/production/orders-db', withoutRecovery);
  expect(managed.text).toContain('It is MANAGED: its cloud runs it. Not known:');
  const container = await planned('shop/staging/orders-db', withoutRecovery);
  expect(container.text).toContain('Not known: whether the platform backs up such a database.');
});

test('a database whose backups cannot be read is named, and not called without', async () => {
  const { database_id: unread } = platform.seed;
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (request.url!.startsWith(`/database/${unread}/backup`))
        response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const text = textOf(await (await others.modern()).call('list_database_backups', {}));
  await others.close();
  await proxy.close();
  expect(text).toMatch(/2 databases[^]*Could not be read, and are missing here: shop\/staging\/orders-db\./);
});

test('who agrees to a restoration sees which backup it is, how old, and what becomes of the previous data', async () => {
  const declined = await calling(
    'restore_database',
    orders,
    userAnswering(() => ({ action: 'decline' })),
  );
  expect(declined.isError).toBe(true);
  const [question] = declined.questions;
  expect(question).toMatch(
    /Afterwards the database has what the backup by-hand of \S+ \(\d+s ago\) has, and nothing else: what was written since is not in it\./,
  );
  expect(question).toMatch(
    /It stays on the node simulated[^]*Its previous data stays in the volume volume-\w+ on simulated, and nothing uses it any more\. No call brings it back/,
  );
  expect(question).toContain('create a database backup first');
  const { text, isError } = await calling('restore_database', { ...orders, wait: true });
  expect([isError, text]).toEqual([false, expect.stringContaining('succeeded')]);
  // The answer tells the same, without what had to be done before.
  expect(text).toMatch(
    /what was written since is not in it\.[^]*stays in the volume volume-\w+ on simulated, .*No call brings/,
  );
  expect(text).not.toContain('create a database backup first');
  for (const told of [question, text]) expect(told).not.toContain('since is lost');
  const { body } = await platform.call('get_database_logs', { database_id: platform.seed['database_id'] });
  expect(JSON.stringify(body)).toContain('Restored the backup \\"by-hand\\"');
});

test('where it is refused, nobody is asked', async () => {
  const { text, failure, questions } = await calling('restore_database', { database_id: 'data/development/events-db' });
  expect([failure?.kind, questions]).toEqual(['not_possible', []]);
  expect(text).toContain('type POSTGRESQL');
});

test('where nobody can be asked, nothing is brought back', async () => {
  const result = await (await connectors.modern()).call('restore_database', orders);
  expect(failureIn(result)).toMatchObject({ kind: 'not_confirmed', why: 'cannot_ask' });
});

test.each([
  ['the backup', { ...orders, backup_id: seedId('none') }, ['backup_id']],
  ['the database', { database_id: seedId('none'), backup_id: seedId('nothing') }, ['database_id']],
])('an id that is wrong is named, and no other: %s', async (_, args, blamed) => {
  const { text, failure } = await calling('restore_database', args);
  expect(failure).toMatchObject({ kind: 'api', why: 'not_found' });
  const said = text.split('The platform says')[0]!;
  expect(['backup_id', 'database_id'].filter((name) => said.includes(name))).toEqual(blamed);
});

const named = { ...orders, backup_id: 'before-migration' };

test('a database id that is wrong is named also where the backup is given by name', async () => {
  const { failure } = await calling('restore_database', { ...named, database_id: seedId('none') });
  expect(failure).toMatchObject({ kind: 'bad_address', why: 'unknown' });
  expect(JSON.stringify(failure)).not.toContain('backup');
});

test.each(['restore_database', 'delete_database_backup'])('%s finds a backup by its name', async (tool) => {
  const plan = await calling(tool, { ...named, dry_run: true });
  expect([plan.failure, plan.text]).toEqual([undefined, expect.stringContaining('before-migration')]);
});

/** Adds a complete backup of a database, a copy of one of the seed. @returns how to remove it */
function addBackup(changes: Record<string, SQLInputValue>): () => void {
  const records = new DatabaseSync(join(platform.dataDir, databaseFile));
  const row = {
    ...(records.prepare("SELECT * FROM backup WHERE state = 'complete'").get() as Record<string, SQLInputValue>),
    ...changes,
  };
  const columns = Object.keys(row);
  records
    .prepare(`INSERT INTO backup (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    .run(...columns.map((column) => row[column]!));
  return () => {
    records.prepare('DELETE FROM backup WHERE id = ?').run(row['id']!);
    records.close();
  };
}

test('a name means backups of the database of the call only, and of two of that name the id is asked for', async () => {
  const [id, service_id] = [seedId('another backup'), seedId('service/shop/production/orders-db')];
  const removeElsewhere = addBackup({ id, name: 'elsewhere', service_id });
  const elsewhere = await calling('restore_database', { ...orders, backup_id: 'elsewhere' });
  removeElsewhere();
  expect(elsewhere).toMatchObject({ failure: { kind: 'bad_address', why: 'unknown' }, questions: [] });
  const removeSame = addBackup({ id, name: 'before-migration' });
  const same = await calling('restore_database', named);
  removeSame();
  expect(same).toMatchObject({ failure: { kind: 'bad_address', why: 'ambiguous' }, questions: [] });
  for (const each of [id, seedId('backup/shop/staging/orders-db/before-migration')]) expect(same.text).toContain(each);
});

/** Plans a restoration from a backup by its name, and tells which pages of backups that read. */
async function pagesRead(backup_id: string, refusesSizes = false) {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (refusesSizes && /\/backup\?.*pageSize/.test(request.url!))
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"status":400,"message":"is unknown"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (await others.modern()).call('restore_database', { ...orders, backup_id, dry_run: true });
  await others.close();
  await proxy.close();
  return { failure: failureIn(result), pages: proxy.requests.filter((one) => /\/backup(?:\?|$)/.test(one)).length };
}

test('of a short list of backups one page is read, of a long one all, and a page that is refused is no end', async () => {
  expect(await pagesRead('before-migration')).toEqual({ failure: undefined, pages: 1 });
  const remove = addScheduled(130);
  const long = await pagesRead('before-migration');
  const cut = await pagesRead('before-migration', true);
  remove();
  expect(long).toEqual({ failure: undefined, pages: 3 });
  expect(cut.failure).toMatchObject({ kind: 'bad_address', why: 'not_readable' });
});

const backups = async () =>
  (await platform.must('list_database_backups', { database_id: platform.seed['database_id'] }))['results'] as Json[];

const deleting = (backup: Json | undefined) =>
  calling('delete_database_backup', { ...orders, backup_id: backup?.['id'] });

/** Adds scheduled backups to those that there are, each newer than the one before. @returns how to remove them */
function addScheduled(count: number): () => void {
  const records = new DatabaseSync(join(platform.dataDir, databaseFile));
  const row = records
    .prepare("SELECT * FROM backup WHERE service_id = ? AND state = 'complete'")
    .get(platform.seed['database_id']!) as Record<string, SQLInputValue>;
  const columns = Object.keys(row);
  const insert = records.prepare(
    `INSERT INTO backup (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for (let number = 0; number < count; number += 1) {
    const created = new Date(Date.now() + number).toISOString();
    const name = `scheduled ${number}`;
    const added = { ...row, id: seedId(name), name, created_at: created, is_scheduled: 1 };
    insert.run(...columns.map((column) => (added as Record<string, SQLInputValue>)[column]!));
  }
  return () => {
    for (let number = 0; number < count; number += 1)
      records.prepare('DELETE FROM backup WHERE id = ?').run(seedId(`scheduled ${number}`));
    records.close();
  };
}

test('a backup is known to who agrees to its deletion, however many newer ones there are', async () => {
  const [oldest] = (await backups()).toReversed();
  const remove = addScheduled(25);
  const user = userAnswering(() => ({ action: 'decline' }));
  const args = { ...orders, backup_id: oldest!['id'] };
  const { questions } = await calling('delete_database_backup', args, user);
  remove();
  expect(questions[0]).toContain(`The backup ${String(oldest!['name'])} of `);
  expect(questions[0]).not.toContain('Not known');
});

test('a platform that refuses a page size deletes a backup that its page does not have, and that is said', async () => {
  const [oldest] = (await backups()).toReversed();
  const remove = addScheduled(25);
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (!/^\/database\/[^/]+\/backup\?.*pageSize/.test(request.url!)) return;
      response.statusCode = 400;
      response.end('{"status":400,"message":"query parameter pageSize: is unknown"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const client = await others.modern(userAnswering(agree));
  const args = { ...orders, backup_id: oldest!['id'] };
  const plan = await client.call('delete_database_backup', { ...args, dry_run: true });
  const listed = await client.call('list_database_backups', {});
  await others.close();
  await proxy.close();
  remove();
  expect(textOf(plan)).toContain('Not known: which backup it is');
  expect([plan.isError, listed.isError].some(Boolean)).toBe(false);
  expect(textOf(listed)).toContain('shop/staging/orders-db | ');
});

test('who agrees to a deletion sees which backup it is, and what the database can be restored from then', async () => {
  const complete = (await backups()).filter(({ status }) => (status as Json)['state'] === 'DEPLOYED');
  const [newest, next] = complete;
  const { questions, isError } = await deleting(newest);
  expect(isError).toBe(false);
  expect(questions[0]).toContain(`It is the newest complete one; the next is ${String(next!['name'])} of `);
  await expect.poll(async () => (await backups()).map(({ id }) => id)).not.toContain(newest!['id']);
  for (const backup of complete.slice(1, -1)) await deleting(backup);
  await expect.poll(async () => (await backups()).length).toBe(1);
  const last = await deleting(complete.at(-1));
  expect(last.questions[0]).toContain('No other complete backup of this database is shown here.');
});
