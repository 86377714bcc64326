import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditFilesOf } from '../../../src/cli/wiring/guard.ts';
import { verifyLog } from '../../../src/server/audit/index.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { openGuardFixture, type GuardFixture } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof toolCallsOn>;
let guard: GuardFixture;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
});
afterAll(() => platform.close());
beforeEach(async () => {
  guard = await openGuardFixture({ operator: true });
});

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
  await guard.close();
});

async function startServer(options: GuardedServerOptions = {}) {
  const server = await startGuardedServer(platform, { guard, ...options });
  opened.push(server);
  return server;
}

type Entry = Record<string, unknown>;

/** What the log holds once the records of reads, which nobody waits for, are there too. */
async function entries(): Promise<Entry[]> {
  const { file } = auditFilesOf(guard.config);
  await guard.settled();
  return (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}

const summaries = async (): Promise<unknown[][]> =>
  (await entries()).map(({ kind, tool, tier, confirmed, outcome, why }) => [kind, tool, tier, confirmed, outcome, why]);

const targets = async (): Promise<unknown[]> => (await entries()).map(({ target }) => target);

describe('the audit log records', () => {
  test('a read: what came of it', async () => {
    const { call } = await startServer();
    await call('list_projects', calls['list_projects']!());
    expect(await summaries()).toEqual([['outcome', 'list_projects', 'read', undefined, 'done', undefined]]);
    expect((await entries()).map(({ client }) => client)).toEqual([expect.stringMatching(/^\w[\w -]* \d/)]);
  });

  describe('a read: what was read', () => {
    const api = { kind: 'application', name: 'checkout-api', path: 'shop/staging/checkout-api' };

    test('by path, for tools and resources, and without a request more', async () => {
      const { call, read, proxy } = await startServer();
      await call('get_application_logs', { application_id: 'shop/staging/checkout-api' });
      const { id } = (await targets())[0] as { id: string };
      const before = proxy.requests.length;
      await call('get_application_logs', { application_id: id });
      expect(proxy.requests.length - before).toBe(1);
      await read(`infra://service/application/${id}/logs`);
      await call('get_service', { service: 'shop/staging/checkout-api' });
      expect(await targets()).toEqual(Array.from({ length: 4 }, () => ({ ...api, id })));
    });

    test('by id where nothing more is known of it', async () => {
      const { call } = await startServer();
      const id = platform.seed['application_id'];
      await call('get_application_logs', { application_id: id });
      expect(await targets()).toEqual([{ kind: 'application', id }]);
    });

    test('of several, the first and how many more; what it lies in is none of them', async () => {
      const { call } = await startServer();
      await call('compare_environments', { first: 'shop/staging', second: 'shop/production' });
      await call('find_resource', { name: 'api', project: 'shop', environment: 'staging' });
      const [compared, listed] = await targets();
      expect(compared).toMatchObject({ kind: 'environment', path: 'shop/staging', more: 1 });
      expect(listed).toMatchObject({ kind: 'environment', path: 'shop/staging' });
      expect(listed).not.toHaveProperty('more');
    });

    test('also where the policy denies it, and where it failed', async () => {
      const { call } = await startServer({ policy: 'deny: [{ environment: staging, toolset: services }]' });
      await call('get_application_logs', { application_id: 'shop/staging/checkout-api' });
      expect((await entries()).map(({ outcome, target }) => [outcome, target])).toEqual([
        ['denied', expect.objectContaining(api)],
      ]);
    });

    test('without secrets that a name holds', async () => {
      const secret = `ghp_${'aB3'.repeat(12)}`;
      const { call } = await startServer({
        alter: (_method, _path, body) =>
          JSON.parse(JSON.stringify(body).replaceAll('"checkout-api"', `"${secret}"`)) as unknown,
      });
      await call('get_application_logs', { application_id: `shop/staging/${secret}` });
      const [entry] = await entries();
      expect(entry).toMatchObject({ outcome: 'done', target: { path: 'shop/staging/[hidden]' } });
      expect(JSON.stringify(entry)).not.toContain(secret);
    });
  });

  test('a harmless change: that nobody had to agree', async () => {
    const { call } = await startServer();
    await call('create_project', calls['create_project']!());
    expect(await summaries()).toEqual([
      ['intent', 'create_project', 'write', 'not_needed', undefined, undefined],
      ['outcome', 'create_project', 'write', 'not_needed', 'done', undefined],
    ]);
  });

  test('a question, and a change agreed to through the client', async () => {
    const { call } = await startServer({ user: userAnswering(agree) });
    await call('restart_services', calls['restart_services']!());
    expect(await summaries()).toEqual([
      ['outcome', 'restart_services', 'disruptive', undefined, 'asked', undefined],
      ['intent', 'restart_services', 'disruptive', 'elicited', undefined, undefined],
      ['outcome', 'restart_services', 'disruptive', 'elicited', 'done', undefined],
    ]);
    const [, intent] = await entries();
    expect(intent).toMatchObject({
      who: 'ann',
      target: { kind: 'environment', name: 'staging', path: 'shop/staging', mode: 'STAGING' },
      plan: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('a change approved in the terminal, and one that the caller confirmed itself: by these names', async () => {
    const { call } = await startServer({ policy: 'unattended: [disruptive]' });
    const restart = calls['redeploy_terraform']!();
    const text = textOf(await call('redeploy_terraform', restart));
    await guard.decide(/infra-mcp approve (\S+)/.exec(text)![1]!);
    await call('redeploy_terraform', restart);
    const again = textOf(await call('redeploy_terraform', restart));
    await call('redeploy_terraform', { ...restart, plan_token: /plan_token (\S+)/.exec(again)![1]! });
    expect((await entries()).filter(({ kind }) => kind === 'intent').map(({ confirmed }) => confirmed)).toEqual([
      'terminal',
      'unattended',
    ]);
    expect((await entries()).map(({ kind, outcome, verdict }) => outcome ?? verdict ?? kind)).toEqual([
      'pending',
      'approved',
      'intent',
      'done',
      'pending',
      'intent',
      'done',
    ]);
  });

  test('what was refused, denied, rehearsed and failed, and why', async () => {
    const { call } = await startServer({
      user: userAnswering(() => ({ action: 'decline' })),
      policy: 'deny: [{ tool: lock_cluster }]',
    });
    await call('stop_environment', calls['stop_environment']!());
    await call('lock_cluster', calls['lock_cluster']!());
    await call('stop_environment', { ...calls['stop_environment']!(), dry_run: true });
    await call('get_helm', { helm_id: platform.seed['job_id'] });
    await call('get_helm', {});
    expect(
      (await summaries())
        .filter(([, , , , outcome]) => outcome !== 'asked')
        .map(([, tool, , , outcome, why]) => [tool, outcome, why]),
    ).toEqual([
      ['stop_environment', 'refused', 'declined'],
      ['lock_cluster', 'denied', 'policy.yaml, deny[0]'],
      ['stop_environment', 'planned', undefined],
      ['get_helm', 'failed', expect.stringMatching(/^not_found|forbidden$/)],
      ['get_helm', 'failed', 'bad_arguments'],
    ]);
  });

  test('calls whose outcome nobody knows', async () => {
    const { call } = await startServer({ dropsResponse: (method) => method === 'POST' });
    await call('create_project', calls['create_project']!());
    expect((await summaries()).at(-1)).toEqual([
      'outcome',
      'create_project',
      'write',
      'not_needed',
      'unknown',
      expect.any(String),
    ]);
  });

  test('nothing that verifying would not find whole', async () => {
    const { call } = await startServer();
    for (const tool of ['list_projects', 'create_project', 'list_clusters']) await call(tool, calls[tool]!());
    await guard.settled();
    const { file, heads, keys } = auditFilesOf(guard.config);
    expect(await verifyLog([file], heads, keys())).toEqual({ entries: 4, chains: 1, faults: [] });
  });
});

describe('a change', () => {
  test('is on record before the platform sees it', async () => {
    let recorded = '';
    const { file } = auditFilesOf(guard.config);
    const { call } = await startServer({
      beforeRequest: async (method) => {
        if (method === 'POST') recorded = await readFile(file, 'utf8');
      },
    });
    await call('create_project', calls['create_project']!());
    expect(recorded).toContain('"kind":"intent"');
    expect(recorded).not.toContain('"kind":"outcome"');
  });

  test('is not made when it cannot be recorded; reads still are', async () => {
    const { file } = auditFilesOf(guard.config);
    await mkdir(file);
    const { call, proxy } = await startServer();
    const result = await call('create_project', calls['create_project']!());
    expect(failureIn(result)).toEqual({ kind: 'not_recorded', outcome: 'failed' });
    expect(textOf(result)).not.toContain(file);
    expect(proxy.writes()).toEqual([]);
    expect((await call('list_projects', calls['list_projects']!())).isError).toBeFalsy();
  });

  test.skipIf(process.platform === 'win32')('is not made when its plan cannot be sealed; reads still are', async () => {
    await writeFile(join(guard.dataDir, 'guard.key'), Buffer.alloc(32), { mode: 0o644 });
    const { call, proxy } = await startServer({
      alter: (_method, _path, body) => ({ ...(body as object), api_token: 'abcd1234' }),
    });
    expect(failureIn(await call('create_project', calls['create_project']!()))?.kind).toBe('not_recorded');
    expect(proxy.writes()).toEqual([]);
    expect(textOf(await call('get_organization'))).toMatch(/api_token: \[hidden\]/);
  });

  test('is not made when the head of the log cannot be written', async () => {
    await rm(join(guard.dataDir, 'audit-heads'), { recursive: true, force: true });
    await mkdir(join(guard.dataDir, 'audit-heads', '1.head.new'), { recursive: true });
    const { call, proxy } = await startServer();
    expect(failureIn(await call('create_project', calls['create_project']!()))?.kind).toBe('not_recorded');
    expect(proxy.writes()).toEqual([]);
  });
});

describe('a value from the environment of the server', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('is set without anyone seeing it', async () => {
    vi.stubEnv('DEPLOY_KEY', 'a value of the operator');
    const { call, proxy } = await startServer({
      policy: 'value_from_env: [DEPLOY_KEY]',
      onBody: (body) => void bodies.push(body),
    });
    const bodies: string[] = [];
    const args = {
      application_id: platform.seed['application_id'],
      key: 'FROM_OPERATOR',
      value_from_env: 'DEPLOY_KEY',
    };
    const rehearsed = await call('create_environment_variable', { ...args, dry_run: true });
    const result = await call('create_environment_variable', args);
    expect(result.isError).toBeFalsy();
    expect(proxy.writes()).toHaveLength(1);
    expect(bodies.join('\n')).toContain('a value of the operator');
    const list = await call('list_environment_variables', { application_id: platform.seed['application_id'] });
    for (const one of [rehearsed, result, list]) expect(JSON.stringify(one)).not.toContain('a value of the operator');
    expect(await readFile(auditFilesOf(guard.config).file, 'utf8')).not.toContain('a value of the operator');
  });

  test('is not to be had of variables that the operator did not name', async () => {
    const { call, proxy } = await startServer({ policy: 'value_from_env: [DEPLOY_KEY]' });
    const result = await call('create_environment_variable', {
      application_id: platform.seed['application_id'],
      key: 'X',
      value_from_env: 'PATH',
    });
    expect([failureIn(result)?.kind, textOf(result)]).toEqual([
      'bad_arguments',
      expect.stringMatching(/"value_from_env" .*\bDEPLOY_KEY\b/),
    ]);
    expect(proxy.writes()).toEqual([]);
  });
});

describe('a policy about places', () => {
  test('knows projects and environments by name, for reads too', async () => {
    const { call, proxy } = await startServer({
      policy: 'deny: [{ environment: staging, toolset: services }, { project: Shop, toolset: variables }]',
    });
    const project = (
      (await call('list_projects', calls['list_projects']!())).structuredContent as {
        results: { id: string; name: string }[];
      }
    ).results.find(({ id }) => id === platform.seed['project_id'])!;
    const denied = await call('get_application_logs', calls['get_application_logs']!());
    expect([failureIn(denied)?.kind, textOf(denied)]).toEqual([
      'denied',
      expect.stringContaining('toolset is services, environment is staging (policy.yaml, deny[0])'),
    ]);
    const other = await startServer({ policy: `deny: [{ project: "${project.name.toUpperCase()}" }]` });
    const unnamed = await other.call('list_environment_variables', calls['list_environment_variables']!());
    expect([failureIn(unnamed)?.kind, textOf(unnamed)]).toEqual([
      'denied',
      expect.stringContaining('(policy.yaml, deny[0])'),
    ]);
    expect(textOf(unnamed)).not.toContain(project.name);
    expect((await other.call('list_clusters', calls['list_clusters']!())).isError).toBeFalsy();
    expect([...proxy.writes(), ...other.proxy.writes()]).toEqual([]);
  });
});
