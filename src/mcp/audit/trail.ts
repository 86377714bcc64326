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

/** Begins its chain with the first entry: a process that records nothing leaves nothing behind. */
export function createTrail({ sink, heads, keys }: TrailConfig): Trail {
  let head: Head | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const write = async (entry: JsonRecord, durable: boolean): Promise<void> => {
    const before = head ?? (await beginChain(heads, keys()));
    // Until all is written nobody knows how the chain ends.
    head = undefined;
    const seq = before.count + 1;
    const { text, mac } = sealLine(keys().entries, before.last, { chain: before.chain, seq, ...entry });
    await sink.append(text, durable);
    const after = { chain: before.chain, count: seq, last: mac };
    await moveHead(heads, keys(), after, durable);
    head = after;
  };

  return {
    append: (entry, durable) => {
      const written = turn.then(() => write(entry, durable));
      turn = written.catch(() => {});
      return written;
    },
    settled: async () => void (await turn),
    close: async () => {
      await turn;
      await sink.close();
    },
  };
}
