import { parseAddress } from '../../../src/postgres/index.ts';
import { startPlatform } from '../../../src/platform/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import { platformSchema } from '../../../src/platform/store/index.ts';

/**
 * A platform of a later version, as a process: its schema has more steps. Takes the address of the database, the data
 * directory, the directory of keys, and the steps as JSON: for each, whether programs of before can work beside it.
 * Prints its URL when it is ready.
 */
const [url, dataDir, keysDir, steps] = process.argv.slice(2) as [string, string, string, string];

const known = platformSchema.steps.length;
const later = (JSON.parse(steps) as boolean[]).map((isCompatible, index) => ({
  name: `9${index}-later`,
  compatibleSince: isCompatible ? known : known + index + 1,
  after: { postgres: [`alter table project add column later_${index} text`] },
}));
const schema = { ...platformSchema, steps: [...platformSchema.steps, ...later] };

const platform = await startPlatform({
  dataDir,
  keysDir,
  timeScale: 0.02,
  rateLimit: 1_000_000,
  openRecords: () => openPostgresRecords(parseAddress(url), { schema }),
});
process.stdout.write(`${JSON.stringify({ url: platform.url })}\n`);

const stopped = new Promise<undefined>((resolve) => {
  process.once('SIGTERM', () => resolve(undefined));
});
const failure = await Promise.race([stopped, platform.unusable]);
await platform.close();
if (failure) throw failure;
