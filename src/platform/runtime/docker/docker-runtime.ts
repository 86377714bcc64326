import type { PlatformClock } from '../../common/index.ts';
import {
  type Runtime,
  type RuntimeOperation,
  RuntimeProblem,
  type Task,
  type ServiceAddress,
  type DatabaseBackups,
  type Meter,
  RuntimeUnreachable,
} from '../index.ts';
import type { AgentOfCluster } from './agent/settings.ts';
import { createCommitLists } from './builds/branch-commits.ts';
import { type BuildSettings, defaultBuildSettings } from './builds/build-settings.ts';
import { abandonBuild, beginBuild, observeBuild } from './builds/build.ts';
import { beginFetch, observeFetch, removeSource } from './builds/fetch-source.ts';
import { defaultImageBytes } from './cleanup/bounded-images.ts';
import { createLinkRemover } from './cleanup/link-remover.ts';
import { sweep } from './cleanup/sweep.ts';
import { dockerBackups } from './databases/backups/backups.ts';
import { databaseOperations } from './databases/database-roll-out.ts';
import type { DatabaseImages } from './databases/databases.ts';
import { createBackgroundWork, type DockerContext } from './docker-context.ts';
import { type DockerClient, type DockerRegistryCredentials, isDockerAway } from './api/index.ts';
import { jobOperations, imageUnlessRecorded } from './jobs/job-operations.ts';
import { createNodesReader } from './nodes/cluster-nodes.ts';
import { speedUpFailover } from './nodes/failover.ts';
import { openNodeAccess } from './nodes/node-access.ts';
import { anywhere, type PlacementSettings } from './nodes/placement-rules.ts';
import { runningLines } from './observation/instance-logs.ts';
import { createObserver } from './observation/observer.ts';
import { createMeter } from './observation/meter.ts';
import { createProxy } from './proxy/proxy.ts';
import { abandonRoute, beginRoute, observeRoute } from './proxy/route-phase.ts';
import { proxySettings, type ProxySettings } from './proxy/settings.ts';
import { readRecord } from './record.ts';
import { createClusterRegistry } from './registry/registry.ts';
import { registrySettings, type RegistrySettings } from './registry/settings.ts';
import { imagePull } from './services/pull.ts';
import { abandonRollOut, beginRollOut, observeRollOut } from './services/roll-out.ts';
import { beginStop, observeTakeDown, serviceRemoval } from './services/take-down.ts';
import { nothing, type TaskHandler, done, inSequence } from './task-handler.ts';
import type { TerraformSettings } from './terraform/settings.ts';
import { refusalOf } from './workload.ts';
import { addressOf, routesOf } from './proxy/routes.ts';
import { lastRun, runToEnd } from './jobs/job-run.ts';
import { versionShown } from './version.ts';

/**
 * Distinguishes failures to reach the engine or its swarm, which are temporary, from others. An engine that has just
 * started is no manager for a moment.
 * @throws RuntimeUnreachable
 */
const reaching = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    if (isDockerAway(error)) throw new RuntimeUnreachable(error.message, { cause: error });
    throw error;
  });

/** Wraps backups so that a failure to reach the engine throws `RuntimeUnreachable`. */
const reachableBackups = (backups: DatabaseBackups): DatabaseBackups => ({
  ...backups,
  observe: (task, call) => reaching(backups.observe(task, call)),
  remove: (task, signal) => reaching(backups.remove(task, signal)),
});

/** Wraps a meter so that it distinguishes failures to reach the engine. */
const reachableMeter = (meter: Meter): Meter => ({
  interval: meter.interval,
  begin: () => {
    const measure = meter.begin();
    return (signal) => reaching(measure(signal));
  },
});

const tells = (message: (task: Task) => string): TaskHandler => ({
  begin: nothing,
  observe: async ({ clock }, task) => ({
    ...done,
    lines: [{ at: clock.now(), message: message(task), pod: 'terraform', version: versionShown(task) }],
  }),
  abandon: nothing,
});

