import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { settingsOf } from '../../src/cli/config/index.ts';
import { type ParsedCommand, createParser, withCommand } from '../../src/cli/commands/cli.ts';
import { nodeFinding, runChecks, type ServerKind } from '../../src/cli/doctor/doctor.ts';
import { secretHash } from '../../src/server/guard/index.ts';
import { runProgram, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';

/** What `infra-mcp doctor` finds with these arguments, in this environment. */
async function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const lines: ParsedCommand[] = [];
  await createParser(async (called) => void lines.push(called)).parseAsync(withCommand(['doctor', ...args]), {
    from: 'user',
  });
  const [{ command, rawFlags: unread }] = lines as [ParsedCommand];
  const findings = await runChecks(command.examines as ServerKind, unread, env);
  return {
    findings,
    settings: settingsOf(command.examines!, unread, env).map(({ option, value, source }) => ({
      name: option.env,
      value,
      source,
    })),
    ok: findings.every(({ state }) => state !== 'bad'),
    of: (check: string) => findings.find((finding) => finding.check === check),
  };
}

describe('of a first start', () => {
  test('says that nothing is wrong, and makes nothing', async () => {
    const directory = join(await temporaryDirectory(), 'data');
    const { ok, of, findings } = await doctor([], { INFRA_DATA_DIR: directory });
    expect(ok).toBe(true);
    expect(of('data directory')?.says).toBe(`${directory} is created on first use`);
    expect(of('platform')?.says).toContain('embedded');
    expect(of('approvals')).toMatchObject({
      state: 'info',
      todo: expect.stringContaining('infra-mcp approve --set-secret') as string,
    });
    expect(findings.filter(({ check }) => check === 'port')).toEqual([]);
    expect(existsSync(directory)).toBe(false);
  });

  test('tells what each option has, and where from', async () => {
    const directory = await temporaryDirectory();
    const { settings } = await doctor(['--request-timeout', '7'], {
      INFRA_DATA_DIR: directory,
      INFRA_REQUEST_TIMEOUT: '9',
    });
    expect(settings).toContainEqual({ name: 'INFRA_REQUEST_TIMEOUT', value: '7', source: '--request-timeout' });
    expect(settings).toContainEqual({ name: 'INFRA_DATA_DIR', value: directory, source: 'INFRA_DATA_DIR' });
    expect(settings).toContainEqual({ name: 'INFRA_READ_ONLY', value: 'false', source: undefined });
  });

  test('tells to type what starts the program here, where the PATH does not have it', async () => {
    const directory = await temporaryDirectory();
    const { stdout } = await runProgram(['doctor'], {
      INFRA_DATA_DIR: directory,
      PATH: dirname(process.execPath),
      COLUMNS: '300',
    });
    expect(stdout).toMatch(/To approve them in a terminal instead: node \S+\/infra-mcp\.mjs approve --set-secret/);
  });

  test('prints for people what needs attention, and counts the rest', async () => {
    const { code, stdout } = await runProgram(['doctor'], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^ +what +found$/),
      expect.stringMatching(/^i +approvals +.*infra-mcp approve --set-secret$/),
      '',
      expect.stringMatching(/^9 checks found nothing to do; 1 of \d+ options is set\. --verbose shows them all\.$/),
      'Nothing is wrong.',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('prints everything for people too, what needs attention first', async () => {
    const { code, stdout } = await runProgram(['doctor', '--verbose'], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/what +found$/),
      expect.stringMatching(/^i +approvals/),
      expect.stringMatching(/^✓ +node/),
    ]);
    expect(stdout).toMatch(/^INFRA_READ_ONLY +false +default$/m);
    expect(stdout).toMatch(/Nothing is wrong\.\n$/);
    expect(stdout).not.toContain('\u001B');
    expect(code).toBe(0);
  });
});

