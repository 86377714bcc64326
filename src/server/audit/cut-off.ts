import { readLine, type ReadLine } from './chain.ts';
import type { KeptHead } from './heads.ts';
import type { Line } from './lines.ts';

/**
 * Pieces of lines, as a writing leaves them that a full disk or the end of its process cut short. A piece is no sign of
 * tampering where it begins like the entry that a chain would have had next, after all that its head confirms: nobody was
 * told that such an entry is on record, and the process wrote nothing more into that chain.
 */
export interface Piece {
  readonly line: Line;
  readonly bytes: Buffer;
  /** How many pieces and entries stand before it in the log. */
  readonly place: number;
}

/** How far a chain has been read, and where its last entry stands in the log. */
export interface Progress {
  readonly seq: number;
  readonly mac: string;
  readonly place: number;
}

const beginning = '{"chain":"';

/** A line as a piece, an entry, or a piece that an entry of another process stands behind. */
export function takeApart({ bytes, ended }: Line): { readonly piece?: Buffer; readonly sealed?: ReadLine } {
  const whole = ended ? readLine(bytes) : undefined;
  if (whole) return { sealed: whole };
  // In an entry's texts the quotes are escaped.
  const start = bytes.lastIndexOf(beginning);
  const behind = ended && start > 0 ? readLine(bytes.subarray(start)) : undefined;
  return behind ? { piece: bytes.subarray(0, start), sealed: behind } : { piece: bytes };
}

/** A chain that may have ended within an entry, and how that entry began. */
interface OpenEnd {
  readonly chain: string;
  readonly seq: number;
  readonly begins: Buffer;
  /** Where its last entry stands. */
  readonly place: number;
}

const openEnds = (heads: readonly KeptHead[], read: ReadonlyMap<string, Progress>): OpenEnd[] =>
  heads.flatMap(({ head }) => {
    const { seq, place } = (head && read.get(head.chain)) ?? { seq: 0, place: -1 };
    if (!head || seq < head.count) return [];
    return [{ chain: head.chain, seq: seq + 1, begins: Buffer.from(`${beginning}${head.chain}","seq":${seq + 1},`), place }];
  });

const isWhole = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
};

function fits({ bytes, place }: Piece, end: OpenEnd): boolean {
  const length = Math.min(bytes.length, end.begins.length);
  return length > 0 && place > end.place && bytes.subarray(0, length).equals(end.begins.subarray(0, length));
}

/** A piece, and the entry that it is the beginning of; without one nothing explains it. */
export interface Explained {
  readonly piece: Piece;
  readonly entry?: { readonly chain: string; readonly seq: number };
}

/** Which of some pieces are entries that were cut off. A chain ends once: it explains one piece. */
export function explain(pieces: readonly Piece[], heads: readonly KeptHead[], read: ReadonlyMap<string, Progress>): Explained[] {
  const ends = new Set(openEnds(heads, read));
  const take = (piece: Piece): Explained => {
    // A piece that was closed by somebody's hand is none.
    const entry = isWhole(piece.bytes) && piece.line.ended ? undefined : [...ends].find((end) => fits(piece, end));
    if (entry) ends.delete(entry);
    return { piece, entry };
  };
  // What tells its chain comes first: a shorter piece fits several.
  return pieces.toSorted((one, other) => other.bytes.length - one.bytes.length).map(take).toSorted((one, other) => one.piece.place - other.piece.place);
}
