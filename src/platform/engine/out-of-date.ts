import type { Db } from '../store/index.ts';

/** See Engine.markOutOfDate. */
export async function markOutOfDate(trx: Db, serviceIds: readonly string[]): Promise<void> {
  if (serviceIds.length === 0) return;
  // Not while a deployment takes its configuration, which would be neither the new one nor marked.
  const environments = await trx.selectFrom('service').select('environment_id').distinct().where('id', 'in', [...serviceIds]).execute();
  await trx.hold(...environments.map(({ environment_id: id }) => id));
  await trx
    .updateTable('service').set({ deployment_status: 'OUT_OF_DATE' }).where('id', 'in', [...serviceIds]).where('deployment_status', '=', 'UP_TO_DATE').execute();
  // A deployment that took its configuration before the change won't bring the service up to date.
  await trx
    .updateTable('deployment_service')
    .set({ outdated: 1 })
    .where('service_id', 'in', [...serviceIds])
    .where('spec', 'is not', null)
    .where('ended_at', 'is', null)
    .execute();
}

/** See Engine.variableChanged. */
export async function markReadersOutOfDate(trx: Db, serviceIds: readonly string[]): Promise<void> {
  if (serviceIds.length === 0) return;
  const readers = await trx.selectFrom('service').select('id').where('id', 'in', [...serviceIds]).where('kind', '!=', 'database').execute();
  await markOutOfDate(trx, readers.map(({ id }) => id));
}
