import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const flag = (column: string) => `${column} INTEGER NOT NULL CHECK (${column} IN (0, 1))`;

const statements = [
  // No two services have the same domain. A domain goes with its service.
  `CREATE TABLE custom_domain (
    id TEXT PRIMARY KEY, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    service_id TEXT NOT NULL REFERENCES service (id) ON DELETE CASCADE, domain TEXT NOT NULL UNIQUE COLLATE NOCASE,
    ${flag('generate_certificate')}, ${flag('use_cdn')}) STRICT`,
  'CREATE INDEX custom_domain_in_order ON custom_domain (service_id, created_at, id)',
];

/** The domains of services. */
export const customDomains: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
