import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram, startPlatformProgram, statusWith, temporaryDirectory } from '../support/built-program.ts';
import { isLanding } from '../suites.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const seeded = [
  'project_id',
  'environment_id',
  'environment_variable_id',
  'application_id',
  'container_id',
  'registry_id',
  'database_id',
  'backup_id',
  'helm_id',
  'terraform_id',
  'job_id',
  'cluster_id',
  'labels_group_id',
  'annotations_group_id',
  'alert_rule_id',
  'alert_receiver_id',
  'webhook_id',
  'role_id',
  'secret_id',
  'custom_domain_id',
  'helm_repository_id',
  'git_token_id',
];

describe('platform', () => {
  test('says in one line of JSON where it is and what is in it, and ends on SIGTERM', async () => {
    const { child, ended, ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory()]);
    expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(ready.organization_id).toMatch(uuid);
    expect(Object.keys(ready.seed).toSorted()).toEqual(seeded.toSorted());
    for (const id of Object.values(ready.seed)) expect(id).toMatch(uuid);
    expect(await statusWith(ready.url, ready.token!)).toBe(200);
    expect(await statusWith(ready.url, 'another')).toBe(401);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, stdout: `${JSON.stringify(ready)}\n`, stderr: '' });
  });

  test('shows the token it makes this once, and keeps what it holds', async () => {
    const directory = await temporaryDirectory();
    const first = await startPlatformProgram(['--data-dir', directory]);
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(0);
    const second = await startPlatformProgram(['--data-dir', directory]);
    expect(second.ready).toMatchObject({
      token: null,
      organization_id: first.ready.organization_id,
      seed: first.ready.seed,
    });
    expect(await statusWith(second.ready.url, first.ready.token!)).toBe(200);
  });

  test.skipIf(isLanding)('has the same ids in every new directory', async () => {
    const [one, other] = await Promise.all([
      startPlatformProgram(['--data-dir', await temporaryDirectory()]),
      startPlatformProgram(['--data-dir', await temporaryDirectory()]),
    ]);
    expect(one.ready.seed).toEqual(other.ready.seed);
    expect(one.ready.token).not.toBe(other.ready.token);
  });

  test.skipIf(isLanding)(
    'makes the token file that is missing, for its owner only, and reads the one that is there',
    async () => {
      const directory = await temporaryDirectory();
      const path = join(directory, 'admin-token');
      const first = await startPlatformProgram(['--data-dir', directory, '--token-file', path]);
      const created = (await readFile(path, 'utf8')).trim();
      expect(await statusWith(first.ready.url, created)).toBe(200);
      expect(first.ready).toMatchObject({ token: null, token_file: path });
      expect(first.output.stdout + first.output.stderr).not.toContain(created);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      first.child.kill('SIGTERM');
      await first.ended;
      await writeFile(path, 'token-of-the-file\n', { mode: 0o600 });
      const second = await startPlatformProgram(['--data-dir', directory, '--token-file', path]);
      expect(second.output.stdout + second.output.stderr).not.toContain('token-of-the-file');
      expect(await statusWith(second.ready.url, 'token-of-the-file')).toBe(200);
    },
  );

  test.skipIf(isLanding)(
    'with real clusters, names no examples and allows more requests, as many as are configured',
    async () => {
      const directory = await temporaryDirectory();
      const args = [
        '--data-dir',
        directory,
        '--runtime',
        'docker',
        '--engine',
        'unix:///nowhere/docker.sock',
        '--token',
        'given-token',
      ];
      const limitOf = async (more: string[]) => {
        const { child, ended, ready } = await startPlatformProgram([...args, ...more]);
        const { headers } = await fetch(`${ready.url}/organization`, {
          headers: { authorization: 'Token given-token' },
        });
        child.kill('SIGTERM');
        await ended;
        return { limit: headers.get('x-ratelimit-limit'), seed: ready.seed };
      };
      expect(await limitOf([])).toEqual({ limit: '10000', seed: {} });
      expect(await limitOf(['--rate-limit', '77'])).toEqual({ limit: '77', seed: {} });
    },
  );

  test.skipIf(isLanding)('accepts the given token, and limits requests as configured', async () => {
    const { ready } = await startPlatformProgram([
      '--data-dir',
      await temporaryDirectory(),
      '--token',
      'given-token',
      '--rate-limit',
      '3',
      '--rate-window',
      '600',
    ]);
    expect(ready.token).toBe('given-token');
    const statuses = [];
    for (let request = 0; request < 4; request += 1) statuses.push(await statusWith(ready.url, 'given-token'));
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test.skipIf(isLanding)(
    'warns of a token on the command line, which others see, and of none that comes from elsewhere',
    async () => {
      const directory = await temporaryDirectory();
      const running = await startPlatformProgram(['--data-dir', directory, '--token', 'given-token']);
      expect(running.output.stderr).toContain(
        'warning: --token is on the command line, where other users of this machine can see its value in the process list. Use --token-file or INFRA_PLATFORM_TOKEN instead.',
      );
      expect(running.output.stderr).not.toContain('given-token');
      const path = join(directory, 'token');
      await writeFile(path, 'token-of-the-file\n', { mode: 0o600 });
      const ways: [string[], Record<string, string>, string][] = [
        [[], { INFRA_PLATFORM_TOKEN: 'token-of-the-environment' }, 'token-of-the-environment'],
        [['--token-file', path], {}, 'token-of-the-file'],
        [[], { INFRA_PLATFORM_TOKEN_FILE: path }, 'token-of-the-file'],
      ];
      for (const [args, env, token] of ways) {
        const { ready, output: written } = await startPlatformProgram(
          ['--data-dir', await temporaryDirectory(), ...args],
          env,
        );
        expect(await statusWith(ready.url, token)).toBe(200);
        expect(written.stderr).toBe('');
      }
    },
  );

  test('refuses a directory that another process serves, and says where', async () => {
    const directory = await temporaryDirectory();
    const { child, ready } = await startPlatformProgram(['--data-dir', directory]);
    const { code, stderr, stdout } = await runProgram(['platform', '--data-dir', directory]);
    expect(stderr).toContain(`already being served by process ${child.pid}, at ${ready.url}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  test.skipIf(isLanding)('warns when other machines can reach it', async () => {
    const { output: written } = await startPlatformProgram([
      '--data-dir',
      await temporaryDirectory(),
      '--host',
      '0.0.0.0',
    ]);
    expect(written.stderr).toContain('other machines can reach this platform');
  });

  test('serves its directory again at once after it was killed', async () => {
    const directory = await temporaryDirectory();
    const first = await startPlatformProgram(['--data-dir', directory]);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await startPlatformProgram(['--data-dir', directory]);
    expect(await statusWith(second.ready.url, first.ready.token!)).toBe(200);
  });
});

describe('token', () => {
  test('is created, listed without its value, used and revoked, while the platform runs', async () => {
    const directory = await temporaryDirectory();
    const { ready } = await startPlatformProgram(['--data-dir', directory]);
    const created = await runProgram([
      'token',
      'create',
      '--name',
      'reader',
      '--permission',
      'read',
      '--data-dir',
      directory,
    ]);
    const value = created.stdout.trim();
    expect(created.code).toBe(0);
    expect(created.stderr).not.toContain(value);
    expect(await statusWith(ready.url, value)).toBe(200);

    const listed = await runProgram(['token', 'list', '--json', '--data-dir', directory]);
    const tokens = JSON.parse(listed.stdout) as { id: string; name: string; permission: string }[];
    const token = tokens.find(({ name }) => name === 'reader');
    expect(token).toMatchObject({ name: 'reader', permission: 'read', revoked_at: null });
    expect(listed.stdout).not.toContain(value);
    expect((await runProgram(['token', 'list', '--data-dir', directory])).stdout).toMatch(
      new RegExp(`^${token!.id} +reader +read .* live$`, 'm'),
    );

    const revoked = await runProgram(['token', 'revoke', 'reader', '--data-dir', directory]);
    expect({ code: revoked.code, stdout: revoked.stdout }).toEqual({ code: 0, stdout: '' });
    expect(await statusWith(ready.url, value)).toBe(401);
    expect((await runProgram(['token', 'revoke', 'reader', '--data-dir', directory])).code).toBe(1);
  });

  test.each([
    ['without a name', ['--permission', 'read'], '--name'],
    ['without a permission', ['--name', 'x'], '--permission'],
    ['with an unknown permission', ['--name', 'x', '--permission', 'root'], 'read, deploy, write, admin'],
    ['with no time to live', ['--name', 'x', '--permission', 'read', '--ttl', '0'], '--ttl must be a whole number'],
  ])('is not created %s', async (_, args, words) => {
    const { code, stdout, stderr } = await runProgram([
      'token',
      'create',
      ...args,
      '--data-dir',
      await temporaryDirectory(),
    ]);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});
