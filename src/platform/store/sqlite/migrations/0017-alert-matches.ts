import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** For which values the conditions of alert rules hold is kept, for who is told of them. */
export const alertMatches: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('ALTER TABLE alert_evaluation ADD COLUMN matches TEXT').execute(db);
  },
};
