import type { Db } from './database.ts';

/**
 * What the platform keeps about itself:
 * `seeded`, once the seed is there whole; `key_check`, a signature by the key that secrets are sealed with; `starts`, how often it began to work on these
 * records; `stepped_time`, where time stands that moves on request only, in milliseconds since the epoch.
 */
type SettingName = 'seeded' | 'key_check' | 'starts' | 'stepped_time';

/** A row of it. */
export interface SettingTable {
  name: SettingName;
  value: string;
}

/** A setting; undefined where it was never written. */
export async function readSetting(db: Db, name: SettingName): Promise<string | undefined> {
  return (await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst())?.value;
}

/** Writes a setting over what it was. */
export async function writeSetting(db: Db, name: SettingName, value: string): Promise<void> {
  await db.insertInto('setting').values({ name, value }).onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute();
}
