import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldTemplate } from '../../src/analysis/logs/collapse.ts';
import { rangesOf } from '../../src/analysis/logs/ranges.ts';
import { coverageOf, foldLines, periodText, repeatsText } from '../../src/analysis/index.ts';
import { searchLog } from '../../src/analysis/search.ts';

const differs = (one: string, other: string): boolean => foldTemplate(one) !== foldTemplate(other);

test.each([
  ['GET /x 200 in 12ms', 'GET /x 200 in 1.5s'],
  ['2026-11-20T10:00:00Z cache miss', '2026-11-20T11:30:01.250Z cache miss'],
  ['10:00:00 cache miss', '11:30:01.250 cache miss'],
  ['order 0b3c1f7e-6a51-4d3b-9a2f-1d2c3b4a5f60 lost', 'order 9f3c1f7e-6a51-4d3b-9a2f-1d2c3b4a5f61 lost'],
  ['trace=4bf92f3577b34da6a3ce929d0e0e4736', 'trace=5bf92f3577b34da6a3ce929d0e0e4737'],
  ['token of 1763632800 expired', 'token of 1763636400123 expired'],
  ['retry 3 failed', 'retry 12 failed'],
  ['{"msg":"done","duration_ms":12}', '{"msg":"done","duration_ms":940.5}'],
  ['read 4MB', 'read 12.5MB'],
  ['slow query (1081 ms)', 'slow query (812 ms)'],
  ['checkpoint complete: total=2.853 s', 'checkpoint complete: total=15.1 s'],
  ['Back-off restarting (x4 over 3m20s)', 'Back-off restarting (x5 over 4m)'],
])('folds what passes: %s, %s', (one, other) => {
  expect(foldTemplate(one)).toBe(foldTemplate(other));
});

test.each([
  ['GET /x 200', 'GET /x 500'],
  ['GET /x 200 5ms', 'GET /x 500 7ms'],
  ['{"level":30,"msg":"x"}', '{"level":50,"msg":"x"}'],
  ['exited with code 1', 'exited with code 137'],
  ['ORA-00942', 'ORA-12154'],
  ['HRESULT 0x80070005', 'HRESULT 0x80070002'],
  ['listening on :8080', 'listening on :9090'],
  ['exited with code 3221225477', 'exited with code 3221225786'],
  ['exited with code 1073741829', 'exited with code 1073807364'],
  ['failed: -2147024891', 'failed: -2147024894'],
  ['errno 18446744073709551614', 'errno 18446744073709551603'],
  ['exception 00000000c0000005', 'exception 00000000c0000374'],
  ['exception ffffffff80070005', 'exception ffffffff80070002'],
  ['the upstream sent 500s', 'the upstream sent 404s'],
  ['interrupt 13h', 'interrupt 10h'],
  ['will not retry 500', 'will not retry 503'],
  ['HTTP/1.1" 200 612', 'HTTP/1.1" 404 612'],
])('keeps what may be a status, code or level apart: %s, %s', (one, other) => {
  expect(differs(one, other)).toBe(true);
});

const separator = fc.constantFrom(' ', ': ', '=', '="', ' (', ' [', ' #', '/');
const word = fc.constantFrom(
  'status',
  'code',
  'level',
  'GET /x',
  'exit code',
  'error',
  'HTTP/1.1"',
  'ERR',
  'sqlstate',
  '"status"',
);
const around = fc.constantFrom('', ' 12ms', ' retry 3', '2026-11-20T10:00:00Z ', ' in 1m30s', ' 4MB');
const code = fc.integer({ min: 0, max: 999_999 });

test('never folds messages whose status, code or level differs, whatever stands around it', () => {
  fc.assert(
    fc.property(word, separator, code, code, around, around, (name, between, one, other, before, after) => {
      fc.pre(one !== other);
      const line = (value: number) => `${before} ${name}${between}${value}${after}`;
      expect(differs(line(one), line(other))).toBe(true);
    }),
  );
});

