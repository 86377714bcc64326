import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanLine, readEntries } from '../../src/analysis/logs/entries.ts';
import { collapse, counted, lineTemplate } from '../../src/analysis/logs/collapse.ts';
import { detectLevel } from '../../src/analysis/logs/level.ts';
import { anyText } from '../support/any-text.ts';

const heads = (messages: string[], pods: string[] = []) =>
  readEntries(messages.map((message, index) => ({ message, pod_name: pods[index] ?? 'a' }))).map(({ head, level }) => [
    head,
    level,
  ]);

const collapsed = (messages: readonly string[]) => collapse(readEntries(messages.map((message) => ({ message }))));

/** What prints of a text that is shown or was written. */
const printing = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/\u001B\[\d+m|<U\+[\dA-F]{4,6}>|\p{Cc}|\p{Cf}|␛/gu, '').trimEnd();

describe('a line', () => {
  test.each([
    ['\u001B[36mINFO\u001B[0m starting', 'INFO starting'],
    ['\u001B[1;31mER\u001B[0mR\u001B(B\u001B[mOR\u001B[K', 'ERROR'],
    ['\u001B]0;a title\u0007text', ']0;a titletext'],
    ['\u001B[curl', '[curl'],
    ['10%\r 50%\r100% done\r', '100% done'],
    ['a\u0000b\u202Ec\u200Bd  ', 'abcd'],
    ['\tkept', '\tkept'],
  ])('%j is cleaned', (written, read) => {
    expect(cleanLine(written)).toBe(read);
  });

  test.each([
    ['\u001B[36mINFO\u001B[0m starting', '␛INFO␛ starting'],
    ['\u001B[1m\u001B[31mER\u001B[0m\u001B[KROR', '␛ER␛ROR'],
    ['echo ready\u001B]0;rm -rf /data;\u0007', 'echo ready<U+001B>]0;rm -rf /data;<U+0007>'],
    ['\u001B[curl x', '<U+001B>[curl x'],
    ['10%\r 50%\r100% done\r', '…100% done'],
    ['a Windows line\r', 'a Windows line'],
    ['a\u0000b\u202Ec\u200Bd  ', 'a<U+0000>b<U+202E>c<U+200B>d'],
    ['x'.repeat(4_001), `${'x'.repeat(4_000)}…`],
  ])('%j is shown with a mark for what does not print', (written, shown) => {
    expect(readEntries([{ message: written }]).map((entry) => entry.shown)).toEqual([shown]);
  });

  test('of any text is shown with everything that prints, or a mark for it', () => {
    const parts = fc
      .array(
        fc.constantFrom(
          'curl ',
          'rm -rf;',
          '\u001B[',
          '\u001B]0;',
          '\u0007',
          '\u001B[31m',
          '\u001B[0m',
          '\u009D',
          '\u200B',
        ),
        { maxLength: 10 },
      )
      .map((texts) => texts.join(''));
    fc.assert(
      fc.property(parts, (text) => {
        expect(printing(readEntries([{ message: text }])[0]!.shown)).toBe(printing(text));
      }),
    );
  });

  test('tells that a message has more lines than are read', () => {
    expect(readEntries([{ message: 'x\n'.repeat(250) }]).at(-1)!.shown).toBe('x…');
  });

  test('of any text is cleaned of all that does not print, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 60 }), (text) => {
        expect(cleanLine(text)).not.toMatch(/(?!\t)\p{Cc}|\p{Cf}/u);
        expect(cleanLine(cleanLine(text))).toBe(cleanLine(text));
      }),
    );
  });

  test.each([
    [
      'error',
      [
        'ERROR no route',
        '2026-11-20T10:00:00Z ERROR 1 --- [main] x',
        '{"level":"error","msg":"x"}',
        '{"level":50,"msg":"x"}',
        'level=error msg=x',
        '[error] 12#12: *1 connect() failed',
        'npm ERR! code E404',
        '#8 3.402 npm error code E404',
        'FATAL:  password authentication failed',
        'panic: boom',
        'E1121 10:03:11.123456       1 reflector.go:150] x',
        'Traceback (most recent call last):',
        "KeyError: 'X'",
        'Exception in thread "main" x',
        '│ Error: Invalid reference',
        'TypeError: x is not a function',
        '2026-11-20 10:15:02 UTC [88] ERROR:  deadlock detected',
      ],
    ],
    [
      'warn',
      [
        'WARN low disk',
        '[WARNING] x',
        'Warning  Unhealthy  3s  kubelet  x',
        'level=warning msg="x"',
        '#7 2.114 npm warn deprecated x',
        '{"severity":"WARNING"}',
        'W1121 10:03:11.1 x',
      ],
    ],
    ['info', ['INFO ready', 'LOG:  database system is ready', '{"level":30}', 'I1121 10:03:11.1 x']],
    ['debug', ['DEBUG sql', 'level=trace', '[debug] getting history', '{"level":20}']],
    [
      undefined,
      [
        'listening on 8080',
        'found 0 errors',
        'GET /error 200',
        'an error page was rendered',
        'remote: Counting objects',
        '',
        'no warnings',
        `${'x'.repeat(130)} ERROR y`,
      ],
    ],
  ] as const)('tells the level %s', (level, written) => {
    expect(written.map((text) => [text, detectLevel(text)])).toEqual(written.map((text) => [text, level]));
  });

  test.each([
    ['PUSH_FAILED', 'INFO x', 'error'],
    ['RUNS_MISSED', 'ERROR x', 'warn'],
    ['AVAILABLE', 'WARN x', 'info'],
    // Stored without a reason, or of a newer platform.
    ['OTHER', 'ERROR x', 'error'],
    ['NOT_KNOWN_HERE', 'WARN x', 'warn'],
  ])('of the platform itself has the level of its reason %s, with the message %s: %s', (reason, message, level) => {
    expect(readEntries([{ message, condition: { reason, message } }])).toMatchObject([{ level }]);
  });
});

