import { afterEach, describe, expect, test } from 'vitest';
import { createRedaction } from '../../../src/server/redaction/index.ts';
import { maskShapes } from '../../../src/server/redaction/recognition/index.ts';
import { longestStep } from '../../../src/server/redaction/recognition/spans.ts';
import { beginnings } from './corpus/beginnings.ts';
import { ordinaryTexts, secretSamples } from './corpus/samples.ts';

const redaction = createRedaction({ configured: () => ['configured-s3cret'] });

let pending: NodeJS.Immediate | undefined;

afterEach(() => clearImmediate(pending));

/** Does work, and counts the turns of the event loop meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  pending = setImmediate(count);
  await work();
  clearImmediate(pending);
  return turns;
}

const megabyte = 1024 * 1024;

const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);

const ordinary = ordinaryTexts().join('\n');
const samples = secretSamples().map(({ text }) => text);

/** A series of numbers below a limit, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

const borders = 4;

/** A text of ordinary lines with secrets, or what begins like one, across each place where a recognizer may pause. */
function acrossBorders(next: (below: number) => number): string {
  const inserted = [...samples, ...samples, ...beginnings];
  let text = '';
  for (let border = 1; border <= borders; border += 1) {
    const part = inserted[next(inserted.length)]!.repeat(1 + next(3));
    const at = Math.max(text.length, border * longestStep - next(part.length + 1));
    text += filled(ordinary.slice(next(ordinary.length)), at - text.length) + part;
  }
  return text + filled(ordinary, next(longestStep));
}

describe('a large value', () => {
  test.each([
    ['one text', filled(ordinary, 8 * megabyte)],
    ['a record with such a text', { results: [{ message: filled('password: "a ', 2 * megabyte) }] }],
    ['a list of lines', { results: filled(ordinary, 4 * megabyte).split('\n') }],
    [
      'a record of many members',
      Object.fromEntries(
        filled(ordinary, 4 * megabyte)
          .match(/[^]{1,900}/g)!
          .entries(),
      ),
    ],
    ['lists in a list', [filled(ordinary, 2 * megabyte).split('\n'), filled(ordinary, 2 * megabyte).split('\n')]],
  ])('of %s lets other work run', async (_, value) => {
    expect(await turnsDuring(async () => redaction.valueInPieces(value))).toBeGreaterThan(3);
  });

  test.each([
    ['rows of secrets', { results: Array.from({ length: 30 }, () => samples.map((message) => ({ message }))).flat() }],
    ['a text of secrets', { log: filled(samples.join('\n'), 200_000) }],
    ['a text with colour codes', { log: filled(samples.join('\n\u001B[31mred\u001B[0m \u200B'), 200_000) }],
    ['a text with written-out characters', filled(samples.join('<U+200B>\n'), 100_000)],
    ['a secret that is elsewhere too', { password: 'somewhere-3lse', rows: [[filled('in somewhere-3lse ', 70_000)]] }],
    ['a configured secret', [filled('the configured-s3cret of all ', 70_000), { name: 'configured-s3cret' }]],
    [
      'lists under telling names',
      { tokens: [['a1b2c3d4e5f6'], [filled('x ', 70_000)]], args: ['--password', 'x1y2z3'] },
    ],
    ['beginnings', beginnings.map((part) => filled(part, 40_000))],
    [
      'records of many members',
      JSON.parse(
        `{"__proto__": ["token=a1b2c3d4e5"], "toString": "x", ${samples.map((text, index) => `"DB_PASSWORD${index}": ${JSON.stringify(text)}, "m${index}": {"tokens": [${JSON.stringify(text)}]}`).join(', ')}, "ghp_${'a1'.repeat(20)}": 1, "ghp_${'b2'.repeat(20)}": 2}`,
      ) as unknown,
    ],
  ])('of %s is masked as it is at once', async (_, value) => {
    expect(await redaction.valueInPieces(value)).toEqual(redaction.value(value));
  });

  const made = 24;

  test.each(Array.from({ length: made }, (_, seed) => seed))(
    'with secrets across the borders of its pieces is masked as it is at once, beside others (text %i)',
    async (seed) => {
      const next = numbers(seed);
      const texts = [acrossBorders(next), acrossBorders(next)];
      const alone = texts.map((text) => redaction.value({ text }));
      expect(alone.some((masked, index) => (masked as { text: string }).text !== texts[index])).toBe(true);
      expect(await Promise.all(texts.map(async (text) => redaction.valueInPieces({ text })))).toEqual(alone);
    },
  );

  test('shows what the caller gave as it was given', async () => {
    const [value, provided] = [
      { variables: [{ name: 'PASSWORD', value: 'as-g1ven' }], log: filled(ordinary, 70_000) },
      { variables: [{ name: 'PASSWORD', value: 'as-g1ven' }] },
    ];
    expect(await redaction.valueInPieces(value, undefined, provided)).toEqual(
      redaction.value(value, undefined, provided),
    );
  });
});

test('a short text is masked as in a long one, where every form of secrets is looked for', () => {
  const before = 'some words\n\n'.repeat(longestStep / 10);
  expect(samples.filter((text) => maskShapes(before + text) !== before + maskShapes(text))).toEqual([]);
  expect(samples.length).toBeGreaterThan(100);
});

test('what is small is masked at once', async () => {
  const value = { results: samples.slice(0, 50) };
  expect(await turnsDuring(async () => redaction.valueInPieces(value))).toBe(0);
});

test('of several large values each gets its turn', async () => {
  const ends: number[] = [];
  const texts = [4, 1].map((size) => filled(ordinary, size * megabyte));
  await Promise.all(
    texts.map(async (text) => {
      await redaction.valueInPieces(text);
      ends.push(text.length);
    }),
  );
  expect(ends).toEqual([megabyte, 4 * megabyte]);
});
