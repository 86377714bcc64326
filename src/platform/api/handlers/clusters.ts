import type { Selectable } from 'kysely';
import { isoNow, refused } from '../../common/index.ts';
import { maximumLockDays, type operations, type ValidInputOf } from '../../../contract/index.ts';
import { activeLock, stepLimits } from '../../engine/index.ts';
import type { NonTransactionalContext, OperationHandlers, RequestContext } from '../handler.ts';
import type { ClusterTable } from '../../store/index.ts';
import { findById, findInOrganization } from './find.ts';
import { pageOfFetched, pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

type Row = Selectable<ClusterTable>;

const deployedStates: readonly string[] = [
  'DEPLOYED',
  'DEPLOYING',
  'DEPLOYMENT_QUEUED',
  'DEPLOYMENT_ERROR',
  'RESTARTED',
];

const clusterAnswer = async (row: Row, { db, clock }: Pick<RequestContext, 'db' | 'clock'>) => ({
  ...withoutNulls(row),
  organization: { id: row.organization_id },
  is_default: row.is_default === 1,
  production: row.production === 1,
  is_locked: (await activeLock(db, row.id, clock.now())) !== undefined,
});

/** The machines are queried after the transaction. */
const listClusters = async (
  input: ValidInputOf<typeof operations.list_clusters>,
  { db, engine, clock }: NonTransactionalContext,
) => {
  const { results, ...page } = await db.read(async (trx) =>
    pageOf(await ownedBy({ db: trx }, 'cluster', input.organization_id), input, (rows) =>
      Promise.all(rows.map(async (row) => ({ row, answer: await clusterAnswer(row, { db: trx, clock }) }))),
    ),
  );
  return {
    ...page,
    results: await Promise.all(
      results.map(async ({ row, answer }) => ({ ...answer, ...(await engine.clusterMachines(row)) })),
    ),
  };
};

const statusAnswer = async (row: Row, { db, clock }: Pick<RequestContext, 'db' | 'clock'>) => ({
  cluster_id: row.id,
  status: row.status,
  is_deployed: deployedStates.includes(row.status),
  ...withoutNulls({
    next_k8s_available_version: row.next_version,
    last_execution_id: row.last_execution_id,
    last_deployment_date: row.last_deployment_at,
  }),
  cluster_lock: (await activeLock(db, row.id, clock.now())) ?? null,
});

/** The limits that hold on a cluster: for one service, and for the steps of a deployment, in seconds. */
const advancedSettings = ({ maximum_cpu, maximum_memory, maximum_gpu }: Row) => ({
  'service.maximum_cpu_milli': maximum_cpu,
  'service.maximum_memory_mib': maximum_memory,
  'service.maximum_gpu': maximum_gpu,
  'git.clone.timeout_max_sec': stepLimits.fetchSource,
  'build.timeout_max_sec': stepLimits.build,
  'image.pull.timeout_max_sec': stepLimits.pull,
  'deployment.timeout_max_sec': stepLimits.rollOut,
  'job.run.timeout_max_sec': stepLimits.run,
  'lock.maximum_days': maximumLockDays,
});

const listLocks: OperationHandlers<'list_cluster_locks'>['list_cluster_locks'] = async (input, { db, clock }) => {
  await findById(db, 'organization', input.organization_id);
  const clusters = await db
    .selectFrom('cluster')
    .select('id')
    .where('organization_id', '=', input.organization_id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const locks = await Promise.all(clusters.map(({ id }) => activeLock(db, id, clock.now())));
  const active = locks.filter((lock) => lock !== undefined);
  return pageOfFetched(input, async ({ offset, limit } = { offset: 0, limit: active.length }) => ({
    rows: active.slice(offset, offset + limit),
    total: active.length,
  }));
};

export const clusterHandlers = {
  list_clusters: { withoutTransaction: listClusters },
  get_cluster_status: async ({ organization_id, cluster_id }, context) =>
    statusAnswer(await findInOrganization(context.db, 'cluster', organization_id, cluster_id), context),
  get_cluster_advanced_settings: async ({ organization_id, cluster_id }, { db }) =>
    advancedSettings(await findInOrganization(db, 'cluster', organization_id, cluster_id)),
  list_cluster_locks: listLocks,
  list_locks: listLocks,
  lock_cluster: async ({ cluster_id, reason, ttl_in_days }, { db, clock, principal }) => {
    await findById(db, 'cluster', cluster_id);
    const present = await activeLock(db, cluster_id, clock.now());
    if (present)
      throw refused(`The cluster ${cluster_id} is locked already, by ${present.owner_name}: ${present.reason}`);
    const lock = { cluster_id, reason, ttl_in_days, locked_at: isoNow(clock), owner_name: principal.name };
    await db
      .insertInto('cluster_lock')
      .values(lock)
      .onConflict((conflict) => conflict.column('cluster_id').doUpdateSet(lock))
      .execute();
    return lock;
  },
  unlock_cluster: async ({ cluster_id }, { db, clock }) => {
    await findById(db, 'cluster', cluster_id);
    if (!(await activeLock(db, cluster_id, clock.now()))) throw refused(`The cluster ${cluster_id} isn't locked.`);
    await db.deleteFrom('cluster_lock').where('cluster_id', '=', cluster_id).execute();
    return undefined;
  },
  upgrade_cluster: async ({ cluster_id }, context) => {
    await findById(context.db, 'cluster', cluster_id);
    await context.engine.upgradeCluster(context.db, cluster_id);
    return statusAnswer(await findById(context.db, 'cluster', cluster_id), context);
  },
} satisfies Partial<
  OperationHandlers<
    | 'list_clusters'
    | 'get_cluster_status'
    | 'get_cluster_advanced_settings'
    | 'list_cluster_locks'
    | 'list_locks'
    | 'lock_cluster'
    | 'unlock_cluster'
    | 'upgrade_cluster'
  >
>;
