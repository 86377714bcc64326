import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PermissionLevel, permissionLevels } from '../../src/contract/index.ts';
import { systemClock, systemRandom } from '../../src/platform/common/index.ts';
import { addToken } from '../../src/platform/api/index.ts';
import { type PlatformOptions, startPlatform } from '../../src/platform/index.ts';
import { openVault } from '../../src/platform/store/index.ts';
import { scenariosNamed } from '../../src/platform/testing/index.ts';
import { directoryForRecords } from './memory-directory.ts';
import { openTestStore, postgresTests } from './test-store.ts';

/** One token of each permission level. */
export type Tokens = Readonly<Record<PermissionLevel, string>>;

/** The files of a seeded data directory, by name, and tokens that its platform takes. */
interface Template {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly tokens: Tokens;
  /** The database with its records, where they are not in the files. */
  readonly database: string | undefined;
}

/** A data directory of its own, and tokens that its platform takes, if it has been seeded. */
interface DataDirectory {
  readonly dataDir: string;
  readonly tokens?: Tokens;
}

const newDirectory = (): Promise<string> => mkdtemp(join(directoryForRecords, 'infra-mcp-platform-'));

/** Makes a token of each permission level in a data directory. */
export async function createTokens(dataDir: string): Promise<Tokens> {
  const db = await openTestStore(dataDir);
  const dependencies = { vault: openVault(dataDir), clock: systemClock, random: systemRandom };
  try {
    const values = await Promise.all(
      permissionLevels.map(async (permission) => [
        permission,
        await addToken(db, { name: `${permission} of the tests`, permission }, dependencies),
      ]),
    );
    return Object.fromEntries(values) as Record<PermissionLevel, string>;
  } finally {
    await db.destroy();
  }
}

/**
 * What the records of a new directory follow from, where they can be the same for several platforms; undefined where
 * they can't.
 */
function seedingOf({
  token,
  scenarios,
  timeScale,
  steppedTime,
  clock,
  random,
  randomSeed,
  realClusters,
}: Partial<PlatformOptions>): Partial<PlatformOptions> | undefined {
  const isItsOwn =
    token === undefined ||
    clock !== undefined ||
    random !== undefined ||
    randomSeed !== undefined ||
    realClusters !== undefined;
  return isItsOwn
    ? undefined
    : { token, scenarios: scenariosNamed(scenarios ?? []).map(({ name }) => name), timeScale, steppedTime };
}

async function makeTemplate(seeding: Partial<PlatformOptions>): Promise<Template> {
  const dataDir = await newDirectory();
  try {
    await (await startPlatform({ openRecords: () => openTestStore(dataDir), ...seeding, dataDir })).close();
    const tokens = await createTokens(dataDir);
    const names = await readdir(dataDir);
    return {
      tokens,
      database: postgresTests?.databaseOf(dataDir),
      files: new Map(
        await Promise.all(names.map(async (name) => [name, await readFile(join(dataDir, name))] as const)),
      ),
    };
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/**
 * How many times the seeded job has run by a moment: each night at three. A copy of a directory from before would have
 * missed a run, and say so.
 */
const nightsBefore = (moment: number): number => Math.floor((moment - 3 * 3_600_000) / 86_400_000);

const templates = new Map<string, Promise<Template>>();

/**
 * Makes a data directory for a platform with these options. Seeding takes longer than most tests, so that it is done
 * once for all that would be alike.
 */
export async function seededDirectory(options: Partial<PlatformOptions>): Promise<DataDirectory> {
  const seeding = seedingOf(options);
  if (!seeding) return { dataDir: await newDirectory() };
  const key = JSON.stringify([seeding, nightsBefore(Date.now())]);
  const template = templates.get(key) ?? makeTemplate(seeding);
  templates.set(key, template);
  const { files, tokens, database } = await template;
  const dataDir = await newDirectory();
  await Promise.all([...files].map(([name, content]) => writeFile(join(dataDir, name), content, { mode: 0o600 })));
  if (database !== undefined) await postgresTests?.createTestDatabase(dataDir, database);
  return { dataDir, tokens };
}
