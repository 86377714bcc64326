import type { Config } from '../config/index.ts';
import type { RecordsPlace } from '../../platform/index.ts';
import type { DataStore } from '../../platform/store/index.ts';

/** Opens the records of a platform in a database. Its code is loaded only then. */
async function openAt(databaseUrl: string): Promise<DataStore> {
  const [{ parseAddress }, { openPostgresRecords }] = await Promise.all([
    import('../../postgres/index.ts'),
    import('../../platform/store/postgres/open-records.ts'),
  ]);
  return openPostgresRecords(parseAddress(databaseUrl));
}

/** The location of the configured platform's records: a database shared by several processes, or the data directory. */
export const recordsPlaceOf = ({ dataDir, keysDir, databaseUrl }: Config): RecordsPlace => ({
  dataDir,
  keysDir,
  ...(databaseUrl !== undefined && { openRecords: () => openAt(databaseUrl) }),
});
