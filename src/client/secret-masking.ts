import { hiddenSecret } from '../contract/primitives.ts';

/** What stands where a credential or secret stood. */
export const mask = hiddenSecret;

/** Shorter values are words as often as secrets: masking them would riddle ordinary text, and tell by its holes what they are. */
export const minimumMaskedLength = 6;

/** Where something was found in a text: the first code unit and the one after the last. */
interface Span {
  start: number;
  readonly end: number;
}

/** Finds known values in a text. The spans are in order and don't overlap. Takes time in proportion to the text's length. */
export type ValueFinder = (text: string) => readonly Span[];

/**
 * The source of an expression for what stands for a hidden secret: the marks that are made, and no others. In what merely
 * looks like one a program may have written the secret itself.
 */
export const maskPatternSource = String.raw`${mask.slice(0, -1).replaceAll('[', String.raw`\[`)}(?:, (?:\d{1,9} characters?|the present one))?\]`;

// What is hidden already. Nothing is found inside of it, nor across it.
const maskPattern = new RegExp(maskPatternSource, 'y');
const bracket = mask.charCodeAt(0);

/** Where the mark that begins at a place ends; the same place where none begins. */
function endOfMark(text: string, at: number): number {
  maskPattern.lastIndex = at;
  return maskPattern.test(text) ? maskPattern.lastIndex : at;
}

const folded = new Uint16Array(0x1_00_00);

function computeFold(unit: number): number {
  const lower = String.fromCharCode(unit).toLowerCase();
  return (folded[unit] = lower.length === 1 ? lower.charCodeAt(0) : unit);
}

/** A code unit in lower case, where that is one code unit. */
const fold = (unit: number): number => folded[unit] || computeFold(unit);

/** The ways a server may write down a value it was sent. */
const encodingsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value.toWellFormed()),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
  Buffer.from(value).toString('base64url'),
];

/**
 * The steps from node to node, in one hash table of typed arrays: a Map of objects for each node takes ten times the
 * memory, and values of many thousand characters are many thousand nodes.
 */
function createTransitionTable(most: number) {
  const size = 2 ** Math.ceil(Math.log2(2 * most + 1));
  const [from, to, by] = [new Int32Array(size).fill(-1), new Int32Array(size), new Uint16Array(size)];
  const slotOf = (node: number, unit: number): number => {
    let slot = (Math.imul(node, 0x9e_37_79_b1) ^ Math.imul(unit, 0x85_eb_ca_6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    while (from[slot] !== -1 && (from[slot] !== node || by[slot] !== unit)) slot = (slot + 1) & (size - 1);
    return slot;
  };
  return {
    /** The node that a unit leads to; -1 where it leads nowhere. */
    get: (node: number, unit: number): number => {
      const slot = slotOf(node, unit);
      return from[slot] === -1 ? -1 : to[slot]!;
    },
    add: (node: number, unit: number, next: number): void => {
      const slot = slotOf(node, unit);
      from[slot] = node;
      by[slot] = unit;
      to[slot] = next;
    },
  };
}

/**
 * Makes ready to find these values in texts, in any case and however a server may spell them (raw, URL-encoded, escaped as
 * in JSON, base64). This is the algorithm of Aho and Corasick: no value, however long or strange, makes it slow or fail.
 * Its size is in proportion to the length of all values together.
 */
export function createValueFinder(values: readonly string[]): ValueFinder {
  const patterns = [...new Set(values.flatMap(encodingsOf).filter((spelling) => spelling !== ''))];
  if (patterns.length === 0) return () => [];
  const most = patterns.reduce((sum, { length }) => sum + length, 1);
  const steps = createTransitionTable(most);
  // Of each node: where to go on when no step fits, and the length of the longest value that ends there.
  const [elsewhere, ending] = [new Int32Array(most), new Int32Array(most)];

  const step = (from: number, unit: number): number => {
    let node = from;
    let next = steps.get(node, unit);
    while (next === -1 && node !== 0) {
      node = elsewhere[node]!;
      next = steps.get(node, unit);
    }
    return Math.max(next, 0);
  };

  let count = 1;
  let growing = patterns.map((pattern) => ({ pattern, node: 0 }));
  // All values grow by one unit at a time: whatever a node refers to is shorter, and so there already.
  for (let depth = 0; growing.length > 0; depth += 1) {
    for (const branch of growing) {
      const unit = fold(branch.pattern.charCodeAt(depth));
      let next = steps.get(branch.node, unit);
      if (next === -1) {
        next = count;
        count += 1;
        elsewhere[next] = branch.node === 0 ? 0 : step(elsewhere[branch.node]!, unit);
        ending[next] = ending[elsewhere[next]!]!;
        steps.add(branch.node, unit, next);
      }
      branch.node = next;
      if (branch.pattern.length === depth + 1) ending[next] = depth + 1;
    }
    growing = growing.filter(({ pattern }) => pattern.length > depth + 1);
  }

  return (text) => {
    const spans: Span[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      const after = unit === bracket ? endOfMark(text, at) : at;
      if (after > at) {
        node = 0;
        at = after - 1;
        continue;
      }
      node = step(node, fold(unit));
      if (ending[node]! > 0) add(spans, at + 1 - ending[node]!, at + 1);
    }
    return spans;
  };
}

/** Adds a span that ends last, joined with those that it overlaps. */
function add(spans: Span[], from: number, end: number): void {
  let start = from;
  while (spans.length > 0 && spans.at(-1)!.end > start) start = Math.min(start, spans.pop()!.start);
  spans.push({ start, end });
}

const joined = (lists: readonly (readonly Span[])[]): readonly Span[] => {
  const found = lists.filter((spans) => spans.length > 0);
  if (found.length <= 1) return found[0] ?? [];
  const spans: Span[] = [];
  for (const { start, end } of found.flat().toSorted((one, other) => one.end - other.end)) add(spans, start, end);
  return spans;
};

/**
 * A text with everything hidden that one of these finds. What is hidden already stays as it is: doing it twice changes nothing.
 * @param mark what stands in its place.
 */
export function maskFound(text: string, finders: readonly ValueFinder[], mark = mask): string {
  const spans = joined(finders.map((find) => find(text)));
  if (spans.length === 0) return text;
  const open = spans.map(({ end }, index) => text.slice(end, spans[index + 1]?.start));
  return text.slice(0, spans[0]!.start) + open.map((part) => mark + part).join('');
}

/** Gives a function that hides these values in a text. */
export function createMasker(values: readonly string[]): (text: string) => string {
  const find = createValueFinder(values);
  return (text) => maskFound(text, [find]);
}
