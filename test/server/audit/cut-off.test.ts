import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fileSink, createAuditLog, type LogVerification } from '../../../src/server/audit/index.ts';
import { auditLogIn, temporaryFolder } from './audit-log.ts';

const entries = [{ tool: 'b', text: 'ünïcode' }, { tool: 'c' }, { tool: 'd' }];

/**
 * A log whose second writing, of several entries at once, ends with a full disk after so many bytes; afterwards there
 * is room again.
 */
async function cutAfter(folder: string, bytes: number) {
  const log = auditLogIn(folder);
  const sink = fileSink(log.file);
  let wanted = 0;
  let isFull = false;
  const append: typeof sink.append = async (lines, durable) => {
    if (!isFull) return sink.append(lines, durable);
    const completeText = Buffer.from(`${lines}\n`);
    wanted = completeText.length;
    appendFileSync(log.file, completeText.subarray(0, bytes));
    throw new Error('ENOSPC: no space left on device, write');
  };
  const auditLog = createAuditLog({ sink: { ...sink, append }, heads: log.heads, keys: log.keys });
  await auditLog.append({ tool: 'a' }, true);
  isFull = true;
  await Promise.allSettled(entries.map((entry) => auditLog.append(entry, true)));
  isFull = false;
  const atOnce = await log.verify();
  await auditLog.append({ tool: 'e' }, true);
  await auditLog.close();
  return { log, wanted, atOnce, later: await log.verify() };
}

/** A program of its own, as Node starts it. */
const program = (file: URL): string[] => ['--import', import.meta.resolve('tsx'), fileURLToPath(file)];

describe('a writing that a full disk ended', () => {
  test('is no sign of tampering, wherever it ended', async () => {
    await using first = await temporaryFolder();
    const { wanted } = await cutAfter(first.path, 0);
    // Each byte of what tells the chain, and of where the last line ends; some of those in between.
    const cuts = Array.from({ length: wanted }, (_, bytes) => bytes).filter(
      (bytes) => bytes < 40 || bytes % 31 === 0 || bytes > wanted - 4,
    );
    for (const bytes of cuts) {
      await using folder = await temporaryFolder();
      const { log, atOnce, later } = await cutAfter(folder.path, bytes);
      const lines = (await readFile(log.file)).subarray(0, -1).toString('utf8').split('\n');
      expect([atOnce.faults, later.faults], `cut after ${bytes} bytes`).toEqual([[], []]);
      // A line that can't be read as an entry is reported once, with its place.
      const pieces = lines.flatMap((line, index) => (line.endsWith('"}') ? [] : [`${log.file}:${index + 1}`]));
      expect((later.notes ?? []).map(({ where }) => where)).toEqual(pieces);
      expect(later.entries).toBe(lines.length - pieces.length);
    }
  });

  test('says which entry it was, and that nobody relied on it', async () => {
    await using folder = await temporaryFolder();
    const { later } = await cutAfter(folder.path, 60);
    expect(later.notes).toEqual([
      {
        where: expect.stringMatching(/audit\.jsonl:2$/) as string,
        what: expect.stringMatching(
          /^Entry 2 of chain 1-\w+ was cut off while it was written, .*Nobody was told that it is on record/,
        ) as string,
      },
    ]);
  });

  test('hides no entry that was confirmed: cutting that one is tampering', async () => {
    await using folder = await temporaryFolder();
    const { log } = await cutAfter(folder.path, 60);
    const [first = '', ...others] = (await log.text()).split('\n');
    for (let length = 1; length < first.length; length += 7) {
      await log.put([first.slice(0, length), ...others].join('\n'));
      expect((await log.verify()).faults).not.toEqual([]);
    }
  });

  test('explains one piece of a line, not more, and only after the entries that it followed', async () => {
    await using folder = await temporaryFolder();
    const { log } = await cutAfter(folder.path, 60);
    const [first = '', piece = '', ...others] = (await log.text()).split('\n');
    await log.put([first, piece, piece, ...others].join('\n'));
    expect((await log.verify()).faults).toHaveLength(1);
    await log.put([piece, first, ...others].join('\n'));
    expect((await log.verify()).faults).toHaveLength(1);
    const forged = `${/^.*"seq":2,/.exec(piece)![0]}"tool":"b"}`;
    await log.put([first, forged, ...others].join('\n'));
    expect((await log.verify()).faults).toHaveLength(1);
  });

  test('is distinguished from an entry of another process on the same line', async () => {
    await using folder = await temporaryFolder();
    const { log } = await cutAfter(folder.path, 60);
    await log.put((await log.text()).replace(/(\n.{60})\n/, '$1'));
    expect(await log.verify()).toMatchObject({ entries: 2, faults: [], notes: [{ where: `${log.file}:2` }] });
  });
});

