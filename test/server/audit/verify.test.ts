import { copyFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditLogIn, temporaryFolder, writeEntries } from './audit-log.ts';
import { runs } from '../../support/runs.ts';

const entries = [
  { tool: 'a', n: 1 },
  { tool: 'b', text: 'ünïcode "quoted" \u2028' },
  { tool: 'c' },
  { tool: 'd', deep: { list: [1, 2] } },
  { tool: 'e' },
];

/** A log with two chains, and what is in it. */
async function twoChains(folder: string) {
  const log = auditLogIn(folder);
  await writeEntries(log.auditLog(), entries);
  await writeEntries(log.auditLog(), entries.slice(0, 3));
  return { ...log, fullText: await log.text() };
}

const lines = (text: string): string[] => text.split('\n').slice(0, -1);
const joined = (list: readonly string[]): string => list.map((line) => `${line}\n`).join('');

/** An edit of the lines of a log, described by numbers that fit any log. */
type Edit = (list: readonly string[], at: number, other: number) => readonly string[];

const edits: Record<string, Edit> = {
  'taking out a line': (list, at) => list.toSpliced(at % list.length, 1),
  'cutting off the end': (list, at) => list.slice(0, at % list.length),
  'doubling a line': (list, at, other) => list.toSpliced(other % (list.length + 1), 0, list[at % list.length]!),
  'adding a line': (list, at) => list.toSpliced(at % (list.length + 1), 0, '{"chain":"1-00000000","seq":1}'),
  'adding an empty line': (list, at) => list.toSpliced(at % (list.length + 1), 0, ''),
};

describe('a log that nobody touched', () => {
  test('is whole', async () => {
    await using folder = await temporaryFolder();
    const { verify } = await twoChains(folder.path);
    expect(await verify()).toEqual({ entries: 8, chains: 2, faults: [] });
  });

  test('is whole while chains of several processes grow side by side', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLogs = [log.auditLog(), log.auditLog(), log.auditLog()];
    await Promise.all(auditLogs.flatMap((auditLog) => entries.map((entry) => auditLog.append(entry, true))));
    expect(await log.verify()).toEqual({ entries: 15, chains: 3, faults: [] });
  });

  test('may span several files', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLog = log.auditLog();
    await auditLog.append({ tool: 'a' }, false);
    await rename(log.file, `${log.file}.1`);
    await auditLog.append({ tool: 'b' }, false);
    expect(await log.verify([`${log.file}.1`, log.file])).toEqual({ entries: 2, chains: 1, faults: [] });
    expect((await log.verify([log.file, `${log.file}.1`])).faults).not.toEqual([]);
    expect((await log.verify()).faults).not.toEqual([]);
  });

  test('is empty where nothing was recorded', async () => {
    await using folder = await temporaryFolder();
    expect(await auditLogIn(folder.path).verify()).toEqual({ entries: 0, chains: 0, faults: [] });
  });

  test('is whole when a process ended before it moved the head: what follows is sealed all the same', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLog = log.auditLog();
    await auditLog.append({ tool: 'a' }, false);
    const head = join(log.heads, '1.head');
    await copyFile(head, `${head}.before`);
    await auditLog.append({ tool: 'b' }, false);
    await rename(`${head}.before`, head);
    expect(await log.verify()).toEqual({ entries: 2, chains: 1, faults: [] });
  });
});

describe('verifying finds', () => {
  test('every change of a byte', async () => {
    await using folder = await temporaryFolder();
    const { verify, put, fullText } = await twoChains(folder.path);
    await fc.assert(
      fc.asyncProperty(fc.nat(fullText.length - 1), fc.integer({ min: 0, max: 255 }), async (at, code) => {
        fc.pre(fullText.charCodeAt(at) !== code);
        await put(fullText.slice(0, at) + String.fromCharCode(code) + fullText.slice(at + 1));
        expect((await verify()).faults).not.toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });

  test('every byte taken out or put in', async () => {
    await using folder = await temporaryFolder();
    const { verify, put, fullText } = await twoChains(folder.path);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(fullText.length - 1),
        fc.nat(3),
        fc.constantFrom('', ' ', '\n', '0', '"'),
        async (at, taken, put_) => {
          const changed = fullText.slice(0, at) + put_ + fullText.slice(at + taken);
          fc.pre(changed !== fullText);
          await put(changed);
          expect((await verify()).faults).not.toEqual([]);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test.each(Object.entries(edits))('%s', async (_, edit) => {
    await using folder = await temporaryFolder();
    const { verify, put, fullText } = await twoChains(folder.path);
    await fc.assert(
      fc.asyncProperty(fc.nat(100), fc.nat(100), async (at, other) => {
        await put(joined(edit(lines(fullText), at, other)));
        expect((await verify()).faults).not.toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });

  test('every change of the order within a chain', async () => {
    await using folder = await temporaryFolder();
    const { verify, put, fullText } = await twoChains(folder.path);
    const [first, second] = [lines(fullText).slice(0, entries.length), lines(fullText).slice(entries.length)];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(first, { minLength: first.length }), async (shuffled) => {
        fc.pre(shuffled.some((line, index) => line !== first[index]));
        await put(joined([...shuffled, ...second]));
        expect((await verify()).faults).not.toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });

  test('a line of another log with another key', async () => {
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    const { verify, put } = await twoChains(folder.path);
    const { fullText } = await twoChains(other.path);
    await put(fullText);
    expect((await verify()).faults).not.toEqual([]);
  });

  test('the whole log gone', async () => {
    await using folder = await temporaryFolder();
    const { verify, file } = await twoChains(folder.path);
    await rm(file);
    expect((await verify()).faults.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^Chain 1-\w+ has 5 entries, but only 0 are there/),
      expect.stringMatching(/^Chain 2-\w+ has 3 entries, but only 0 are there/),
    ]);
  });

  test('a chain gone together with its head', async () => {
    await using folder = await temporaryFolder();
    const { verify, put, fullText, heads } = await twoChains(folder.path);
    await put(joined(lines(fullText).slice(entries.length)));
    await rm(join(heads, '1.head'));
    expect((await verify()).faults).toEqual([{ what: 'Chain 1 is missing whole, with its head.' }]);
  });

  test('a head that is missing, changed, or belongs to another chain', async () => {
    await using folder = await temporaryFolder();
    const { verify, heads } = await twoChains(folder.path);
    expect((await readdir(heads)).toSorted()).toEqual(['1.head', '2.head']);
    const [one, two] = [join(heads, '1.head'), join(heads, '2.head')];
    await writeFile(one, '{"chain":"1-00000000","count":0,"last":""}\n');
    expect((await verify()).faults).toEqual([{ what: expect.stringContaining('The head of chain 1 was changed') }]);
    await rm(one);
    expect((await verify()).faults).toEqual([{ what: expect.stringMatching(/^The head of chain 1-\w+ is missing/) }]);
    await copyFile(two, one);
    expect((await verify()).faults).toEqual([{ what: expect.stringContaining('The head of chain 1 was changed') }]);
  });

  test('where: file and line', async () => {
    await using folder = await temporaryFolder();
    const { verify, put, fullText, file } = await twoChains(folder.path);
    await put(fullText.replace('"tool":"c"', '"tool":"C"'));
    const { faults } = await verify();
    expect(faults).toEqual([{ where: `${file}:3`, what: expect.stringContaining('Entry 3 of chain 1-') }]);
  });
});
