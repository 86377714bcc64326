import type { JsonRecord } from '../values.ts';
import { sealLine } from './chain.ts';
import { beginChain, moveHead, type AuditKeys, type Head } from './heads.ts';
import type { Sink } from './sink.ts';

/** The log of one process: a chain of sealed lines. */
export interface Trail {
  /**
   * Adds an entry after those before it. `chain` and `seq` are put in front of its members.
   * @param durable whether it must survive a loss of power before this returns.
   * @throws Error when it could not be written; the next entry then begins a new chain.
   */
  append(entry: JsonRecord, durable: boolean): Promise<void>;
  /** Waits for what is being written. */
  settled(): Promise<void>;
  /** The same, and lets go of the sink. */
  close(): Promise<void>;
}

export interface TrailConfig {
  readonly sink: Sink;
  /** Folder of the heads. */
  readonly heads: string;
  /** Asked for with the first entry. */
  readonly keys: () => AuditKeys;
}

/** Most entries that are written at once. */
const mostAtOnce = 1000;

interface Waiting {
  readonly entry: JsonRecord;
  readonly durable: boolean;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Begins its chain with the first entry: a process that records nothing leaves nothing behind. Entries that come while
 * others are written are written together, so that many calls at once don't wait for each other's disk.
 */
export function createTrail({ sink, heads, keys }: TrailConfig): Trail {
  let head: Head | undefined;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  const write = async (entries: readonly Waiting[]): Promise<void> => {
    const { chain, ...before } = head ?? (await beginChain(heads, keys()));
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
    await moveHead(heads, keys(), { chain, count, last }, durable);
    head = { chain, count, last };
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const entries = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      // One after the other: each chain link needs the one before.
      // oxlint-disable-next-line no-await-in-loop
      await write(entries).then(
        () => entries.forEach(({ written }) => written()),
        (error: unknown) => entries.forEach(({ failed }) => failed(error)),
      );
    }
    writing = undefined;
  };

  return {
    append: (entry, durable) =>
      new Promise((written, failed) => {
        waiting.push({ entry, durable, written, failed });
        writing ??= writeAll();
      }),
    settled: async () => writing,
    close: async () => {
      await writing;
      await sink.close();
    },
  };
}