/**
 * The operations for Terraform: a run plans, or applies the plan of its record; the last run destroys what the service
 * has created.
 */
const terraformOperations: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>> = {
  run: inSequence(imageUnlessRecorded, runToEnd),
  restart: tells(({ service }) => `${service.name} has no running instances to restart.`),
  stop: tells(({ service }) => `${service.name} has no running instances to stop: what Terraform has created stays.`),
  remove: inSequence(lastRun, serviceRemoval),
};

/**
 * Returns the addresses of the running version of a service: none before its first deployment. Its own domains are left
 * out.
 * @param record of its deployment
 */
const recordedAddresses = (record: string | undefined, settings: ProxySettings): readonly ServiceAddress[] =>
  routesOf(readRecord(record)?.spec)
    .filter(({ isCustom }) => !isCustom)
    .map((route) => ({
      url: addressOf(route, settings),
      internalPort: route.port,
      externalPort: route.isSecure ? settings.httpsPort : settings.httpPort,
      isDefault: route.isDefault,
    }));

interface DockerRuntimeOptions {
  readonly docker: DockerClient;
  readonly clock: PlatformClock;
  /** Distinguishes this platform's objects on the engine from others. */
  readonly platformId: string;
  /** Returns a secret of the platform, always the same for the same purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** Returns the credentials for a registry, by its host with port; default: anonymous access. */
  readonly credentialsFor?: (host: string) => DockerRegistryCredentials | undefined;
  /** Whether the operator named a registry, by its host with port; default: all. Others may not have private addresses. */
  readonly isKnownRegistry?: (host: string) => boolean;
  /** Settings of the proxy for public ports; default: they are served to this machine only, below `localhost`. */
  readonly proxy?: Partial<ProxySettings>;
  /** Images of databases that replace the official ones. */
  readonly databaseImages?: DatabaseImages;
  /** The label of the nodes that may have backups of databases, as name=value; default: all nodes. */
  readonly backupNodeLabel?: string | undefined;
  /** Settings of image builds; absent members get their defaults. */
  readonly builds?: Partial<BuildSettings>;
  /** How often to measure running services, in milliseconds. */
  readonly measureInterval?: number;
  /** The platform's own registry for built images; default: none. If it is set, `builds` must name no registry. */
  readonly registry?: Partial<Omit<RegistrySettings, 'forwarderImage'>> | undefined;
  /** How much space the images of this platform may take on each node, in bytes. */
  readonly imageBytes?: number | undefined;
  /** The agents of the nodes; default: there are none. */
  readonly agent?: AgentOfCluster | undefined;
  /**
   * Settings of Terraform; default: it is not available, because users who may create services would run programs with
   * its credentials.
   */
  readonly terraform?: TerraformSettings | undefined;
  /** The nodes on which instances may run; default: all. */
  readonly placement?: PlacementSettings | undefined;
  /**
   * Whether lost nodes of the swarm should be detected as soon as possible: see `failover.ts`. Default: the swarm's
   * settings stay as they are.
   */
  readonly hasFastFailover?: boolean;
}

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

const operations: Readonly<Record<RuntimeOperation, TaskHandler>> = {
  fetchSource: { begin: beginFetch, observe: observeFetch, abandon: removeSource },
  build: { begin: beginBuild, observe: observeBuild, abandon: abandonBuild },
  pull: imagePull,
  rollOut,
  route: { begin: beginRoute, observe: observeRoute, abandon: abandonRoute },
  run: notHere,
  restart: rollOut,
  stop: { begin: beginStop, observe: observeTakeDown, abandon: nothing },
  remove: serviceRemoval,
};

/** The operations that differ by kind of service. */
const operationsOfKinds: {
  readonly [Kind in Task['service']['kind']]?: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>>;
} = { database: databaseOperations, job: jobOperations, terraform: terraformOperations };

