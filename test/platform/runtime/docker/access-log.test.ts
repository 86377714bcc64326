import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationBounds } from '../../../../src/platform/runtime/index.ts';
import {
  countRequests,
  linesSince,
  type LogPosition,
} from '../../../../src/platform/runtime/docker/proxy/access-log.ts';
import { filesInTar, tarArchive } from '../../../../src/platform/runtime/docker/tar.ts';

const id = '00000000-0000-4000-8000-00000000000a';
const logger = `http.log.access.service.infra-${id}`;
const line = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({ level: 'info', ts: 1.5, logger, duration: 0.02, size: 3, status: 200, ...more });

test('requests are counted by service, with errors and by duration', () => {
  const [counts] = countRequests([
    line(),
    line({ status: 404 }),
    line({ status: 502, duration: 99 }),
    line({ status: 101, duration: 4000 }),
  ]);
  expect(counts).toMatchObject({ serviceId: id, requests: 4, errors: 1 });
  expect(counts!.byDuration).toEqual([...durationBounds.map((bound) => (bound === 25 ? 2 : 0)), 1]);
});

test('lines of another kind are passed over', () => {
  const hostile = [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '7',
    line({ logger: 'http.log.error' }),
    line({ logger: `${logger}/../x` }),
    line({ logger: 7 }),
    line({ status: '200' }),
    line({ status: 200.5 }),
    line({ duration: -1 }),
    line({ duration: null }),
    line({ more: 'x'.repeat(5000) }),
  ];
  expect(countRequests(hostile)).toEqual([]);
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => {
      expect(countRequests([...lines, line()])).toHaveLength(1);
    }),
  );
});

const bytes = (text: string): Buffer => Buffer.from(text);

test('what is there at first is not counted, unless the log is new; a line that is being written comes later', () => {
  const files = [bytes('a\nb\n')];
  const begun = linesSince(files, undefined);
  expect(begun).toMatchObject({ lines: [], isLost: false });
  expect(linesSince([bytes('a\nb\nc\nd')], begun.position).lines).toEqual(['c']);
  expect(linesSince(files, null).lines).toEqual(['a', 'b']);
  expect(linesSince([], undefined).position).toBeNull();
});

test('where a file was rotated away before it was read, the rest is counted, and it is said', () => {
  const position: LogPosition = { firstLine: 'a', bytes: 2 };
  // A rotation under way can hide a file once.
  const missed = linesSince([bytes('x\n')], position);
  expect(missed).toMatchObject({ lines: [], isLost: false });
  expect(linesSince([bytes('a\nb\n'), bytes('x\n')], missed.position).lines).toEqual(['b', 'x']);
  expect(linesSince([bytes('x\n')], missed.position)).toMatchObject({ lines: ['x'], isLost: true });
});

test('every line is counted once, whenever files are rotated and read', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('write', 'write', 'rotate', 'read'), { maxLength: 60 }), (acts) => {
      let [files, position, written]: [string[], LogPosition | null, number] = [[''], null, 0];
      const seen: string[] = [];
      const read = (): void => {
        const found = linesSince(files.map(bytes), position);
        expect(found.isLost).toBe(false);
        seen.push(...found.lines);
        position = found.position;
        // Only what was read goes.
        files = files.slice(-2);
      };
      for (const act of [...acts, 'read']) {
        if (act === 'write') files = [...files.slice(0, -1), `${files.at(-1)}line ${(written += 1)}\n`];
        else if (act === 'read') read();
        // An empty file is not rotated.
        else if (files.at(-1) !== '') files = [...files, ''];
      }
      expect(seen).toEqual(Array.from({ length: written }, (_, index) => `line ${index + 1}`));
    }),
  );
});

test('the files of an archive are read, up to a limit', async () => {
  const archive = tarArchive('infra-access', 'access.log', bytes('a\nb\n'));
  const stream = async function* pieces(): AsyncGenerator<Buffer, void> {
    for (let at = 0; at < archive.length; at += 100) yield archive.subarray(at, at + 100);
  };
  expect(await filesInTar(stream(), 10_000)).toEqual([{ name: 'infra-access/access.log', content: bytes('a\nb\n') }]);
  await expect(filesInTar(stream(), 1000)).rejects.toThrow('more than 1000 bytes');
});
