import { hiddenSecret, hiddenStart } from './primitives.ts';
import type { Steps } from './steps.ts';
import { firstPart } from './whole-characters.ts';

/**
 * Shorter values, in characters, aren't masked: they are often ordinary words, so masking them would garble texts and
 * the gaps would reveal the values.
 */
export const minimumMaskedLength = 6;

/** A match in a text: the index of its first code unit, and of the one after its last. */
interface Span {
  start: number;
  readonly end: number;
}

/** What is found in most texts. */
const none: readonly Span[] = [];

/** Finds known values in a text, in linear time. The spans are in order and don't overlap. */
export type ValueFinder = (text: string) => readonly Span[];

/**
 * Source of a regular expression that matches exactly the marks that this program writes in place of secrets. Text that
 * merely looks like a mark may contain a secret that another program put there.
 */
export const maskPatternSource = String.raw`${hiddenStart.replaceAll('[', String.raw`\[`)}(?:, (?:\d{1,9} characters?|the present one))?\]`;

// A mark that is already in the text. Nothing is found inside or across it.
const maskPattern = new RegExp(maskPatternSource, 'y');
const bracket = hiddenSecret.charCodeAt(0);

/** The end of the mark that starts at this index; the same index if none does. */
function endOfMark(text: string, at: number): number {
  maskPattern.lastIndex = at;
  return maskPattern.test(text) ? maskPattern.lastIndex : at;
}

const folded = new Uint16Array(0x1_00_00);

function computeFold(unit: number): number {
  const lower = String.fromCharCode(unit).toLowerCase();
  return (folded[unit] = lower.length === 1 ? lower.charCodeAt(0) : unit);
}

/** A code unit in lower case, if that is a single code unit; otherwise unchanged. */
const fold = (unit: number): number => folded[unit] || computeFold(unit);

/** The encodings in which a server may repeat a value that it received. */
const encodingsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value.toWellFormed()),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString('base64'),
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
  Buffer.from(value).toString('base64url'),
];

/**
 * The transitions between nodes, in one hash table of typed arrays: a Map per node takes ten times the memory, and
 * values of many thousand characters need many thousand nodes.
 */
