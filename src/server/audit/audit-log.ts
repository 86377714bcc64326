import type { JsonRecord } from '../json/index.ts';
import { sealLine } from './chain.ts';
import { startChain, writeHead, type AuditKeys, type ChainHead } from './chain-heads.ts';
import type { Anchoring } from './anchors.ts';
import type { Sink } from './sink.ts';

/** The audit log of one process: a chain of sealed lines. */
export interface AuditLog {
  /**
   * Appends an entry, with `chain` and `seq` as its first members.
   * @param durable whether the entry must survive a loss of power once this resolves.
   * @throws Error if it can't be written; the next entry then starts a new chain.
   */
  append(entry: JsonRecord, durable: boolean): Promise<void>;
  /** Waits for pending writes, and moves the head to the end of the chain. */
  flush(): Promise<void>;
  /** Flushes, then closes the sink. */
  close(): Promise<void>;
}

export interface AuditLogConfig {
  readonly sink: Sink;
  /** Folder of the chain heads. */
  readonly heads: string;
  /** Called with the first entry. */
  readonly keys: () => AuditKeys;
  /** Anchors the heads in a shared store. Default: no anchors. */
  readonly anchoring?: Anchoring;
}

/** Maximum number of entries in one write. */
const mostAtOnce = 1000;

/**
 * How long the head may lag behind entries that needn't be durable, in milliseconds. File systems flush a replaced file
 * at once, which takes longer than the rest of a read call. Entries beyond the head are sealed as well.
 */
const headDelay = 200;

interface PendingEntry {
  readonly entry: JsonRecord;
  readonly durable: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a log that starts its chain with the first entry: a process without entries creates no files. Entries that
 * arrive during a write are written together, so that concurrent calls don't wait for one disk write each.
 */
export function createAuditLog({ sink, heads, keys, anchoring }: AuditLogConfig): AuditLog {
  let head: ChainHead | undefined;
  /** The head on disk. */
  let writtenHead: ChainHead | undefined;
  let waiting: PendingEntry[] = [];
  let writing: Promise<void> | undefined;
  let starting: NodeJS.Immediate | undefined;
  let headTimer: NodeJS.Timeout | undefined;
  let headDue = false;
  const isDone = (): boolean => waiting.length === 0 && !headDue;

  const storeHead = async (next: ChainHead, durable: boolean): Promise<void> => {
    clearTimeout(headTimer);
    headTimer = undefined;
    // Unknown until the write succeeds: after a failure the next entry starts a new chain.
    head = undefined;
    await writeHead(heads, keys(), next, durable);
    head = writtenHead = next;
    anchoring?.moved(next);
  };

  const advanceHead = async (): Promise<void> => {
    headDue = false;
    if (head !== undefined && head !== writtenHead) await storeHead(head, false);
  };

  const write = async (entries: readonly PendingEntry[]): Promise<void> => {
    const { chain, ...before } = head ?? (await startChain(heads, keys()));
    // Unknown until the write succeeds: after a failure the next entry starts a new chain.
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
    if (durable) return storeHead(next, true);
    head = next;
    headTimer ??= setTimeout(() => void flush(), headDelay).unref();
  };

  const writeAll = async (): Promise<void> => {
    while (!isDone()) {
      const entries = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      // Sequential: each entry's mac depends on the one before. If the head can't be written, the next entry starts a
      // new chain.
      await (entries.length > 0 ? write(entries) : advanceHead().catch(() => undefined)).then(
        () => entries.forEach(({ resolve }) => resolve()),
        (error: unknown) => entries.forEach(({ reject }) => reject(error)),
      );
    }
    writing = undefined;
  };

  const start = (): Promise<void> => {
    clearImmediate(starting);
    starting = undefined;
    return (writing ??= writeAll());
  };

  const flush = (): Promise<void> => {
    headDue = true;
    return start();
  };

  return {
    append: (entry, durable) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, durable, resolve, reject });
        if (durable) void start();
        // Others are written once what is being done now is done: a caller that waits gets its answer first.
        else if (writing === undefined) starting ??= setImmediate(() => void start());
      }),
    flush,
    close: async () => {
      await flush();
      await anchoring?.settle();
      await sink.close();
    },
  };
}
