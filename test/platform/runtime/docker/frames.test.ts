import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DockerError,
  dockerFrames,
  type DockerFrame,
  dockerLogLines,
  type DockerLogLine,
} from '../../../../src/platform/runtime/docker/api/index.ts';
import { collect, rejectionOf } from './fake-engine.ts';

const line = { method: 'GET', path: '/services/web/logs' };

const frame = (stream: number, bytes: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
};

/** The bytes in chunks that end at the given places. */
async function* chunked(bytes: Buffer, places: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [
    ...places.map((place) => place % (bytes.length + 1)).toSorted((one, other) => one - other),
    bytes.length,
  ];
  for (const [index, end] of ends.entries()) yield bytes.subarray(ends[index - 1] ?? 0, end);
}

const framesOf = (bytes: Buffer, places: readonly number[] = []): Promise<DockerFrame[]> =>
  collect(dockerFrames(chunked(bytes, places), line));

const linesOf = (frames: readonly Buffer[], places: readonly number[] = []): Promise<DockerLogLine[]> =>
  collect(dockerLogLines(dockerFrames(chunked(Buffer.concat(frames), places), line)));

const arbitraryFrames = fc.array(
  fc.record({ stream: fc.constantFrom(1, 2), bytes: fc.uint8Array({ maxLength: 200 }) }),
  { maxLength: 12 },
);
const arbitraryPlaces = fc.array(fc.nat(), { maxLength: 30 });

describe('output in frames', () => {
  test('is the same however the network cuts it', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFrames, arbitraryPlaces, async (frames, places) => {
        const bytes = Buffer.concat(frames.map((one) => frame(one.stream, Buffer.from(one.bytes))));
        const expected = frames.map((one) => ({
          stream: one.stream === 2 ? 'stderr' : 'stdout',
          bytes: Buffer.from(one.bytes),
        }));
        expect(await framesOf(bytes, places)).toEqual(expected);
      }),
    );
  });

  test('that ends within a frame is an error, not a shorter output', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.nat(), async (content, place) => {
        const whole = frame(1, Buffer.from(content));
        const cut = whole.subarray(0, 1 + (place % (whole.length - 1)));
        expect(await rejectionOf(framesOf(cut))).toMatchObject({
          kind: 'unreachable',
          reason: 'the output ended in the middle of a frame',
        });
      }),
    );
  });

  test.each([
    ['of a terminal', Buffer.from('login: welcome to the machine\n')],
    ['with a stream that does not exist', frame(9, Buffer.from('x'))],
    ['with a frame of gigabytes', Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])],
  ])('%s is refused', async (_, bytes) => {
    expect(await rejectionOf(framesOf(bytes))).toMatchObject({
      kind: 'bad answer',
      reason: 'the output is not in frames',
    });
  });

  test('with a failure of the engine in it is an error', async () => {
    const error = await rejectionOf(
      framesOf(Buffer.concat([frame(1, Buffer.from('a\n')), frame(3, Buffer.from('error grabbing logs: EOF\n'))])),
    );
    expect(error).toBeInstanceOf(DockerError);
    expect(error).toMatchObject({ kind: 'failed', reason: 'error grabbing logs: EOF' });
  });
});

const at = (second: number): string => `2026-03-01T12:00:0${second}.000000001Z`;
const logged = (
  second: number,
  text: string,
  details = 'com.docker.swarm.node.id=n1,com.docker.swarm.task.id=t1',
  stream = 1,
): Buffer => frame(stream, Buffer.from(`${at(second)} ${details} ${text}`));

const arbitraryLines = fc.array(
  fc.record({
    task: fc.constantFrom('t1', 't2'),
    stream: fc.constantFrom(1, 2),
    pieces: fc.array(
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { maxLength: 10 },
);

describe('lines of logs', () => {
  test('have their time, origin and text', async () => {
    expect(
      await linesOf([
        logged(1, 'GET / 200\r\n'),
        logged(2, '\n', '', 2),
        logged(3, '  indented line\n', 'tag=a%2Cb,note=c+d%3De'),
      ]),
    ).toEqual([
      {
        stream: 'stdout',
        timestamp: at(1),
        details: { 'com.docker.swarm.node.id': 'n1', 'com.docker.swarm.task.id': 't1' },
        text: 'GET / 200',
      },
      { stream: 'stderr', timestamp: at(2), details: {}, text: '' },
      { stream: 'stdout', timestamp: at(3), details: { tag: 'a,b', note: 'c d=e' }, text: '  indented line' },
    ]);
  });

  test('are put together from their pieces, for each task and stream by itself', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLines, arbitraryPlaces, async (lines, places) => {
        const frames = lines.flatMap(({ task, stream, pieces }) =>
          pieces.map((piece, index) =>
            logged(1, index === pieces.length - 1 ? `${piece}\n` : piece, `task=${task}`, stream),
          ),
        );
        const expected = lines.map(({ task, stream, pieces }) => ({
          stream: stream === 2 ? 'stderr' : 'stdout',
          timestamp: at(1),
          details: { task },
          text: pieces.join(''),
        }));
        expect(await linesOf(frames, places)).toEqual(expected);
      }),
    );
  });

  test('of two tasks at once do not mix', async () => {
    const lines = await linesOf([
      logged(1, 'first ', 'task=a'),
      logged(1, 'other\n', 'task=b'),
      logged(2, 'second\n', 'task=a'),
    ]);
    expect(lines.map(({ details, text }) => [details['task'], text])).toEqual([
      ['b', 'other'],
      ['a', 'first second'],
    ]);
  });

  test('keep characters that lie in two pieces', async () => {
    const prefix = Buffer.from(`${at(1)} task=a `);
    const text = Buffer.from('é\n');
    const pieces = [text.subarray(0, 1), text.subarray(1)].map((piece) => frame(1, Buffer.concat([prefix, piece])));
    expect((await linesOf(pieces)).map((one) => one.text)).toEqual(['é']);
  });

  test('without an end come at the end of the output, and endless ones in parts', async () => {
    const piece = 'x'.repeat(64 * 1024);
    const lines = await linesOf(Array.from({ length: 5 }, () => logged(1, piece)));
    expect(lines.map((one) => one.text.length)).toEqual([256 * 1024, 64 * 1024]);
  });
});
