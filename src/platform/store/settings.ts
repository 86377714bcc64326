import type { Db } from './store.ts';
import type { SettingName } from './schema/schema.ts';

/** Reads a setting; undefined if it was never written. */
export async function readSetting(db: Db, name: SettingName): Promise<string | undefined> {
  return (await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst())?.value;
}

/** Writes a setting. */
export async function writeSetting(db: Db, name: SettingName, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
