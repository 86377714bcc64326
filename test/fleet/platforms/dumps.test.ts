import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runProgram, startPlatformProgram, statusWith, temporaryDirectory } from '../../support/built-program.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { fleetOn, send, serverOfTheFile } from './shared-database.ts';

const run = promisify(execFile);
const server = serverOfTheFile();

/** Runs a command that was printed, in a directory. */
const inShell = (command: string, cwd: string) => run('sh', ['-c', command], { cwd });

describe('records in a database', () => {
  test('are dumped and brought back by the commands that the program prints; the platform goes on with them, and with its keys', async () => {
    const url = await server.createDatabase();
    const fleet = await fleetOn(url);
    const first = await fleet.start();
    const [token, directory] = [first.ready.token!, await temporaryDirectory()];
    const projects = `/organization/${first.ready.organization_id}/project`;
    expect((await send(first.ready.url, token, 'POST', projects, { name: 'before the dump' })).status).toBe(201);
    const options = ['--data-dir', directory, '--keys-dir', fleet.keysDir];
    const [backup, restore] = [
      await runProgram(['backup', ...options], { INFRA_DATABASE_URL: url }),
      await runProgram(['restore', 'infra-mcp.dump', ...options], { INFRA_DATABASE_URL: url }),
    ];
    for (const { code, stderr } of [backup, restore]) {
      expect(code).toBe(1);
      expect(stderr).toContain('Nothing was done.');
      expect(stderr).toContain(fleet.keysDir);
    }
    expect(await readdir(directory)).toEqual([]);

    // While it is in use.
    await inShell(backup.stdout, directory);
    expect((await send(first.ready.url, token, 'POST', projects, { name: 'after the dump' })).status).toBe(201);
    first.child.kill('SIGTERM');
    await first.ended;
    const name = new URL(url).pathname.slice(1);
    await inDatabase(server.current().addressOf('postgres'), `drop database ${name}`);
    await inDatabase(server.current().addressOf('postgres'), `create database ${name}`);
    await inShell(restore.stdout, directory);

    const second = await fleet.start();
    const listed = JSON.stringify((await send(second.ready.url, token, 'GET', projects)).body);
    expect(listed).toContain('before the dump');
    expect(listed).not.toContain('after the dump');
    expect(
      (await send(second.ready.url, token, 'POST', `/application/${second.ready.seed['application_id']!}/deploy`, {}))
        .status,
    ).toBeLessThan(300);
    await expect
      .poll(() => inDatabase(url, 'select status from deployment order by seq desc limit 1'))
      .toEqual([{ status: 'SUCCESS' }]);
  });

  test('are not looked for by backup and restore in the data directory, and the password is in no text', async () => {
    const directory = await temporaryDirectory();
    const platform = await startPlatformProgram(['--data-dir', directory]);
    platform.child.kill('SIGTERM');
    await platform.ended;
    for (const args of [['backup'], ['restore'], ['backup', '--json']]) {
      const { code, stdout, stderr } = await runProgram([...args, '--data-dir', directory], {
        INFRA_DATABASE_URL: 'postgres://someone:a-secret@db.example.com/records',
      });
      expect(code).toBe(1);
      expect(stdout).toContain('postgres://someone@db.example.com/records?sslmode=verify-full');
      expect(stdout + stderr).not.toContain('a-secret');
    }
    expect(await readdir(join(directory))).not.toContain('snapshots');
  });
});

test('the commands for tokens work on the database', async () => {
  const url = await server.createDatabase();
  const fleet = await fleetOn(url);
  const { ready } = await fleet.start();
  const command = (...args: string[]) =>
    runProgram(['token', ...args, '--data-dir', '/nowhere/at/all', '--keys-dir', fleet.keysDir], {
      INFRA_DATABASE_URL: url,
    });
  const created = await command('create', '--name', 'ci', '--permission', 'read');
  expect(created.code).toBe(0);
  expect(await statusWith(ready.url, created.stdout.trim())).toBe(200);
  const listed = await command('list');
  expect(listed.stdout).toContain('ci');
  expect(listed.stdout).not.toContain(created.stdout.trim());
  expect((await command('revoke', 'ci')).code).toBe(0);
  expect(await statusWith(ready.url, created.stdout.trim())).toBe(401);
});
