import type { DatabaseCredentials, ResolvedVariable, ServiceToRun } from '../../index.ts';
import { splitImageName } from '../api/index.ts';

type Database = Extract<ServiceToRun, { kind: 'database' }>;
type DatabaseSpec = Database['spec'];

/**
 * Images that replace the official database images, keyed by type (`mysql`) or by type and version (`mysql:8.4`).
 * Without a tag, the version is the tag.
 */
export type DatabaseImages = Readonly<Record<string, string>>;

/** The path of an instance's file with its password, or with a configuration that contains it. */
const secretPath = '/run/secrets/infra-database';

/** How to run a type of database. */
interface DatabaseProgram {
  /** The official image. */
  readonly image: string;
  readonly port: number;
  /** The directory in which the image keeps data. */
  readonly directory: (major: number) => string;
  /**
   * The environment variables that tell the image how to initialize an empty data directory. They name the file with
   * the password.
   */
  readonly variables: (credentials: DatabaseCredentials, directory: string) => Readonly<Record<string, string>>;
  /** The content of the file. Default: the password. */
  readonly secretFile?: (credentials: DatabaseCredentials) => string;
  /** The command line after the image's entrypoint. Default: the image's. */
  readonly arguments?: readonly string[];
  /** Whether another major version can't read the data. */
  readonly keepsMajorVersion?: true;
  /** Whether it was never tested here: its image is used as its documentation says. */
  readonly isUntested?: true;
  /** Whether its processes share more memory than the 64 MB that containers have for that. */
  readonly sharesMemory?: true;
}

const programs: Readonly<Record<DatabaseSpec['type'], DatabaseProgram>> = {
  POSTGRESQL: {
    image: 'docker.io/library/postgres',
    port: 5432,
    keepsMajorVersion: true,
    sharesMemory: true,
    // The volume that its image declares; with any other path, each instance would also get an anonymous one.
    directory: (major) => (major >= 18 ? '/var/lib/postgresql' : '/var/lib/postgresql/data'),
    variables: ({ name, user }, directory) => ({
      POSTGRES_DB: name,
      POSTGRES_USER: user,
      POSTGRES_PASSWORD_FILE: secretPath,
      PGDATA: `${directory}/pgdata`,
    }),
  },
  MYSQL: {
    image: 'docker.io/library/mysql',
    port: 3306,
    isUntested: true,
    directory: () => '/var/lib/mysql',
    // Without a password for root, the image would log a random one.
    variables: ({ name, user }) => ({
      MYSQL_DATABASE: name,
      MYSQL_USER: user,
      MYSQL_PASSWORD_FILE: secretPath,
      MYSQL_ROOT_PASSWORD_FILE: secretPath,
      MYSQL_ROOT_HOST: 'localhost',
    }),
  },
  MONGODB: {
    image: 'docker.io/library/mongo',
    port: 27017,
    isUntested: true,
    directory: () => '/data/db',
    variables: ({ name, user }) => ({
      MONGO_INITDB_DATABASE: name,
      MONGO_INITDB_ROOT_USERNAME: user,
      MONGO_INITDB_ROOT_PASSWORD_FILE: secretPath,
    }),
  },
  REDIS: {
    image: 'docker.io/library/redis',
    port: 6379,
    directory: () => '/data',
    variables: () => ({}),
    // Redis takes a password from its configuration or its command line, and every user of the engine's host can read
    // the latter.
    secretFile: ({ password }) => `requirepass "${password}"\ndir /data\nappendonly yes\n`,
    arguments: ['redis-server', secretPath],
  },
};

/** The types of databases that were never tested on an engine. */
export const untestedDatabases: readonly string[] = Object.entries(programs)
  .filter(([, { isUntested }]) => isUntested)
  .map(([type]) => type);

/** The first number of a version; NaN if it has none. */
const majorOf = ({ version }: Pick<DatabaseSpec, 'version'>): number => Number(/^\d+/.exec(version)?.[0] ?? Number.NaN);

