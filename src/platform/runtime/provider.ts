import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { DoctorFinding, PlatformClock } from '../common/index.ts';
import type { KnownResources } from './running-service.ts';
import type { Runtime } from './runtime.ts';

/** How a platform may use one git server. Only whoever runs the platform decides that. */
export interface GitHost {
  /** The name that the token goes with. Default: `git`, which most servers take. */
  readonly username?: string;
  /** A token or password for reading, over https. */
  readonly token?: string;
  /** The files of ssh: a private key without a passphrase, and the keys of the server. */
  readonly ssh?: { readonly keyFile: string; readonly knownHostsFile: string };
  /** Whether it may be at a private or loopback address, and be asked over plain http. */
  readonly isPrivate?: boolean;
  /**
   * Names of tags, with at most one star in each, from whose history versions may be taken beside the branch. Default:
   * none.
   */
  readonly tags?: readonly string[];
}

/** Git servers by their hosts, with the port where the address has one. */
export type GitHosts = Readonly<Record<string, GitHost>>;

/** What all clusters of a platform share. */
export interface SharedSettings {
  /** The registries that services may name, beside the public one. */
  readonly registries: readonly { readonly name: string; readonly url: string }[];
  /** How to sign in to a registry; undefined: anonymously. @param host with its port */
  readonly credentialsFor: (host: string) => { readonly username: string; readonly password: string } | undefined;
  /** Images that replace the usual ones of databases, by type, or by type and version. */
  readonly images: Readonly<Record<string, string>>;
  readonly git: GitHosts;
}

/** Where the settings of clusters were written. */
export interface SettingsSource {
  /** The clusters file; undefined where the options describe the only cluster. */
  readonly file: string | undefined;
  /** Resolves a path of the settings. */
  readonly resolve: (path: string) => string;
  /**
   * Reads a file that the settings name.
   * @param what it is, for people, such as: The certificate
   * @throws Error that says which file can't be read, and what it is for
   */
  readonly read: (path: string, what: string) => Promise<string>;
}

/** A cluster as the clusters file or the options describe it. */
export interface DescribedCluster<Settings = unknown> {
  readonly name: string;
  /** The domain below which its services get their addresses; default: that of the runtime. */
  readonly domain?: string | undefined;
  /** What its services may hold altogether: thousandths of a CPU, and MB. */
  readonly limits?: { readonly cpu?: number | undefined; readonly memory?: number | undefined } | undefined;
  /** The label of the nodes that may have backups of databases, as name=value; default: all nodes. */
  readonly backupNodeLabel?: string | undefined;
  /** What the provider made of the rest. */
  readonly settings: Settings;
}

/** A text that a runtime keeps in the records of its platform. */
export interface KeptText {
  /** @returns undefined if there is none, or an empty one */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** What a runtime gets from its platform. */
export interface RuntimeParts {
  readonly clock: PlatformClock;
  /** Tells what this platform made from what others made. */
  readonly platformId: string;
  /** A secret of the cluster that is always the same for the same purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** A text about the cluster that outlives the process. @param name the runtime's own for it, which never changes */
  readonly kept: (name: string) => KeptText;
}

/** A cluster that can be given to a platform. Nothing of it has been asked yet. */
export interface CreatedCluster {
  /** What it is, in words for people. */
  readonly description: string;
  readonly createRuntime: (parts: RuntimeParts) => Promise<Runtime>;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** What examining a cluster may use beside the settings. */
export interface Examination {
  /** The registry for built images where the cluster names none, as host with port. */
  readonly registry: string | undefined;
  /** The records of the platform. */
  readonly records: {
    /** Where they are: a data directory, or a database. */
    readonly place: string;
    /** @returns undefined if there are none. @throws Error if they can't be read */
    readonly read: () => (KnownResources & Pick<RuntimeParts, 'platformId'>) | undefined;
  };
  /** The secrets of a cluster; undefined if the key of the platform isn't here. @throws Error if it can't be read */
  readonly secretsOf: (cluster: string) => RuntimeParts['secretFor'] | undefined;
  /** The address of the page about clusters, which findings refer to. */
  readonly guide: string;
}

/** The options of the command line that say where the only cluster is. */
export interface EngineOptions {
  readonly engine: string;
  readonly engineTlsDir?: string | undefined;
}

interface NamedService {
  /** Its name for people. */
  readonly name: string;
}

/** What draining a node does. */
export interface DrainPlan {
  /** The name of the node. */
  readonly node: string;
  /** The services that move to other nodes, and go on serving. */
  readonly moving: readonly NamedService[];
  /** Those that can't run elsewhere, and end with it. The reason is a part of a sentence. */
  readonly staying: readonly (NamedService & { readonly why: string })[];
  /** How many instances are of services that no platform made. They are ended first, and then started elsewhere. */
  readonly others: number;
  /** Commands that list what runs on the node, and that let it take instances again. */
  readonly commands: { readonly list: string; readonly activate: string };
  /**
   * Carries it out.
   * @param update is told how far it is
   * @returns how many instances have not ended yet
   */
  carryOut(update: (progress: string) => void): Promise<number>;
}

/** What an operator does to a cluster by a command, without the platform. A runtime may lack some of it. */
export interface OperatorAccess {
  /** Finds out what draining a node does. @param node its name or id. @throws Error if it can't be drained */
  readonly planDrain?: (node: string) => Promise<DrainPlan>;
  /** Dumps of databases by their own tools. */
  readonly dumps?: {
    /** @param database its id in the platform. @throws Error that says why there is no dump */
    create(database: string): AsyncIterable<Buffer>;
    /** Whether a file that begins like this is a dump. */
    isDump(start: Buffer): boolean;
    /** Brings a dump back: all of it, or nothing. @throws Error that says why nothing was changed */
    restore(database: string, dump: { readonly dump: Readable; readonly bytes: number }): Promise<void>;
  };
  /** Closes its connections. */
  close(): Promise<void>;
}

/**
 * A runtime as the command line knows it: what a cluster has to say for it, and what can be done with that. `Given` is
 * what the schema accepts of a cluster, `Settings` what the provider makes of it, once it has read the files that it
 * names.
 */
export interface RuntimeProvider<Given = unknown, Settings = unknown> {
  readonly name: string;
  /**
   * What a cluster of the clusters file may say for this runtime. What every cluster may say is added: `domain`,
   * `limits` and `database_backups`.
   */
  readonly configSchema: z.ZodObject;
  /** The same for the only cluster of the options. */
  configOf(options: EngineOptions): Given;
  /** @throws Error that names the file that can't be read, or what is wrong in it */
  readSettings(given: Given, source: SettingsSource): Promise<Settings>;
  /** Creates a cluster. No engine is asked. @throws Error if an address, or a file that belongs to it, can't be used */
  create(cluster: DescribedCluster<Settings>, shared: SharedSettings, source: SettingsSource): Promise<CreatedCluster>;
  /** Finds out what a cluster lacks, and what services on it need. Changes nothing that stays. */
  examine(
    cluster: DescribedCluster<Settings>,
    shared: SharedSettings,
    source: SettingsSource,
    examination: Examination,
  ): Promise<readonly DoctorFinding[]>;
  /** What is to be said of all its clusters together: the programs of this machine that they need, for example. */
  examineShared(shared: SharedSettings): Promise<readonly DoctorFinding[]>;
  /** Opens the cluster of the options for the commands of an operator. @throws Error if its address can't be used */
  openAccess(options: EngineOptions): OperatorAccess;
}
