import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PlatformReport } from '../../src/cli/doctor/tools-on-platform/report.ts';
import { defaultTools as tools } from '../../tools/index.ts';
import { startOtherPlatform, type OtherPlatform } from '../other-platform/start.ts';
import type { Choice } from '../other-platform/differences.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that says that it may only read. */
const readOnlyToken = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'somebody', permission: 'read' })}.c2lnbmF0dXJl`;

async function otherPlatform(differences: Choice, token: string): Promise<OtherPlatform> {
  const platform = await startOtherPlatform({ differences, token });
  onTestFinished(() => platform.close());
  return platform;
}

/** What `doctor --platform` prints about a platform. */
async function examined(
  platform: Pick<OtherPlatform, 'url' | 'token'>,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
) {
  const scheme = platform.token === readOnlyToken ? 'Bearer ' : '';
  const { code, stdout, stderr } = await runProgram(['doctor', '--platform', ...args], {
    INFRA_BASE_URL: platform.url,
    INFRA_API_TOKEN: `${scheme}${platform.token}`,
    INFRA_DATA_DIR: await temporaryDirectory(),
    ...env,
  });
  return { code, stdout, stderr };
}

const reportIn = (stdout: string): PlatformReport => JSON.parse(stdout) as PlatformReport;

const harbour = ['--organization', 'Harbour'];

/** The methods of all requests, and those that the platform found wrong: nothing but paths that it doesn't have. */
function expectOnlyReads(platform: OtherPlatform): void {
  expect(new Set(platform.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(platform.refusals.filter(({ status }) => status !== 404)).toEqual([]);
}

describe('of another platform with every difference', () => {
  test('says what works and what works with less, and sends no change', async () => {
    const platform = await otherPlatform('all', 'the-token-of-the-other-platform');
    const { code, stdout } = await examined(platform, [...harbour, '--json']);
    const report = reportIn(stdout);
    expect(report.tools.map(({ tool }) => tool)).toEqual(tools.map(({ name }) => name));
    // It doesn't tell how many requests are left: nothing else that it lacks keeps a tool from working.
    expect(report.tools.filter(({ state }) => state === 'does_not_work').map(({ tool }) => tool)).toEqual([
      'get_api_budget',
    ]);
    expect(code).toBe(1);
    for (const tool of [
      'get_application_status',
      'get_service',
      'list_deployments',
      'list_alert_rules',
      'diagnose_deployment',
      'get_environment_overview',
    ]) {
      expect(report.tools.find((one) => one.tool === tool)?.state, tool).toMatch(/^works/);
    }
    expect(platform.requests).toHaveLength(report.requests);
    expectOnlyReads(platform);
  });

  test('prints the same as a table, with nothing of the platform in it', async () => {
    const platform = await otherPlatform('all', 'the-token-of-the-other-platform');
    const [table, json] = [
      await examined(platform, [...harbour, '--verbose']),
      await examined(platform, [...harbour, '--json']),
    ];
    const { counts, tools: verdicts } = reportIn(json.stdout);
    expect(table.stdout).toContain(
      `${verdicts.length} tools: works ${counts.works}, works with less ${counts.works_with_less}, doesn't work ${counts.does_not_work}, not tried ${counts.not_tried}.`,
    );
    expect(table.stdout).toMatch(/^✓ {2}list_projects +works$/m);
    for (const { stdout } of [table, json])
      expect(stdout).not.toMatch(/the-token|Harbour|127\.0\.0\.1|storefront|gateway|grace|[0-9a-f]{8}-[0-9a-f]{4}-/i);
    expectOnlyReads(platform);
  });

  test('lists only the tools that need attention, those with the same reasons together, and counts the others', async () => {
    const platform = await otherPlatform('all', 'the-token-of-the-other-platform');
    const [table, json] = [await examined(platform, harbour), await examined(platform, [...harbour, '--json'])];
    const { tools: verdicts } = reportIn(json.stdout);
    const rows = table.stdout.split('\n').filter((line) => /^[^\w\s]/.test(line));
    const urgent = verdicts.filter(({ state }) => state === 'works_with_less' || state === 'does_not_work');
    expect(rows[0]).toMatch(/^✗ {2}get_api_budget +doesn't work +the platform does not report/);
    expect(rows.flatMap((line) => line.match(/^\S +((?:\w+, )*\w+)/)![1]!.split(', ')).toSorted()).toEqual(
      urgent.map(({ tool }) => tool).toSorted(),
    );
    expect(rows).toHaveLength(new Set(urgent.map(({ why }) => why.join())).size);
    expect(table.stdout).toMatch(/ not tried \d+\. --verbose lists them all\.$/m);
  });

  test('with a token that may only read, says that no change is possible with it, and sends none', async () => {
    const platform = await otherPlatform('all', readOnlyToken);
    const { stdout } = await examined(platform, [...harbour, '--json']);
    const { tools: verdicts } = reportIn(stdout);
    const changing = tools.filter(({ operation }) => operation.effect !== 'read').map(({ name }) => name);
    for (const name of changing)
      expect(
        verdicts.find(({ tool }) => tool === name),
        name,
      ).toMatchObject({
        state: 'does_not_work',
        why: [expect.stringMatching(/^the token has the permission read, and \w+ is needed$/)],
      });
    expect(
      verdicts
        .filter(({ tool, state }) => !changing.includes(tool) && state === 'does_not_work')
        .map(({ tool }) => tool),
    ).toEqual(['get_api_budget']);
    expectOnlyReads(platform);
    expect(stdout).not.toContain(readOnlyToken);
  });
});

