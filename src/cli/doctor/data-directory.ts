import { accessSync, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nearestExisting, sqliteReason, unwritableBecause } from '../../files/index.ts';
import { plainMessage } from '../terminal/plain-message.ts';
import { type Run, schemaStateOf } from '../../database/index.ts';
import { databaseFile, platformSchema, readMove } from '../../platform/store/index.ts';
import type { Config } from '../config/index.ts';
import { typedCommand } from '../wiring/typed-command.ts';
import { endpointOf } from '../wiring/data-dir-claim.ts';
import { unwritablePlaces } from '../wiring/written-places.ts';
import { type DoctorFinding, findingBuilder } from '../../platform/common/index.ts';

/** The data directory, and that of its keys. */
type DataDirectory = Pick<Config, 'dataDir' | 'keysDir'>;

const directory = findingBuilder('data directory');
const disk = findingBuilder('disk space');
const databases = findingBuilder('databases');

/** Free space below which a database may soon fail to write, in bytes. */
const minFreeBytes = 100 * 1024 * 1024;

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`;

/** Whether this process has the given access to a path. @param mode a combination of `fs.constants`. */
export function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether other users have any access to a path. */
const isOpenToOthers = (path: string): boolean => process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;

/** Files of the directory that other users have access to. */
const filesOpenToOthers = (dataDir: string): string[] =>
  isOpenToOthers(dataDir)
    ? readdirSync(dataDir).filter(
        (name) => statSync(join(dataDir, name)).isFile() && isOpenToOthers(join(dataDir, name)),
      )
    : [];

/** A finding for each of these that can't be written or created. Leaves nothing behind. */
const unwritableFindings = (config: Parameters<typeof unwritablePlaces>[0]): readonly DoctorFinding[] =>
  unwritablePlaces(config).map(({ place: { what, path, setBy }, cause }) =>
    findingBuilder(what).bad(
      `${path} can't be used (${unwritableBecause(cause)})`,
      `Give this user write access, or set ${setBy} to one that it may create and write in.`,
    ),
  );

async function directoryFinding(dataDir: string): Promise<DoctorFinding> {
  if (!existsSync(dataDir)) return directory.good(`${dataDir} is created on first use`);
  const open = filesOpenToOthers(dataDir);
  if (open.length > 0) {
    return directory.bad(
      `others on this machine may read ${open.join(', ')} in ${dataDir}`,
      `chmod 700 ${dataDir} && chmod 600 ${open.map((name) => join(dataDir, name)).join(' ')}`,
    );
  }
  const endpoint = await endpointOf(dataDir);
  return directory.good(endpoint ? `${dataDir}; process ${endpoint.pid} serves its platform` : dataDir);
}

function diskFinding(dataDir: string): DoctorFinding {
  const { bavail, bsize } = statfsSync(nearestExisting(dataDir));
  const free = bavail * bsize;
  if (free >= minFreeBytes) return disk.good(`${megabytes(free)} free`);
  return disk.bad(
    `${megabytes(free)} free: changes and records may soon fail to be written`,
    'Free some space, or set a directory on another disk with INFRA_DATA_DIR.',
  );
}

interface DatabaseFault {
  readonly says: string;
  readonly todo: string;
}

/** The result of SQLite's quick check; undefined if the database is intact. */
function damageOf(database: DatabaseSync, todo: string): DatabaseFault | undefined {
  const { quick_check: verdict } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  return verdict === 'ok' ? undefined : { says: `damaged: ${verdict}`, todo };
}

/** The fault if this version can't work on the platform's records, because a newer one changed them. */
async function newerFaultOf(database: DatabaseSync): Promise<DatabaseFault | undefined> {
  const run: Run = async (statement) => database.prepare(statement).all();
  const isPresent = async (table: string): Promise<boolean> =>
    database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
  if ((await schemaStateOf(platformSchema, run, isPresent)) !== 'too new') return undefined;
  return { says: 'from a newer infra-mcp', todo: 'Use that version, or set another directory with INFRA_DATA_DIR.' };
}

/** The fault if the platform's records were moved elsewhere. */
function moveFaultOf(path: string): DatabaseFault | undefined {
  const move = readMove(path);
  return (
    move && {
      says: `moved to the database ${move.to} on ${move.at}`,
      todo: 'Set INFRA_DATABASE_URL to the address of that database, or set another directory with INFRA_DATA_DIR.',
    }
  );
}

async function databaseFaultOf(config: DataDirectory, name: string): Promise<DatabaseFault | undefined> {
  const path = join(config.dataDir, name);
  const todo = `Restore a backup with ${typedCommand(config, 'restore')}, or move the file away to start over.`;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    return (
      damageOf(database, todo) ??
      (name === databaseFile ? (moveFaultOf(path) ?? (await newerFaultOf(database))) : undefined)
    );
  } catch (error) {
    return { says: sqliteReason(error) ?? plainMessage(error), todo };
  } finally {
    database?.close();
  }
}

async function databaseFindings(config: DataDirectory): Promise<DoctorFinding[]> {
  const { dataDir } = config;
  const files = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.endsWith('.sqlite')) : [];
  if (files.length === 0) return [databases.good('none yet')];
  const found = await Promise.all(files.map(async (name) => ({ name, fault: await databaseFaultOf(config, name) })));
  const faults = found.flatMap(({ name, fault }) =>
    fault ? [databases.bad(`${name}: ${fault.says}`, fault.todo)] : [],
  );
  return faults.length > 0 ? faults : [databases.good(`${files.join(', ')}: whole`)];
}

/** Checks the data directory, its disk space and its databases, and the directory of the keys. Changes nothing. */
export const directoryFindings = async (config: DataDirectory): Promise<DoctorFinding[]> => {
  const { dataDir, keysDir } = config;
  const unwritable = unwritableFindings({ dataDir, keysDir });
  if (unwritable.some(({ check }) => check === 'data directory')) return [...unwritable];
  const found = await directoryFinding(dataDir);
  return [
    ...unwritable,
    found,
    ...(found.state === 'bad' ? [] : [diskFinding(dataDir), ...(await databaseFindings(config))]),
  ];
};

/** Checks the directories that a platform writes in: with a database, only that of the keys. Changes nothing. */
export const platformDirectoryFindings = ({
  dataDir,
  keysDir,
  databaseUrl,
}: DataDirectory & Pick<Config, 'databaseUrl'>): readonly DoctorFinding[] =>
  unwritableFindings({ ...(databaseUrl === undefined && { dataDir }), keysDir });
