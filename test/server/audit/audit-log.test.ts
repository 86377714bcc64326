import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { commandSink, fileSink } from '../../../src/server/audit/index.ts';
import { createAuditLog } from '../../../src/server/audit/audit-log.ts';
import { eventually } from '../../support/eventually.ts';
import { auditLogIn, temporaryFolder } from './audit-log.ts';

describe('a trail', () => {
  test('leaves nothing behind before its first entry', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await log.auditLog().close();
    await expect(stat(log.file)).rejects.toThrow('ENOENT');
    await expect(stat(log.heads)).rejects.toThrow('ENOENT');
  });

  test.skipIf(process.platform === 'win32')('keeps log, heads and key to the user', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await log.auditLog().append({ tool: 'a' }, true);
    const modes = await Promise.all(
      [log.file, join(log.heads, '1.head'), join(folder.path, 'guard.key')].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test('writes entries that come at once together, each in its place', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const sink = fileSink(log.file);
    let writings = 0;
    const append: typeof sink.append = (lines, durable) => {
      writings += 1;
      return sink.append(lines, durable);
    };
    const auditLog = createAuditLog({ sink: { ...sink, append }, heads: log.heads, keys: log.keys });
    await Promise.all(Array.from({ length: 200 }, (_, index) => auditLog.append({ index }, false)));
    await auditLog.close();
    expect(writings).toBeLessThan(10);
    expect(
      (await log.text())
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { index: number }).index),
    ).toEqual(Array.from({ length: 200 }, (_, index) => index));
    expect(await log.verify()).toEqual({ entries: 200, chains: 1, faults: [] });
  });

  test('writes entries that need not be durable after what is being done, and at once before one that must', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLog = log.auditLog();
    await auditLog.append({ index: 0 }, true);
    await nextTurn();
    const written = (): number => readFileSync(log.file, 'utf8').split('\n').length - 1;
    const [first, second] = [auditLog.append({ index: 1 }, false), auditLog.append({ index: 2 }, false)];
    // Whoever waits for an answer gets it now.
    await Promise.resolve();
    expect(written()).toBe(1);
    await auditLog.append({ index: 3 }, true);
    expect(written()).toBe(4);
    await Promise.all([first, second]);
    void auditLog.append({ index: 4 }, false);
    await auditLog.close();
    expect(await log.verify()).toEqual({ entries: 5, chains: 1, faults: [] });
  });

  test('moves its head on by itself after entries that need not be durable, and at once after those that must', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLog = log.auditLog();
    const count = async (): Promise<unknown> =>
      (JSON.parse(await readFile(join(log.heads, '1.head'), 'utf8')) as { count: number }).count;
    for (const index of [1, 2, 3]) await auditLog.append({ index }, false);
    await eventually(async () => expect(await count()).toBe(3));
    await auditLog.append({ index: 4 }, false);
    await auditLog.append({ index: 5 }, true);
    expect(await count()).toBe(5);
    await auditLog.append({ index: 6 }, false);
    await auditLog.close();
    expect(await count()).toBe(6);
    expect(await log.verify()).toEqual({ entries: 6, chains: 1, faults: [] });
  });

  test('fails when an entry cannot be written, and goes on with a new chain', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLog = log.auditLog();
    await auditLog.append({ tool: 'a' }, true);
    await rm(log.file);
    await mkdir(log.file);
    await expect(auditLog.append({ tool: 'b' }, true)).rejects.toThrow('EISDIR');
    await rm(log.file, { recursive: true });
    await auditLog.append({ tool: 'c' }, true);
    expect((await log.text()).split('\n')).toEqual([expect.stringContaining('"chain":"2-'), '']);
  });

  test('begins a line of its own after one that was cut off', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await writeFile(log.file, '{"chain":"cut');
    await log.auditLog().append({ tool: 'a' }, false);
    const { entries, faults } = await log.verify();
    expect({ entries, faults }).toEqual({
      entries: 1,
      faults: [{ where: `${log.file}:1`, what: 'This is no entry of a log.' }],
    });
  });

  test('refuses a key that others may read', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await writeFile(join(folder.path, 'guard.key'), Buffer.alloc(32), { mode: 0o644 });
    await expect(log.auditLog().append({ tool: 'a' }, true)).rejects.toThrow(/others may read it.*chmod 600/s);
  });

  test('refuses a key of its own that its group may read', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await writeFile(join(folder.path, 'guard.key'), Buffer.alloc(32), { mode: 0o640 });
    await expect(log.auditLog().append({ tool: 'a' }, true)).rejects.toThrow(/others may read it/);
  });

  // Only root gives files away.
  test.runIf(process.getuid?.() === 0)(
    'takes a key that another user provides for its group, as Kubernetes does, and none for everybody',
    async () => {
      await using folder = await temporaryFolder();
      const log = auditLogIn(folder.path);
      const path = join(folder.path, 'guard.key');
      await writeFile(path, Buffer.alloc(32), { mode: 0o440 });
      await chown(path, 12_345, 0);
      await log.auditLog().append({ tool: 'a' }, true);
      expect((await log.verify()).faults).toEqual([]);
      await chmod(path, 0o444);
      await expect(auditLogIn(folder.path).auditLog().append({ tool: 'a' }, true)).rejects.toThrow(
        /others may read it/,
      );
    },
  );

  test('refuses a key of another length', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await writeFile(join(folder.path, 'guard.key'), 'short', { mode: 0o600 });
    await expect(log.auditLog().append({ tool: 'a' }, true)).rejects.toThrow(/a key of 32 bytes, and holds 5/);
  });
});