test('folds messages that differ in times, durations, ids and counts, whatever they say', () => {
  const passing = fc.record({
    at: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    milliseconds: fc.nat({ max: 100_000 }),
    id: fc.uuid(),
    attempt: fc.nat({ max: 1000 }),
  });
  fc.assert(
    fc.property(word, code, passing, passing, (name, value, one, other) => {
      const line = ({ at, milliseconds, id, attempt }: typeof one) =>
        `${at.toISOString()} ${name} ${value} of ${id} after ${milliseconds}ms, attempt ${attempt}`;
      expect(foldTemplate(line(one))).toBe(foldTemplate(line(other)));
    }),
  );
});

test('a search shows answers of another status beside each other', () => {
  const lines = ['GET /x 200 in 5ms', 'GET /x 500 in 7ms', 'GET /x 200 in 6ms'].map((message) => ({ message }));
  const { groups, different } = searchLog(lines, { text: '/x' }, new Date());
  expect(different).toBe(2);
  expect(groups.flat().map(({ text, repeats }) => [text, repeats?.count])).toEqual([
    ['GET /x 500 in 7ms', undefined],
    ['GET /x 200 in 6ms', 2],
  ]);
});

test('a search shows each message where that is asked for, and still tells how many differ', () => {
  const lines = ['GET /x 200 in 5ms', 'GET /x 500 in 7ms', 'GET /x 200 in 6ms'].map((message) => ({ message }));
  const { groups, matched, different, shown } = searchLog(lines, { isEach: true, limit: 2 }, new Date());
  expect({ matched, different, shown }).toEqual({ matched: 3, different: 2, shown: 2 });
  expect(groups.flat().map(({ text, repeats }) => [text, repeats])).toEqual([
    ['GET /x 500 in 7ms', undefined],
    ['GET /x 200 in 6ms', undefined],
  ]);
});

/** Messages as programs log them, with what differs each time; as many lines of a log as they have, or one. */
const repeatedWarnings: Readonly<Record<string, (time: number) => string>> = {
  'frames of Node': (time) =>
    `WARN slow query (${1000 + time} ms)\n    at Pool.query (/app/dist/db.js:41:19)\n    at async list (/app/dist/orders.js:88:22)`,
  'a warning of Node itself': (time) =>
    `(node:${20 + time}) MaxListenersExceededWarning: Possible EventEmitter memory leak detected.\n(Use \`node --trace-warnings ...\` to show where the warning was created)`,
  'an exception of Java': (time) =>
    ` WARN 1 --- [nio-8080-exec-${time}] acme.Orders : no connection\njava.sql.SQLTransientConnectionException: pool-1 - timed out after ${30_000 + time}ms\n\tat acme.Orders$$Lambda$${800 + time}/0x00007f1b6c2a1c${40 + time}.run(Unknown Source)\nCaused by: java.net.ConnectException: refused\n\t... 12 more`,
  'goroutines of Go': (time) => `WARN slow\ngoroutine ${30 + time} [select]:\n\t/app/main.go:41 +0x1d5`,
  'lines of numbers': (time) => `WARN pool exhausted\n  active=10 idle=0 waiting=${time}\n  elapsed: ${time}s`,
};

test.each(
  Object.entries(repeatedWarnings).flatMap(([name, text]) => [
    [name, 'one message', (time: number) => [text(time)]] as const,
    [name, 'its lines', (time: number) => text(time).split('\n')] as const,
  ]),
)('a warning with %s, logged as %s, is one warning that repeats', (_, __, linesOf) => {
  const log = [1, 2, 3].flatMap((time) =>
    [...linesOf(time), 'INFO served'].map((message) => ({ message, pod_name: 'api-1' })),
  );
  const { groups, matched, different, levels } = searchLog(log, { level: 'warn' }, new Date());
  expect({ matched, different, levels }).toEqual({
    matched: 3,
    different: 1,
    levels: { error: 0, warn: 3, info: 0, debug: 0 },
  });
  expect(groups.flat().flatMap(({ repeats }) => repeats?.count ?? [])).toEqual([3]);
});

test('a warning whose further lines have another status, code or cause is another one', () => {
  const log = ['status: 500', 'status: 404', 'exit code 1', 'exit code 137', 'code: EPIPE', 'code: ECONNRESET'].map(
    (line) => ({ message: `WARN upstream failed\n  ${line}` }),
  );
  expect(searchLog(log, { level: 'warn' }, new Date()).different).toBe(log.length);
});

