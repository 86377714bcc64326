import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { runProgram, startPlatformProgram, statusWith, temporaryDirectory } from '../support/built-program.ts';

const createProject = async (ready: { url: string; organization_id: string }, token: string, name: string) => {
  const answer = await fetch(`${ready.url}/organization/${ready.organization_id}/project`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(answer.status).toBe(201);
};

const projectsIn = (directory: string): string[] => {
  const database = new DatabaseSync(join(directory, 'platform.sqlite'));
  try {
    return database
      .prepare('SELECT name FROM project')
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
};

const stop = async ({ child, ended }: Awaited<ReturnType<typeof startPlatformProgram>>) => {
  child.kill('SIGTERM');
  await ended;
};

/** A directory with a backup `small` that lacks the project `later`, which is there now. */
const backedUp = async () => {
  const directory = await temporaryDirectory();
  const first = await startPlatformProgram(['--data-dir', directory, '--token', 'given-token']);
  await createProject(first.ready, 'given-token', 'earlier');
  const made = await runProgram(['backup', 'small', '--data-dir', directory]);
  expect({ code: made.code, stdout: made.stdout }).toEqual({ code: 0, stdout: 'small\n' });
  expect(made.stderr).toContain('Keep a copy of secret.key elsewhere');
  await createProject(first.ready, 'given-token', 'later');
  return { directory, first };
};

describe('a backup', () => {
  test('is made while the platform serves, listed, refused to be restored meanwhile, and restored afterwards', async () => {
    const { directory, first } = await backedUp();
    for (const file of ['serving.lock', join('snapshots', 'small.db')])
      expect([file, (await stat(join(directory, file))).mode & 0o777]).toEqual([file, 0o600]);
    const unnamed = await runProgram(['backup', '--json', '--data-dir', directory]);
    expect(JSON.parse(unnamed.stdout)).toMatchObject({
      name: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/),
    });
    const listed = await runProgram(['restore', '--json', '--data-dir', directory]);
    expect((JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name)).toContain('small');

    const again = await runProgram(['backup', 'small', '--data-dir', directory]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(
      `a snapshot is called small already: give another name, or remove the file ${join(directory, 'snapshots', 'small.db')} first`,
    );

    const refused = await runProgram(['restore', 'small', '--data-dir', directory]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        `already being served by process ${first.child.pid}, at ${first.ready.url}. Stop that process first`,
      ),
    ]);
    expect(await statusWith(first.ready.url, 'given-token')).toBe(200);
    await stop(first);

    const restored = await runProgram(['restore', 'small', '--data-dir', directory]);
    expect(restored.stderr).toContain('Restored small');
    expect(restored.code).toBe(0);
    const names = projectsIn(directory);
    expect([names.includes('earlier'), names.includes('later')]).toEqual([true, false]);
    const second = await startPlatformProgram(['--data-dir', directory]);
    expect(await statusWith(second.ready.url, 'given-token')).toBe(200);
  });

  test('brings back what was lost or damaged, and not without the key', async () => {
    const { directory, first } = await backedUp();
    await stop(first);
    const database = join(directory, 'platform.sqlite');
    await writeFile(database, 'broken '.repeat(2000));
    expect((await runProgram(['restore', 'small', '--data-dir', directory])).stderr).toContain('Restored small');
    expect(projectsIn(directory)).toContain('earlier');
    expect(await readFile(`${database}.damaged`, 'utf8')).toContain('broken');

    await rm(database);
    await rename(join(directory, 'secret.key'), join(directory, 'elsewhere'));
    const keyless = await runProgram(['restore', 'small', '--data-dir', directory]);
    expect([keyless.code, keyless.stderr]).toEqual([1, expect.stringContaining('There is no secret.key')]);
    await rename(join(directory, 'elsewhere'), join(directory, 'secret.key'));
    expect((await runProgram(['restore', 'small', '--data-dir', directory])).code).toBe(0);
    expect(projectsIn(directory)).toContain('earlier');
    expect((await readdir(directory)).filter((name) => name.startsWith('replacing-'))).toEqual([]);
  });

  test('is refused where there is nothing, and under a name that is a path', async () => {
    const directory = await temporaryDirectory();
    expect(await runProgram(['backup', '--data-dir', directory])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no platform in ${directory}`) as string,
    });
    expect(await runProgram(['restore', 'none', '--data-dir', directory])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No snapshot is called none') as string,
    });
    expect(await runProgram(['restore', '../x', '--data-dir', directory])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never a path') as string,
    });
    expect(await readdir(directory)).toEqual([]);
  });
});
