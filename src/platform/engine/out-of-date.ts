import { type Db, inBatches } from '../store/index.ts';

/** See Engine.markOutOfDate. */
export async function markOutOfDate(trx: Db, serviceIds: readonly string[]): Promise<void> {
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
  for (const some of batches) await markSome(trx, some);
}

async function markSome(trx: Db, serviceIds: readonly string[]): Promise<void> {
  await trx
    .updateTable('service')
    .set({ deployment_status: 'OUT_OF_DATE' })
    .where('id', 'in', serviceIds)
    .where('deployment_status', '=', 'UP_TO_DATE')
    .execute();
  // A deployment that read its configuration before the change won't bring the service up to date.
  await trx
    .updateTable('deployment_service')
    .set({ outdated: 1 })
    .where('service_id', 'in', serviceIds)
    .where('spec', 'is not', null)
    .where('ended_at', 'is', null)
    .execute();
}

/** See Engine.variableChanged. */
export async function markReadersOutOfDate(trx: Db, serviceIds: readonly string[]): Promise<void> {
  if (serviceIds.length === 0) return;
  const readers = (
    await Promise.all(
      inBatches(serviceIds).map((some) =>
        trx.selectFrom('service').select('id').where('id', 'in', some).where('kind', '!=', 'database').execute(),
      ),
    )
  ).flat();
  await markOutOfDate(
    trx,
    readers.map(({ id }) => id),
  );
}
