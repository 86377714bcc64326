import type { ReferenceKind } from '../../contract/index.ts';
import type { ResourceRef } from './resource-ref.ts';

/** A resource that a principal has seen. */
export interface SeenResource {
  /** Digest of the principal and the platform. */
  readonly of: string;
  readonly thing: ResourceRef;
}

/** The changes that one server reports to the others. */
export interface CacheChange {
  /** Resources that are new to the server, or whose name or place has changed. */
  readonly learned: readonly SeenResource[];
  /** Kinds whose cached lists are outdated. */
  readonly changed: readonly ReferenceKind[];
  /** Resources that were deleted. */
  readonly deleted: readonly Pick<ResourceRef, 'kind' | 'id'>[];
}

/** The resources of one platform, as seen by the servers that share a store. */
export interface CacheInvalidation {
  /** The resources that all of them have learned, newest first, as far as they are kept. */
  all(): Promise<readonly SeenResource[]>;
  /** Stores learned resources, removes deleted ones, and notifies the other servers. */
  tell(invalidation: CacheChange): Promise<void>;
  /**
   * Listens to the other servers' changes.
   * @param onHearing receives whether it is connected; changes in the meantime are lost.
   * @returns a function that stops listening.
   */
  listen(onChange: (invalidation: CacheChange) => void, onHearing: (isHearing: boolean) => void): () => Promise<void>;
}

/** Reports this server's changes to other servers. */
export interface Invalidator {
  learned(seen: SeenResource): void;
  /** Reported at once, with everything learned before. */
  changed(kinds: CacheChange['changed'], deleted: CacheChange['deleted']): void;
  /** Reports what has not been reported yet, with one more attempt. */
  flush(): Promise<void>;
}

/** How long resources are collected before they are reported, and the pause after a failure, in milliseconds. */
const delay = 500;

/** Maximum number of unreported resources that are kept: the oldest are dropped first. */
const mostUntold = 5_000;

/** Collects learned resources, and reports them together. After a failure, it reports them later. */
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
