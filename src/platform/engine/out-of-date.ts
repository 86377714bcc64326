import { type Db, inBatches } from '../store/index.ts';
import { type DeployableContext, deployablesOf, isAsDeployed, mayDiffer } from './deployable.ts';

/** See Engine.markOutOfDate. */
export async function markOutOfDate(context: DeployableContext, trx: Db, serviceIds: readonly string[]): Promise<void> {
  if (serviceIds.length === 0) return;
  // Not while a deployment reads its configuration: it could then miss both the new configuration and the mark.
  const batches = inBatches(serviceIds);
  const environments = (
    await Promise.all(
      batches.map((some) =>
        trx.selectFrom('service').select('environment_id').distinct().where('id', 'in', some).execute(),
      ),
    )
  ).flat();
  await trx.lock(...environments.map(({ environment_id: id }) => id));
  for (const some of batches) await markSome(context, trx, some);
}

async function markSome(context: DeployableContext, trx: Db, serviceIds: readonly string[]): Promise<void> {
  const [services, open] = await Promise.all([
    trx
      .selectFrom('service')
      .select(['id', 'deployment_status', 'deployed_digest'])
      .where('id', 'in', serviceIds)
      .where('deployment_status', '!=', 'NEVER_DEPLOYED')
      .execute(),
    trx
      .selectFrom('deployment_service')
      .select(['service_id', 'digest'])
      .where('service_id', 'in', serviceIds)
      .where('spec', 'is not', null)
      .where('ended_at', 'is', null)
      .execute(),
  ]);
  // The inputs of a service are compared with those of a deployment: without one, they needn't be read.
  const compared = new Set([...services.map(({ id }) => id), ...open.map(({ service_id: id }) => id)]);
  const now = await deployablesOf(context, trx, [...compared]);
  const statuses = services.map(({ id, deployment_status: before, deployed_digest: deployed }) => {
    const status: typeof before = isAsDeployed(deployed, now.get(id)) ? 'UP_TO_DATE' : 'OUT_OF_DATE';
    return { id, before, status };
  });
  const changed = statuses.filter(({ before, status }) => before !== status);
  for (const [status, some] of Map.groupBy(changed, ({ status: after }) => after))
    await trx
      .updateTable('service')
      .set({ deployment_status: status })
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .execute();
  const outdated = open.filter(({ service_id: id, digest }) => mayDiffer(digest, now.get(id)));
  if (outdated.length === 0) return;
  await trx
    .updateTable('deployment_service')
    .set({ outdated: 1 })
    .where(
      'service_id',
      'in',
      outdated.map(({ service_id: id }) => id),
    )
    .where('spec', 'is not', null)
    .where('ended_at', 'is', null)
    .execute();
}

/** See Engine.variableChanged. */
export async function markReadersOutOfDate(
  context: DeployableContext,
  trx: Db,
  serviceIds: readonly string[],
): Promise<void> {
  if (serviceIds.length === 0) return;
  const readers = (
    await Promise.all(
      inBatches(serviceIds).map((some) =>
        trx.selectFrom('service').select('id').where('id', 'in', some).where('kind', '!=', 'database').execute(),
      ),
    )
  ).flat();
  await markOutOfDate(
    context,
    trx,
    readers.map(({ id }) => id),
  );
}