describe('of options that can not be meant', () => {
  test('says what is wrong with each, and goes no further', async () => {
    const { ok, findings } = await doctor([], { INFRA_READONLY: 'true', INFRA_TIME_SCALE: 'fast' });
    expect(ok).toBe(false);
    expect(
      findings.filter(({ check, state }) => check === 'configuration' && state === 'bad').map(({ says }) => says),
    ).toEqual([
      expect.stringContaining('Did you mean INFRA_READ_ONLY?'),
      expect.stringContaining('INFRA_TIME_SCALE must be a number'),
    ]);
    expect(findings.map(({ check }) => check)).not.toContain('platform');
  });

  test('shows no secret', async () => {
    const { code, stdout } = await runProgram(['doctor', '--json'], {
      INFRA_BASE_URL: 'https://user:hidden-one@127.0.0.1:1/v1?key=hidden-two',
      INFRA_API_TOKEN: 'hidden-three',
      INFRA_AUDIT_COMMAND: '["true","hidden-four"]',
    });
    expect(stdout).toContain('(given, not shown)');
    expect(stdout).toContain('https://127.0.0.1:1/v1');
    expect(stdout).not.toContain('hidden');
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    expect(code).toBe(1);
  });
});

describe('of a real platform', () => {
  const token = 'an-administrator-of-the-test';

  test('says that it answers, takes the token, what it may read and what is left', async () => {
    const { ready } = await startPlatformProgram([
      '--data-dir',
      await temporaryDirectory(),
      '--token',
      token,
      '--rate-limit',
      '50',
    ]);
    const { ok, of } = await doctor([], {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: token,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(ok).toBe(true);
    expect(of('platform')).toMatchObject({ state: 'good', says: expect.stringContaining(ready.url) as string });
    expect(of('token')).toMatchObject({ state: 'good', says: expect.stringContaining('accepted') as string });
    expect(of('permissions')?.says).toContain('members');
    expect(of('budget')?.says).toMatch(/^4\d of 50 requests left/);
  });

  test.each([
    [['--environment', 'shop/staging'], 'good', 'the environment "shop/staging" exists'],
    [
      ['--project', 'shop', '--environment', 'staging'],
      'good',
      'the project "shop" and the environment "staging" exists',
    ],
    [['--environment', 'shop/nope'], 'bad', 'which could not be found'],
    [['--project', 'nope'], 'bad', 'which could not be found'],
    [['--project', 'data', '--environment', 'shop/staging'], 'bad', ''],
  ])('says whether the place is there that calls are kept to: %j', async (args, state, says) => {
    const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token]);
    const { ok, of } = await doctor(args, {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: token,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(of('pin')).toMatchObject({ state, says: expect.stringContaining(says) as string });
    expect(ok).toBe(state === 'good');
  });

  test.each([
    ['deny: [{ environment: shop/staging }, { project: SHOP }]', 'good', 'there'],
    ['deny: [{ environment: staging }]', 'good', 'there'],
    ['deny: [{ environment: shop/nope }]', 'note', 'the environment "shop/nope" ('],
    ['allow: [{ tier: read }, { project: shopp }]', 'note', 'the project "shopp" ('],
    ['deny: [{ project: 0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e }]', 'note', 'could not be found'],
  ])('says whether the places are there that the policy names: %s', async (text, state, says) => {
    const policy = join(await temporaryDirectory(), 'policy.yaml');
    await writeFile(policy, text);
    const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token]);
    const { ok, of } = await doctor(['--policy-file', policy], {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: token,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(of('policy places')).toMatchObject({ state, says: expect.stringContaining(says) as string });
    expect(ok).toBe(true);
  });

  test('says what of a policy can never hold', async () => {
    const policy = join(await temporaryDirectory(), 'policy.yaml');
    await writeFile(policy, 'deny: [{ tool: lock_cluster, toolset: services }]');
    const { ok, of } = await doctor(['--policy-file', policy], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect(of('policy')).toMatchObject({
      state: 'bad',
      says: expect.stringContaining('can never hold for lock_cluster') as string,
    });
    expect(ok).toBe(false);
  });

  test('says that it can not know yet where no platform serves', async () => {
    const directory = join(await temporaryDirectory(), 'data');
    const { of } = await doctor(['--environment', 'shop/nope'], { INFRA_DATA_DIR: directory });
    expect(of('pin')).toMatchObject({ state: 'note', says: expect.stringContaining('"shop/nope"') as string });
    expect(existsSync(directory)).toBe(false);
  });

  test('says that it refuses the token', async () => {
    const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token]);
    const { ok, of } = await doctor([], {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: 'another-token',
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(ok).toBe(false);
    expect(of('platform')).toMatchObject({ state: 'good' });
    expect(of('token')).toMatchObject({ state: 'bad', todo: expect.stringContaining('INFRA_API_TOKEN') as string });
    expect(JSON.stringify(of('token'))).not.toContain('another-token');
  });

  test('warns of a token that soon ends, and of a budget that is nearly used up', async () => {
    const directory = await temporaryDirectory();
    const { ready } = await startPlatformProgram(['--data-dir', directory, '--rate-limit', '5']);
    const { stdout: jwt } = await runProgram([
      'token',
      'create',
      '--name',
      'short',
      '--permission',
      'read',
      '--jwt',
      '--ttl',
      '3600',
      '--data-dir',
      directory,
    ]);
    const { ok, of } = await doctor([], {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: `Bearer ${jwt.trim()}`,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(ok).toBe(true);
    expect(of('token')).toMatchObject({ state: 'note', says: expect.stringMatching(/until \d{4}-/) as string });
    expect(of('permissions')?.says).toContain('projects');
    expect(of('budget')).toMatchObject({ state: 'note', says: expect.stringContaining('0 of 5 requests') as string });
  });

  test.each([
    [403, { platform: 'good', token: 'good', permissions: 'bad' }],
    [404, { platform: 'bad' }],
    [429, { platform: 'good', token: 'skipped', budget: 'bad' }],
    [500, { platform: 'bad', token: 'skipped' }],
  ])('says what an answer of %i means', async (status, expected) => {
    const server = createHttpServer(
      (_, response) =>
        void response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ status, message: 'no' })),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { ok, findings } = await doctor([], {
      INFRA_BASE_URL: `http://127.0.0.1:${port}`,
      INFRA_API_TOKEN: token,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(ok).toBe(false);
    expect(Object.fromEntries(findings.map(({ check, state }) => [check, state]))).toMatchObject(expected);
  });

  test('with a token of several organizations says which to choose, from a flag or a profile', async () => {
    const organizations = [
      { id: '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e', name: 'Acme' },
      { id: '1c8e4d2f-6a1b-4d4f-8e66-1b7d2c3e4f50', name: 'Beta' },
    ];
    const server = createHttpServer((_, response) => response.end(JSON.stringify({ results: organizations })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const directory = await temporaryDirectory();
    const env = { INFRA_DATA_DIR: directory };
    const platform = {
      INFRA_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      INFRA_API_TOKEN: 'a-token',
    };
    expect((await doctor([], { ...env, ...platform })).of('token')).toMatchObject({
      state: 'bad',
      says: expect.stringMatching(/Acme \(0b9d3c1e[^)]*\), Beta \(1c8e4d2f/) as string,
      todo: expect.stringContaining('INFRA_ORGANIZATION') as string,
    });
    expect((await doctor(['--organization', 'beta'], { ...env, ...platform })).of('token')?.says).toContain(
      'accepted, for Beta',
    );
    const profiles = join(directory, 'profiles.yaml');
    await writeFile(
      profiles,
      `profiles: { mine: { base-url: "${platform.INFRA_BASE_URL}", api-token: a-token, organization: Acme } }`,
      { mode: 0o600 },
    );
    expect((await doctor(['--profile', 'mine', '--profiles-file', profiles], env)).of('token')?.says).toContain(
      'accepted, for Acme',
    );
  });

  test('says that nothing answers', async () => {
    const { ok, of } = await doctor([], {
      INFRA_BASE_URL: 'https://127.0.0.1:1',
      INFRA_API_TOKEN: token,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(ok).toBe(false);
    expect(of('platform')).toMatchObject({ state: 'bad' });
    expect(of('token')).toMatchObject({ state: 'skipped' });
  });

  test('over HTTP needs no token of the server: callers bring theirs', async () => {
    const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token]);
    const { ok, of } = await doctor(['http', '--port', '0'], {
      INFRA_BASE_URL: ready.url,
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect(ok).toBe(true);
    expect(of('token')).toMatchObject({ state: 'skipped', says: expect.stringContaining('callers') as string });
  });
});

describe('of the embedded platform', () => {
  test('says which process serves it', async () => {
    const directory = await temporaryDirectory();
    const { ready, child } = await startPlatformProgram(['--data-dir', directory]);
    const { ok, of } = await doctor([], { INFRA_DATA_DIR: directory });
    expect(ok).toBe(true);
    expect(of('platform')?.says).toBe(`the embedded one, served by process ${child.pid} at ${ready.url}`);
    expect(of('databases')?.says).toContain('platform.sqlite');
  });

  test('lets go of an answer whose body never ends, without waiting for its time to be over', async () => {
    const closed = Promise.withResolvers<void>();
    const server = createHttpServer(
      (_, response) =>
        void response.on('close', closed.resolve).writeHead(200, { 'content-type': 'application/json' }).write('{'),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    // No time is ever over, so that nothing else closes the connection.
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
    onTestFinished(() => {
      vi.restoreAllMocks();
      server.close();
      server.closeAllConnections();
    });
    const directory = await temporaryDirectory();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await writeFile(join(directory, 'serving.json'), JSON.stringify({ url, pid: process.pid }), { mode: 0o600 });
    await chmod(directory, 0o700);
    const { of } = await doctor([], { INFRA_DATA_DIR: directory });
    expect(of('platform')?.says).toBe(`the embedded one, served by process ${process.pid} at ${url}`);
    await closed.promise;
  }, 60_000);
});

describe('of the data directory', () => {
  test('says that a database is damaged', async () => {
    const directory = await temporaryDirectory();
    await writeFile(
      join(directory, 'platform.sqlite'),
      'no database at all, but long enough to be looked at as one'.repeat(20),
    );
    const { ok, of } = await doctor([], { INFRA_DATA_DIR: directory });
    expect(ok).toBe(false);
    expect(of('databases')).toMatchObject({ state: 'bad', says: expect.stringContaining('platform.sqlite') as string });
  });

  test('says that a newer program has changed the database', async () => {
    const directory = await temporaryDirectory();
    const { child, ended } = await startPlatformProgram(['--data-dir', directory]);
    child.kill('SIGTERM');
    await ended;
    const database = new DatabaseSync(join(directory, 'platform.sqlite'));
    database.exec("INSERT INTO platform_schema_step (name, position, compatible_since) VALUES ('9999-later', 90, 91)");
    database.close();
    const { ok, of } = await doctor([], { INFRA_DATA_DIR: directory });
    expect(ok).toBe(false);
    expect(of('databases')).toMatchObject({ state: 'bad', says: expect.stringContaining('newer infra-mcp') as string });
  });

  test.skipIf(process.platform === 'win32')('says what others may read, and how to end that', async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o755);
    await writeFile(join(directory, 'token'), 'x');
    await chmod(join(directory, 'token'), 0o644);
    const { ok, of } = await doctor([], { INFRA_DATA_DIR: directory });
    expect(ok).toBe(false);
    expect(of('data directory')?.todo).toBe(`chmod 700 ${directory} && chmod 600 ${join(directory, 'token')}`);
  });

  test('says that it is none', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    const { of } = await doctor([], { INFRA_DATA_DIR: file });
    expect(of('data directory')).toMatchObject({
      state: 'bad',
      todo: expect.stringContaining('INFRA_DATA_DIR') as string,
    });
  });
});

describe('of policy and records', () => {
  test('says what is wrong with a policy file, and where', async () => {
    const policy = join(await temporaryDirectory(), 'policy.yaml');
    await writeFile(policy, 'read_only: false\ndenny: []\n');
    const { ok, of } = await doctor(['--policy-file', policy], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect(ok).toBe(false);
    expect(of('policy')?.says).toContain('denny');
  });

  test('says how many tools are offered', async () => {
    const { of } = await doctor(['--read-only'], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect(of('tools')).toMatchObject({
      state: 'good',
      says: expect.stringMatching(/^\d+ of \d+ are offered, read-only$/) as string,
    });
    expect(
      (await doctor(['--toolsets', 'clustres'], { INFRA_DATA_DIR: await temporaryDirectory() })).of('tools'),
    ).toMatchObject({ state: 'bad', says: expect.stringContaining('clusters') as string });
  });

  test('says that calls can not be recorded', async () => {
    const directory = await temporaryDirectory();
    const env = { INFRA_DATA_DIR: directory };
    expect((await doctor(['--audit-command', '["no-such-program-anywhere"]'], env)).of('audit log')).toMatchObject({
      state: 'bad',
    });
    expect(
      (await doctor(['--audit-file', join(import.meta.filename, 'audit.jsonl')], env)).of('audit log'),
    ).toMatchObject({ state: 'bad' });
    expect((await doctor(['--audit-command', '["cat"]'], env)).of('audit log')).toMatchObject({ state: 'good' });
  });
});

describe('of the HTTP server', () => {
  test('says whether the port is free', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const env = { INFRA_DATA_DIR: await temporaryDirectory() };
    const taken = await doctor(['http', '--port', String(port)], env);
    expect(taken.of('port')).toMatchObject({
      state: 'bad',
      says: expect.stringMatching(
        new RegExp(`^${port} on 127\\.0\\.0\\.1: (process ${process.pid} .*|something else) listens there$`),
      ) as string,
    });
    await new Promise((resolve) => void server.close(resolve));
    const free = await doctor(['http', '--port', String(port)], env);
    expect(free.of('port')).toMatchObject({ state: 'good' });
    expect(free.of('callers')).toMatchObject({ state: 'good' });
  });

  test('says that it would refuse to be open to everybody, and that keys can not be used', async () => {
    const directory = await temporaryDirectory();
    const env = { INFRA_DATA_DIR: directory };
    expect((await doctor(['http', '--host', '0.0.0.0', '--port', '0'], env)).of('callers')).toMatchObject({
      state: 'bad',
      says: expect.stringContaining('INFRA_HTTP_KEYS_FILE') as string,
    });
    await mkdir(join(directory, 'keys'));
    await writeFile(join(directory, 'keys', 'keys.yaml'), 'keys: []\n');
    expect(
      (await doctor(['http', '--port', '0', '--keys-file', join(directory, 'keys', 'keys.yaml')], env)).of('callers'),
    ).toMatchObject({ state: 'bad' });
  });

  test('says that the authorization server can not be asked', async () => {
    const { of } = await doctor(
      ['http', '--port', '0', '--oauth-issuer', 'http://127.0.0.1:1/', '--public-url', 'http://127.0.0.1:8080/mcp'],
      { INFRA_DATA_DIR: await temporaryDirectory() },
    );
    expect(of('issuer')).toMatchObject({ state: 'bad' });
  });
});

describe.each(['stdio', 'http'])('of the metrics of %s', (server) => {
  const ofMetrics = async (...args: readonly string[]) =>
    (
      await doctor([server, ...(server === 'http' ? ['--port', '0'] : []), ...args], {
        INFRA_DATA_DIR: await temporaryDirectory(),
      })
    ).of('metrics');

  test('says nothing where there are none', async () => {
    expect(await ofMetrics()).toBeUndefined();
  });

  test('says that they can be served, and who can read them', async () => {
    expect(await ofMetrics('--metrics-port', '0')).toEqual({
      check: 'metrics',
      state: 'good',
      says: 'any free one on 127.0.0.1: free, and only this machine can read them',
    });
    expect(await ofMetrics('--metrics-port', '0', '--metrics-host', '0.0.0.0')).toMatchObject({
      state: 'note',
      says: expect.stringContaining('other machines can read them') as string,
      todo: expect.stringContaining('--metrics-host 127.0.0.1') as string,
    });
  });

  test('says that something else has the port, whatever it answers', async () => {
    const answers = ['# TYPE up gauge\nup 1\n', undefined];
    for (const answer of answers) {
      const other = createHttpServer(
        (_, response) => void (answer === undefined ? response.destroy() : response.end(answer)),
      );
      await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void other.close());
      const { port } = other.address() as AddressInfo;
      expect(await ofMetrics('--metrics-port', String(port))).toMatchObject({
        state: 'bad',
        says: expect.stringMatching(
          `^${port} on 127\\.0\\.0\\.1: .* listens there, so the server would not start$`,
        ) as string,
      });
    }
  });

  test('says that another server serves its own there', async () => {
    const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--metrics-port', '0']);
    const { port } = new URL((ready as unknown as { metrics_url: string }).metrics_url);
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      expect(await ofMetrics('--metrics-port', port, '--metrics-host', host)).toMatchObject({
        state: 'note',
        says: expect.stringContaining('another server of this kind serves its metrics there already') as string,
      });
    }
  });

  test('says that this machine has no such address', async () => {
    expect(await ofMetrics('--metrics-port', '0', '--metrics-host', '192.0.2.1')).toMatchObject({
      state: 'bad',
      says: expect.stringContaining('this machine has no such address') as string,
    });
  });
});

test('doctor says that the metrics would take the port of the server', async () => {
  const env = { INFRA_DATA_DIR: await temporaryDirectory() };
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    expect(
      (await doctor(['http', '--port', '18080', '--metrics-port', '18080', '--metrics-host', host], env)).of('metrics'),
    ).toMatchObject({ state: 'bad', says: expect.stringContaining('the server itself') as string });
  }
  expect(
    (await doctor(['http', '--port', '18080', '--metrics-port', '18080', '--metrics-host', '127.0.0.2'], env)).of(
      'metrics',
    ),
  ).toMatchObject({ state: 'good' });
});

test.each([
  ['22.18.9', 'bad'],
  ['22.19.0', 'good'],
  ['26.0.0', 'good'],
  ['8.99.0', 'bad'],
])('Node %s is %s', (version, state) => {
  expect(nodeFinding(version).state).toBe(state);
});

/** What is found about a chat at these settings, with one operator. */
async function chatFound(chat: string, operator: object) {
  const folder = await temporaryDirectory();
  const files = {
    'chat.yaml': chat,
    token: 'xoxb-T0P-of-the-bot',
    signing: 'S1GNING-of-the-app',
    'operators.json': JSON.stringify({ operators: [{ name: 'ada', ...operator }] }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { of } = await doctor(['http'], {
    INFRA_DATA_DIR: folder,
    INFRA_HTTP_PORT: '0',
    INFRA_APPROVALS_CHAT: join(folder, 'chat.yaml'),
    INFRA_APPROVALS_OPERATORS: join(folder, 'operators.json'),
  });
  return of('approvals chat');
}

describe('of a chat', () => {
  const slack = 'kind: slack\nchannel: C012345\ntoken_file: token\nsigning_secret_file: signing\n';

  test('that can be used says where it is, and who decides there', async () => {
    const finding = await chatFound(slack, { chat: 'U-ADA' });
    expect(finding).toMatchObject({ state: 'good', says: expect.stringMatching(/slack at slack\.com.*ada/) as string });
    expect(JSON.stringify(finding)).not.toMatch(/T0P|S1GNING/);
  });

  test('in which no operator has an id is a fault', async () => {
    expect(await chatFound(slack, { secret: await secretHash('a secret', 2 ** 4) })).toMatchObject({ state: 'bad' });
  });

  test('whose file lacks something is a fault', async () => {
    const finding = await chatFound('kind: mattermost\nurl: https://a.example\ntoken_file: token\n', { chat: 'U-ADA' });
    expect(finding).toMatchObject({ state: 'bad', says: expect.stringContaining('channel') as string });
  });
});
