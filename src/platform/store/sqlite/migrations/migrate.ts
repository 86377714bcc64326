import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { platformTables } from './0001-platform.ts';
import { engineTables } from './0002-engine.ts';
import { settings } from './0003-settings.ts';
import { listTotals } from './0004-list-totals.ts';
import { webhookUserinfo } from './0005-webhook-userinfo.ts';
import { documentedWords } from './0006-documented-words.ts';
import { customDomains } from './0007-custom-domains.ts';
import { auditEvents } from './0008-audit-events.ts';
import { deletions } from './0009-deletions.ts';
import { runtimes } from './0010-runtimes.ts';
import { runningServices } from './0011-running-services.ts';
import { fencing } from './0012-fencing.ts';
import { lookups } from './0013-lookups.ts';
import { failuresAndSecrets } from './0014-failures-and-secrets.ts';
import { measurements } from './0015-measurements.ts';
import { databaseBackups } from './0016-database-backups.ts';
import { alertMatches } from './0017-alert-matches.ts';
import { conditionsOfLines } from './0018-conditions.ts';
import type { DatabaseSchema } from '../../schema/schema.ts';

/** All migrations, in the order of their names. Listed here because the bundled program has no folder to search. */
const migrations: Record<string, Migration> = {
  '0001-platform': platformTables,
  '0002-engine': engineTables,
  '0003-settings': settings,
  '0004-list-totals': listTotals,
  '0005-webhook-userinfo': webhookUserinfo,
  '0006-documented-words': documentedWords,
  '0007-custom-domains': customDomains,
  '0008-audit-events': auditEvents,
  '0009-deletions': deletions,
  '0010-runtimes': runtimes,
  '0011-running-services': runningServices,
  '0012-fencing': fencing,
  '0013-lookups': lookups,
  '0014-failures-and-secrets': failuresAndSecrets,
  '0015-measurements': measurements,
  '0016-database-backups': databaseBackups,
  '0017-alert-matches': alertMatches,
  '0018-conditions': conditionsOfLines,
};

/** The names of all migrations. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/**
 * Migrates a database to this version's schema.
 * @throws Error of a failed migration, or if the database comes from a newer version
 */
export async function migrate(db: Kysely<DatabaseSchema>): Promise<void> {
  // A migration that rebuilds a table others refer to can't do so while references are enforced, which no transaction can change.
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  await sql`PRAGMA foreign_keys = ON`.execute(db);
  if (error) throw error instanceof Error ? error : new Error('The database could not be migrated.', { cause: error });
}
