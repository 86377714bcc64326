import { firstMac, macOf, type ParsedLine } from './chain.ts';
import {
  explainFragments,
  splitFragment,
  type ExplainedFragment,
  type Fragment,
  type ChainProgress,
} from './truncated-entries.ts';
import { chainNumber, readHeads, type AuditKeys, type StoredHead } from './chain-heads.ts';
import { readAnchors, type ChainAnchors, type ReadAnchor } from './anchors.ts';
import { readLines, type AuditLine } from './read-lines.ts';

/** A deviation of a log from what was written. */
export interface LogFault {
  /** File and line, if the fault concerns a line. */
  readonly where?: string;
  /** The fault, as a sentence. */
  readonly what: string;
}

export interface LogVerification {
  readonly entries: number;
  readonly chains: number;
  /** Empty if the log is intact. */
  readonly faults: readonly LogFault[];
  /** Irregularities that are no sure signs of tampering; absent if there are none. */
  readonly notes?: readonly LogFault[];
  /** Set if there are entries, and neither one of them nor the head of its chain verifies: the keys are probably another log's. */
  readonly hasOtherKeys?: true;
}

const chainOf = ({ entry }: ParsedLine): string => (typeof entry['chain'] === 'string' ? entry['chain'] : '');
const seqOf = ({ entry }: ParsedLine): number => (typeof entry['seq'] === 'number' ? entry['seq'] : 0);

const locationOf = ({ file, number }: AuditLine): string => `${file}:${number}`;

/** The fault of a line, given what was read of its chain; undefined if it is the chain's next entry. */
function faultOf(line: ParsedLine, progress: Pick<ChainProgress, 'seq' | 'mac'>, key: Uint8Array): string | undefined {
  if (line.mac === macOf(key, progress.mac, line.body)) return undefined;
  const [chain, seq, expected] = [chainOf(line), seqOf(line), progress.seq + 1];
  return seq === expected
    ? `Entry ${seq} of chain ${chain} was changed, or was not written by this server.`
    : `Entry ${seq} of chain ${chain} stands where entry ${expected} should: entries were taken out, added or moved.`;
}

function faultsOfHead({ number, head }: StoredHead, read: ReadonlyMap<string, ChainProgress>): LogFault[] {
  if (!head) return [{ what: `The head of chain ${number} was changed, so nobody can tell where that chain ends.` }];
  const count = read.get(head.chain)?.seq ?? 0;
  // More entries than the head counts are valid: the process exited between the two writes, and only it could seal
  // them.
  return count >= head.count
    ? []
    : [{ what: `Chain ${head.chain} has ${head.count} entries, but only ${count} are there: the end was cut off.` }];
}

function faultsOfChains(heads: readonly StoredHead[], read: ReadonlyMap<string, ChainProgress>): LogFault[] {
  const numbers = new Set(heads.map(({ number }) => number));
  const chains = [...read.keys()];
  const headless = chains.filter((chain) => !numbers.has(chainNumber(chain)));
  const highest = heads.at(-1)?.number ?? 0;
  const gaps = Array.from({ length: highest }, (_, index) => index + 1).filter(
    (number) => !numbers.has(number) && !chains.some((chain) => chainNumber(chain) === number),
  );
  return [
    ...headless.map((chain) => ({
      what: `The head of chain ${chain} is missing, so nobody can tell where that chain ends.`,
    })),
    ...gaps.map((number) => ({ what: `Chain ${number} is missing whole, with its head.` })),
  ];
}

const faultOfFragment = ({ fragment: { line } }: ExplainedFragment): LogFault => ({
  where: locationOf(line),
  what: line.ended ? 'This is no entry of a log.' : 'The line was cut off.',
});

const noteOf = ({ fragment: { line }, entry }: ExplainedFragment): LogFault => ({
  where: locationOf(line),
  what: `Entry ${entry?.seq} of chain ${entry?.chain} was cut off while it was written, as by a full disk or the end of its process. Nobody was told that it is on record, so this is no sign of tampering.`,
});

/** The limits of verification, as a sentence: they apply to every log, even an intact one. */
export const blindSpot =
  'What nothing on this machine can tell: whether the newest chain was removed together with its head, or whether log and heads were all put back to an earlier copy; copies of the heads kept elsewhere tell.';

interface ReadLog {
  readonly verification: LogVerification;
  readonly read: ReadonlyMap<string, ChainProgress>;
}

