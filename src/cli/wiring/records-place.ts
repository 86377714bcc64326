import { join } from 'node:path';
import { isThere } from '../../files/index.ts';
import type { Config } from '../config/index.ts';
import type { RecordsPlace } from '../../platform/index.ts';
import { databaseFile, type DataStore, type RecordsOptions } from '../../platform/store/index.ts';
import { typedCommand } from './typed-command.ts';
import { schemaStateIn } from './existing-tables.ts';

/** Opens the records of a platform in a database. Its code is loaded only then. */
async function openAt(databaseUrl: string, options: RecordsOptions = {}): Promise<DataStore> {
  const [{ parseAddress }, { openPostgresRecords }] = await Promise.all([
    import('../../postgres/index.ts'),
    import('../../platform/store/postgres/open-records.ts'),
  ]);
  return openPostgresRecords(parseAddress(databaseUrl), options);
}

/** The location of the configured platform's records: a database shared by several processes, or the data directory. */
export const recordsPlaceOf = ({ dataDir, keysDir, databaseUrl }: Config): RecordsPlace => ({
  dataDir,
  keysDir,
  ...(databaseUrl !== undefined && { openRecords: () => openAt(databaseUrl) }),
});

/**
 * The same for a command that needs records which are there already.
 * Records of an earlier version in a database stay as they are: processes of that version may serve them, and a token
 * has to be revocable at once.
 * @throws Error if the configured database or data directory has none
 */
export async function existingRecordsOf(config: Config): Promise<RecordsPlace> {
  const { databaseUrl } = config;
  const first = `or create its first token: ${typedCommand(config, 'token create --name NAME --permission admin')}`;
  if (databaseUrl === undefined) {
    if (!isThere(join(config.dataDir, databaseFile)))
      throw new Error(`There is no platform in ${config.dataDir}. Check --data-dir, ${first}`);
    return recordsPlaceOf(config);
  }
  const [{ parseAddress, shownAddress }, { platformSchema }] = await Promise.all([
    import('../../postgres/index.ts'),
    import('../../platform/store/postgres/open-records.ts'),
  ]);
  if ((await schemaStateIn(databaseUrl, platformSchema)) === 'missing')
    throw new Error(
      `There is no platform in ${shownAddress(parseAddress(databaseUrl))}. Check INFRA_DATABASE_URL, ${first}`,
    );
  return { ...recordsPlaceOf(config), openRecords: () => openAt(databaseUrl, { migrates: false }) };
}
