import { systemRandom } from '../../../src/platform/common/index.ts';
import { timetableChanged } from '../../../src/platform/engine/index.ts';
import type { DataStore } from '../../../src/platform/store/index.ts';

/** Gives an environment a timetable: weekdays from 07:00 to 19:00 in Paris, on. Replaces the one that it has. */
export async function addRule(db: DataStore, environmentId: string, now: number, more: object = {}): Promise<void> {
  const at = new Date(now).toISOString();
  const rule = {
    timezone: 'Europe/Paris',
    start_time: '1970-01-01T07:00:00.000Z',
    stop_time: '1970-01-01T19:00:00.000Z',
    weekdays: JSON.stringify(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY']),
    auto_stop: 1 as const,
    auto_preview: 0 as const,
    on_demand_preview: 0 as const,
    created_at: at,
    updated_at: at,
    ...more,
  };
  await db.write(async (trx) => {
    await trx.deleteFrom('deployment_rule').where('environment_id', '=', environmentId).execute();
    await trx
      .insertInto('deployment_rule')
      .values({ id: systemRandom.uuid(), environment_id: environmentId, ...rule })
      .execute();
    await timetableChanged(trx, environmentId, now);
  });
}

/** When the timetable of an environment is due next. */
export async function nextTimer(db: DataStore, environmentId: string): Promise<string | undefined> {
  const timer = await db
    .selectFrom('timer')
    .select('due_ms')
    .where('kind', '=', 'TIMETABLE')
    .where('subject_id', '=', environmentId)
    .executeTakeFirst();
  return timer && new Date(timer.due_ms).toISOString();
}
