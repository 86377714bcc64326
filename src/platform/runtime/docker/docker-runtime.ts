import type { PlatformClock } from '../../common/index.ts';
import { type Runtime, type RuntimeOperation, RuntimeUnreachable, type Task } from '../index.ts';
import { createCommitLists } from './branch-commits.ts';
import { abandonBuild, beginBuild, observeBuild } from './build.ts';
import { type BuildSettings, defaultBuildSettings } from './build-settings.ts';
import { abandonDatabaseRollOut, beginDatabaseRollOut, observeDatabaseRollOut } from './database-roll-out.ts';
import type { DatabaseImages } from './databases.ts';
import { createNodesReader } from './cluster-nodes.ts';
import { createBackgroundWork, type DockerContext } from './docker-context.ts';
import { type DockerClient, type DockerRegistryCredentials, isDockerError } from './engine/index.ts';
import { beginFetch, observeFetch, removeSource } from './fetch-source.ts';
import { runningLines } from './instance-logs.ts';
import { jobOperations } from './job-operations.ts';
import { createLinkRemover } from './link-remover.ts';
import { createLook } from './look.ts';
import type { TaskHandler } from './task-handler.ts';
import { createProxy } from './proxy/proxy.ts';
import { abandonRoute, beginRoute, observeRoute } from './proxy/route-phase.ts';
import { proxySettings, type ProxySettings } from './proxy/settings.ts';
import { recordedAddresses } from './proxy/recorded-addresses.ts';
import { abandonPull, beginPull, observePull } from './pull.ts';
import { abandonRollOut, beginRollOut, observeRollOut } from './roll-out.ts';
import { sweep } from './sweep.ts';
import { beginRemove, beginStop, observeTakeDown } from './take-down.ts';
import { refusalOf } from './workload.ts';

export interface DockerRuntimeOptions {
  readonly docker: DockerClient;
  readonly clock: PlatformClock;
  /** Tells what this platform made on the engine from what others made. */
  readonly platformId: string;
  /** How to sign in to a registry, by its host with port; default anonymously. */
  readonly credentialsFor?: (host: string) => DockerRegistryCredentials | undefined;
  /** How public ports are served; default: to this machine only, below `localhost`. */
  readonly proxy?: Partial<ProxySettings>;
  /** Images of databases that replace the official ones. */
  readonly databaseImages?: DatabaseImages;
  /** How images are built; what is left out is the default. */
  readonly builds?: Partial<BuildSettings>;
}

const nothing = async (): Promise<void> => undefined;

const notHere: TaskHandler = {
  abandon: nothing,
  begin: async (_, { service }) => {
    throw new Error(refusalOf(service) ?? `This cluster doesn't run services of the kind ${service.kind}.`);
  },
  observe: async (_, { service }) => {
    throw new Error(refusalOf(service) ?? `This cluster doesn't run services of the kind ${service.kind}.`);
  },
};

const rollOut: TaskHandler = { begin: beginRollOut, observe: observeRollOut, abandon: abandonRollOut };
const databaseRollOut: TaskHandler = { begin: beginDatabaseRollOut, observe: observeDatabaseRollOut, abandon: abandonDatabaseRollOut };

const operations: Readonly<Record<RuntimeOperation, TaskHandler>> = {
  fetchSource: { begin: beginFetch, observe: observeFetch, abandon: removeSource },
  build: { begin: beginBuild, observe: observeBuild, abandon: abandonBuild },
  pull: { begin: beginPull, observe: observePull, abandon: abandonPull },
  rollOut,
  route: { begin: beginRoute, observe: observeRoute, abandon: abandonRoute },
  run: notHere,
  restart: rollOut,
  stop: { begin: beginStop, observe: observeTakeDown, abandon: nothing },
  remove: { begin: beginRemove, observe: observeTakeDown, abandon: nothing },
};

/** What a kind does in its own way. */
const operationsOfKinds: { readonly [Kind in Task['service']['kind']]?: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>> } = {
  database: { rollOut: databaseRollOut }, job: jobOperations,
};

/** The operation that a task asks for: what a kind does in its own way comes first. */
const operationOf = ({ phase: { operation }, service }: Task): TaskHandler => operationsOfKinds[service.kind]?.[operation] ?? operations[operation];

/** Tells failures to reach the engine, which pass, from others. One that has just started is no manager for a moment. */
const reaching = <Result>(work: Promise<Result>): Promise<Result> => work.catch((error: unknown) => {
  if (isDockerError(error, 'unreachable', 'timeout', 'no manager')) throw new RuntimeUnreachable(error.message, { cause: error });
  throw error;
});

/**
 * Creates a runtime that runs services on a Docker engine in swarm mode, which schedules, restarts and rolls out. Everything
 * it has to know after a crash is in the engine, or in what the platform records of a deployment.
 */
export function createDockerRuntime({ docker, clock, platformId, credentialsFor = () => undefined, builds, databaseImages = {}, proxy: proxied }: DockerRuntimeOptions): Runtime {
  const settings = proxySettings(proxied);
  const proxy = createProxy({ docker, platformId, settings, credentialsFor, now: () => clock.now() });
  const context: DockerContext = {
    docker, clock, platformId, credentialsFor, databaseImages, proxy, builds: { ...defaultBuildSettings, ...builds }, work: createBackgroundWork(clock), leftLinks: createLinkRemover({ docker, clock, platformId }),
  };
  return {
    refusalOf,
    begin: (task, call) => reaching(operationOf(task).begin(context, task, call)),
    observe: (task, cursor, call) => reaching(operationOf(task).observe(context, task, cursor, call)),
    abandon: async (task, signal) => operationOf(task).abandon(context, task, signal),
    lookInterval: 2000,
    look: createLook(context),
    sweep: (known, signal) => sweep(context, known, signal),
    logs: (version, limit, signal) => runningLines(context, version, limit, signal),
    addressesOf: (_, record) => recordedAddresses(record, settings),
    domainTarget: ({ id }) => `${id.slice(0, 8)}.${settings.domain}`,
    nodes: createNodesReader(context),
    keepUp: (signal) => proxy.sync(signal),
    commits: createCommitLists(context),
    upgradeRefusal: 'This cluster is a Docker engine: its host\'s package manager upgrades it.',
    upgradeFails: () => true,
    conditionHolds: ({ watchedServiceFails }) => watchedServiceFails,
    pauseBefore: () => 0,
  };
}
