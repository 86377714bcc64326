import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { examinePlatform } from '../../src/cli/doctor/tools-on-platform/examine-platform.ts';
import type { PlatformReport } from '../../src/cli/doctor/tools-on-platform/report.ts';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { allOperations } from '../../src/contract/index.ts';
import { defaultTools as tools } from '../../tools/index.ts';
import { runProgram, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import { connectorsTo } from '../support/connectors.ts';
import { runCommand } from '../support/run-command.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';

const token = 'the-token-that-nobody-may-see';

/** What the program finds on a platform with a proxy in front of it. */
async function examined(options: RecordingProxyOptions = {}, args: readonly string[] = []) {
  const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token]);
  const proxy = await startRecordingProxy(ready.url, options);
  onTestFinished(() => proxy.close());
  const { code, stdout, stderr } = await runProgram(['doctor', '--platform', '--json', ...args], {
    INFRA_BASE_URL: proxy.url,
    INFRA_API_TOKEN: token,
    INFRA_DATA_DIR: await temporaryDirectory(),
  });
  const report = JSON.parse(stdout || '{}') as PlatformReport;
  return {
    code,
    stdout,
    stderr,
    report,
    proxy,
    ready,
    of: (name: string) => report.tools.find(({ tool }) => tool === name)!,
  };
}

/** For `beforeRequest`: answers paths that match with this status and body. */
const answering =
  (form: RegExp, status: number, body: string): RecordingProxyOptions['beforeRequest'] =>
  async (_method, request, response) => {
    if (form.test(request.url!.split('?')[0]!))
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };

/** Refuses queries but the one that says whose variables are listed. */
const refusingQueries: RecordingProxyOptions['beforeRequest'] = async (_method, request, response) =>
  void (/^(?!\/variable\?).*\?/.test(request.url!) && response.writeHead(400).end(problem(400, 'unknown parameter')));

const problem = (status: number, message: string): string => JSON.stringify({ status, error: 'E', message });

