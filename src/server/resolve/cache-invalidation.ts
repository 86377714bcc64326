import type { ReferenceKind } from '../../contract/index.ts';
import type { ResourceRef } from './resource-ref.ts';

/** A resource that a principal has seen. */
export interface SeenResource {
  /** Digest of the principal and the platform. */
  readonly of: string;
  readonly thing: ResourceRef;
}

/** What one server tells the others. */
export interface CacheChange {
  /** Resources that are new to it, or have another name or place than before. */
  readonly learned: readonly SeenResource[];
  /** Kinds of which it knows that lists read before are out of date. */
  readonly changed: readonly ReferenceKind[];
  /** Resources that were deleted. */
  readonly deleted: readonly Pick<ResourceRef, 'kind' | 'id'>[];
}

/** What servers that share a store learned of the resources of one platform. */
export interface CacheInvalidation {
  /** What all of them learned, newest first, as much of it as is kept. */
  all(): Promise<readonly SeenResource[]>;
  /** Keeps what was learned, drops what was deleted, and tells the other servers. */
  tell(invalidation: CacheChange): Promise<void>;
  /**
   * Hears what the others tell.
   * @param onHearing gets whether it hears them now; what is told meanwhile is lost.
   * @returns what ends it.
   */
  listen(onChange: (invalidation: CacheChange) => void, onHearing: (isHearing: boolean) => void): () => Promise<void>;
}

/** Tells other servers what this one learns. */
export interface Invalidator {
  learned(seen: SeenResource): void;
  /** Told at once, with all that was learned before. */
  changed(kinds: CacheChange['changed'], deleted: CacheChange['deleted']): void;
  /** Tells what has not been told yet, once more. */
  flush(): Promise<void>;
}

/** How long resources are collected before others are told, and the pause after a failure, in milliseconds. */
const delay = 500;

/** How much that can't be told is kept: the oldest is dropped first. */
const mostUntold = 5_000;

/** Collects what is learned, and tells it together. What can't be told now is told later. */
export function createInvalidator(invalidation: CacheInvalidation): Invalidator {
  const learned = new Map<string, SeenResource>();
  let changed = new Set<ReferenceKind>();
  let deleted: CacheChange['deleted'] = [];
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();

  const tellAll = async (): Promise<void> => {
    const told: CacheChange = { learned: [...learned.values()], changed: [...changed], deleted };
    if (told.learned.length + told.changed.length + told.deleted.length === 0) return;
    learned.clear();
    [changed, deleted] = [new Set(), []];
    try {
      await invalidation.tell(told);
    } catch {
      for (const seen of told.learned.toReversed()) if (learned.size < mostUntold) put(seen, false);
      for (const kind of told.changed) changed.add(kind);
      deleted = [...told.deleted, ...deleted].slice(-mostUntold);
      tellSoon();
    }
  };
  const tellNow = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    telling = telling.then(tellAll);
    return telling;
  };
  const tellSoon = (): void => void (timer ??= setTimeout(() => void tellNow(), delay).unref());
  const put = (seen: SeenResource, isNewer: boolean): void => {
    const key = `${seen.of} ${seen.thing.kind} ${seen.thing.id}`;
    if (isNewer || !learned.has(key)) learned.set(key, seen);
  };

  return {
    learned: (seen) => {
      put(seen, true);
      const [oldest] = learned.keys();
      if (learned.size > mostUntold) learned.delete(oldest!);
      tellSoon();
    },
    changed: (kinds, gone) => {
      for (const kind of kinds) changed.add(kind);
      deleted = [...deleted, ...gone];
      void tellNow();
    },
    flush: tellNow,
  };
}