describe('where a token has several organizations', () => {
  test('says that one has to be chosen, and how', async () => {
    const platform = await otherPlatform({ severalOrganizations: true }, 'a-token');
    const { code, stdout } = await examined(platform, ['--json']);
    expect(code).toBe(1);
    expect(reportIn(stdout)).toMatchObject({
      ok: false,
      requests: 1,
      ended: 'the token has several organizations, and none of them is chosen with INFRA_ORGANIZATION',
    });
    expect(stdout).not.toMatch(/Harbour/);
  });

  test.each([['a flag'], ['the environment'], ['a profile']])('uses the one chosen by %s', async (way) => {
    const platform = await otherPlatform({ severalOrganizations: true }, 'a-token');
    const profiles = join(await temporaryDirectory(), 'profiles.yaml');
    await writeFile(
      profiles,
      `profiles: { mine: { base-url: "${platform.url}", api-token: a-token, organization: Harbour } }`,
      { mode: 0o600 },
    );
    const inProfile = {
      INFRA_PROFILES_FILE: profiles,
      INFRA_PROFILE: 'mine',
      INFRA_BASE_URL: undefined,
      INFRA_API_TOKEN: undefined,
    };
    const env = way === 'the environment' ? { INFRA_ORGANIZATION: 'Harbour' } : way === 'a profile' ? inProfile : {};
    const { code, stdout } = await examined(platform, [...(way === 'a flag' ? harbour : []), '--json'], env);
    expect(reportIn(stdout).tools.filter(({ state }) => state === 'does_not_work')).toEqual([]);
    expect(code).toBe(0);
    const asked = platform.requests.flatMap(({ path }) => /^\/organization\/([^/?]+)/.exec(path)?.[1] ?? []);
    expect(new Set(asked)).toEqual(new Set([platform.ids.organization]));
  });
});

describe('where nothing can be read', () => {
  const page = { 'content-type': 'text/html' };
  test.each([
    ['forbidden', 403, '{}', {}],
    ['not found', 404, '{}', {}],
    ['failed', 500, '{}', {}],
    ['a page', 200, '<html><body>Welcome</body></html>', page],
  ])('says so in one line, and calls no tool tried: %s', async (_, status, body, headers) => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    });
    const platform = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'a-token' };
    const text = await examined(platform);
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: 1, stdout: '' });
    expect(text.stderr).toMatch(/^infra-mcp: /);
    expect(text.stderr.length).toBeLessThan(1000);
    expect(requests).toBeLessThanOrEqual(2);
    const { code, stdout } = await examined(platform, ['--json']);
    const report = reportIn(stdout);
    expect({ code, ok: report.ok, tried: report.tools.filter(({ state }) => state !== 'not_tried') }).toEqual({
      code: 1,
      ok: false,
      tried: [],
    });
    expect(report.ended).toBeDefined();
  });
});
