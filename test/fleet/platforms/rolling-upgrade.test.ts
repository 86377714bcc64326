import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram, temporaryDirectory } from '../../support/built-program.ts';
import { eventually } from '../../support/eventually.ts';
import { cleanEnvironment, startProgram } from '../../support/started-program.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { fleetOn, type PlatformStarter, send, serverOfTheFile } from './shared-database.ts';

const server = serverOfTheFile();
const root = join(import.meta.dirname, '../../..');

/**
 * Starts a platform of a later version.
 * @param steps of its schema beyond ours: whether programs of before can work beside each
 */
const startNewer = async ({ url, keysDir }: PlatformStarter, steps: readonly boolean[]) =>
  startProgram({
    command: [
      process.execPath,
      '--import',
      import.meta.resolve('tsx'),
      fileURLToPath(import.meta.resolve('./newer-platform.ts')),
      url,
      await temporaryDirectory(),
      keysDir,
      JSON.stringify(steps),
    ],
    cwd: root,
    env: cleanEnvironment(),
  });

test('platforms of two versions work side by side until the newer one changes what the older one needs; then that one ends', async () => {
  const url = await server.createDatabase();
  const fleet = await fleetOn(url);
  const old = await fleet.start(['--time-scale', '0.02']);
  const token = old.ready.token!;
  const { environment_id: environment, application_id: application } = old.ready.seed as {
    environment_id: string;
    application_id: string;
  };

  /** Has a platform redeploy, and waits for the end of it. */
  const deploy = async (to: string): Promise<string> => {
    const asked = await send(to, token, 'POST', `/application/${application}/deploy`, { git_commit_id: undefined });
    expect(asked.status, JSON.stringify(asked.body)).toBeLessThan(300);
    await eventually(async () =>
      expect(await inDatabase(url, 'select id from deployment where ended_at is null')).toEqual([]),
    );
    const [row] = await inDatabase(url, 'select status from deployment order by seq desc limit 1');
    return String(row!['status']);
  };

  const newer = await startNewer(fleet, [true]);
  for (const platform of [old, newer, old, newer]) expect(await deploy(platform.ready.url)).toBe('SUCCESS');
  // Both are asked at once, in queues of their own.
  expect((await send(newer.ready.url, token, 'POST', `/environment/${environment}/deploy`)).status).toBeLessThan(300);
  // One of before can start beside the newer one, too.
  const another = await fleet.start();
  expect((await send(another.ready.url, token, 'GET', '/organization')).status).toBe(200);

  const newest = await startNewer(fleet, [true, false]);
  for (const platform of [old, another, newer]) {
    const { code, stderr } = await platform.ended;
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('Start the newer version of infra-mcp'),
    ]);
  }
  // What was under way goes on at the one that is left.
  await eventually(async () =>
    expect(await inDatabase(url, 'select id from deployment where ended_at is null')).toEqual([]),
  );
  expect(await deploy(newest.ready.url)).toBe('SUCCESS');
  const refused = await runProgram(
    ['platform', '--data-dir', await temporaryDirectory(), '--keys-dir', fleet.keysDir],
    { INFRA_DATABASE_URL: url },
  );
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(/records are of a newer version.*Nothing was changed/);
});