describe('of a platform that has everything', () => {
  test('says that all that reads works, and that no change was tried', async () => {
    const { code, report, proxy, of } = await examined();
    expect(code).toBe(0);
    expect(report).toMatchObject({ ok: true, counts: { works_with_less: 0, does_not_work: 0 } });
    expect(report.tools.map(({ tool }) => tool)).toEqual(tools.map(({ name }) => name));
    expect(of('get_service')).toEqual({ tool: 'get_service', state: 'works', why: [] });
    expect(of('stop_environment')).toMatchObject({
      state: 'not_tried',
      why: [expect.stringContaining('needs the permission deploy') as string],
    });
    expect(proxy.requests.length).toBe(report.requests);
    expect(report.requests).toBeLessThanOrEqual(100);
    expect(proxy.requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  test('shows neither token nor address, nor a name or id of anything there', async () => {
    const { stdout, proxy, ready } = await examined();
    expect(stdout).not.toContain(token);
    expect(stdout).not.toContain(proxy.url.replace('http://', ''));
    expect(stdout).not.toContain('127.0.0.1');
    expect(stdout).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    for (const [, id] of Object.entries(ready.seed)) expect(stdout).not.toContain(id);
    expect(stdout).not.toMatch(/checkout|orders|acme|nightly/i);
  });

  test('prints a table for people', async () => {
    const { ready } = await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token]);
    const { code, stdout } = await runProgram(['doctor', '--platform', '--verbose'], {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: token,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ {2}search_logs +works$/m);
    expect(stdout).toMatch(/^– {2}create_project +not tried +its reads work/m);
    expect(stdout).toMatch(
      new RegExp(`^${tools.length} tools: works \\d+, works with less 0, doesn't work 0, not tried \\d+\\.$`, 'm'),
    );
    expect(stdout).not.toContain(token);
  });

  test('with a token that tells its permission, says which changes it may not make', async () => {
    const directory = await temporaryDirectory();
    const { ready } = await startPlatformProgram(['--data-dir', directory]);
    const { stdout: jwt } = await runProgram([
      'token',
      'create',
      '--name',
      'reader',
      '--permission',
      'read',
      '--jwt',
      '--data-dir',
      directory,
    ]);
    const { stdout } = await runProgram(['doctor', '--platform', '--json', '--toolsets', 'services'], {
      INFRA_BASE_URL: ready.url,
      INFRA_API_TOKEN: `Bearer ${jwt.trim()}`,
    });
    const report = JSON.parse(stdout) as PlatformReport;
    expect(report.tools.find(({ tool }) => tool === 'deploy_service')).toMatchObject({
      state: 'does_not_work',
      why: ['the token has the permission read, and deploy is needed'],
    });
    expect(stdout).not.toContain(jwt.trim());
  });
});

describe('of a platform that lacks something', () => {
  test('names what is missing where a route is', async () => {
    const { code, of, report } = await examined({
      beforeRequest: answering(/\/(?:log|alert-rules|webhook)$/, 404, '{"message":"no such page"}'),
    });
    expect(code).toBe(1);
    expect(of('get_application_logs')).toMatchObject({
      state: 'works_with_less',
      why: [expect.stringMatching(/^its lines are those in the log of its environment/) as string],
    });
    expect(of('list_alert_rules')).toMatchObject({
      state: 'does_not_work',
      why: [expect.stringContaining('list_alert_rules: the platform has no such route (HTTP 404)') as string],
    });
    expect(of('search_logs').state).toBe('works_with_less');
    expect(of('get_environment_overview')).toMatchObject({
      state: 'works_with_less',
      why: [expect.stringMatching(/^alerts that fire are not shown \(list_alert_rules/) as string],
    });
    expect(of('list_webhook_events')).toMatchObject({ state: 'works_with_less' });
    expect(report.reads.find(({ operation }) => operation === 'list_webhook_events')).toMatchObject({
      state: 'not_tried',
      why: 'no webhook was found',
    });
    expect(of('list_projects').state).toBe('works');
  });

  test('says what the token may not read', async () => {
    const { of } = await examined({
      beforeRequest: answering(/\/member$|\/billingInfo$/, 403, problem(403, 'Ada Secret may not')),
    });
    expect(of('list_members')).toMatchObject({
      state: 'does_not_work',
      why: [expect.stringContaining('the token may not read it (HTTP 403)') as string],
    });
    expect(of('update_billing_info')).toMatchObject({
      state: 'works_with_less',
      why: expect.arrayContaining(['the change itself was not tried']) as string[],
    });
  });

  test('says which member of an answer is wrong, and repeats nothing of it', async () => {
    const { of, stdout } = await examined({
      alter: (_method, path, body) => (path.endsWith('/member') ? { results: [{ name: 'Ada Secret' }] } : body),
      beforeRequest: answering(/\/cluster$/, 200, '<html>Internal Secret Portal</html>'),
    });
    expect(of('list_members').why[0]).toContain('the answer is not as the interface has it, at results[0].id');
    expect(of('list_clusters').state).toBe('does_not_work');
    expect(stdout).not.toMatch(/Secret|Ada/);
  });

  test('says that a part of an answer is left out', async () => {
    const { of } = await examined({
      alter: (_method, path, body) => (path.endsWith('/member') ? { results: [{ name: 'Ada Secret' }] } : body),
    });
    expect(of('list_members')).toMatchObject({
      state: 'works_with_less',
      why: [
        expect.stringMatching(
          /^parts of answers are not read \(list_members: .*so only a part of it is read\)$/,
        ) as string,
      ],
    });
  });

  test('is content where another read tells the same', async () => {
    const { of, report } = await examined({
      beforeRequest: answering(/\/container\/[^/]+\/status$|\/cluster\/lock$/, 404, '{"message":"no such page"}'),
    });
    expect(
      report.reads
        .filter(({ state }) => state === 'failed')
        .map(({ operation }) => operation)
        .toSorted(),
    ).toEqual(['get_container_status', 'list_cluster_locks']);
    expect(of('get_service')).toEqual({ tool: 'get_service', state: 'works', why: [] });
    expect(of('diagnose_deployment')).toEqual({ tool: 'diagnose_deployment', state: 'works', why: [] });
    expect(of('stop_environment')).toMatchObject({ state: 'not_tried' });
  });

  test('is content where the token may not read a service itself, for tools that ask its environment first; others say so', async () => {
    const { of } = await examined({
      beforeRequest: answering(
        /\/(?:application|container|database|job|helm|terraform)\/[^/]+\/status$/,
        403,
        problem(403, 'no'),
      ),
    });
    expect(of('diagnose_deployment')).toEqual({ tool: 'diagnose_deployment', state: 'works', why: [] });
    expect(of('get_environment_overview')).toMatchObject({ state: 'works' });
    expect(of('get_service')).toMatchObject({ state: 'works_with_less' });
    expect(of('get_application_status')).toMatchObject({
      state: 'does_not_work',
      why: [expect.stringContaining('HTTP 403') as string],
    });
  });

  test('says what is lacking where nothing else tells the same', async () => {
    const { of } = await examined({
      beforeRequest: answering(
        /\/container\/[^/]+\/status$|\/environment\/[^/]+\/statuses$|\/lock$|\/cluster\/[^/]+\/status$/,
        404,
        '{"message":"no such page"}',
      ),
    });
    expect(of('get_service')).toMatchObject({
      state: 'works_with_less',
      why: [expect.stringContaining('the state of a service of kind container is not read there') as string],
    });
    expect(of('diagnose_deployment').why).toContainEqual(
      expect.stringMatching(
        /^a locked cluster is not seen as a cause \(list_cluster_locks: .*list_locks: .*get_cluster_status/,
      ),
    );
  });

  test('is not misled by queries that a platform refuses', async () => {
    expect((await examined({ beforeRequest: refusingQueries })).report.counts).toMatchObject({
      works_with_less: 0,
      does_not_work: 0,
    });
  });

  test('without headers of the rate limit, the budget is not shown', async () => {
    const server = createServer((request, response) => {
      response.end(
        JSON.stringify(
          request.url === '/organization' ? { id: '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e', name: 'x' } : { results: [] },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { stdout } = await runProgram(['doctor', '--platform', '--json'], {
      INFRA_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      INFRA_API_TOKEN: token,
    });
    const { tools: verdicts } = JSON.parse(stdout) as PlatformReport;
    expect(verdicts.find(({ tool }) => tool === 'get_api_budget')).toMatchObject({ state: 'does_not_work' });
    expect(verdicts.find(({ tool }) => tool === 'get_service')).toMatchObject({
      state: 'not_tried',
      why: expect.arrayContaining(['no application was found']) as string[],
    });
  });

  test.each([
    [401, 'the token is refused (HTTP 401)'],
    [429, 'no requests are left (HTTP 429)'],
  ])('ends where every request would fail: %i', async (status, ended) => {
    const { code, report, proxy } = await examined({
      beforeRequest: answering(/^\/environment\/[^/]+\/services$/, status, problem(status, 'no')),
    });
    expect(code).toBe(1);
    expect(report).toMatchObject({ ok: false, ended });
    expect(proxy.requests.at(-1)).toMatch(/services$/);
  });

  test('of which nothing can be read, says why in one line', async () => {
    const nowhere = createServer();
    await new Promise<void>((resolve) => nowhere.listen(0, '127.0.0.1', resolve));
    const { port } = nowhere.address() as AddressInfo;
    await new Promise((resolve) => nowhere.close(resolve));
    const refusing = createServer((_, response) => void response.writeHead(401).end(problem(401, 'no')));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void refusing.close());
    vi.stubEnv('INFRA_API_TOKEN', token);
    onTestFinished(() => void vi.unstubAllEnvs());
    const dead = `http://127.0.0.1:${port}`;
    const refusesToken = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    for (const [address, said] of [
      [dead, `No connection to the platform: nothing listens at ${dead}. `],
      [refusesToken, `The token is refused: ${refusesToken} does not accept the API token. `],
    ] as const) {
      const { code, stdout, stderr } = await runCommand(['doctor', '--platform', '--base-url', address]);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^infra-mcp: ${said.replaceAll('.', String.raw`\.`)}.*\n$`)) as string,
      });
    }
    const { code, stdout } = await runCommand(['doctor', '--platform', '--json', '--base-url', dead]);
    expect({ code, report: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 1,
      report: { requests: 1, ended: 'no connection' },
    });
  });

  test('without a platform or a token says what to set', async () => {
    const { code, stderr } = await runProgram(['doctor', '--platform'], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect(code).toBe(1);
    expect(stderr).toContain('INFRA_BASE_URL');
  });
});

/** The paths that a call of each tool reads where nothing is missing. */
async function requestsOf(
  platform: TestPlatform,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const calls = toolCallsOn(platform);
  const proxy = await startRecordingProxy(platform.url);
  const connectors = connectorsTo(proxy.url, platform.token);
  const asked = new Map<string, readonly string[]>();
  for (const name of names) {
    // Each with an assistant of its own, which remembers nothing that another one has read.
    const assistant = await connectors.modern();
    const before = proxy.requests.length;
    expect((await assistant.call(name, calls[name]!())).isError ?? false, name).toBe(false);
    asked.set(
      name,
      proxy.requests.slice(before).map((line) => new URL(line.split(' ')[1]!, proxy.url).pathname),
    );
  }
  await Promise.all([connectors.close(), proxy.close()]);
  return asked;
}

test('what it says of a tool is what happens: each read is missing once', async () => {
  const platform = await startTestPlatform();
  const calls = toolCallsOn(platform);
  const readers = tools.filter(({ operation }) => operation.effect === 'read');
  const asked = await requestsOf(
    platform,
    readers.map(({ name }) => name),
  );
  for (const missing of allOperations.filter(({ method, documented }) => method === 'GET' && !documented)) {
    const form = new RegExp(`^${missing.path.replaceAll(/\{\w+\}/g, '[0-9a-f-]{36}')}$`);
    const proxy = await startRecordingProxy(platform.url, {
      beforeRequest: answering(form, 404, '{"message":"no such page"}'),
    });
    const client = createClient({ baseUrl: proxy.url, credential: credentialOf(platform.token) });
    const connectors = connectorsTo(proxy.url, platform.token);
    const [{ report }, assistant] = await Promise.all([
      examinePlatform(client, readers, platform.token),
      connectors.modern(),
    ]);
    // A tool that does not read it works as before.
    for (const { tool, state } of report.tools.filter(
      (each) => each.state === 'does_not_work' || asked.get(each.tool)!.some((path) => form.test(path)),
    )) {
      const { isError } = await assistant.call(tool, calls[tool]!());
      if (state === 'does_not_work') expect(isError, `${tool} without ${missing.name}`).toBe(true);
      if (state === 'works') expect(isError ?? false, `${tool} without ${missing.name}`).toBe(false);
    }
    await Promise.all([client.close(), connectors.close(), proxy.close()]);
  }
  await platform.close();
});
