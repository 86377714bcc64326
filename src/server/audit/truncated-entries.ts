import { parseLine, type ParsedLine } from './chain.ts';
import type { StoredHead } from './chain-heads.ts';
import type { AuditLine } from './read-lines.ts';

/**
 * A part of a line, left by a write that a full disk or a crash interrupted. A fragment is not a sign of tampering if
 * it starts like the next entry of a chain, after all entries that the chain's head confirms: the entry was never
 * reported as recorded, and the process wrote nothing more to that chain.
 */
export interface Fragment {
  readonly line: AuditLine;
  readonly bytes: Buffer;
  /** How many fragments and entries precede it in the log. */
  readonly position: number;
}

/** How far a chain has been read: the number and mac of its last entry, and the entry's position in the log. */
export interface ChainProgress {
  readonly seq: number;
  readonly mac: string;
  readonly position: number;
}

const entryPrefix = '{"chain":"';

/**
 * Splits a line into a fragment and an entry: it may be either, or a fragment followed by an entry of another process.
 */
export function splitFragment({ bytes, ended }: AuditLine): {
  readonly fragment?: Buffer;
  readonly entry?: ParsedLine;
} {
  const entry = ended ? parseLine(bytes) : undefined;
  if (entry) return { entry };
  // The prefix can't occur within an entry, because quotes in its strings are escaped.
  const start = bytes.lastIndexOf(entryPrefix);
  const nextEntry = ended && start > 0 ? parseLine(bytes.subarray(start)) : undefined;
  return nextEntry ? { fragment: bytes.subarray(0, start), entry: nextEntry } : { fragment: bytes };
}

/** A chain that may have ended within an entry, and the start of that entry. */
interface OpenChainEnd {
  readonly chain: string;
  readonly seq: number;
  readonly prefix: Buffer;
  /** The position of its last entry in the log. */
  readonly position: number;
}

const openChainEnds = (heads: readonly StoredHead[], read: ReadonlyMap<string, ChainProgress>): OpenChainEnd[] =>
  heads.flatMap(({ head }) => {
    const { seq, position } = (head && read.get(head.chain)) ?? { seq: 0, position: -1 };
    if (!head || seq < head.count) return [];
    return [
      {
        chain: head.chain,
        seq: seq + 1,
        prefix: Buffer.from(`${entryPrefix}${head.chain}","seq":${seq + 1},`),
        position,
      },
    ];
  });

const isValidJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
};

function couldContinue({ bytes, position }: Fragment, end: OpenChainEnd): boolean {
  const length = Math.min(bytes.length, end.prefix.length);
  return length > 0 && position > end.position && bytes.subarray(0, length).equals(end.prefix.subarray(0, length));
}

/** A fragment, and the entry that it starts; without an entry, the fragment is unexplained. */
export interface ExplainedFragment {
  readonly fragment: Fragment;
  readonly entry?: { readonly chain: string; readonly seq: number };
}

/** Finds the entries that fragments start. A chain has one end, so it explains at most one fragment. */
export function explainFragments(
  fragments: readonly Fragment[],
  heads: readonly StoredHead[],
  read: ReadonlyMap<string, ChainProgress>,
): ExplainedFragment[] {
  const ends = new Set(openChainEnds(heads, read));
  const explain = (fragment: Fragment): ExplainedFragment => {
    // A complete line of valid JSON was edited by hand: it is not a truncated entry.
    const entry =
      isValidJson(fragment.bytes) && fragment.line.ended
        ? undefined
        : [...ends].find((end) => couldContinue(fragment, end));
    if (entry) ends.delete(entry);
    return { fragment, entry };
  };
  // The longest first: they name their chain, while a shorter one can fit several.
  return fragments
    .toSorted((one, other) => other.bytes.length - one.bytes.length)
    .map(explain)
    .toSorted((one, other) => one.fragment.position - other.fragment.position);
}
