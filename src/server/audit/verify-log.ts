import { firstMac, macOf, type ParsedLine } from './chain.ts';
import { explainFragments, splitFragment, type ExplainedFragment, type Fragment, type ChainProgress } from './truncated-entries.ts';
import { chainNumber, readHeads, type AuditKeys, type StoredHead } from './chain-heads.ts';
import { readLines, type AuditLine } from './read-lines.ts';

/** Something in a log that isn't as it was written. */
export interface LogFault {
  /** File and line, where it is a line. */
  readonly where?: string;
  /** What is wrong, as a sentence. */
  readonly what: string;
}

export interface LogVerification {
  readonly entries: number;
  readonly chains: number;
  /** Empty when the log is whole. */
  readonly faults: readonly LogFault[];
  /** What stands out in it and is no sign of tampering; absent where nothing does. */
  readonly notes?: readonly LogFault[];
}

const chainOf = ({ entry }: ParsedLine): string => (typeof entry['chain'] === 'string' ? entry['chain'] : '');
const seqOf = ({ entry }: ParsedLine): number => (typeof entry['seq'] === 'number' ? entry['seq'] : 0);

const locationOf = ({ file, number }: AuditLine): string => `${file}:${number}`;

/** What is wrong with a line, given how far its chain was; undefined when it is the chain's next entry. */
function faultOf(line: ParsedLine, before: Pick<ChainProgress, 'seq' | 'mac'>, key: Uint8Array): string | undefined {
  if (line.mac === macOf(key, before.mac, line.body)) return undefined;
  const [chain, seq, expected] = [chainOf(line), seqOf(line), before.seq + 1];
  return seq === expected
    ? `Entry ${seq} of chain ${chain} was changed, or was not written by this server.`
    : `Entry ${seq} of chain ${chain} stands where entry ${expected} should: entries were taken out, added or moved.`;
}

function faultsOfHead({ number, head }: StoredHead, read: ReadonlyMap<string, ChainProgress>): LogFault[] {
  if (!head) return [{ what: `The head of chain ${number} was changed, so nobody can tell where that chain ends.` }];
  const seen = read.get(head.chain)?.seq ?? 0;
  // More than the head says is fine: the process ended between the two, and nobody else could have sealed the entry.
  return seen >= head.count ? [] : [{ what: `Chain ${head.chain} has ${head.count} entries, but only ${seen} are there: the end was cut off.` }];
}

function faultsOfChains(heads: readonly StoredHead[], read: ReadonlyMap<string, ChainProgress>): LogFault[] {
  const numbers = new Set(heads.map(({ number }) => number));
  const seen = [...read.keys()];
  const headless = seen.filter((chain) => !numbers.has(chainNumber(chain)));
  const highest = heads.at(-1)?.number ?? 0;
  const gaps = Array.from({ length: highest }, (_, index) => index + 1).filter((number) => !numbers.has(number) && !seen.some((chain) => chainNumber(chain) === number));
  return [
    ...headless.map((chain) => ({ what: `The head of chain ${chain} is missing, so nobody can tell where that chain ends.` })),
    ...gaps.map((number) => ({ what: `Chain ${number} is missing whole, with its head.` })),
  ];
}

const faultOfFragment = ({ fragment: { line } }: ExplainedFragment): LogFault => ({ where: locationOf(line), what: line.ended ? 'This is no entry of a log.' : 'The line was cut off.' });

const noteOf = ({ fragment: { line }, entry }: ExplainedFragment): LogFault => ({
  where: locationOf(line),
  what: `Entry ${entry?.seq} of chain ${entry?.chain} was cut off while it was written, as by a full disk or the end of its process. Nobody was told that it is on record, so this is no sign of tampering.`,
});

/** What verifying can't find out, in a sentence: it holds for every log, a whole one too. */
export const blindSpot =
  'What nothing on this machine can tell: whether the newest chain was removed together with its head, or whether log and heads were all put back to an earlier copy; copies of the heads kept elsewhere tell.';

/**
 * Checks that a log is as it was written: nothing changed, added, moved, taken out or cut off.
 * @param files the log, oldest file first.
 * @param folder where the heads are.
 */
export async function verifyLog(files: readonly string[], folder: string, keys: AuditKeys): Promise<LogVerification> {
  // Before the log: a running server moves the head after each entry.
  const heads = await readHeads(folder, keys);
  const read = new Map<string, ChainProgress>();
  const faults: LogFault[] = [];
  const pieces: Fragment[] = [];
  let entries = 0;
  for await (const line of readLines(files)) {
    const { piece, sealed } = splitFragment(line);
    if (piece) pieces.push({ line, bytes: piece, position: entries + pieces.length });
    if (!sealed) continue;
    entries += 1;
    const chain = chainOf(sealed);
    const before = read.get(chain) ?? { seq: 0, mac: firstMac(keys.entries, chain) };
    const what = faultOf(sealed, before, keys.entries);
    if (what) faults.push({ where: locationOf(line), what });
    // Going on from what stands there tells of one break once, not of every entry after it.
    read.set(chain, { seq: seqOf(sealed), mac: sealed.mac, position: entries + pieces.length - 1 });
  }
  const explained = explainFragments(pieces, heads, read);
  const notes = explained.filter(({ entry }) => entry).map(noteOf);
  return {
    entries,
    chains: read.size,
    ...(notes.length > 0 && { notes }),
    faults: [...faults, ...explained.filter(({ entry }) => !entry).map(faultOfFragment), ...heads.flatMap((head) => faultsOfHead(head, read)), ...faultsOfChains(heads, read)],
  };
}
