import { randomUUID } from 'node:crypto';
import type { Condition } from '../../../contract/index.ts';
import type { PlatformClock } from '../../common/index.ts';
import type { Say } from '../index.ts';
import type { BuildSettings } from './builds/build-settings.ts';
import type { DatabaseImages } from './databases/databases.ts';
import type { DockerClient, DockerRegistryCredentials } from './api/index.ts';
import type { LinkRemover } from './cleanup/link-remover.ts';
import type { NodeEngines } from './nodes/node-engines.ts';
import type { PlacementSettings } from './nodes/placement-rules.ts';
import type { Proxy } from './proxy/proxy.ts';
import type { ClusterRegistry } from './registry/registry.ts';
import type { TerraformSettings } from './terraform/settings.ts';

/** What finds the objects that a platform made on an engine, and makes more of them. */
export interface OwnObjects {
  readonly docker: DockerClient;
  /** Tells what this platform made from what others made. */
  readonly platformId: string;
}

/** What reaches the engines of the nodes. */
export interface NodeReach {
  readonly docker: DockerClient;
  /** The engines of the nodes, as far as they can be asked. */
  readonly nodeEngines: NodeEngines;
  /** Why a node's engine can't be asked, as a part of a sentence; undefined if it can. */
  readonly whyNoAgent: (nodeId: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** What images are pulled and pushed with. */
export interface RegistryAccess {
  /**
   * How to sign in for an image that somebody names: never to the cluster's own registry, which has the images of
   * others.
   * @param host with its port
   */
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** The registry that the platform runs for built images, if it does. */
  readonly registry?: ClusterRegistry;
}

/** What the operations of the Docker runtime work with. What they call takes the parts of it that it uses. */
export interface DockerContext extends OwnObjects, NodeReach, RegistryAccess {
  readonly clock: PlatformClock;
  /** A secret of the platform that is always the same for the same purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** The images of databases, where they aren't the official ones. */
  readonly databaseImages: DatabaseImages;
  /** The label of the nodes that may have backups, as name=value; default: all nodes. */
  readonly backupNodeLabel?: string | undefined;
  /** How images are built. */
  readonly builds: BuildSettings;
  /** How much the images of this platform may take on each node, in bytes. */
  readonly imageBytes: number;
  /** How Terraform is run; undefined where nobody has switched it on. */
  readonly terraform: TerraformSettings | undefined;
  /** On which nodes instances may run. */
  readonly placement: PlacementSettings;
  /** What runs in this process, by task. */
  readonly work: BackgroundWork;
  /** What serves public ports. */
  readonly proxy: Proxy;
  /** What removes network links that a killed engine left in the way of instances. */
  readonly leftLinks: LinkRemover;
}

/** What a piece of work told, and when; in milliseconds since the epoch. */
interface ToldLine {
  readonly at: number;
  readonly told: Condition | string;
}

/** A piece of work of this process that outlives the call that began it. */
export interface Progress {
  /** Tells this attempt from others, of this process or another. */
  readonly run: string;
  /** When it was begun, in milliseconds since the epoch. */
  readonly since: number;
  readonly lines: readonly ToldLine[];
  /** How it ended; undefined while it runs. */
  readonly end?: { readonly result: unknown } | { readonly error: unknown };
}

/** Pulls and builds under way in this process. After a crash they are begun again: the engine has what was finished. */
export interface BackgroundWork {
  /**
   * Begins a piece of work, unless it is there.
   * @param run receives a function that adds a line to its log, and a signal that aborts when it is dropped
   */
  begin(key: string, run: (say: Say, signal: AbortSignal) => Promise<unknown>): void;
  /** How far it is; undefined if it was never begun in this process. */
  progressOf(key: string): Progress | undefined;
  /** Forgets it, and ends it if it runs. */
  drop(key: string): void;
}

/** Creates the place where a process keeps its work. */
export function createBackgroundWork(clock: PlatformClock): BackgroundWork {
  interface Entry {
    readonly run: string;
    readonly since: number;
    readonly lines: ToldLine[];
    readonly abort: AbortController;
    end?: { result: unknown } | { error: unknown };
  }
  const entries = new Map<string, Entry>();

  const carryOut = async (entry: Entry, run: Parameters<BackgroundWork['begin']>[1]): Promise<void> => {
    try {
      entry.end = { result: await run((told) => entry.lines.push({ at: clock.now(), told }), entry.abort.signal) };
    } catch (error) {
      entry.end = { error };
    }
  };

  return {
    begin: (key, run) => {
      if (entries.has(key)) return;
      const entry: Entry = { run: randomUUID(), since: clock.now(), lines: [], abort: new AbortController() };
      entries.set(key, entry);
      void carryOut(entry, run);
    },
    progressOf: (key) => {
      const entry = entries.get(key);
      return entry && { run: entry.run, since: entry.since, lines: entry.lines, ...(entry.end && { end: entry.end }) };
    },
    drop: (key) => {
      entries.get(key)?.abort.abort();
      entries.delete(key);
    },
  };
}
