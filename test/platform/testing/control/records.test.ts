import { copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../../../src/platform/index.ts';
import { databaseFile, keyFile } from '../../../../src/platform/store/index.ts';
import { createToken, revokeToken } from '../../../../src/platform/api/index.ts';
import { rowsOf } from '../../../support/test-platform.ts';
import { type ControlledPlatform, startInstantPlatform } from './controlled-platform.ts';

let platform: ControlledPlatform;
beforeAll(async () => {
  platform = await startInstantPlatform();
});
afterAll(() => platform.close());

const createProject = (name: string) =>
  platform.must('create_project', { organization_id: platform.organizationId, name });
const projects = async () =>
  rowsOf(await platform.must('list_projects', { organization_id: platform.organizationId, page_size: 100 })).map(
    ({ name }) => name,
  );
const snapshot = (name: string) => platform.mustControl('POST', '/snapshots', { name });
const restore = (name: string) => platform.mustControl('POST', '/restore', { name });
const snapshotFile = (name: string) => join(platform.dataDir, 'snapshots', `${name}.db`);
const refusal = async (method: string, path: string, body?: unknown) => {
  const answer = await platform.sendControl(method, path, body);
  return `${answer.status} ${String(answer.body['message'])}`;
};

test('a snapshot is taken, listed, restored as often as wanted, and deleted', async () => {
  await createProject('before');
  expect(await snapshot('one')).toMatchObject({ name: 'one', bytes: expect.any(Number) });
  expect((await stat(snapshotFile('one'))).mode & 0o777).toBe(0o600);
  await createProject('after');
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await restore('one')).toMatchObject({ restored: 'one' });
    expect(await projects()).toContain('before');
    expect(await projects()).not.toContain('after');
    await createProject('after');
  }
  expect(rowsOf(await platform.mustControl('GET', '/snapshots')).map(({ name }) => name)).toEqual(['one']);
  expect(await refusal('POST', '/snapshots', { name: 'one' })).toContain('400 name: a snapshot is called one already');
  await platform.mustControl('DELETE', '/snapshots/one');
  expect(await platform.mustControl('GET', '/snapshots')).toEqual({ results: [] });
  // Nothing is left beside the records.
  expect(new Set(await readdir(platform.dataDir))).toEqual(
    new Set(['platform.sqlite', 'platform.sqlite-shm', 'platform.sqlite-wal', keyFile, 'snapshots']),
  );
  expect(await readdir(join(platform.dataDir, 'snapshots'))).toEqual([]);
});

test('tokens stay as they are: what was made later goes on to hold, what was revoked does not come back', async () => {
  const revoked = await createToken(platform, { name: 'revoked later', permission: 'read' });
  await snapshot('one');
  await revokeToken(platform, 'revoked later');
  const later = await createToken(platform, { name: 'later', permission: 'read' });
  await restore('one');
  const statusWith = async (token: string) =>
    (await platform.send('GET', '/organization', { authorization: `Token ${token}` })).status;
  expect([await statusWith(revoked), await statusWith(later)]).toEqual([401, 200]);
});

test('requests in hand are answered before, those that come meanwhile after', async () => {
  await snapshot('empty');
  await platform.mustControl('PUT', '/faults/slow', {
    effect: 'latency',
    operation: 'create_project',
    latency_ms: 300,
  });
  const slow = createProject('in hand');
  // Known to be in hand once the rule has struck.
  while (!rowsOf(await platform.mustControl('GET', '/faults')).some(({ struck }) => struck === 1))
    await new Promise((resolve) => setTimeout(resolve, 5));
  const restoring = restore('empty');
  const others = Promise.all(Array.from({ length: 20 }, () => platform.call('get_organization')));
  expect(await slow).toMatchObject({ name: 'in hand' });
  await restoring;
  expect((await others).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await projects()).not.toContain('in hand');
});

test('a path is no name of a snapshot', async () => {
  for (const name of ['../evil', 'a/b', '/etc/passwd', '..', '.hidden', '', 'a\0b', 'x'.repeat(65), '%2e%2e']) {
    expect(await refusal('POST', '/snapshots', { name })).toMatch(/^400 name: must be 1 to 64 letters/);
    expect(await refusal('POST', '/restore', { name })).toMatch(/^400 name: must be 1 to 64 letters/);
    expect(
      (await platform.sendControl('DELETE', `/snapshots/${encodeURIComponent(name)}`)).status,
    ).toBeGreaterThanOrEqual(400);
  }
});

test('what can not be restored is refused, says why, and changes nothing', async () => {
  await createProject('here');
  expect(await refusal('POST', '/restore', { name: 'none' })).toMatch(/^404 No snapshot is called none\. There are: /);
  await snapshot('newer');
  const newer = new DatabaseSync(snapshotFile('newer'));
  newer.exec("INSERT INTO platform_schema_step (name, position, compatible_since) VALUES ('9999-later', 90, 91)");
  newer.close();
  await writeFile(snapshotFile('damaged'), 'no database at all, but long enough to look like something'.repeat(100));
  expect(await refusal('POST', '/restore', { name: 'newer' })).toMatch(
    /^400 The snapshot newer can't be restored: .*platform records are of a newer version.* Nothing was changed\.$/,
  );
  expect(await refusal('POST', '/restore', { name: 'damaged' })).toBe(
    "400 The snapshot damaged can't be restored: file is not a database. Nothing was changed.",
  );
  expect(await projects()).toContain('here');
  expect((await readdir(platform.dataDir)).filter((name) => name.startsWith('replacing'))).toEqual([]);
});

test('a snapshot of another key is not restored, and records do not start with another key', async () => {
  await snapshot('mine');
  const other = new DatabaseSync(snapshotFile('mine'));
  other.exec(`UPDATE setting SET value = 'another' WHERE name = 'key_check'`);
  other.close();
  expect(await refusal('POST', '/restore', { name: 'mine' })).toMatch(
    /^400 The snapshot mine was made with another key than the secret\.key in .* Put the key file of that time back first\. Nothing was changed\.$/,
  );
  const elsewhere = await mkdtemp(join(tmpdir(), 'infra-mcp-key-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await copyFile(snapshotFile('mine'), join(elsewhere, databaseFile));
  await expect(startPlatform({ dataDir: elsewhere })).rejects.toThrow(
    /The key file secret\.key in .* is not the one that the secrets of these records were sealed with/,
  );
});
