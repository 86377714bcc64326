import { parseLine, type ParsedLine } from './chain.ts';
import type { StoredHead } from './chain-heads.ts';
import type { AuditLine } from './read-lines.ts';

/**
 * Pieces of lines, as a writing leaves them that a full disk or the end of its process cut short. A piece is no sign of
 * tampering where it begins like the entry that a chain would have had next, after all that its head confirms: nobody was
 * told that such an entry is on record, and the process wrote nothing more into that chain.
 */
export interface Fragment {
  readonly line: AuditLine;
  readonly bytes: Buffer;
  /** How many pieces and entries stand before it in the log. */
  readonly position: number;
}

/** How far a chain has been read, and where its last entry stands in the log. */
export interface ChainProgress {
  readonly seq: number;
  readonly mac: string;
  readonly position: number;
}

const entryPrefix = '{"chain":"';

/** A line as a piece, an entry, or a piece that an entry of another process stands behind. */
export function splitFragment({ bytes, ended }: AuditLine): { readonly piece?: Buffer; readonly sealed?: ParsedLine } {
  const whole = ended ? parseLine(bytes) : undefined;
  if (whole) return { sealed: whole };
  // In an entry's texts the quotes are escaped.
  const start = bytes.lastIndexOf(entryPrefix);
  const behind = ended && start > 0 ? parseLine(bytes.subarray(start)) : undefined;
  return behind ? { piece: bytes.subarray(0, start), sealed: behind } : { piece: bytes };
}

/** A chain that may have ended within an entry, and how that entry began. */
interface OpenChainEnd {
  readonly chain: string;
  readonly seq: number;
  readonly prefix: Buffer;
  /** Where its last entry stands. */
  readonly position: number;
}

const openChainEnds = (heads: readonly StoredHead[], read: ReadonlyMap<string, ChainProgress>): OpenChainEnd[] =>
  heads.flatMap(({ head }) => {
    const { seq, position: place } = (head && read.get(head.chain)) ?? { seq: 0, position: -1 };
    if (!head || seq < head.count) return [];
    return [{ chain: head.chain, seq: seq + 1, prefix: Buffer.from(`${entryPrefix}${head.chain}","seq":${seq + 1},`), position: place }];
  });

const isValidJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
};

function couldContinue({ bytes, position: place }: Fragment, end: OpenChainEnd): boolean {
  const length = Math.min(bytes.length, end.prefix.length);
  return length > 0 && place > end.position && bytes.subarray(0, length).equals(end.prefix.subarray(0, length));
}

/** A piece, and the entry that it is the beginning of; without one nothing explains it. */
export interface ExplainedFragment {
  readonly fragment: Fragment;
  readonly entry?: { readonly chain: string; readonly seq: number };
}

/** Which of some pieces are entries that were cut off. A chain ends once: it explains one piece. */
export function explainFragments(pieces: readonly Fragment[], heads: readonly StoredHead[], read: ReadonlyMap<string, ChainProgress>): ExplainedFragment[] {
  const ends = new Set(openChainEnds(heads, read));
  const take = (piece: Fragment): ExplainedFragment => {
    // A piece that was closed by somebody's hand is none.
    const entry = isValidJson(piece.bytes) && piece.line.ended ? undefined : [...ends].find((end) => couldContinue(piece, end));
    if (entry) ends.delete(entry);
    return { fragment: piece, entry };
  };
  // What tells its chain comes first: a shorter piece fits several.
  return pieces.toSorted((one, other) => other.bytes.length - one.bytes.length).map(take).toSorted((one, other) => one.fragment.position - other.fragment.position);
}