/** Returns the operation of a task: one that is specific to its kind of service takes precedence. */
const operationOf = ({ phase: { operation }, service }: Task): TaskHandler =>
  operationsOfKinds[service.kind]?.[operation] ?? operations[operation];

/**
 * Creates a runtime for services on a Docker engine in swarm mode, which schedules, restarts and rolls out. All state
 * that is needed after a crash is in the engine, or in the platform's records of deployments.
 */
export function createDockerRuntime({
  docker,
  clock,
  platformId,
  secretFor,
  credentialsFor = () => undefined,
  isKnownRegistry = () => true,
  builds,
  placement = anywhere,
  hasFastFailover = false,
  databaseImages = {},
  backupNodeLabel,
  proxy: proxied,
  registry: wanted,
  measureInterval,
  imageBytes = defaultImageBytes,
  agent,
  terraform,
}: DockerRuntimeOptions): Runtime {
  const settings = proxySettings(proxied);
  const now = (): number => clock.now();
  const { nodeEngines, whyNoAgent, ...agents } = openNodeAccess({
    docker,
    platformId,
    secretFor,
    agent,
    credentialsFor,
    now,
  });
  const registry =
    wanted &&
    createClusterRegistry({
      docker,
      platformId,
      secretFor,
      now,
      credentialsFor,
      settings: registrySettings(wanted, settings.image),
    });
  const proxy = createProxy({ docker, platformId, settings, credentialsFor, now });
  const context: DockerContext = {
    docker,
    clock,
    platformId,
    secretFor,
    credentialsFor,
    isKnownRegistry,
    databaseImages,
    backupNodeLabel,
    proxy,
    placement,
    terraform,
    imageBytes,
    nodeEngines,
    whyNoAgent,
    ...(registry && { registry }),
    builds: { ...defaultBuildSettings, ...builds, ...(registry && { registry: registry.host }) },
    work: createBackgroundWork(clock),
    leftLinks: createLinkRemover({ docker, clock, platformId }),
  };
  const observeRunning = createObserver(context);
  const reconcile: NonNullable<Runtime['reconcile']> = [
    async (signal) => {
      const changed = hasFastFailover ? await speedUpFailover(docker, signal) : [];
      const { problems } = await proxy.sync(signal);
      const all = [...problems, ...[docker.problem?.()].filter((each) => each !== undefined)];
      if (all.length > 0) throw new RuntimeProblem(all.join(' '));
      return changed;
    },
    async (signal) => {
      await agents.sync(signal);
      return [];
    },
    ...(registry ? [(signal: AbortSignal) => registry.sync(signal)] : []),
  ];
  return {
    refusalOf: (service) => refusalOf(service, terraform),
    begin: (task, call) => reaching(operationOf(task).begin(context, task, call)),
    observe: (task, cursor, call) => reaching(operationOf(task).observe(context, task, cursor, call)),
    abandon: (task, signal) => reaching(Promise.resolve(operationOf(task).abandon(context, task, signal))),
    observationInterval: 2000,
    observeRunning: (versions, signal) => reaching(observeRunning(versions, signal)),
    sweep: (known, signal) => reaching(sweep(context, known, signal)),
    logs: (version, limit, signal) => reaching(runningLines(context, version, limit, signal)),
    planOf: (record) => readRecord(record)?.plan,
    appliesPlans: true,
    addressesOf: (_, record) => recordedAddresses(record, settings),
    domain: settings.domain,
    domainTarget: ({ id }) => `${id.slice(0, 8)}.${settings.domain}`,
    nodes: createNodesReader(context),
    backups: reachableBackups(dockerBackups(context)),
    reconcile: reconcile.map((each) => (signal) => reaching(each(signal))),
    close: agents.close,
    meter: reachableMeter(createMeter(context, nodeEngines, measureInterval)),
    commits: createCommitLists(context),
    upgradeRefusal: "This cluster is a Docker engine: its host's package manager upgrades it.",
    upgradeFails: () => true,
    pauseBefore: () => 0,
  };
}
