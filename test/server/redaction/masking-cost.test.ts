import { afterEach, expect, test } from 'vitest';
import { maskShapes } from '../../../src/server/redaction/recognition/index.ts';
import { beginnings } from './corpus/beginnings.ts';
import { ordinaryTexts } from './corpus/samples.ts';

/** What a piece of a hostile text may have beside the beginning of a secret. */
const others = ['"', "'", ' ', 'a1b2c3 ', 'a b ', '\n', '${X}', String.raw`\n`, 'is ', '\t', ',', ';'];

const pieces = [...beginnings, ...others];

/** How much more of a character of hostile text may be read than of one of ordinary text; the worst known is 10.6. */
const mostTimes = 15;

/** Texts that take longer for each character if they are longer show it between these lengths. */
const lengths = [3_000, 12_000];

const made = 60;

// oxlint-disable-next-line typescript/unbound-method -- called by Reflect.apply
const { exec } = RegExp.prototype;
// oxlint-disable-next-line typescript/unbound-method -- called by Reflect.apply
const { charCodeAt, indexOf } = String.prototype;

function restore(): void {
  Object.assign(RegExp.prototype, { exec });
  Object.assign(String.prototype, { charCodeAt, indexOf });
}

afterEach(restore);

/** Counts the characters that masking a text reads: those that a search passes, and those that are looked at singly. */
function charactersRead(text: string): number {
  let count = 0;
  let isInside = false;
  Object.assign(RegExp.prototype, {
    exec(this: RegExp, searched: string) {
      // What an expression itself calls is no search.
      if (isInside) return Reflect.apply(exec, this, [searched]);
      isInside = true;
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = Reflect.apply(exec, this, [searched]);
      const staysThere = this.sticky || (this.source.startsWith('^') && !this.multiline);
      const end = match ? match.index + match[0].length : staysThere ? from : searched.length;
      count += 1 + Math.max(0, end - from);
      isInside = false;
      return match;
    },
  });
  Object.assign(String.prototype, {
    charCodeAt(this: string, at: number) {
      count += 1;
      return Reflect.apply(charCodeAt, this, [at]);
    },
    indexOf(this: string, part: string, from = 0) {
      const found = Reflect.apply(indexOf, this, [part, from]);
      count += 1 + Math.max(0, (found === -1 ? this.length : found) - from);
      return found;
    },
  });
  maskShapes(text);
  restore();
  return count;
}

/** A series of numbers below a limit, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

const next = numbers(5);
const combined = Array.from({ length: made }, () =>
  Array.from({ length: 2 + next(3) }, () => pieces[next(pieces.length)]!).join(''),
);

const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);

test('what begins like secrets again and again takes at most some times the reading of ordinary text', () => {
  const ordinary = ordinaryTexts().join('\n').slice(0, 12_000);
  const usual = charactersRead(ordinary) / ordinary.length;
  // Nothing is counted otherwise, and every text is as cheap.
  expect(usual).toBeGreaterThan(5);
  const costly = [...beginnings, ...combined].flatMap((part) =>
    lengths
      .map((length) => ({ part, length, times: charactersRead(filled(part, length)) / length / usual }))
      .filter(({ times }) => times > mostTimes),
  );
  expect(costly).toEqual([]);
});
