import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LogQuery, searchLog } from '../../src/analysis/search.ts';
import { UnusableQuery } from '../../src/analysis/index.ts';

const now = new Date('2026-11-20T12:00:00Z');
const lines = [
  { message: 'starting', created_at: '2026-11-20T11:00:00Z' },
  { message: '\u001B[31mERROR\u001B[0m no route to host', created_at: '2026-11-20T11:30:00Z' },
  { message: '    at connect (net.js:1)', created_at: '2026-11-20T11:30:00Z' },
  { message: 'WARN retrying in 2s', created_at: '2026-11-20T11:40:00Z' },
  { message: 'retrying in 4s' },
  { message: 'GET /health 200', created_at: '2026-11-20T11:50:00Z' },
];
const texts = (query: LogQuery) =>
  searchLog(lines, query, now).groups.map((group) => group.map(({ text, matched }) => `${matched ? '' : '~'}${text}`));

describe('a search', () => {
  test('finds plain text whatever its case, and says how much it looked through', () => {
    expect(searchLog(lines, { text: 'RETRYING' }, now)).toMatchObject({
      matched: 2,
      shown: 2,
      searched: 5,
      levels: { error: 0, warn: 1, info: 1, debug: 0 },
    });
  });

  test('takes text as it is and a pattern as a pattern', () => {
    expect(texts({ text: '.*' })).toEqual([]);
    expect(texts({ pattern: String.raw`in \d+s$` })).toEqual([['WARN retrying in 2s', 'retrying in 4s']]);
  });

  test('shows lines around matches, once where they touch', () => {
    expect(texts({ pattern: 'route|retrying in 2s', context: 1 })).toEqual([
      ['~starting', '␛ERROR␛ no route to host', '    at connect (net.js:1)', 'WARN retrying in 2s', '~retrying in 4s'],
    ]);
    expect(texts({ pattern: 'starting|health' })).toEqual([['starting'], ['GET /health 200']]);
  });

  test('takes lines at least as grave as asked, a stack trace with its error', () => {
    expect(texts({ level: 'error' })).toEqual([['␛ERROR␛ no route to host', '    at connect (net.js:1)']]);
    expect(texts({ level: 'warn' })).toEqual([
      ['␛ERROR␛ no route to host', '    at connect (net.js:1)', 'WARN retrying in 2s'],
    ]);
  });

  test('takes the level of lines that were cleaned before', () => {
    const cleaned = [{ message: '\u241BWARN\u241B slow query' }, { message: '10 %<U+000D>ERROR the disk is full' }];
    expect(searchLog(cleaned, { level: 'warn' }, now)).toMatchObject({ matched: 2, levels: { error: 1, warn: 1 } });
  });

  test('keeps to a time window; a line without a time has that of the line before it', () => {
    expect(texts({ since: 'PT25M' })).toEqual([['WARN retrying in 2s', 'retrying in 4s', 'GET /health 200']]);
    expect(texts({ since: '2026-11-20T11:30:00Z', until: 'PT20M', text: 're' })).toEqual([
      ['WARN retrying in 2s', 'retrying in 4s'],
    ]);
  });

  test('shows the newest of too many, and tells how many there are', () => {
    const found = searchLog(lines, { limit: 2 }, now);
    expect(found).toMatchObject({ matched: 5, different: 5, shown: 2 });
    expect(found.groups).toEqual([[expect.objectContaining({ index: 4 }), expect.objectContaining({ index: 5 })]]);
  });

  const tracesAndRepeats = [
    { message: 'ERROR attempt 1 failed', created_at: '2026-11-20T10:00:00Z' },
    { message: '    at connect (net.js:1)\n    at send (http.js:7)', created_at: '2026-11-20T10:00:00Z' },
    { message: 'ERROR attempt 2 failed', created_at: '2026-11-20T11:00:00Z' },
    { message: '    at connect (net.js:1)\n    at send (http.js:7)', created_at: '2026-11-20T11:00:00Z' },
    { message: 'WARN slow query', created_at: '2026-11-20T11:10:00Z' },
    { message: 'ready', created_at: '2026-11-20T11:20:00Z' },
  ];

  test('counts messages: a stack trace is part of its own, and what repeats is shown once', () => {
    const { groups, ...found } = searchLog(tracesAndRepeats, { level: 'warn' }, now);
    expect(found).toMatchObject({
      matched: 3,
      different: 2,
      shown: 2,
      searched: 4,
      levels: { error: 2, warn: 1, info: 0, debug: 0 },
      first: { index: 0, time: '2026-11-20T10:00:00Z' },
    });
    expect(groups.flat().map(({ text, repeats }) => [text, repeats])).toEqual([
      [
        'ERROR attempt 2 failed',
        {
          count: 2,
          isExact: false,
          first: '2026-11-20T10:00:00Z',
          last: '2026-11-20T11:00:00Z',
          ranges: ['attempt 1–2'],
        },
      ],
      ['    at connect (net.js:1)', undefined],
      ['    at send (http.js:7)', undefined],
      ['WARN slow query', undefined],
    ]);
  });

  test('shows the first of what repeats, oldest first, where that is asked for', () => {
    const { groups } = searchLog(tracesAndRepeats, { level: 'warn', oldest: true, limit: 1 }, now);
    expect(groups.flat().map(({ index }) => index)).toEqual([0, 1, 1]);
  });

  test('shows the first lines of a long message, and those with the words', () => {
    const trace = Array.from({ length: 30 }, (_, index) => `    at ${'abcdef'[index % 6]}${index} (net.js:1)`);
    const { groups } = searchLog([{ message: ['ERROR failed', ...trace].join('\n') }], { text: 'b25 ' }, now);
    expect(groups.flat()).toHaveLength(11);
    expect(groups.flat().at(-1)).toMatchObject({ text: '    at b25 (net.js:1)', more: 20 });
  });

  test('tells how many messages meet each criterion by itself, if none meets all of them', () => {
    expect(
      searchLog(tracesAndRepeats, { since: '2026-11-20T10:30:00Z', level: 'error', text: 'disk' }, now),
    ).toMatchObject({ matched: 0, searched: 4, metAlone: { since: 3, level: 2, text: 0 } });
  });

  test.each([
    [{ pattern: '(?=a)b' }, "Lookahead and lookbehind can't be used"],
    [{ pattern: '(?<!a)b' }, "Lookahead and lookbehind can't be used"],
    [{ pattern: String.raw`(a)\1` }, "Backreferences can't be used"],
    [{ pattern: String.raw`(?<x>a)\k<x>` }, "Backreferences can't be used"],
    [{ pattern: '(?>a)' }, "Atomic groups and possessive quantifiers can't be used"],
    [{ pattern: 'a(' }, "The pattern can't be read: missing closing )"],
    [{ pattern: '(a?){300}a{300}' }, 'The pattern is too large'],
    [{ pattern: 'a'.repeat(501) }, 'The pattern is too large'],
    [{ since: 'yesterday' }, 'since must be an ISO timestamp'],
    [{ until: '15' }, 'until must be an ISO timestamp'],
    [{ since: 'PT1M', until: 'PT1H' }, 'the window is empty'],
  ] as const)('of %j says what is wrong with it', (query, message) => {
    expect(() => searchLog(lines, query, now)).toThrow(UnusableQuery);
    expect(() => searchLog(lines, query, now)).toThrow(message);
  });

  test('finds what a plain search finds, in any lines', () => {
    const word = fc.constantFrom('alpha', 'beta', 'Error', 'retry', '500', ' ', ':');
    const message = fc.array(word, { maxLength: 6 }).map((words) => words.join(''));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 40 }),
        word,
        fc.nat(4),
        fc.integer({ min: 1, max: 8 }),
        (random, wanted, context, limit) => {
          // Each is a message of its own: it isn't empty, and no other one is like it.
          const messages = random.map((text, index) => `q${'abcdefgh'[index % 8]}${'abcdefgh'[index >> 3]}${text}`);
          const found = searchLog(
            messages.map((text) => ({ message: text })),
            { text: wanted, context, limit },
            now,
          );
          const places = messages.flatMap((text, index) =>
            text.trimEnd().toLowerCase().includes(wanted.toLowerCase()) ? [index] : [],
          );
          const shown = places.slice(-limit);
          const around = messages.flatMap((_, index) =>
            shown.some((place) => Math.abs(place - index) <= context) ? [index] : [],
          );
          expect(found.matched).toBe(places.length);
          expect(found.groups.flat().map(({ index }) => index)).toEqual(around);
          expect(
            found.groups
              .flat()
              .filter(({ matched }) => matched)
              .map(({ index }) => index),
          ).toEqual(around.filter((index) => places.includes(index)));
        },
      ),
    );
  });
});
