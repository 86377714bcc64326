import { condition, type DeploymentState } from '../../contract/index.ts';
import { reasonOf } from '../common/index.ts';
import { conditionLine, type RunningService, type RunningVersion, type Runtime } from '../runtime/index.ts';
import { type Db, RecordsUnavailable } from '../store/index.ts';
import { serviceSettled } from './alert-rules.ts';
import type { EngineContext } from './context.ts';
import { isSettled } from './lifecycle.ts';
import { deployedVersion } from './serving-version.ts';
import { appendLines, pruneLines, unstoredLines } from './stored-lines.ts';
import { auditAvailability } from './outcome-events.ts';
import { shouldRun, unreachable } from './running-facts.ts';
import { type ObservedRow, observedStatusOf } from './observed-status.ts';
import { logFailure } from './failure-log.ts';
import { updateEnvironmentState } from './service-changes.ts';
import { LeaderLockLost, type LeaderLocks, type LeaderLock } from './leader-locks.ts';
import type { WorkQueue } from './worker.ts';
import { createSweeps } from './sweeps.ts';

/** How many observations in a row may fail before a cluster counts as unreachable. */
const toleratedFailures = 1;

/**
 * Excludes services that are changing, and deleted ones that wait for the rest of their environment: the platform
 * itself took those down.
 */
const isObserved = ({ deployed_state: state }: { readonly deployed_state: DeploymentState }): boolean =>
  isSettled(state) && state !== 'DELETED';

/** The services of a runtime's clusters that are deployed and have no deployment under way. */
const deployedServices = async (db: Db, runtime: string) => {
  const rows = await db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .selectAll('service')
    .where('cluster.runtime', '=', runtime)
    .where('service.deployed_record', 'is not', null)
    .execute();
  return rows.filter(isObserved);
};

const seenServices = async (db: Db, serviceIds: readonly string[]): Promise<ReadonlyMap<string, ObservedRow>> => {
  const rows =
    serviceIds.length === 0
      ? []
      : await db
          .selectFrom('running_service')
          .selectAll()
          .where('service_id', 'in', [...serviceIds])
          .execute();
  return new Map(rows.map((row) => [row.service_id, row]));
};

/** The known status of a version; none if the service was deployed again since then. */
const ofDeployment = (row: ObservedRow | undefined, deploymentId: string): ObservedRow | undefined =>
  row?.deployment_id === deploymentId ? row : undefined;

/** Saves the observed status of one service, unless another deployment of it was requested since then. */
async function saveObservedStatus(
  context: EngineContext,
  trx: Db,
  { deploymentId, service }: RunningVersion,
  observed: RunningService,
  at: number,
): Promise<void> {
  await trx.lock(service.environmentId);
  const current = await trx
    .selectFrom('service')
    .selectAll()
    .where('id', '=', service.id)
    .where('last_deployment_id', '=', deploymentId)
    .executeTakeFirst();
  if (!current || !isObserved(current)) return;
  const present = ofDeployment(
    await trx.selectFrom('running_service').selectAll().where('service_id', '=', service.id).executeTakeFirst(),
    deploymentId,
  );
  const status = observedStatusOf(present, deploymentId, observed);
  if (!status) return;
  await trx
    .insertInto('running_service')
    .values(status.row)
    .onConflict((conflict) => conflict.column('service_id').doUpdateSet(status.row))
    .execute();
  const lines = [
    ...(await unstoredLines(trx, service.id, status.lines)),
    ...status.told.map((each) => conditionLine(each, { at, pod: 'platform', version: '' })),
  ];
  if (lines.length > 0) {
    const owner = { deployment_id: deploymentId, service_id: service.id };
    await appendLines(trx, owner, null, lines);
    await pruneLines(trx, owner);
  }
  if (!status.turned) return;
  await updateEnvironmentState(trx, service.environmentId);
  await auditAvailability(trx, current, {
    isAvailable: status.turned === 'up',
    at,
    message: status.told.map(({ message }) => message).join(' '),
  });
  await serviceSettled(context, trx, service.id, service.environmentId);
}

/**
 * Records whether the clusters of a runtime are reachable, if that has changed.
 * @param lost why not, and since when
 */