test('a crash right after a warning is an error of its own', () => {
  const log = ['WARN last attempt', 'Error: no connection', '    at run (/app/main.js:1:1)'].map((message) => ({
    message,
  }));
  expect(searchLog(log, { level: 'error' }, new Date())).toMatchObject({ matched: 1, levels: { error: 1 } });
});

test('the newest messages of a log are whole lines in their order, and those that repeat are there once', () => {
  const messages = [
    'WARN slow\n    at f (/a.js:1:1)',
    'GET /x 200 in 5ms',
    'WARN slow\n    at f (/a.js:9:9)',
    'GET /y 200',
  ];
  const lines = messages
    .flatMap((message) => message.split('\n'))
    .map((message, index) => ({ message, created_at: `2026-11-20T10:00:0${index}Z`, id: String(index) }));
  const warning = { count: 2, isExact: false, first: lines[0]!.created_at, last: lines[3]!.created_at };
  expect(foldLines(lines)).toEqual({
    lines: [{ line: lines[2] }, { line: lines[3], repeats: warning }, { line: lines[4] }, { line: lines[5] }],
    messages: 4,
    different: 3,
    shown: 3,
  });
  expect(foldLines(lines, 2)).toMatchObject({
    lines: [{ line: lines[3], repeats: warning }, { line: lines[4] }, { line: lines[5] }],
    shown: 2,
  });
  expect(foldLines([])).toEqual({ lines: [], messages: 0, different: 0, shown: 0 });
});

test.each([
  [['slow query (1081 ms)', 'slow query (812 ms)', 'slow query (1940 ms)'], ['812–1940 ms']],
  [['GET /x 200 in 12ms', 'GET /x 200 in 1.5s'], ['12ms–1.5s']],
  [['took 1m30s', 'took 50s'], ['50s–1m30s']],
  [['read 4MB', 'read 12.5MB'], ['4–12.5MB']],
  [['used 900 KiB', 'used 2 MiB'], ['900 KiB–2 MiB']],
  [['retry 3 failed after 5 ms', 'retry 12 failed after 5 ms'], ['retry 3–12']],
  [['{"msg":"done","duration_ms":940.5}', '{"msg":"done","duration_ms":12}'], ['duration_ms 12–940.5']],
  [
    ['attempt 1 took 3ms, read 1MB in 2s', 'attempt 2 took 4ms, read 2MB in 3s'],
    ['attempt 1–2', '3–4ms', '1–2MB'],
  ],
  [['2026-11-20T10:00:00Z cache miss', '2026-11-20T11:30:01.250Z cache miss'], []],
  [['token of 1763632800 expired', 'token of 1763636400 expired'], []],
  [['WARN slow\n    after 5 ms', 'WARN slow\n    after 7 ms'], []],
  [['db_password=12345ms', 'db_password=67890ms'], []],
])('tells the range of the numbers in which %j differ', (texts, ranges) => {
  expect(new Set(texts.map(foldTemplate)).size).toBe(1);
  expect(rangesOf(texts)).toEqual(ranges);
});

test('an answer has the range with the count, whichever of the messages it shows', () => {
  const lines = [900, 20, 450].map((ms) => ({ message: `WARN slow query (${ms} ms)` }));
  const [found] = searchLog(lines, { level: 'warn' }, new Date()).groups.flat();
  expect(found!.repeats).toMatchObject({ count: 3, ranges: ['20–900 ms'] });
  expect(repeatsText(found!.repeats!, undefined)).toBe('(× 3 with other numbers: 20–900 ms)');
  expect(foldLines(lines).lines[0]!.repeats).toEqual(found!.repeats);
});

test.each([
  [['api-7f9c-x2b4q', 'api-7f9c-9dk2p', 'api-7f9c-x2b4q'], 2],
  [['api-1-abc123', 'build-5ce5184a', 'platform', 'rollout'], 1],
  // Lines that name none have the name of their service instead.
  [['api-2', 'api-2'], undefined],
  [[undefined], undefined],
])('a log with lines of %j says how many instances they are from', (pods, instances) => {
  const lines = pods.map((pod_name) => ({ message: 'served', created_at: '2026-11-20T10:00:00Z', pod_name }));
  const coverage = coverageOf(lines, { service: 'api-2' });
  expect(coverage.instances).toBe(instances);
  expect(periodText([coverage]).includes(` of ${String(instances)} instance`)).toBe(instances !== undefined);
});
