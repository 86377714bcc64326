import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { ReferenceKind } from '../../contract/primitives.ts';
import type { ResourceRef } from './resource-ref.ts';

/** Where the things seen are kept while no process runs. */
export interface IndexPersistence {
  /** The platform they are of, as long as ids there stay what they are. Those of another mean nothing here. */
  readonly platform: string;
  /** What was written last; undefined where nothing was. */
  readonly read: () => Promise<string | undefined>;
  /** Writes it whole or not at all, for its owner alone. */
  readonly write: (text: string) => Promise<void>;
}

/** The things that answers told of, apart for each principal. */
export interface ResourceIndex {
  /** Waits until what an earlier process saw is there. */
  loaded(): Promise<void>;
  add(principal: string, thing: ResourceRef): void;
  get(principal: string, kind: ReferenceKind, id: string): ResourceRef | undefined;
  /** Those of these kinds, and in this place where one is given. */
  filter(principal: string, kinds: readonly ReferenceKind[], parent?: ResourceRef['parent']): readonly ResourceRef[];
  /** Writes what is not written yet. */
  flush(): Promise<void>;
}

/** Most things remembered, of all principals together; the longest unseen are forgotten first. */
const mostResources = 5_000;

/** How long new things wait for others to be written with them, in milliseconds. */
const writeDelay = 1_000;

const StoredParent = z.object({ kind: z.string(), id: z.string() });
const StoredEntries = z.array(z.object({ of: z.string(), thing: z.object({ ...StoredParent.shape, name: z.string().optional(), mode: z.string().optional(), scope: z.string().optional(), parent: StoredParent.optional() }) }));

interface Entry {
  readonly of: string;
  readonly thing: ResourceRef;
}

function parseEntries(text: string | undefined): readonly Entry[] {
  try {
    return StoredEntries.parse(JSON.parse(text ?? '[]')) as readonly Entry[];
  } catch {
    // Nothing is lost with it but a convenience, and the next write mends it.
    return [];
  }
}

const keyOf = (of: string, kind: ReferenceKind, id: string): string => `${of} ${kind} ${id}`;

const isSame = (one: ResourceRef, other: ResourceRef | undefined): boolean =>
  other !== undefined && one.name === other.name && one.mode === other.mode && one.parent?.id === other.parent?.id;

/** @param shelf where they outlive the process. */
export function createResourceIndex(shelf?: IndexPersistence): ResourceIndex {
  const things = new LRUCache<string, Entry>({ max: mostResources });
  // Kept as a digest: who calls is nobody else's business.
  const ofPrincipal = (principal: string): string => createHash('sha256').update(JSON.stringify([shelf?.platform, principal])).digest('base64url').slice(0, 22);
  let loading: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  let writing: Promise<void> = Promise.resolve();

  /** Takes in what is on the shelf and not known better. */
  const takeIn = async (): Promise<void> => {
    const entries = parseEntries(await shelf?.read().catch(() => undefined));
    for (const { of, thing } of entries) {
      const key = keyOf(of, thing.kind, thing.id);
      const known = things.peek(key)?.thing;
      // What is known better stays; what another process knew of it beside that is added.
      const whole = { ...thing, ...known };
      if (!known || !isSame(whole, known)) things.set(key, { of, thing: whole });
    }
  };

  // Other processes keep theirs on the same shelf.
  const write = async (): Promise<void> => {
    if (!dirty || shelf === undefined) return;
    dirty = false;
    await takeIn();
    await shelf.write(JSON.stringify([...things.values()].toReversed())).catch(() => undefined);
  };

  const writeSoon = (): void => {
    dirty = true;
    if (shelf === undefined || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = writing.then(write);
    }, writeDelay);
    timer.unref();
  };

  return {
    loaded: () => (loading ??= takeIn()),
    add: (principal, thing) => {
      const of = ofPrincipal(principal);
      const key = keyOf(of, thing.kind, thing.id);
      const known = things.get(key)?.thing;
      const whole = { ...known, ...thing };
      things.set(key, { of, thing: whole });
      if (!isSame(whole, known)) writeSoon();
    },
    get: (principal, kind, id) => things.get(keyOf(ofPrincipal(principal), kind, id))?.thing,
    filter: (principal, kinds, parent) => {
      const of = ofPrincipal(principal);
      const isThere = ({ parent: own }: ResourceRef): boolean => parent === undefined || (own?.kind === parent.kind && own.id === parent.id);
      return [...things.values()].filter((entry) => entry.of === of && kinds.includes(entry.thing.kind) && isThere(entry.thing)).map(({ thing }) => thing);
    },
    flush: async () => {
      clearTimeout(timer);
      timer = undefined;
      writing = writing.then(write);
      await writing;
    },
  };
}
