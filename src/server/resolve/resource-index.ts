import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { ReferenceKind } from '../../contract/index.ts';
import type { SeenResource } from './cache-invalidation.ts';
import type { ResourceRef } from './resource-ref.ts';

/** Stores the index between processes. */
export interface IndexPersistence {
  /** Identifies the platform and its data: ids of another platform have no meaning here. */
  readonly platform: string;
  /** The text last written; undefined if there is none. */
  readonly read: () => Promise<string | undefined>;
  /** Writes atomically, readable by the owner only. */
  readonly write: (text: string) => Promise<void>;
}

/** State that an index shares with those of other servers. */
export interface SharedIndex {
  /** Identifies the platform and its data. */
  readonly platform: string;
  /** The resources that all servers have learned, newest first. */
  readonly all: () => Promise<readonly SeenResource[]>;
  /** Receives resources that are new to this index, to notify the other servers. */
  readonly learned: (seen: SeenResource) => void;
}

/** The resources seen in answers, separately for each principal. */
export interface ResourceIndex {
  /** Waits until the stored index is loaded. */
  loaded(): Promise<void>;
  /** @returns whether it had another name or mode before. */
  add(principal: string, resource: ResourceRef): boolean;
  /** Adds resources that another server has learned since. */
  take(seen: readonly SeenResource[]): void;
  /** Forgets deleted resources, of all principals. */
  forget(deleted: readonly Pick<ResourceRef, 'kind' | 'id'>[]): void;
  /** Loads again what all servers have learned. */
  reload(): Promise<void>;
  get(principal: string, kind: ReferenceKind, id: string): ResourceRef | undefined;
  /** The resources of these kinds; with a parent, only those in it. */
  filter(principal: string, kinds: readonly ReferenceKind[], parent?: ResourceRef['parent']): readonly ResourceRef[];
  /** Writes what has not been written yet. */
  flush(): Promise<void>;
}

/** Maximum number of indexed resources, for all principals together; the least recently used are dropped first. */
const mostResources = 5_000;

/** Maximum number of principals whose digest is remembered. */
const mostDigests = 1_000;

/** Delay before a write, in milliseconds: resources seen meanwhile are written together. */
const writeDelay = 1_000;

const StoredParent = z.object({ kind: z.string(), id: z.string() });
const StoredEntries = z.array(
  z.object({
    of: z.string(),
    thing: z.object({
      ...StoredParent.shape,
      name: z.string().optional(),
      email: z.string().optional(),
      mode: z.string().optional(),
      scope: z.string().optional(),
      parent: StoredParent.optional(),
    }),
  }),
);

function parseEntries(text: string | undefined): readonly SeenResource[] {
  try {
    return StoredEntries.parse(JSON.parse(text ?? '[]')) as readonly SeenResource[];
  } catch {
    // The index is only a convenience, and the next write repairs the file.
    return [];
  }
}

const keyOf = (of: string, kind: ReferenceKind, id: string): string => `${of} ${kind} ${id}`;

/** Whether its name or mode has changed. */
const isOtherwise = (before: ResourceRef | undefined, now: ResourceRef): boolean =>
  before !== undefined &&
  ((before.name !== undefined && before.name !== now.name) || (before.mode !== undefined && before.mode !== now.mode));

const isSame = (one: ResourceRef, other: ResourceRef | undefined): boolean =>
  other !== undefined &&
  one.name === other.name &&
  one.email === other.email &&
  one.mode === other.mode &&
  one.parent?.id === other.parent?.id;

/**
 * An index of seen resources.
 * @param persistence stores it between processes.
 * @param shared shares it with other servers.
 */
export function createResourceIndex(persistence?: IndexPersistence, shared?: SharedIndex): ResourceIndex {
  const resources = new LRUCache<string, SeenResource>({ max: mostResources });
  const platform = (persistence ?? shared)?.platform;
  // Stored as a digest, so that the file doesn't reveal the callers.
  const digestOf = (principal: string): string =>
    createHash('sha256')
      .update(JSON.stringify([platform, principal]))
      .digest('base64url')
      .slice(0, 22);
  const digests = new LRUCache<string, string>({ max: mostDigests });
  const ofPrincipal = (principal: string): string => {
    const digest = digests.get(principal) ?? digestOf(principal);
    digests.set(principal, digest);
    return digest;
  };
  let loading: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  let writing: Promise<void> = Promise.resolve();

  /** Merges the stored entries into this index. */
  const mergeStored = async (): Promise<void> => {
    const entries = parseEntries(await persistence?.read().catch(() => undefined));
    for (const { of, thing: resource } of entries) {
      const key = keyOf(of, resource.kind, resource.id);
      const existing = resources.peek(key)?.thing;
      // This process's fields win; the stored entry adds the others.
      const merged = { ...resource, ...existing };
      if (!existing || !isSame(merged, existing)) resources.set(key, { of, thing: merged });
    }
  };

  const take = (seen: readonly SeenResource[]): void => {
    for (const { of, thing } of seen) {
      const key = keyOf(of, thing.kind, thing.id);
      resources.set(key, { of, thing: { ...resources.peek(key)?.thing, ...thing } });
    }
  };

  // The most recently learned comes last, and is dropped last.
  const reload = async (): Promise<void> => take(((await shared?.all().catch(() => undefined)) ?? []).toReversed());

  // Other processes write to the same file: their entries are merged first.
  const write = async (): Promise<void> => {
    if (!dirty || persistence === undefined) return;
    dirty = false;
    await mergeStored();
    await persistence.write(JSON.stringify([...resources.values()].toReversed())).catch(() => undefined);
  };

  const writeSoon = (): void => {
    dirty = true;
    if (persistence === undefined || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = writing.then(write);
    }, writeDelay);
    timer.unref();
  };

  return {
    loaded: () => (loading ??= shared ? reload() : mergeStored()),
    take,
    reload,
    forget: (deleted) => {
      for (const [key, { thing }] of resources.entries())
        if (deleted.some(({ kind, id }) => thing.kind === kind && thing.id === id)) resources.delete(key);
    },
    add: (principal, resource) => {
      const of = ofPrincipal(principal);
      const key = keyOf(of, resource.kind, resource.id);
      const existing = resources.get(key)?.thing;
      const merged = { ...existing, ...resource };
      resources.set(key, { of, thing: merged });
      if (isSame(merged, existing)) return false;
      shared?.learned({ of, thing: merged });
      writeSoon();
      return isOtherwise(existing, merged);
    },
    get: (principal, kind, id) => resources.get(keyOf(ofPrincipal(principal), kind, id))?.thing,
    filter: (principal, kinds, parent) => {
      const of = ofPrincipal(principal);
      const isInParent = ({ parent: own }: ResourceRef): boolean =>
        parent === undefined || (own?.kind === parent.kind && own.id === parent.id);
      return [...resources.values()]
        .filter((entry) => entry.of === of && kinds.includes(entry.thing.kind) && isInParent(entry.thing))
        .map(({ thing: resource }) => resource);
    },
    flush: async () => {
      clearTimeout(timer);
      timer = undefined;
      writing = writing.then(write);
      await writing;
    },
  };
}