function createTransitionTable(capacity: number) {
  const size = 2 ** Math.ceil(Math.log2(2 * capacity + 1));
  const [from, to, by] = [new Int32Array(size).fill(-1), new Int32Array(size), new Uint16Array(size)];
  const slotOf = (node: number, unit: number): number => {
    let slot = (Math.imul(node, 0x9e_37_79_b1) ^ Math.imul(unit, 0x85_eb_ca_6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    while (from[slot] !== -1 && (from[slot] !== node || by[slot] !== unit)) slot = (slot + 1) & (size - 1);
    return slot;
  };
  return {
    /** The target node of a transition by a code unit; -1 if there is none. */
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
 * Creates a finder of these values, in any case and in every encoding that a server may use (raw, URL-encoded, escaped
 * as in JSON, base64). It uses the Aho–Corasick algorithm: no value, however long or unusual, makes it slow or fail.
 * Its memory is linear in the total length of the values.
 */
export function createValueFinder(values: readonly string[]): ValueFinder {
  const patterns = [...new Set(values.flatMap(encodingsOf).filter((spelling) => spelling !== ''))];
  if (patterns.length === 0) return () => none;
  const shortest = patterns.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const capacity = patterns.reduce((sum, { length }) => sum + length, 1);
  const transitions = createTransitionTable(capacity);
  // For each node: its failure link, and the length of the longest value that ends there.
  const [failureLinks, matchLengths] = [new Int32Array(capacity), new Int32Array(capacity)];

  const step = (from: number, unit: number): number => {
    let node = from;
    let next = transitions.get(node, unit);
    while (next === -1 && node !== 0) {
      node = failureLinks[node]!;
      next = transitions.get(node, unit);
    }
    return Math.max(next, 0);
  };

  let count = 1;
  let branches = patterns.map((pattern) => ({ pattern, node: 0 }));
  // Breadth-first, one code unit of all values at a time: a failure link points to a shorter prefix, which already
  // exists.
  for (let depth = 0; branches.length > 0; depth += 1) {
    for (const branch of branches) {
      const unit = fold(branch.pattern.charCodeAt(depth));
      let next = transitions.get(branch.node, unit);
      if (next === -1) {
        next = count;
        count += 1;
        failureLinks[next] = branch.node === 0 ? 0 : step(failureLinks[branch.node]!, unit);
        matchLengths[next] = matchLengths[failureLinks[next]!]!;
        transitions.add(branch.node, unit, next);
      }
      branch.node = next;
      if (branch.pattern.length === depth + 1) matchLengths[next] = depth + 1;
    }
    branches = branches.filter(({ pattern }) => pattern.length > depth + 1);
  }

  /** Whether no value starts with a character of ASCII, by its code. */
  const startsNone = (): Uint8Array =>
    Uint8Array.from({ length: 128 }, (_, unit) => (unit !== bracket && transitions.get(0, fold(unit)) === -1 ? 1 : 0));

  return (text) => {
    if (text.length < shortest) return none;
    const spans: Span[] = [];
    // Of a short text, looking every character up takes less.
    const skipped = text.length < longText ? undefined : startsNone();
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (node === 0 && skipped?.[unit] === 1) continue;
      const after = unit === bracket ? endOfMark(text, at) : at;
      if (after > at) {
        node = 0;
        at = after - 1;
        continue;
      }
      node = step(node, fold(unit));
      if (matchLengths[node]! > 0) addSpan(spans, at + 1 - matchLengths[node]!, at + 1);
    }
    return spans;
  };
}

/** Length of a text in which most characters are skipped, in UTF-16 code units. */
const longText = 4096;

/** Appends a span that ends after all others, merged with those it overlaps. */
function addSpan(spans: Span[], from: number, end: number): void {
  let start = from;
  while (spans.length > 0 && spans.at(-1)!.end > start) start = Math.min(start, spans.pop()!.start);
  spans.push({ start, end });
}

const mergeSpans = (lists: readonly (readonly Span[])[]): readonly Span[] => {
  const found = lists.filter((spans) => spans.length > 0);
  if (found.length <= 1) return found[0] ?? [];
  const spans: Span[] = [];
  for (const { start, end } of found.flat().toSorted((one, other) => one.end - other.end)) addSpan(spans, start, end);
  return spans;
};

/** Replaces the spans of these lists in a text. */
function masked(text: string, lists: readonly (readonly Span[])[], mark: string): string {
  const spans = mergeSpans(lists);
  if (spans.length === 0) return text;
  const visible = spans.map(({ end }, index) => text.slice(end, spans[index + 1]?.start));
  return text.slice(0, spans[0]!.start) + visible.map((part) => mark + part).join('');
}

/** `maskFound` in steps, between which other work may run. */
export function* maskFoundInSteps(text: string, finders: readonly ValueFinder[], mark = hiddenSecret): Steps<string> {
  const lists: (readonly Span[])[] = [];
  for (const find of finders) {
    lists.push(find(text));
    yield;
  }
  return masked(text, lists, mark);
}

/**
 * Masks all matches of these finders. Existing marks are kept, so masking twice changes nothing.
 * @param mark the replacement.
 */
export function maskFound(text: string, finders: readonly ValueFinder[], mark = hiddenSecret): string {
  const lists = finders.map((find) => find(text));
  return lists.every((spans) => spans.length === 0) ? text : masked(text, lists, mark);
}

/** Creates a function that masks these values in a text. @param mark the replacement */
export function createMasker(values: readonly string[], mark = hiddenSecret): (text: string) => string {
  const find = createValueFinder(values);
  return (text) => maskFound(text, [find], mark);
}

/**
 * The number of bytes beyond its cut that must be read of a text, so that a value that starts before the cut is found
 * as a whole.
 */
export const bytesBeyondCut = (values: readonly string[]): number =>
  Math.max(0, ...values.flatMap(encodingsOf).map((spelling) => Buffer.byteLength(spelling)));

/**
 * Masks these values in the beginning of a text. A value that starts there is masked as a whole: half of it would not
 * be found.
 * @param length how much of the unmasked text is kept, in UTF-16 code units; the rest is only searched
 */
export function maskBeginning(text: string, values: readonly string[], length: number): string {
  const find = createValueFinder(values);
  const cut = find(text).find(({ start, end }) => start < length && end > length)?.end;
  return maskFound(cut === undefined ? firstPart(text, length) : text.slice(0, cut), [find]);
}
