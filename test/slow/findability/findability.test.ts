import { expect, test } from 'vitest';
import { listed } from '../../../src/server/guard/index.ts';
import type { Tool } from '../../../src/server/tool/index.ts';
import { defaultTools, tools } from '../../../tools/index.ts';
import { heldOut, tuned, type Request } from './requests.ts';
import { searchOf } from './search.ts';

interface Measurement {
  readonly requests: readonly Request[];
  readonly by: 'ask' | 'words';
  readonly among: readonly Tool[];
  /** The least shares, in percent, of requests with a right tool first, and among the first three. */
  readonly floors: readonly [first: number, firstThree: number];
}

/** What was measured is in the comments; the floors leave room for a few requests that a new tool moves. */
const measurements: Readonly<Record<string, Measurement>> = {
  // 79, 94
  'default list, search words, tuned': { requests: tuned, by: 'words', among: defaultTools, floors: [75, 91] },
  // 75, 91
  'default list, search words, held out': { requests: heldOut, by: 'words', among: defaultTools, floors: [72, 87] },
  // 53, 82
  'default list, sentences, tuned': { requests: tuned, by: 'ask', among: defaultTools, floors: [50, 79] },
  // 50, 68
  'default list, sentences, held out': { requests: heldOut, by: 'ask', among: defaultTools, floors: [46, 65] },
  // 77, 94
  'all tools, search words, tuned': { requests: tuned, by: 'words', among: tools, floors: [73, 90] },
  // 72, 90
  'all tools, search words, held out': { requests: heldOut, by: 'words', among: tools, floors: [68, 86] },
  // 47, 77
  'all tools, sentences, tuned': { requests: tuned, by: 'ask', among: tools, floors: [44, 73] },
  // 39, 54
  'all tools, sentences, held out': { requests: heldOut, by: 'ask', among: tools, floors: [36, 51] },
};

test('the requests name tools that are there', () => {
  const names = new Set(tools.map(({ name }) => name));
  expect([...tuned, ...heldOut].flatMap(({ right }) => right).filter((name) => !names.has(name))).toEqual([]);
});

test.for(Object.entries(measurements))(
  'a search over names, descriptions and arguments finds the right tool: %s',
  async ([, { requests, by, among, floors }], { annotate }) => {
    const names = new Set(among.map(({ name }) => name));
    const asked = requests.filter(({ right }) => right.some((name) => names.has(name)));
    const search = searchOf(among.map((tool) => listed(tool)));
    const ranked = asked.map((request) => {
      const found = search(request[by]);
      return { text: request[by], found, place: found.findIndex((name) => request.right.includes(name)) };
    });
    const share = (within: number): number =>
      Math.floor((100 * ranked.filter(({ place }) => place >= 0 && place < within).length) / ranked.length);
    const misses = ranked
      .filter(({ place }) => place !== 0)
      .map(
        ({ text, found, place }) =>
          `${place < 0 ? 'not found' : place + 1}: "${text}" gets ${found.slice(0, 3).join(', ')}`,
      );
    const report = [
      `${ranked.length}: a right tool is first for ${share(1)} %, among the first three for ${share(3)} %.`,
      ...(requests === tuned ? misses : []),
    ].join('\n');
    await annotate(report);
    expect(share(1), report).toBeGreaterThanOrEqual(floors[0]);
    expect(share(3), report).toBeGreaterThanOrEqual(floors[1]);
  },
);