/** A command that copies its input to a file, or ends at once. */
const node = (script: string, ...args: string[]): string[] => [process.execPath, '-e', script, '--', ...args];
const copy = 'process.stdin.pipe(require("fs").createWriteStream(process.argv[1]))';

describe('a trail into a command', () => {
  test('is what a file would hold', async () => {
    await using folder = await temporaryFolder();
    const { heads, keys, file, verify } = auditLogIn(folder.path);
    const auditLog = createAuditLog({ sink: commandSink(node(copy, file)), heads, keys });
    for (const tool of ['a', 'b', 'c']) await auditLog.append({ tool }, true);
    await auditLog.close();
    expect(await verify()).toEqual({ entries: 3, chains: 1, faults: [] });
  });

  test('passes its arguments as they are, never through a shell', async () => {
    await using folder = await temporaryFolder();
    const { heads, keys } = auditLogIn(folder.path);
    const file = join(folder.path, '$(echo x) "y"; z');
    const auditLog = createAuditLog({ sink: commandSink(node(copy, file)), heads, keys });
    await auditLog.append({ tool: 'a' }, true);
    await auditLog.close();
    expect(await readFile(file, 'utf8')).toContain('"tool":"a"');
  });

  test('gets no variable that is not listed or named', async () => {
    await using folder = await temporaryFolder();
    const { heads, keys } = auditLogIn(folder.path);
    const secrets = ['INFRA_API_TOKEN', 'INFRA_DATABASE_URL', 'AWS_SECRET_ACCESS_KEY', 'SPLUNK_TOKEN', 'NODE_OPTIONS'];
    for (const name of secrets) vi.stubEnv(name, name === 'NODE_OPTIONS' ? '--no-warnings' : 'hidden');
    vi.stubEnv('TZ', 'Europe/Lisbon');
    onTestFinished(() => void vi.unstubAllEnvs());
    const file = join(folder.path, 'environment');
    const copyEnvironment =
      'require("fs").writeFileSync(process.argv[1], JSON.stringify(process.env)); process.stdin.resume()';
    const auditLog = createAuditLog({
      sink: commandSink(node(copyEnvironment, file), ['SPLUNK_TOKEN', 'NOT_SET']),
      heads,
      keys,
    });
    await auditLog.append({ tool: 'a' }, true);
    await auditLog.close();
    const given = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
    expect(given).toMatchObject({ PATH: process.env['PATH'], TZ: 'Europe/Lisbon', SPLUNK_TOKEN: 'hidden' });
    expect(Object.keys(given).filter((name) => secrets.includes(name))).toEqual(['SPLUNK_TOKEN']);
  });

  test('fails when the command is not there', async () => {
    await using folder = await temporaryFolder();
    const { heads, keys } = auditLogIn(folder.path);
    const auditLog = createAuditLog({ sink: commandSink([join(folder.path, 'nothing-here')]), heads, keys });
    await expect(auditLog.append({ tool: 'a' }, true)).rejects.toThrow(/nothing-here could not take a record.*ENOENT/);
    await auditLog.close();
  });
});