// A file system of its own needs a mount, which only root may make.
const mounts = spawnSync('unshare', ['-m', 'true']).status === 0;
if (!mounts)
  process.stderr.write(
    'Skipped: a disk that is really full, because this user may not make a mount namespace (unshare -m).\n',
  );

describe('a disk', () => {
  test.skipIf(!mounts && !process.env['CI'])(
    'that is really full, and has room again, leaves a log that is whole',
    async () => {
      await using folder = await temporaryFolder();
      // The mount goes with the namespace, when the last process in it ends.
      const mount = 'mount -t tmpfs -o size=96k tmpfs "$1" && shift && exec "$@"';
      const output = execFileSync(
        'unshare',
        [
          '-m',
          'sh',
          '-c',
          mount,
          'sh',
          folder.path,
          process.execPath,
          ...program(new URL('./full-disk-process.ts', import.meta.url)),
          folder.path,
        ],
        { encoding: 'utf8' },
      );
      const { failed, verdicts } = JSON.parse(output) as { failed: string[]; verdicts: LogVerification[] };
      expect(new Set(failed)).toEqual(new Set(['ENOSPC']));
      expect(verdicts.map(({ faults }) => faults)).toEqual(verdicts.map(() => []));
      expect(verdicts.some(({ notes }) => notes !== undefined)).toBe(true);
    },
  );
});

describe('a process that is killed while it writes', () => {
  test('leaves a log that is whole up to there', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const child = spawn(process.execPath, [...program(new URL('./killed-process.ts', import.meta.url)), folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // It writes into a pipe that holds less than its entry: it is in the middle of it.
    const pipe = await open(log.file, 'r');
    const { buffer, bytesRead } = await pipe.read(Buffer.alloc(1000));
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await pipe.close();
    await rm(log.file);
    await writeFile(log.file, buffer.subarray(0, bytesRead));
    const files = [`${log.file}.1`, log.file];
    const note = { what: expect.stringMatching(/^Entry 2 of chain 1-\w+ was cut off while it was written/) as string };
    expect(await log.verify(files)).toMatchObject({ entries: 1, faults: [], notes: [note] });
    await log.auditLog().append({ tool: 'c' }, true);
    expect(await log.verify(files)).toMatchObject({ entries: 2, faults: [], notes: [note] });
  });

  test('loses no change that was acknowledged, and what it wrote is sealed', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const script = program(new URL('./acknowledging-process.ts', import.meta.url));
    const child = spawn(process.execPath, [...script, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    const gone = once(child, 'close');
    child.stdout.on('data', (text: Buffer) => {
      told += text.toString();
      if (told.split('\n').length > 20) child.kill('SIGKILL');
    });
    await gone;
    const acknowledged = told.split('\n').slice(0, -1).map(Number);
    const written = (await log.text()).split('\n').flatMap((line) => Number(/"change":(\d+)/.exec(line)?.[1] ?? []));
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
    expect(written).toEqual(expect.arrayContaining(acknowledged));
    expect(await log.verify()).toMatchObject({ faults: [] });
  });
});
