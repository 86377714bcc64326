import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram, startPlatformProgram, statusWith, temporaryDirectory } from '../../support/built-program.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { isLanding } from '../../suites.ts';
import { fleetOn, send, serverOfTheFile } from './shared-database.ts';

const server = serverOfTheFile();

const count = async (url: string, query: string): Promise<number> =>
  Number((await inDatabase(url, `select count(*) as count from ${query}`))[0]!['count']);

describe('platforms that start at once on an empty database', () => {
  test('seed it once, make one token, and serve the same records', async () => {
    const url = await server.createDatabase();
    const fleet = await fleetOn(url);
    const started = await Promise.all([fleet.start(), fleet.start(), fleet.start()]);
    const tokens = started.map(({ ready }) => ready.token).filter((token) => token !== null);
    expect(tokens).toHaveLength(1);
    expect(new Set(started.map(({ ready }) => ready.organization_id)).size).toBe(1);
    expect(new Set(started.map(({ ready }) => JSON.stringify(ready.seed))).size).toBe(1);
    expect(new Set(started.map(({ ready }) => ready.url)).size).toBe(3);
    for (const { ready } of started) expect(await statusWith(ready.url, tokens[0]!)).toBe(200);
    // The seed's past is carried out once: what one platform alone writes.
    const alone = await server.createDatabase();
    await (await fleetOn(alone)).start();
    for (const table of ['organization', 'project', 'service', 'deployment', 'audit_event', 'api_token'])
      expect(`${table} ${await count(url, table)}`).toBe(`${table} ${await count(alone, table)}`);
    expect(await count(url, 'deployment where ended_at is null')).toBe(0);
    // What one does, the others have.
    const [one, other] = started;
    const created = await send(
      one.ready.url,
      tokens[0]!,
      'POST',
      `/organization/${one.ready.organization_id}/project`,
      { name: 'loyalty' },
    );
    expect(created.status).toBe(201);
    const { body } = await send(
      other.ready.url,
      tokens[0]!,
      'GET',
      `/organization/${other.ready.organization_id}/project`,
    );
    expect((body['results'] as { id: string }[]).map(({ id }) => id)).toContain(created.body['id']);
    for (const { child, ended } of started) {
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('may have one data directory: nobody claims it', async () => {
    const [url, directory] = [await server.createDatabase(), await temporaryDirectory()];
    const started = await Promise.all(
      [1, 2].map(() => startPlatformProgram(['--data-dir', directory], { INFRA_DATABASE_URL: url })),
    );
    expect(started.filter(({ ready }) => ready.token !== null)).toHaveLength(1);
    await expect(stat(join(directory, 'platform.sqlite'))).rejects.toThrow('ENOENT');
    await expect(stat(join(directory, 'serving.json'))).rejects.toThrow('ENOENT');
  });

  test('need nothing on their machine but the keys', async () => {
    const [url, directory] = [await server.createDatabase(), await temporaryDirectory()];
    const fleet = await fleetOn(url);
    const { ready } = await fleet.start(['--data-dir', join(directory, 'nothing', 'here')]);
    expect(await statusWith(ready.url, ready.token!)).toBe(200);
  });

  test('with another key than the records were sealed with, one does not start, and says which file to put where', async () => {
    const url = await server.createDatabase();
    const { ready } = await (await fleetOn(url)).start();
    const directory = await temporaryDirectory();
    const { code, stderr } = await runProgram(['platform', '--data-dir', directory], { INFRA_DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`secret.key in ${directory} is not the one`);
    expect(await statusWith(ready.url, ready.token!)).toBe(200);
  });
});

test('records that were not moved are not left behind unnoticed', async () => {
  const [url, directory] = [await server.createDatabase(), await temporaryDirectory()];
  const { child, ended } = await startPlatformProgram(['--data-dir', directory]);
  child.kill('SIGTERM');
  await ended;
  const { code, stderr } = await runProgram(['platform', '--data-dir', directory], { INFRA_DATABASE_URL: url });
  expect(code).toBe(1);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`records in ${directory} that were not moved .* migrate`));
  expect(
    (
      await inDatabase(url, "select count(*) as tables from information_schema.tables where table_schema = 'public'")
    )[0],
  ).toEqual({ tables: '0' });
});

test('a database of something else is left alone', async () => {
  const url = await server.createDatabase();
  await inDatabase(url, 'create table project (id integer)');
  const { code, stderr } = await runProgram(['platform', '--data-dir', await temporaryDirectory()], {
    INFRA_DATABASE_URL: url,
  });
  expect(code).toBe(1);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'used by something else: relation "project" already exists. Nothing was changed. Name a database that nothing else uses.',
  );
  expect(
    (
      await inDatabase(url, "select count(*) as tables from information_schema.tables where table_schema = 'public'")
    )[0],
  ).toEqual({ tables: '1' });
});

test('a proxy asks whether a platform serves, without a token and as often as it likes', async () => {
  const { ready } = await (await fleetOn(await server.createDatabase())).start(['--rate-limit', '3']);
  for (let asked = 0; asked < 6; asked += 1) expect((await fetch(new URL('/readyz', ready.url))).status).toBe(200);
  expect(await statusWith(ready.url, ready.token!)).toBe(200);
});

test.skipIf(isLanding)('a scenario is put on once by several that start with it', async () => {
  const url = await server.createDatabase();
  const fleet = await fleetOn(url);
  const running = await fleet.start();
  const scenario = ['--scenario', 'bad-image-tag', '--scenario', 'terraform-state-lock'];
  const started = await Promise.all([fleet.start(scenario), fleet.start(scenario), fleet.start(scenario)]);
  const alone = await server.createDatabase();
  await (await fleetOn(alone)).start(scenario);
  for (const table of ['environment', 'service', 'deployment'])
    expect(`${table} ${await count(url, table)}`).toBe(`${table} ${await count(alone, table)}`);
  expect(await count(url, 'deployment where ended_at is null')).toBe(0);
  for (const { ready } of [running, ...started]) expect(await statusWith(ready.url, running.ready.token!)).toBe(200);
});

test('a database that can not be reached is said at the start, without its password', async () => {
  const { code, stdout, stderr } = await runProgram(['platform', '--data-dir', await temporaryDirectory()], {
    INFRA_DATABASE_URL: 'postgres://someone:a-secret@127.0.0.1:1/nothing',
  });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain("The database someone@127.0.0.1:1/nothing can't be reached");
  expect(stderr).not.toContain('a-secret');
});
