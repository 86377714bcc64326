import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A column for the sealed user name and password of a webhook's URL. `sealTargets` moves those of older rows, once the key is available. */
export const webhookUserinfo: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`ALTER TABLE webhook ADD COLUMN sealed_target_userinfo TEXT`.execute(db);
  },
};
