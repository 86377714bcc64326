import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { DoctorFinding, PlatformClock } from '../common/index.ts';
import type { KnownResources } from './running-service.ts';
import type { Runtime } from './runtime.ts';

/** How a platform may use one git server. Only the operator of the platform decides that. */
export interface GitHost {
  /** The user name for the token. Default: `git`, which most servers accept. */
  readonly username?: string;
  /** A token or password for reading, over https. */
  readonly token?: string;
  /** Files for ssh: a private key without a passphrase, and the host keys of the server. */
  readonly ssh?: { readonly keyFile: string; readonly knownHostsFile: string };
  /** Whether it may have a private or loopback address, and use plain http. */
  readonly isPrivate?: boolean;
  /**
   * Names of tags, with at most one asterisk in each, whose history may provide versions in addition to the branch.
   * Default: none.
   */
  readonly tags?: readonly string[];
}

/** Git servers by host, with the port if the address has one. */
export type GitHosts = Readonly<Record<string, GitHost>>;

/** Settings that all clusters of a platform share. */
export interface SharedSettings {
  /** The registries that services may use, in addition to the public one. */
  readonly registries: readonly { readonly name: string; readonly url: string }[];
  /** The credentials for a registry; undefined for anonymous access. @param host with its port */
  readonly credentialsFor: (host: string) => { readonly username: string; readonly password: string } | undefined;
  /** Images that replace the default ones of databases, by type, or by type and version. */
  readonly images: Readonly<Record<string, string>>;
  readonly git: GitHosts;
}

/** The source of the settings of clusters. */
export interface SettingsSource {
  /** The clusters file; undefined if the options describe the only cluster. */
  readonly file: string | undefined;
  /** Resolves a path in the settings. */
  readonly resolve: (path: string) => string;
  /**
   * Reads a file that the settings refer to.
   * @param what a readable description of it, such as: The certificate
   * @throws Error that says which file can't be read, and what it is for
   */
  readonly read: (path: string, what: string) => Promise<string>;
}

/** A cluster as the clusters file or the options describe it. */
export interface DescribedCluster<Settings = unknown> {
  readonly name: string;
  /** The domain under which its services get their addresses; default: that of the runtime. */
  readonly domain?: string | undefined;
  /** The total resources that its services may hold: thousandths of a CPU, and MB. */
  readonly limits?: { readonly cpu?: number | undefined; readonly memory?: number | undefined } | undefined;
  /** The label of the nodes that may store backups of databases, as name=value; default: all nodes. */
  readonly backupNodeLabel?: string | undefined;
  /** The result of the provider's `readSettings` for the rest. */
  readonly settings: Settings;
}

/** A text that a runtime stores in the records of its platform. */
export interface KeptText {
  /** @returns undefined if there is none, or an empty one */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** The parts that a runtime receives from its platform. */
export interface RuntimeParts {
  readonly clock: PlatformClock;
  /** Distinguishes resources of this platform from those of others. */
  readonly platformId: string;
  /** A secret of the cluster, always the same for the same purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** A text about the cluster that outlives the process. @param name the runtime's name for it, which never changes */
  readonly kept: (name: string) => KeptText;
}

/** A cluster that can be passed to a platform. It has not been contacted yet. */
export interface CreatedCluster {
  /** A readable description. */
  readonly description: string;
  readonly createRuntime: (parts: RuntimeParts) => Promise<Runtime>;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** Inputs for the examination of a cluster, in addition to the settings. */
export interface Examination {
  /** The registry for built images if the cluster names none, as host with port. */
  readonly registry: string | undefined;
  /** The records of the platform. */
  readonly records: {
    /** Their location: a data directory, or a database. */
    readonly place: string;
    /** @returns undefined if there are none. @throws Error if they can't be read */
    readonly read: () => (KnownResources & Pick<RuntimeParts, 'platformId'>) | undefined;
  };
  /** The secrets of a cluster; undefined if the platform's key isn't available. @throws Error if it can't be read */
  readonly secretsOf: (cluster: string) => RuntimeParts['secretFor'] | undefined;
  /** The address of the documentation page about clusters, which findings refer to. */
  readonly guide: string;
}

/** The command line options for the address of the only cluster. */
export interface EngineOptions {
  readonly engine: string;
  readonly engineTlsDir?: string | undefined;
}

interface NamedService {
  /** Its display name. */
  readonly name: string;
}

/** The effects of draining a node. */
export interface DrainPlan {
  /** The name of the node. */
  readonly node: string;
  /** The services that move to other nodes, and continue to serve. */
  readonly moving: readonly NamedService[];
  /** Those that can't run elsewhere, and stop with it. The reason is part of a sentence. */
  readonly staying: readonly (NamedService & { readonly why: string })[];
  /**
   * The number of instances of services that no platform created. They are stopped first, and then started elsewhere.
   */
  readonly others: number;
  /** Commands that list what runs on the node, and that make it accept instances again. */
  readonly commands: { readonly list: string; readonly activate: string };
  /**
   * Carries it out.
   * @param update receives the progress
   * @returns how many instances have not stopped yet
   */
  carryOut(update: (progress: string) => void): Promise<number>;
}

/** The operator's commands for a cluster that don't need the platform. A runtime may lack some of them. */
export interface OperatorAccess {
  /** Determines the effects of draining a node. @param node its name or id. @throws Error if it can't be drained */
  readonly planDrain?: (node: string) => Promise<DrainPlan>;
  /** Dumps of databases, by the databases' tools. */
  readonly dumps?: {
    /** @param database its id in the platform. @throws Error that says why there is no dump */
    create(database: string): AsyncIterable<Buffer>;
    /** Whether a file that starts like this is a dump. */
    isDump(start: Buffer): boolean;
    /** Restores a dump: all of it, or nothing. @throws Error that says why nothing was changed */
    restore(database: string, dump: { readonly dump: Readable; readonly bytes: number }): Promise<void>;
  };
  /** Closes its connections. */
  close(): Promise<void>;
}

/**
 * A runtime as the command line knows it: the settings that a cluster needs for it, and the operations on them. `Given`
 * is what the schema accepts for a cluster, `Settings` what the provider derives from it by reading the files that it
 * refers to.
 */
export interface RuntimeProvider<Given = unknown, Settings = unknown> {
  /**
   * The schema of a cluster in the clusters file for this runtime. The members that every cluster may have are added:
   * `domain`, `limits` and `database_backups`.
   */
  readonly configSchema: z.ZodObject;
  /** The same for the only cluster of the options. */
  configOf(options: EngineOptions): Given;
  /** @throws Error that names the file that can't be read, or what is wrong in it */
  readSettings(given: Given, source: SettingsSource): Promise<Settings>;
  /**
   * Creates a cluster without contacting an engine.
   * @throws Error if an address, or a file that belongs to it, can't be used
   */
  create(cluster: DescribedCluster<Settings>, shared: SharedSettings, source: SettingsSource): Promise<CreatedCluster>;
  /** Finds out what a cluster lacks, and what services on it need. Leaves no changes behind. */
  examine(
    cluster: DescribedCluster<Settings>,
    shared: SharedSettings,
    source: SettingsSource,
    examination: Examination,
  ): Promise<readonly DoctorFinding[]>;
  /** Findings about all its clusters together: the programs that they need on this machine, for example. */
  examineShared(shared: SharedSettings): Promise<readonly DoctorFinding[]>;
  /** Opens the cluster of the options for an operator's commands. @throws Error if its address can't be used */
  openAccess(options: EngineOptions): OperatorAccess;
}
