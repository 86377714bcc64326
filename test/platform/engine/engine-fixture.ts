import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceKind } from '../../../src/contract/index.ts';
import { type PlatformClock, silentLog, systemRandom } from '../../../src/platform/common/index.ts';
import { createEngine, type EngineOptions } from '../../../src/platform/engine/create-engine.ts';
import { type DeploymentOrder, type Engine, anyAddress } from '../../../src/platform/engine/index.ts';
import { type Runtime, runtimesOf, simulatedRuntimeName } from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime, type Fault } from '../../../src/platform/runtime/simulated/index.ts';
import { directoryForRecords } from '../../support/memory-directory.ts';
import { openTestStore, postgresTests } from '../../support/test-store.ts';
import type { DataStore, Db } from '../../../src/platform/store/index.ts';

const at = '2026-01-05T08:00:00.000Z';
const stamp = { created_at: at, updated_at: at };

export const organizationId = '00000000-0000-4000-8000-000000000001';
export const clusterId = '00000000-0000-4000-8000-000000000002';
export const projectId = '00000000-0000-4000-8000-000000000003';

const git = { url: 'https://git.example.com/acme/shop.git', branch: 'main', root_path: '/' };
const runnable = {
  cpu: 500,
  memory: 512,
  gpu: 0,
  min_running_instances: 1,
  max_running_instances: 1,
  storage: [],
  healthchecks: {},
  ports: [
    { id: '00000000-0000-4000-8000-0000000000aa', internal_port: 8080, protocol: 'HTTP', publicly_accessible: true },
  ],
};

/** A plain configuration of each kind. */
export const specs: Readonly<Record<ServiceKind, Record<string, unknown>>> = {
  application: { ...runnable, git_repository: git, build_mode: 'DOCKER', dockerfile_path: 'Dockerfile' },
  container: { ...runnable, registry_id: '00000000-0000-4000-8000-0000000000bb', image_name: 'acme/web', tag: '1.4.2' },
  database: {
    type: 'POSTGRESQL',
    version: '16',
    mode: 'CONTAINER',
    cpu: 500,
    memory: 512,
    storage: 10,
    accessibility: 'PRIVATE',
  },
  helm: {
    source: { repository: { chart_name: 'grafana', chart_version: '8.1.0', repository: { id: null } } },
    arguments: [],
    ports: [],
    values_override: {},
    timeout_sec: 600,
    allow_cluster_wide_resources: false,
    auto_preview: false,
    auto_deploy: false,
    icon_uri: 'app://icons/helm',
  },
  job: {
    job_type: 'CRON',
    schedule: { cronjob: { scheduled_at: '*/5 * * * *', timezone: 'Etc/UTC' } },
    source: { image: { image_name: 'acme/report', tag: '3' } },
    cpu: 250,
    memory: 256,
    max_duration_seconds: 300,
    max_nb_restart: 0,
  },
  terraform: {
    auto_deploy: false,
    terraform_files_source: { git: { git_repository: git } },
    terraform_variables_source: { tf_var_file_paths: [] },
    provider_version: { read_from_terraform_block: true },
    timeout_sec: 600,
    cpu: 500,
    memory: 512,
  },
};

/** Puts an organization with a project and a cluster into an empty store. */
export async function addOrganization(db: Db): Promise<void> {
  await db
    .insertInto('organization')
    .values({ id: organizationId, ...stamp, name: 'Acme', description: null, plan: null, owner: null })
    .execute();
  await db
    .insertInto('project')
    .values({ id: projectId, ...stamp, organization_id: organizationId, name: 'shop', description: null })
    .execute();
  await db
    .insertInto('cluster')
    .values({
      id: clusterId,
      ...stamp,
      organization_id: organizationId,
      name: 'main',
      description: null,
      region: 'eu-west',
      cloud_provider: 'GENERIC',
      version: '1.32',
      next_version: '1.33',
      is_default: 1,
      production: 0,
      status: 'DEPLOYED',
      maximum_cpu: 4000,
      maximum_memory: 8192,
      maximum_gpu: 0,
      last_execution_id: null,
      last_deployment_at: null,
    })
    .execute();
}