async function saveReach(
  context: EngineContext,
  trx: Db,
  runtime: string,
  lost: { readonly since: number; readonly reason: string } | undefined,
): Promise<void> {
  const clusters = (await trx.selectFrom('cluster').select('id').where('runtime', '=', runtime).execute()).map(
    ({ id }) => id,
  );
  if (lost) {
    await trx
      .insertInto('unreachable_cluster')
      .values(clusters.map((id) => ({ cluster_id: id, since_ms: lost.since, reason: lost.reason })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  } else await trx.deleteFrom('unreachable_cluster').where('cluster_id', 'in', clusters).execute();
  const environments = await trx.selectFrom('environment').select('id').where('cluster_id', 'in', clusters).execute();
  await trx.lock(...environments.map(({ id }) => id));
  const services = await trx
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .select([
      'service.id',
      'service.environment_id',
      'service.kind',
      'service.deployed_state',
      'service.last_deployment_id',
    ])
    .where('environment.cluster_id', 'in', clusters)
    .execute();
  for (const id of new Set(services.map(({ environment_id: environment }) => environment)))
    await updateEnvironmentState(trx, id);
  for (const { id, environment_id: environment } of services) await serviceSettled(context, trx, id, environment);
  const line = conditionLine(lost ? unreachable(lost) : condition('CLUSTER_REACHABLE', {}), {
    at: context.clock.now(),
    pod: 'platform',
    version: '',
  });
  for (const { id, last_deployment_id: deployment, kind, deployed_state: state } of services) {
    if (deployment === null || !shouldRun({ kind, deployed_state: state })) continue;
    await appendLines(trx, { deployment_id: deployment, service_id: id }, null, [line]);
  }
}

const isLost = async (db: Db, runtime: string): Promise<boolean> =>
  (await db
    .selectFrom('unreachable_cluster')
    .innerJoin('cluster', 'cluster.id', 'unreachable_cluster.cluster_id')
    .select('cluster_id')
    .where('cluster.runtime', '=', runtime)
    .executeTakeFirst()) !== undefined;

/**
 * Observes everything that runs on the clusters of one runtime, and saves what is new.
 * @throws Error of the runtime if it can't observe
 */
async function observeRunning(
  context: EngineContext,
  name: string,
  runtime: Runtime,
  leaderLock: LeaderLock,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = context;
  const { versions, seen } = await db.read(async (trx) => {
    const running = (await deployedServices(trx, name)).flatMap((row) => deployedVersion(row) ?? []);
    return {
      versions: running,
      seen: await seenServices(
        trx,
        running.map(({ service }) => service.id),
      ),
    };
  });
  const observed = await runtime.observeRunning(versions, signal);
  const byId = new Map(versions.map((version) => [version.service.id, version]));
  const fresh = observed.flatMap((each) => {
    const version = byId.get(each.serviceId);
    return version &&
      observedStatusOf(ofDeployment(seen.get(each.serviceId), version.deploymentId), version.deploymentId, each)
      ? [{ version, each }]
      : [];
  });
  const at = clock.now();
  // One transaction each: a hundred services in one would block other writes.
  for (const { version, each } of fresh)
    await leaderLock.write((trx) => saveObservedStatus(context, trx, version, each, at));
}

/**
 * The queue that observes services after their deployment, at the interval of each runtime. "Nothing runs" and "the
 * cluster can't be observed" are different results: a failed observation leaves the known status as it is.
 */
export function observationQueue(context: EngineContext, leaderLocks: LeaderLocks): WorkQueue {
  const { db, clock, runtimes, log } = context;
  /** When to observe again, by runtime name. */
  let dueTimes: Map<string, number> | undefined;
  const sweeps = createSweeps(context);
  const failures = new Map<string, { readonly since: number; readonly count: number }>();

  const load = async (): Promise<Map<string, number>> => {
    const names = (await db.selectFrom('cluster').select('runtime').distinct().execute()).map(({ runtime }) => runtime);
    return new Map(
      names.filter((name) => runtimes.named(name).observationInterval !== undefined).map((name) => [name, clock.now()]),
    );
  };

  const failed = async (name: string, error: unknown, leaderLock: LeaderLock): Promise<void> => {
    const { since, count } = failures.get(name) ?? { since: clock.now(), count: 0 };
    failures.set(name, { since, count: count + 1 });
    if (count !== toleratedFailures || (await isLost(db, name))) return;
    logFailure(log, error, { runtime: name }, 'the services of a cluster can not be observed');
    await leaderLock.write((trx) => saveReach(context, trx, name, { since, reason: reasonOf(error) }));
  };

  const succeeded = async (name: string, leaderLock: LeaderLock): Promise<void> => {
    failures.delete(name);
    if (!(await isLost(db, name))) return;
    log.info({ runtime: name }, 'the services of a cluster can be observed again');
    await leaderLock.write((trx) => saveReach(context, trx, name, undefined));
  };

  const work = async (name: string, runtime: Runtime, leaderLock: LeaderLock, signal: AbortSignal): Promise<void> => {
    await sweeps.whenDue(name, runtime, signal);
    await observeRunning(context, name, runtime, leaderLock, signal);
  };

  return {
    name: 'looks',
    isBackground: true,
    concurrency: 4,
    claimDue: async (_lease, inProgress, limit) => {
      dueTimes ??= await load();
      return [...dueTimes]
        .filter(([name, due]) => due <= clock.now() && !inProgress.includes(name))
        .map(([name]) => name)
        .slice(0, limit);
    },
    run: async (name, _lease, signal) => {
      const runtime = runtimes.named(name);
      try {
        const leaderLock = await leaderLocks.take(`looking at ${name}`);
        if (leaderLock === undefined) return;
        const outcome = await work(name, runtime, leaderLock, signal).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (signal.aborted || outcome?.error instanceof LeaderLockLost) return;
        // Unreadable records say nothing about the cluster.
        if (outcome?.error instanceof RecordsUnavailable) throw outcome.error;
        await (outcome ? failed(name, outcome.error, leaderLock) : succeeded(name, leaderLock));
      } finally {
        dueTimes?.set(name, clock.now() + (runtime.observationInterval ?? 0));
      }
    },
    nextDue: async (_lease, inProgress) => {
      dueTimes ??= await load();
      const waiting = [...dueTimes].filter(([name]) => !inProgress.includes(name)).map(([, due]) => due);
      return waiting.length === 0 ? null : Math.min(...waiting);
    },
    hasClaims: () => leaderLocks.hasAny(),
  };
}
