import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startOtherPlatform } from '../other-platform/start.ts';
import { spawnInTest, cleanEnvironment } from '../support/started-program.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { differencesBetween } from './compare.ts';
import { shapeOf } from './shape.ts';

const root = join(import.meta.dirname, '../..');

/** What the suite prints about the platform at an address. */
async function comparedAt(url: string, token: string, args: readonly string[] = []) {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-parity-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, token);
  const command = [
    process.execPath,
    '--import',
    import.meta.resolve('tsx'),
    join(root, 'test/parity/main.ts'),
    '--base-url',
    url,
    '--token-file',
    tokenFile,
    ...args,
  ];
  return spawnInTest({ command, env: cleanEnvironment(), cwd: root }).ended;
}

/** What the suite prints about a second embedded platform with a proxy in front of it. */
async function compared(options: RecordingProxyOptions = {}, args: readonly string[] = []) {
  const platform = await startTestPlatform();
  const proxy = await startRecordingProxy(platform.url, options);
  onTestFinished(async () => {
    await proxy.close();
    await platform.close();
  });
  return { ...(await comparedAt(proxy.url, platform.token, args)), proxy, platform };
}

test('finds no difference between the embedded platform and itself, and changes nothing', async () => {
  const { stdout, code, proxy } = await compared({}, ['--json']);
  expect(JSON.parse(stdout)).toMatchObject({ differences: [], not_compared: [] });
  expect(code).toBe(0);
  expect(proxy.writes()).toEqual([]);
});

test('finds exactly the member that one answer has otherwise', async () => {
  const { stdout, platform } = await compared(
    {
      alter: (_method, path, body) =>
        /^\/environment\/[^/]+$/.test(path)
          ? { ...(body as object), name: 7, mode: undefined, region: 'Atlantis' }
          : body,
    },
    ['--json'],
  );
  const where = { operation: 'get_environment', path: 'GET /environment/{environmentId}' };
  expect((JSON.parse(stdout) as { differences: unknown[] }).differences).toEqual([
    { ...where, member: 'name', embedded: 'string', other: 'integer' },
    { ...where, member: 'mode', embedded: 'string', other: 'absent' },
    { ...where, member: 'region', embedded: 'absent', other: 'string' },
  ]);
  expect(stdout).not.toMatch(new RegExp(`Atlantis|checkout|${platform.token}`));
});

test('shows a status that differs, side by side', async () => {
  const { stdout } = await compared({
    beforeRequest: async (_method, request, response) =>
      void (/\/member/.test(request.url!) && response.writeHead(403).end('{}')),
  });
  expect(stdout).toMatch(/^GET \/organization\/\{organizationId\}\/member +status +200 +403$/m);
  expect(stdout).toContain('Differences: 1, in');
});

test('with --write makes a project, and says that it is left where it can not be removed', async () => {
  const { stdout, proxy } = await compared(
    {
      alter: (method, path, body) =>
        method === 'POST' && path.endsWith('/application') ? { ...(body as object), extra: true } : body,
      beforeRequest: async (method, request, response) =>
        void (method === 'DELETE' && /\/project\//.test(request.url!) && response.writeHead(403).end('{}')),
    },
    ['--write', '--json'],
  );
  const report = JSON.parse(stdout) as { differences: unknown[]; left_over?: string };
  expect(report.differences).toEqual([
    {
      operation: 'create_application',
      path: 'POST /environment/{environmentId}/application',
      member: 'extra',
      embedded: 'absent',
      other: 'boolean',
    },
  ]);
  expect(report.left_over).toMatch(/^parity-/);
  expect(proxy.writes().filter((line) => line.startsWith('POST /organization/'))).toHaveLength(1);
});

test.each([[false], [true]])(
  'finds the differences of a platform that is not ours, and changes nothing outside of its own project (--write: %s)',
  async (writes) => {
    const platform = await startOtherPlatform({ differences: 'all', token: 'the-token-of-the-other-platform' });
    onTestFinished(() => platform.close());
    const { stdout, stderr, code } = await comparedAt(platform.url, platform.token, [
      '--json',
      ...(writes ? ['--write'] : []),
    ]);
    expect(code, stderr).toBe(1);
    const {
      differences,
      compared: count,
      left_over: leftOver,
    } = JSON.parse(stdout) as {
      differences: { operation: string; member: string; embedded: string; other: string }[];
      compared: number;
      left_over?: string;
    };
    expect(count).toBeGreaterThan(40);
    const found = differences.map(({ operation, member, other }) => [operation, member, other]);
    expect(found).toContainEqual(['get_environment_logs', 'the answer', 'array']);
    expect(found).toContainEqual(['get_terraform_status', 'status', '404']);
    expect(found).toContainEqual(['list_helm_repositories', 'results[].config.fjord_access_key', 'string']);
    expect(found).toContainEqual(['get_environment_status', 'agentic_workflows', 'array']);
    if (writes) expect(found).toContainEqual(['create_project', 'status', '200']);
    expect(stdout).not.toMatch(/the-token-of|Harbour|storefront|hook-secret/);
    const changes = platform.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '*')}`);
    expect(changes.slice(0, 1)).toEqual(writes ? ['POST /organization/*/project'] : []);
    // It requires the provider of a repository, and everything of an application comes after it.
    if (writes)
      expect(changes).toEqual(
        expect.arrayContaining([
          'POST /environment/*/application',
          'POST /application/*/environmentVariable',
          'POST /application/*/secret',
        ]),
      );
    // It doesn't remove a project with an environment in it, so that goes first.
    expect(leftOver).toBeUndefined();
    expect(platform.state.projects.map(({ name }) => name)).toEqual(['shop', 'tools', 'beacon']);
    expect(platform.state.environments.filter(({ name }) => name === 'parity')).toEqual([]);
  },
);

const exchange = (body: unknown) => [{ operation: 'x', path: 'GET /x', status: 200, shape: shapeOf(body) }];

test('an empty list says nothing of its rows, and null nothing of its members', () => {
  expect(differencesBetween(exchange({ results: [] }), exchange({ results: [{ id: 'a' }] }))).toEqual([]);
  expect(differencesBetween(exchange({ lock: null }), exchange({ lock: { id: 'a' } }))).toEqual([
    { operation: 'x', path: 'GET /x', member: 'lock', embedded: 'null', other: 'object' },
  ]);
  expect(differencesBetween(exchange([{ id: 'a' }]), exchange({ results: [] }))).toEqual([
    { operation: 'x', path: 'GET /x', member: 'the answer', embedded: 'array', other: 'object' },
  ]);
});