async function readAndVerify(files: readonly string[], folder: string, keys: AuditKeys): Promise<ReadLog> {
  // Read before the log, because a running server moves the heads after the entries.
  const heads = await readHeads(folder, keys);
  const read = new Map<string, ChainProgress>();
  const faults: LogFault[] = [];
  const fragments: Fragment[] = [];
  let entries = 0;
  for await (const line of readLines(files)) {
    const { fragment, entry } = splitFragment(line);
    if (fragment) fragments.push({ line, bytes: fragment, position: entries + fragments.length });
    if (!entry) continue;
    entries += 1;
    const chain = chainOf(entry);
    const progress = read.get(chain) ?? { seq: 0, mac: firstMac(keys.entries, chain) };
    const what = faultOf(entry, progress, keys.entries);
    if (what) faults.push({ where: locationOf(line), what });
    // Continuing from the entry found reports a break once, not for every entry after it.
    read.set(chain, { seq: seqOf(entry), mac: entry.mac, position: entries + fragments.length - 1 });
  }
  const hasOtherKeys =
    entries > 0 && faults.length === entries && !heads.some(({ head }) => head && read.has(head.chain));
  const explained = explainFragments(fragments, heads, read);
  const notes = explained.filter(({ entry }) => entry).map(noteOf);
  const verification: LogVerification = {
    entries,
    chains: read.size,
    ...(notes.length > 0 && { notes }),
    ...(hasOtherKeys && { hasOtherKeys }),
    faults: [
      ...faults,
      ...explained.filter(({ entry }) => !entry).map(faultOfFragment),
      ...heads.flatMap((head) => faultsOfHead(head, read)),
      ...faultsOfChains(heads, read),
    ],
  };
  return { verification, read };
}

/**
 * Verifies a log: that no entry was changed, added, moved, removed or cut off.
 * @param files the files of the log, oldest first.
 * @param folder the folder of the chain heads.
 */
export const verifyLog = async (files: readonly string[], folder: string, keys: AuditKeys): Promise<LogVerification> =>
  (await readAndVerify(files, folder, keys)).verification;

function faultsOfAnchor({ chain, head }: ReadAnchor, logs: readonly ReadLog[]): LogFault[] {
  if (!head)
    return [
      {
        what: `The anchor of chain ${chain} in the shared store was changed, so nobody can tell where that chain ends.`,
      },
    ];
  const count = Math.max(0, ...logs.map(({ read }) => read.get(chain)?.seq ?? 0));
  if (count >= head.count) return [];
  return [
    {
      what:
        count === 0
          ? `Chain ${chain} is missing whole: the shared store knows ${head.count} entries of it. If it is in a log that was not given, verify that one too.`
          : `Chain ${chain} has ${head.count} entries by the shared store, but only ${count} are there: the end was cut off.`,
    },
  ];
}

const shownChains = 3;

/** The notes about chains that the shared store doesn't know. */
function notesOfUnanchored(anchored: ReadonlySet<string>, logs: readonly ReadLog[]): LogFault[] {
  const chains = logs.flatMap(({ read }) => [...read.keys()]).filter((chain) => !anchored.has(chain));
  if (chains.length === 0) return [];
  const [are, anchors] =
    chains.length === 1 ? ['1 chain has', 'its anchor was'] : [`${chains.length} chains have`, 'their anchors were'];
  return [
    {
      what: `${are} no anchor in the shared store (${chains.slice(0, shownChains).join(', ')}${chains.length > shownChains ? ', …' : ''}): written before the servers shared it or while it could not be reached, or ${anchors} deleted.`,
    },
  ];
}

/** The files of one log, oldest first, and the folder of its chain heads. */
export interface LogPlace {
  readonly files: readonly string[];
  readonly heads: string;
}

/**
 * Verifies the logs of all servers that share a store: each log as `verifyLog` does, and that all anchored chains are
 * complete up to their anchors. Chains without an anchor are noted.
 */
export async function verifyLogs(
  places: readonly LogPlace[],
  keys: AuditKeys,
  anchors: Pick<ChainAnchors, 'all'>,
): Promise<LogVerification> {
  // Read before the logs, which grow while they are read.
  const anchored = await readAnchors(anchors, keys);
  const logs = await Promise.all(places.map(({ files, heads }) => readAndVerify(files, heads, keys)));
  const all = logs.map(({ verification }) => verification);
  // Read again: a chain that was started meanwhile has its anchor by now.
  const known = new Set([...anchored, ...(await anchors.all())].map(({ chain }) => chain));
  const notes = [...all.flatMap(({ notes: ofOne = [] }) => ofOne), ...notesOfUnanchored(known, logs)];
  const written = all.filter(({ entries }) => entries > 0);
  const hasOtherKeys = written.length > 0 && written.every((each) => each.hasOtherKeys);
  return {
    entries: all.reduce((sum, { entries }) => sum + entries, 0),
    chains: all.reduce((sum, { chains }) => sum + chains, 0),
    ...(notes.length > 0 && { notes }),
    ...(hasOtherKeys && { hasOtherKeys }),
    faults: [...all.flatMap(({ faults }) => faults), ...anchored.flatMap((anchor) => faultsOfAnchor(anchor, logs))],
  };
}