const canBeTag = (version: string): boolean => /^\w[\w.-]{0,127}$/.test(version);

/** Settings that are not available here, and what to do instead. */
const rules: readonly { readonly isBroken: (spec: DatabaseSpec) => boolean; readonly why: string }[] = [
  {
    isBroken: ({ mode }) => mode === 'MANAGED',
    why: 'No cloud manages databases for this cluster: set "mode" to CONTAINER.',
  },
  {
    isBroken: ({ accessibility }) => accessibility === 'PUBLIC',
    why: 'Databases on this cluster are reached by the services of their environment only: set "accessibility" to PRIVATE.',
  },
  {
    isBroken: (spec) => Number.isNaN(majorOf(spec)) || !canBeTag(spec.version),
    why: 'The version is the tag of the image and begins with the major version: set "version" to one such as 16, 8.4 or 7.2-alpine.',
  },
];

/** Why such a database is not available; undefined if it is. */
export const databaseRefusal = (spec: DatabaseSpec): string | undefined =>
  rules.find(({ isBroken }) => isBroken(spec))?.why;

/** The location of a database's image. @param images those that replace official ones */
export function databaseImage(
  { type, version }: DatabaseSpec,
  images: DatabaseImages,
): { readonly host: string; readonly repository: string; readonly tag: string } {
  const key = type.toLowerCase();
  const { repository: name, tag = version } = splitImageName(
    images[`${key}:${version}`] ?? images[key] ?? programs[type].image,
  );
  const slash = name.indexOf('/');
  return { host: name.slice(0, slash), repository: name.slice(slash + 1), tag };
}

/** The directory in which the image of a database keeps data. */
export const dataDirectoryOf = (spec: DatabaseSpec): string => programs[spec.type].directory(majorOf(spec));

/** The version of the data that a database writes, if no other version can read it. */
export const dataVersionOf = (spec: DatabaseSpec): string | undefined =>
  programs[spec.type].keepsMajorVersion ? String(majorOf(spec)) : undefined;

/**
 * The variables and files by which an image sets up an empty directory. It gets no variables of its environment, which
 * are for other services: an image would read some of them as its own.
 */
export function databaseVariables({ spec }: Database, credentials: DatabaseCredentials): readonly ResolvedVariable[] {
  const { directory, variables, secretFile = ({ password }) => password } = programs[spec.type];
  return [
    ...Object.entries(variables(credentials, directory(majorOf(spec)))).map(([key, value]) => ({
      key,
      value,
      isSecret: false,
    })),
    { key: 'PASSWORD', value: secretFile(credentials), isSecret: true, mountPath: secretPath },
  ];
}

/** The id of the storage with the data of a database. */
export const dataStorage = 'data';

/** How long a database may take to listen, in seconds: it may have to recover first. */
const readySeconds = 600;
/** How long it may take to flush its memory to disk when it is stopped, in seconds. */
const stopSeconds = 120;

/**
 * A database as a workload with one instance. It is ready when it listens on the network: images set up an empty
 * directory with a server that doesn't. It has no liveness probe, which could kill one that is recovering.
 */
export function databaseWorkload({ id, name, environmentId, spec }: Database) {
  const { port, directory, arguments: args = [], sharesMemory } = programs[spec.type];
  const ready = {
    type: { tcp: { port } },
    initial_delay_seconds: 0,
    period_seconds: 1,
    timeout_seconds: 2,
    success_threshold: 1,
    failure_threshold: readySeconds,
  };
  return {
    id,
    name,
    environmentId,
    cpu: spec.cpu,
    memory: spec.memory,
    instances: 1,
    arguments: [...args],
    ports: [],
    stopSeconds,
    storage: [
      { id: dataStorage, type: 'FAST_SSD' as const, size: spec.storage, mount_point: directory(majorOf(spec)) },
    ],
    healthchecks: { readiness_probe: ready },
    ...(sharesMemory && { sharedMemory: Math.ceil(spec.memory / 2) }),
  };
}
