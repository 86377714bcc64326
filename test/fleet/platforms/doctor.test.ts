import { expect, test } from 'vitest';
import { runProgram, temporaryDirectory } from '../../support/built-program.ts';
import type { DoctorFinding } from '../../../src/platform/common/index.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { fleetOn, serverOfTheFile } from './shared-database.ts';

const server = serverOfTheFile();

/** What doctor says of a database, by check. */
async function examined(
  command: 'platform' | 'http',
  url: string,
  keysDir: string,
): Promise<Record<string, DoctorFinding>> {
  const { stdout, stderr } = await runProgram(
    [
      'doctor',
      command,
      '--json',
      '--data-dir',
      await temporaryDirectory(),
      '--keys-dir',
      keysDir,
      ...(command === 'platform' ? ['--engine', 'unix:///nowhere.sock'] : []),
    ],
    { INFRA_DATABASE_URL: url },
  );
  expect(stdout + stderr).not.toContain('a-secret');
  return Object.fromEntries(
    (JSON.parse(stdout) as { findings: DoctorFinding[] }).findings.map((finding) => [finding.check, finding]),
  );
}

const tablesOf = async (url: string): Promise<unknown> =>
  (await inDatabase(url, "select count(*) as count from pg_tables where schemaname = 'public'"))[0]!['count'];

test('doctor tells of an empty database, changes nothing in it, and then of its records', async () => {
  const url = await server.createDatabase();
  const keysDir = await temporaryDirectory();
  for (const command of ['platform', 'http'] as const) {
    const found = await examined(command, url, keysDir);
    for (const check of [
      'database',
      'database version',
      'database encryption',
      'database connections',
      'database clock',
      'records of the platform',
      'key of the records',
    ])
      expect(`${check} ${found[check]?.state}`).toBe(`${check} good`);
    expect(found['database version']!.says).toMatch(/^PostgreSQL 15\.\d+$/);
    expect(found['database connections']!.says).toMatch(/of 297 in use; a process like this takes up to 1[28]/);
    expect(found['records of the platform']!.says).toContain('none yet');
    expect(found['records of the servers']?.state).toBe(command === 'http' ? 'good' : undefined);
  }
  expect(await tablesOf(url)).toBe('0');

  const fleet = await fleetOn(url);
  await fleet.start(['--control']);
  const right = await examined('platform', url, fleet.keysDir);
  expect(right['records of the platform']).toMatchObject({ state: 'good', says: 'of this version' });
  expect(right['key of the records']).toMatchObject({ state: 'good', says: `the one in ${fleet.keysDir}` });
  expect(right['fault rules']).toBeUndefined();
  expect((await examined('platform', url, keysDir))['key of the records']).toMatchObject({
    state: 'bad',
    says: expect.stringContaining('there is no secret.key'),
  });

  await inDatabase(url, "insert into platform_schema_step values ('9999-later', 99, 1)");
  expect((await examined('platform', url, fleet.keysDir))['records of the platform']).toMatchObject({
    state: 'note',
    says: expect.stringContaining('of a newer version'),
  });
  await inDatabase(url, "update platform_schema_step set compatible_since = 100 where name = '9999-later'");
  expect((await examined('platform', url, fleet.keysDir))['records of the platform']).toMatchObject({
    state: 'bad',
    todo: 'Use the newer version.',
  });
});

test('doctor tells that a database is away, has no room, or is named wrongly, without the password', async () => {
  const [url, keysDir] = [await server.createDatabase(), await temporaryDirectory()];
  const away = await examined('http', 'postgres://someone:a-secret@127.0.0.1:1/nothing', keysDir);
  expect(away['database']).toMatchObject({
    state: 'bad',
    says: expect.stringContaining('someone@127.0.0.1:1/nothing'),
  });
  expect(
    (await examined('http', 'postgres://someone:a-secret@127.0.0.1/nothing?pool=1', keysDir))['database'],
  ).toMatchObject({ state: 'bad', says: expect.stringContaining('the parameter pool') });
  await inDatabase(url, `alter database ${new URL(url).pathname.slice(1)} connection limit 3`);
  expect((await examined('platform', url, keysDir))['database connections']).toMatchObject({
    state: 'bad',
    todo: expect.stringContaining('max_connections'),
  });
});
