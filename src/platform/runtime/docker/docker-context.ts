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

/** The inputs to find and create a platform's objects on an engine. */
export interface OwnObjects {
  readonly docker: DockerClient;
  /** Distinguishes this platform's objects from others. */
  readonly platformId: string;
}

/** Access to the engines of the nodes. */
export interface NodeReach {
  readonly docker: DockerClient;
  /** The engines of the nodes that can be reached. */
  readonly nodeEngines: NodeEngines;
  /** Returns why a node's engine can't be reached, as a part of a sentence; undefined if it can. */
  readonly whyNoAgent: (nodeId: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** Access to registries, for pulling and pushing images. */
export interface RegistryAccess {
  /**
   * Returns the credentials for an image that a user names: never for the cluster's own registry, which has images of
   * other users.
   * @param host with its port
   */
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** The platform's own registry for built images, if it runs one. */
  readonly registry?: ClusterRegistry;
}

/** The dependencies of the Docker runtime's operations. Functions that they call take only the parts that they use. */
export interface DockerContext extends OwnObjects, NodeReach, RegistryAccess {
  readonly clock: PlatformClock;
  /** Returns a secret of the platform, always the same for the same purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** Whether the operator named a registry, by its host with port: only then may its address be private. */
  readonly isKnownRegistry: (host: string) => boolean;
  /** The images of databases that replace the official ones. */
  readonly databaseImages: DatabaseImages;
  /** The label of the nodes that may have backups, as name=value; default: all nodes. */
  readonly backupNodeLabel?: string | undefined;
  /** Settings of image builds. */
  readonly builds: BuildSettings;
  /** How much space the images of this platform may take on each node, in bytes. */
  readonly imageBytes: number;
  /** Settings of Terraform; undefined if it is not configured. */
  readonly terraform: TerraformSettings | undefined;
  /** The nodes on which instances may run. */
  readonly placement: PlacementSettings;
  /** Work under way in this process, by task. */
  readonly work: BackgroundWork;
  /** The proxy for public ports. */
  readonly proxy: Proxy;
  /** Removes network links that a killed engine left behind and that obstruct instances. */
  readonly leftLinks: LinkRemover;
}

/** A line that a piece of work logged, with its time in milliseconds since the epoch. */
interface ToldLine {
  readonly at: number;
  readonly told: Condition | string;
}

/** A piece of work of this process that outlives the call that started it. */
export interface Progress {
  /** Distinguishes this attempt from others, of this process or another. */
  readonly run: string;
  /** When it was started, in milliseconds since the epoch. */
  readonly since: number;
  readonly lines: readonly ToldLine[];
  /** How it ended; undefined while it runs. */
  readonly end?: { readonly result: unknown } | { readonly error: unknown };
}

/**
 * Pulls and builds under way in this process. After a crash they are started again; the engine keeps the parts that
 * were finished.
 */
export interface BackgroundWork {
  /**
   * Starts a piece of work, unless it already exists.
   * @param run receives a function that adds a line to its log, and a signal that aborts when it is dropped
   */
  begin(key: string, run: (say: Say, signal: AbortSignal) => Promise<unknown>): void;
  /** Returns its progress; undefined if it was never started in this process. */
  progressOf(key: string): Progress | undefined;
  /** Removes it, and aborts it if it runs. */
  drop(key: string): void;
}

/** Creates the store of a process's work. */
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
