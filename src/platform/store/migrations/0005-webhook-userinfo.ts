import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Where user name and password of a webhook's address are kept, sealed. What older rows have in their addresses is sealed when the key is at hand: `sealTargets`. */
export const webhookUserinfo: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`ALTER TABLE webhook ADD COLUMN sealed_target_userinfo TEXT`.execute(db);
  },
};