describe('lines that belong together', () => {
  test('are a stack trace and what it is of', () => {
    expect(heads(['ready', 'Error: no', '    at a (b.js:1)', '    at c (d.js:2)', 'ready'])).toEqual([
      [0, 'info'],
      [1, 'error'],
      [1, 'error'],
      [1, 'error'],
      [4, 'info'],
    ]);
  });

  test('are a traceback and the exception below it', () => {
    expect(
      heads([
        'Traceback (most recent call last):',
        '  File "a.py", line 1, in <module>',
        "KeyError: 'A'",
        "KeyError: 'B'",
      ]),
    ).toEqual([
      [0, 'error'],
      [0, 'error'],
      [0, 'error'],
      [3, 'error'],
    ]);
  });

  test('are Java causes, and a box that a tool draws', () => {
    expect(heads(['Exception in thread "main" a.B', '\tat x', 'Caused by: c.D', '\t... 3 more'])).toEqual([
      [0, 'error'],
      [0, 'error'],
      [0, 'error'],
      [0, 'error'],
    ]);
    expect(heads(['╷', '│ Error: no', '│ ', '╵', 'done'])).toEqual([
      [0, 'info'],
      [0, 'error'],
      [0, 'error'],
      [0, 'error'],
      [4, 'info'],
    ]);
  });

  test('are the lines of one message, at one place', () => {
    expect(
      readEntries([
        { message: 'started' },
        { message: "WARN failed\nonce\n    at x\nKeyError: 'A'\nlast" },
        { message: ' INFO ready' },
      ]).map(({ index, head, text, level }) => [index, head, text, level]),
    ).toEqual([
      [0, 0, 'started', 'info'],
      [1, 1, 'WARN failed', 'warn'],
      [1, 1, 'once', 'warn'],
      [1, 1, '    at x', 'warn'],
      // The exception that a warning logs is no error besides.
      [1, 1, "KeyError: 'A'", 'warn'],
      [1, 1, 'last', 'warn'],
      [2, 2, ' INFO ready', 'info'],
    ]);
  });

  test('are not more than any stack trace has', () => {
    const read = heads(['ERROR listing', ...Array.from({ length: 300 }, (_, index) => `    item ${index}`)]);
    expect(read.filter(([, level]) => level === 'error')).toHaveLength(200);
  });

  test('may have lines of another pod between them', () => {
    expect(heads(['Error: no', 'ready', '    at a (b.js:1)'], ['a', 'b', 'a'])).toEqual([
      [0, 'error'],
      [1, 'info'],
      [0, 'error'],
    ]);
  });
});

describe('repeats', () => {
  test('differ in numbers, ids and times only', () => {
    const repeats = collapsed([
      'job 17 done in 3ms',
      'job 18 done in 12ms',
      'user 0f8fad5b-d9cb-469f-a165-70867728950e left',
      'job 19 done in 7ms',
      'user 7c9e6679-7425-40de-944b-e07fc1f90ae7 left',
      'retry at 2026-11-20T10:15:02.114Z',
      'retry at 2026-11-20T10:15:09Z',
      'user bob left',
      'Failed  1s  kubelet  no',
      'Failed  1s (x4 over 2m5s)  kubelet  no',
    ]);
    expect(repeats.map(counted)).toEqual([
      'job 19 done in 7ms ×3',
      'user 7c9e6679-7425-40de-944b-e07fc1f90ae7 left ×2',
      'retry at 2026-11-20T10:15:09Z ×2',
      'user bob left',
      'Failed  1s (x4 over 2m5s)  kubelet  no ×2',
    ]);
    expect(repeats[0]).toMatchObject({ first: 0, index: 3 });
  });

  test('are counted without losing a line, whatever is logged', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 40 }),
            fc.nat().map((number) => `tick ${number}`),
          ),
          { maxLength: 60 },
        ),
        (messages) => {
          const repeats = collapsed(messages);
          expect(repeats.reduce((sum, { count }) => sum + count, 0)).toBe(messages.length);
          expect(new Set(repeats.map(({ level, text }) => `${level} ${lineTemplate(text)}`)).size).toBe(repeats.length);
        },
      ),
    );
  });
});
