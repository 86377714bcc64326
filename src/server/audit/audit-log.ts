import type { JsonRecord } from '../json/values.ts';
import { sealLine } from './chain.ts';
import { startChain, writeHead, type AuditKeys, type ChainHead } from './chain-heads.ts';
import type { Sink } from './sink.ts';

/** The log of one process: a chain of sealed lines. */
export interface AuditLog {
  /**
   * Adds an entry after those before it. `chain` and `seq` are put in front of its members.
   * @param durable whether it must survive a loss of power before this returns.
   * @throws Error when it could not be written; the next entry then begins a new chain.
   */
  append(entry: JsonRecord, durable: boolean): Promise<void>;
  /** Waits for what is being written, and moves the head to where the chain ends. */
  flush(): Promise<void>;
  /** The same, and lets go of the sink. */
  close(): Promise<void>;
}

export interface AuditLogConfig {
  readonly sink: Sink;
  /** Folder of the heads. */
  readonly heads: string;
  /** Asked for with the first entry. */
  readonly keys: () => AuditKeys;
}

/** Most entries that are written at once. */
const mostAtOnce = 1000;

/**
 * How long the head may stay behind entries that need not be durable, in milliseconds. File systems write a replaced file
 * out at once: that takes longer than all the rest of a read. Entries beyond the head are sealed all the same.
 */
const headDelay = 200;

interface PendingEntry {
  readonly entry: JsonRecord;
  readonly durable: boolean;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Begins its chain with the first entry: a process that records nothing leaves nothing behind. Entries that come while
 * others are written are written together, so that many calls at once don't wait for each other's disk.
 */
export function createAuditLog({ sink, heads, keys }: AuditLogConfig): AuditLog {
  let head: ChainHead | undefined;
  /** The head that was last written down. */
  let kept: ChainHead | undefined;
  let waiting: PendingEntry[] = [];
  let writing: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;
  let headDue = false;
  const isDone = (): boolean => waiting.length === 0 && !headDue;

  const keep = async (next: ChainHead, durable: boolean): Promise<void> => {
    clearTimeout(soon);
    soon = undefined;
    // Until it is written nobody knows where the chain is said to end.
    head = undefined;
    await writeHead(heads, keys(), next, durable);
    head = kept = next;
  };

  const moveHeadOn = async (): Promise<void> => {
    headDue = false;
    if (head !== undefined && head !== kept) await keep(head, false);
  };

  const write = async (entries: readonly PendingEntry[]): Promise<void> => {
    const { chain, ...before } = head ?? (await startChain(heads, keys()));
    // Until all is written nobody knows how the chain ends.
    head = undefined;
    let { count, last } = before;
    const lines = entries.map(({ entry }) => {
      count += 1;
      const { text, mac } = sealLine(keys().entries, last, { chain, seq: count, ...entry });
      last = mac;
      return text;
    });
    const durable = entries.some((one) => one.durable);
    await sink.append(lines.join('\n'), durable);
    const next: ChainHead = { chain, count, last };
    if (durable) return keep(next, true);
    head = next;
    soon ??= setTimeout(() => void moveOn(), headDelay).unref();
  };

  const writeAll = async (): Promise<void> => {
    while (!isDone()) {
      const entries = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      // One after the other: each chain link needs the one before. Where the head can't be moved, the next entry begins a new chain.
      // oxlint-disable-next-line no-await-in-loop
      await (entries.length > 0 ? write(entries) : moveHeadOn().catch(() => undefined)).then(
        () => entries.forEach(({ written }) => written()),
        (error: unknown) => entries.forEach(({ failed }) => failed(error)),
      );
    }
    writing = undefined;
  };

  const moveOn = (): Promise<void> => {
    headDue = true;
    return (writing ??= writeAll());
  };

  return {
    append: (entry, durable) =>
      new Promise((written, failed) => {
        waiting.push({ entry, durable, written, failed });
        writing ??= writeAll();
      }),
    flush: moveOn,
    close: async () => {
      await moveOn();
      await sink.close();
    },
  };
}
