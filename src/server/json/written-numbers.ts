/** A number in a JSON text that is written otherwise than JavaScript writes its value: `1.0`, `1e3`, many digits. */
export interface WrittenNumber {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/**
 * The member of a call's `_meta` in which the transport hands on these numbers of its arguments. If it is there, the
 * text of every other number is the one that JavaScript writes.
 */
export const writtenNumbersKey = 'infra-mcp/written-numbers';

/**
 * Whether a text may have such a number, which follows a bracket, colon or comma, or begins the text. Most texts don't,
 * and looking at each of their values would cost time.
 */
const mayHaveThem = /(?:^|[:,[])\s*(?:-0|-?\d+[.eE]|-?\d{16})/;

type Sources = Map<object, Map<string, string>>;

/** The type of a reviver's third argument, which TypeScript's library lacks. */
type ParseWithSource = (
  text: string,
  reviver: (this: object, key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

function collect(value: unknown, sources: Sources, path: WrittenNumber['path']): WrittenNumber[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = [...(sources.get(value) ?? [])].map(([key, text]) => ({
    path: [...path, Array.isArray(value) ? Number(key) : key],
    text,
  }));
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return [...own, ...members.flatMap(([key, member]) => collect(member, sources, [...path, key]))];
}

/**
 * Parses a JSON text.
 * @returns its value, and the numbers whose text can't be derived from it; undefined if they are not known.
 * @throws SyntaxError if it is not valid JSON.
 */
export function parseWithNumbers(text: string): {
  readonly value: unknown;
  readonly written: readonly WrittenNumber[] | undefined;
} {
  if (!mayHaveThem.test(text)) return { value: JSON.parse(text) as unknown, written: [] };
  const sources: Sources = new Map();
  try {
    const value = (JSON.parse as ParseWithSource)(text, function note(key, member, { source }) {
      if (typeof member === 'number' && source !== undefined && source !== String(member)) {
        const own = sources.get(this) ?? new Map<string, string>();
        sources.set(this, own.set(key, source));
      }
      return member;
    });
    return { value, written: sources.size === 0 ? [] : collect(value, sources, []) };
  } catch (error) {
    // Values nested too deeply for a reviver.
    if (error instanceof RangeError) return { value: JSON.parse(text) as unknown, written: undefined };
    throw error;
  }
}