/** Adds an environment with one service for each of the kinds, named by kind; returns the environment's id. */
export async function addEnvironment(
  db: Db,
  name: string,
  services: Readonly<Record<string, { kind: ServiceKind; spec?: Record<string, unknown> }>>,
) {
  const environmentId = systemRandom.uuid();
  await db
    .insertInto('environment')
    .values({
      id: environmentId,
      ...stamp,
      project_id: projectId,
      cluster_id: clusterId,
      name,
      mode: 'STAGING',
      updated_by: 'test',
      state: 'READY',
    })
    .execute();
  const ids: Record<string, string> = {};
  for (const [serviceName, { kind, spec = {} }] of Object.entries(services)) {
    ids[serviceName] = systemRandom.uuid();
    await db
      .insertInto('service')
      .values({
        id: ids[serviceName],
        ...stamp,
        environment_id: environmentId,
        kind,
        name: serviceName,
        spec: JSON.stringify({ ...specs[kind], ...spec }),
        deployed_state: 'READY',
        deployment_status: 'NEVER_DEPLOYED',
        deployed_spec: null,
        deployed_commit: null,
        deployed_record: null,
        last_deployment_id: null,
        last_deployment_at: null,
      })
      .execute();
  }
  return { environmentId, ids };
}

export interface EngineFixture {
  readonly db: DataStore;
  readonly engine: Engine;
  /** A second engine on the same store, not started. */
  anotherEngine(options?: Partial<EngineOptions>): Engine;
  /** Orders an action in a transaction of its own and wakes the engine. */
  order(order: Partial<DeploymentOrder> & Pick<DeploymentOrder, 'environmentId' | 'serviceIds'>): Promise<string>;
  readonly runtime: Runtime;
  /** Resolves when no deployment is open any more; a manual clock is moved on until then. */
  settled(clock?: ManualClock): Promise<void>;
  /** Moves the clock from one due moment to the next until the condition holds. */
  until(clock: ManualClock | undefined, condition: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** A clock that stands still until it is moved. */
export interface ManualClock extends PlatformClock {
  advance(milliseconds: number): void;
}

export const manualClock = (start = Date.parse('2026-01-05T09:00:00.000Z')): ManualClock => {
  const listeners = new Set<() => void>();
  let now = start;
  return {
    now: () => now,
    onMove: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    advance: (milliseconds) => {
      now += milliseconds;
      for (const listener of listeners) listener();
    },
  };
};

export interface EngineFixtureOptions {
  readonly dataDir?: string;
  readonly clock?: PlatformClock;
  readonly timeScale?: number;
  readonly faults?: Fault;
  /** Whether its engine works; default true. */
  readonly started?: boolean;
  readonly engine?: Partial<EngineOptions>;
}

/** A store of its own in a temporary directory (or in one given), and an engine at work on it. */
export async function openEngineFixture({
  dataDir,
  clock = { now: Date.now },
  timeScale = 0,
  faults,
  started = true,
  engine: options,
}: EngineFixtureOptions = {}): Promise<EngineFixture> {
  const directory = dataDir ?? (await mkdtemp(join(directoryForRecords, 'engine-')));
  const db = await openTestStore(directory);
  if (dataDir === undefined) await addOrganization(db);
  const runtime = createSimulatedRuntime({ clock, timeScale, ...(faults && { faults }) });
  const parts: EngineOptions = {
    db,
    clock,
    random: systemRandom,
    log: silentLog,
    timeScale,
    runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }),
    webhookTargets: anyAddress,
    openSecret: (sealed) => sealed,
    keyedDigest: (text) => text,
    ...options,
  };
  const engine = createEngine(parts);
  if (started) await engine.start();
  const until = async (manual: ManualClock | undefined, condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (manual === undefined) continue;
      const next = await db
        .selectFrom('deployment')
        .select(({ fn }) => fn.min('due_ms').as('due'))
        .executeTakeFirst();
      if (next?.due && next.due > manual.now()) manual.advance(next.due - manual.now());
    }
  };
  const settled = (manual?: ManualClock) =>
    until(
      manual,
      async () =>
        (await db.selectFrom('deployment').select('id').where('ended_at', 'is', null).limit(1).execute()).length === 0,
    );
  return {
    db,
    engine,
    anotherEngine: (more = {}) => createEngine({ ...parts, ...more }),
    order: async (order) => {
      const { id } = await db.write((trx) =>
        engine.request(trx, { action: 'DEPLOY', origin: 'API', triggeredBy: 'tester', ...order }),
      );
      engine.wake();
      return id;
    },
    runtime,
    settled,
    until,
    close: async () => {
      await engine.stop();
      await db.destroy();
      if (dataDir === undefined) await postgresTests?.dropTestDatabase(directory);
      if (dataDir === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
