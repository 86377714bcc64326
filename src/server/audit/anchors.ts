import { sealedHead, openHead, type AuditKeys, type ChainHead } from './chain-heads.ts';

/** The sealed progress of a chain, as recorded by the process that writes it, in a store that many processes share. */
export interface ChainAnchor {
  readonly chain: string;
  readonly count: number;
  /** The sealed head. */
  readonly sealed: string;
}

/** The anchors of the chains of many processes, on any machine. */
export interface ChainAnchors {
  /** Stores an anchor, unless there is a later one of its chain. */
  put(anchor: ChainAnchor): Promise<void>;
  /** The latest anchor of each chain. */
  all(): Promise<ChainAnchor[]>;
}

/** An anchor that was read; `head` is undefined if it was tampered with. */
export interface ReadAnchor {
  readonly chain: string;
  readonly head: ChainHead | undefined;
}

/** Reads the anchors of a store. */
export async function readAnchors(anchors: Pick<ChainAnchors, 'all'>, keys: AuditKeys): Promise<ReadAnchor[]> {
  const stored = await anchors.all();
  return stored.map(({ chain, sealed }) => {
    const head = openHead(Buffer.from(sealed), keys.heads);
    return { chain, head: head?.chain === chain ? head : undefined };
  });
}

/** Anchors the heads of one process's chains. */
export interface Anchoring {
  /** Receives a head that was written. */
  readonly moved: (head: ChainHead) => void;
  /** Waits until the latest head is anchored, or anchoring has failed. */
  readonly settle: () => Promise<void>;
}

/** How long an anchor may lag behind its chain, in milliseconds. */
const anchorDelay = 5_000;

/**
 * Anchors the latest head after a delay, and the first of each chain at once. After a failure, it tries again with the
 * next head, and on closing.
 * @param failed gets the reason why an anchor couldn't be stored.
 */
export function createAnchoring({
  anchors,
  keys,
  failed,
}: {
  readonly anchors: ChainAnchors;
  readonly keys: () => AuditKeys;
  readonly failed: (error: unknown) => void;
}): Anchoring {
  let latest: ChainHead | undefined;
  let anchored: ChainHead | undefined;
  let timer: NodeJS.Timeout | undefined;
  let putting: Promise<void> = Promise.resolve();

  const put = async (): Promise<void> => {
    const head = latest;
    if (head === undefined || head === anchored) return;
    await anchors.put({ chain: head.chain, count: head.count, sealed: sealedHead(head, keys().heads) });
    anchored = head;
  };

  const putInTurn = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    putting = putting.then(put).catch(failed);
    return putting;
  };

  return {
    moved: (head) => {
      const isNew = latest?.chain !== head.chain;
      latest = head;
      if (isNew) void putInTurn();
      else timer ??= setTimeout(() => void putInTurn(), anchorDelay).unref();
    },
    settle: putInTurn,
  };
}
