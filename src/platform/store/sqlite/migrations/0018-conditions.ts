import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a line of a log says is kept as data too. */
export const conditionsOfLines: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('ALTER TABLE log_line ADD COLUMN condition TEXT').execute(db);
  },
};
