import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operation } from '../../../src/contract/operation.ts';
import { reference, EnvironmentMode } from '../../../src/contract/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { closedAfterEach } from '../../support/guard-fixture.ts';
import { defineTool, record } from '../../../src/server/tool/index.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
const opened = closedAfterEach();

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

/** As AGENTS.md says how to add one; no platform offers it. */
const duplicateEnvironment = defineTool(
  operation({
    name: 'duplicate_environment',
    method: 'POST',
    path: '/environment/{environmentId}/duplicate',
    effect: 'write',
    documented: false,
    summary: 'Duplicate an environment.',
    body: z.object({
      name: z.string(),
      mode: EnvironmentMode.optional(),
      cluster_id: reference('cluster').optional(),
      project_id: reference('project').optional(),
    }),
    target: 'environment',
    creates: { kind: 'environment', in: 'project' },
    roles: { mode: 'mode', cluster_id: { pointsAt: 'cluster' }, project_id: { pointsAt: 'project' } },
  }),
  { toolset: 'environments', description: 'Duplicate an environment.', render: record() },
);

/** One that moves a service to another environment. */
const moveContainer = defineTool(
  operation({
    name: 'move_container',
    method: 'POST',
    path: '/container/{containerId}/move',
    effect: 'write',
    documented: false,
    summary: 'Move a container.',
    body: z.object({ environment_id: reference('environment') }),
    target: 'container',
    moves: { kind: 'container', in: 'environment' },
    roles: { environment_id: { pointsAt: 'environment' } },
  }),
  { toolset: 'services', description: 'Move a container.', render: record() },
);

/** Starts a server whose user declines every question by default. */
async function startServer({
  user = userAnswering(() => ({ action: 'decline' })),
  ...options
}: GuardedServerOptions = {}) {
  const { proxy, listed, ...server } = await startGuardedServer(platform, {
    user,
    extraTools: [duplicateEnvironment, moveContainer],
    ...options,
  });
  opened.push({ close: server.close });
  /** What a call comes to: how it is asked for, if it is, and what is sent. */
  const call = async (tool: string, args: Json) => {
    const [asked, sent] = [user.questions.length, proxy.writes().length];
    const result = await server.call(tool, args);
    const question = user.questions[asked];
    const how = question === undefined ? 'unasked' : 'name' in question.requestedSchema.properties ? 'typed' : 'yes';
    return {
      text: textOf(result),
      failure: failureIn(result),
      how,
      message: question?.message ?? '',
      changes: proxy.writes().slice(sent),
    };
  };
  return { proxy, call, listed };
}

const mainCluster = seedId('cluster/main');
const productionCluster = seedId('cluster/production');
const environment = {
  development: seedId('environment/data/development'),
  staging: seedId('environment/shop/staging'),
  production: seedId('environment/shop/production'),
};
const clonePath = `POST /environment/${environment.development}/duplicate`;

describe('what comes of a call counts as much as what it is aimed at', () => {
  const clone = { environment_id: 'data/development', name: 'copy' };

  test.each<[string, Json, string]>([
    ['into PRODUCTION', { mode: 'PRODUCTION' }, 'typed'],
    ['into an environment whose mode is not said', {}, 'yes'],
    ['into STAGING on a cluster of production', { mode: 'STAGING', cluster_id: productionCluster }, 'typed'],
    ['into STAGING on a cluster that hosts none', { mode: 'STAGING', cluster_id: mainCluster }, 'unasked'],
    ['into DEVELOPMENT of another project', { mode: 'DEVELOPMENT', project_id: 'shop' }, 'unasked'],
  ])('a clone of DEVELOPMENT %s', async (_, more, how) => {
    const { call } = await startServer();
    const done = await call('duplicate_environment', { ...clone, ...more });
    expect([done.how, done.changes], done.text).toEqual([how, how === 'unasked' ? [clonePath] : []]);
  });

  test('and what it is aimed at as much as what comes of it', async () => {
    const { call } = await startServer();
    expect(
      await call('duplicate_environment', { ...clone, environment_id: 'shop/production', mode: 'DEVELOPMENT' }),
    ).toMatchObject({ how: 'typed', changes: [] });
  });

  test('the question says what else is touched', async () => {
    const { call } = await startServer();
    expect(
      (await call('duplicate_environment', { ...clone, mode: 'PRODUCTION', cluster_id: productionCluster })).message,
    ).toMatch(
      new RegExp(
        `Makes environment copy, PRODUCTION\\.\nTouches cluster production, which hosts production \\(id ${productionCluster}\\)\\.`,
      ),
    );
  });

  test.each<[string, string, Json]>([
    ['denies PRODUCTION', 'deny: [{ mode: PRODUCTION }]', { mode: 'PRODUCTION' }],
    ['denies PRODUCTION, where the mode is not said', 'deny: [{ mode: PRODUCTION }]', {}],
    ['denies what is disruptive', 'deny: [{ tier: disruptive }]', { mode: 'PRODUCTION' }],
    ['denies the project that it ends up in', 'deny: [{ project: shop }]', { mode: 'DEVELOPMENT', project_id: 'shop' }],
    ['denies the project that it begins in', 'deny: [{ project: data }]', { mode: 'DEVELOPMENT', project_id: 'shop' }],
    ['allows DEVELOPMENT only', 'allow: [{ mode: DEVELOPMENT }]', { mode: 'STAGING' }],
    ['allows one project only', 'allow: [{ project: data }]', { mode: 'DEVELOPMENT', project_id: 'shop' }],
    [
      'freezes PRODUCTION',
      'freeze: [{ cron: "* * * * *", time_zone: UTC, duration: PT1H, mode: PRODUCTION }]',
      { mode: 'PRODUCTION' },
    ],
  ])('a policy that %s holds for it', async (_, policy, more) => {
    const { call } = await startServer({ policy });
    const { text, failure, how, changes } = await call('duplicate_environment', { ...clone, ...more });
    expect([failure?.kind, how, changes], text).toEqual(['denied', 'unasked', []]);
    expect(text).toContain('(policy.yaml, ');
  });

  test('a policy that allows all that it touches lets it pass', async () => {
    const { call } = await startServer({ policy: 'allow: [{ mode: [DEVELOPMENT, STAGING], project: data }]' });
    expect(await call('duplicate_environment', { ...clone, mode: 'STAGING', cluster_id: mainCluster })).toMatchObject({
      how: 'unasked',
      changes: [clonePath],
    });
  });

  test('a server kept to a project lets nothing be made outside it', async () => {
    const { call, proxy, close } = await startGuardedServer(platform, {
      extraTools: [duplicateEnvironment],
      policy: { readOnly: false, scope: { project: { name: 'data', setBy: 'INFRA_PROJECT' } } },
    });
    opened.push({ close });
    const more = { environment_id: 'development', name: 'copy', mode: 'DEVELOPMENT' };
    await call('duplicate_environment', more);
    expect(proxy.writes()).toEqual([clonePath]);
    expect(textOf(await call('duplicate_environment', { ...more, project_id: seedId('project/shop') }))).toMatch(
      /project "data".*\(INFRA_PROJECT\)/,
    );
    expect(proxy.writes()).toEqual([clonePath]);
  });

  test.each([
    ['shop/production', 'typed'],
    ['data/development', 'unasked'],
  ])('what is moved from STAGING to %s', async (there, how) => {
    const { call } = await startServer();
    const done = await call('move_container', {
      container_id: seedId('service/shop/staging/search'),
      environment_id: there,
    });
    expect([done.how, done.changes.length], done.text).toEqual([how, how === 'unasked' ? 1 : 0]);
  });
});

/** Lets no cluster say that it is production. */
const unflagged = (_method: string, path: string, body: unknown): unknown =>
  /^\/organization\/[^/]+\/cluster$/.test(path)
    ? { results: (body as { results: Json[] }).results.map((row) => ({ ...row, production: false })) }
    : body;

describe('a cluster that hosts a PRODUCTION environment is production, whatever it says', () => {
  const created = { project_id: 'data', name: 'next', mode: 'DEVELOPMENT' };

  test.each<[string, Json, string]>([
    ['lock_cluster', { cluster_id: productionCluster, reason: 'incident' }, 'typed'],
    ['lock_cluster', { cluster_id: mainCluster, reason: 'incident' }, 'yes'],
    ['upgrade_cluster', { cluster_id: productionCluster }, 'typed'],
    ['create_environment', { ...created, cluster_id: productionCluster }, 'typed'],
    ['create_environment', { ...created, cluster_id: mainCluster }, 'unasked'],
  ])('%s %j', async (tool, args, how) => {
    const { call } = await startServer({ alter: unflagged });
    const done = await call(tool, { ...args, ...(how === 'unasked' && { name: 'made' }) });
    expect(done.how, done.text).toBe(how);
    if (how === 'typed') expect(done.message).toMatch(/, PRODUCTION|which hosts production/);
  });

  test('also where it is to be unlocked', async () => {
    const { call } = await startServer({ alter: unflagged });
    await startServer({ user: userAnswering(agree) }).then((other) =>
      other.call('lock_cluster', { cluster_id: productionCluster, reason: 'incident', ttl_in_days: 1 }),
    );
    expect((await call('unlock_cluster', { cluster_id: productionCluster })).how).toBe('typed');
    await startServer({ user: userAnswering(agree) }).then((other) =>
      other.call('unlock_cluster', { cluster_id: productionCluster }),
    );
  });

  test('a policy about production holds for it', async () => {
    const { call } = await startServer({ alter: unflagged, policy: 'deny: [{ mode: PRODUCTION }]' });
    expect((await call('lock_cluster', { cluster_id: productionCluster, reason: 'incident' })).failure?.kind).toBe(
      'denied',
    );
    expect((await call('create_environment', { ...created, cluster_id: productionCluster })).failure?.kind).toBe(
      'denied',
    );
  });

  test('a rehearsal tells it', async () => {
    const { call } = await startServer({ alter: unflagged });
    expect(
      (await call('create_environment', { ...created, cluster_id: productionCluster, dry_run: true })).text,
    ).toMatch(/would happen \(disruptive.*Touches cluster production, which hosts production/s);
  });

  test('one that says it is costs no search', async () => {
    const { call, proxy } = await startServer();
    await call('lock_cluster', { cluster_id: productionCluster, reason: 'incident' });
    expect(proxy.requests.filter((line) => line.endsWith('/environment'))).toEqual([]);
  });

  test('in an organization of very many projects, without a list of all environments, it is not found out, and counts as production', async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      id: seedId(`project/many-${index}`),
      name: `many-${index}`,
    }));
    const { call, proxy } = await startServer({
      alter: (method, path, body) =>
        /^\/organization\/[^/]+\/project$/.test(path)
          ? { results: many }
          : /^\/project\/[^/]+\/environment$/.test(path) && method === 'GET'
            ? { results: [] }
            : /^\/organization\/[^/]+\/environments$/.test(path)
              ? 'no list'
              : unflagged(method, path, body),
    });
    const { how, message } = await call('create_environment', {
      project_id: seedId('project/data'),
      name: 'next',
      mode: 'DEVELOPMENT',
      cluster_id: mainCluster,
    });
    expect([how, message]).toEqual(['yes', expect.stringContaining('whether it hosts production')]);
    expect(proxy.requests.length).toBeLessThan(40);
  });

  test('where lists are cut into pages it is not found out either', async () => {
    const { call } = await startServer({
      alter: (method, path, body) =>
        method === 'GET' && /^\/project\/[^/]+\/environment$/.test(path)
          ? { results: [], pagination: { page: 1, page_size: 1, total_count: 2, total_pages: 2 } }
          : unflagged(method, path, body),
    });
    expect((await call('create_environment', { ...created, cluster_id: mainCluster })).how).toBe('yes');
  });
});

const sent = (id: string): string => `POST /environment/${id}/deploy`;

describe('deploying an environment is as risky as the riskiest of what it deploys', () => {
  const withTerraform = { environment: 'shop/staging' };
  const without = { environment: 'data/development' };

  test('Terraform is planned and applied: somebody is asked, and sees what happens to each service', async () => {
    const { call } = await startServer();
    const { how, message, changes } = await call('deploy_service', withTerraform);
    expect([how, changes]).toEqual(['yes', []]);
    expect(message).toMatch(/wants to run deploy_service \(disruptive\)/);
    for (const line of [
      /^assets-bucket \(terraform\): plan and apply, commit [0-9a-f]{40} → the newest commit of branch main\.$/m,
      /^nightly-report \(job\): schedules the job at .*, image acme\/report:3\.2\.0\.$/m,
      /^checkout-api \(application\): commit [0-9a-f]{40} → the newest commit of branch main\.$/m,
      /^storefront \(application\): the newest commit of branch main\.$/m,
      /^search \(container\): image acme\/search:2\.4\.1\.$/m,
      /^session-cache \(helm\): chart redis 20\.6\.1\.$/m,
      /^orders-db \(database\): POSTGRESQL 16\.$/m,
    ])
      expect(message).toMatch(line);
    expect(message).not.toMatch(/DEPLOYED|READY/);
  });

  test('without Terraform nobody is asked', async () => {
    const { call } = await startServer();
    expect(await call('deploy_service', without)).toMatchObject({
      how: 'unasked',
      changes: [sent(environment.development)],
    });
  });

  test.each<[string, string, Json, RegExp]>([
    [
      'deny: [{ tool: redeploy_terraform }]',
      'Terraform',
      withTerraform,
      /tool is redeploy_terraform, .*redeploy_terraform on terraform .*deny\[0\]/,
    ],
    ['deny: [{ tier: disruptive }]', 'what is disruptive', withTerraform, /tier is disruptive.*deny\[0\]/],
    [
      'deny: [{ tool: deploy_database }]',
      'a database',
      without,
      /tool is deploy_database, .*deploy_database on database .*deny\[0\]/,
    ],
    [
      'deny: [{ tool: deploy_application }]',
      'an application',
      withTerraform,
      /deploy_application on application .*deny\[0\]/,
    ],
    [
      'allow: [{ tier: [read, write] }]',
      'what is not allowed',
      withTerraform,
      /redeploy_terraform on terraform .*policy\.yaml, allow\)/,
    ],
    [
      'freeze: [{ cron: "* * * * *", time_zone: UTC, duration: PT1H, tool: redeploy_terraform }]',
      'what is frozen',
      withTerraform,
      /redeploy_terraform on terraform .*freeze\[0\]/,
    ],
    ['max_disruptive_per_hour: 0', 'what is counted', withTerraform, /at most 0 .*max_disruptive_per_hour/],
    [
      'max_disruptive_per_hour: 2',
      'three services on production',
      { environment: 'shop/production' },
      /at most 2 .*comes to 3/,
    ],
  ])('%s holds for %s in it', async (policy, _, args, why) => {
    const { call } = await startServer({ policy, user: userAnswering(agree) });
    const { text, failure, changes, how } = await call('deploy_service', args);
    expect([failure?.kind, how, changes], text).toEqual(['denied', 'unasked', []]);
    expect(text).toMatch(why);
  });

  test('and for nothing that is not in it', async () => {
    const { call } = await startServer({
      policy:
        '{ deny: [{ tool: redeploy_terraform }, { tier: disruptive }, { tool: deploy_application }], max_disruptive_per_hour: 0 }',
    });
    expect((await call('deploy_service', without)).changes).toEqual([sent(environment.development)]);
  });

  test('each of its high-risk parts counts', async () => {
    const { call } = await startServer({ policy: 'max_disruptive_per_hour: 3', user: userAnswering(agree) });
    expect((await call('deploy_service', { environment: 'shop/production' })).changes).toEqual([
      sent(environment.production),
    ]);
    expect(await call('deploy_service', withTerraform)).toMatchObject({
      failure: { kind: 'denied' },
      text: expect.stringContaining('max_disruptive_per_hour') as string,
    });
  });

  const halves: [string, (body: { results: Json[] }) => unknown][] = [
    [
      'are not all shown',
      ({ results }) => ({
        results: results.slice(0, 1),
        pagination: { page: 1, page_size: 1, total_count: results.length, total_pages: results.length },
      }),
    ],
    [
      'are of a kind that nobody knows',
      ({ results }) => ({
        results: results.map((row, index) => (index === 0 ? { ...row, service_type: 'GITOPS_APP' } : row)),
      }),
    ],
  ];

  describe.each(halves)('where its services %s', (_, half) => {
    const alter = (_method: string, path: string, body: unknown): unknown =>
      path.endsWith('/services') ? half(body as { results: Json[] }) : body;

    test('somebody is asked', async () => {
      const { call } = await startServer({ alter });
      const { how, message } = await call('deploy_service', without);
      expect([how, message]).toEqual([
        'yes',
        expect.stringMatching(/Not known: which services|whether it is deployed/),
      ]);
    });

    test.each([
      ['deny: [{ tool: redeploy_terraform }]', /may carry out redeploy_terraform.*deny\[0\].*in doubt/s],
      ['deny: [{ tier: disruptive }]', /tier is disruptive/],
      ['max_disruptive_per_hour: 0', /max_disruptive_per_hour/],
    ])('%s holds in doubt', async (policy, why) => {
      const { call } = await startServer({ alter, policy, user: userAnswering(agree) });
      const { text, failure, changes } = await call('deploy_service', without);
      expect([failure?.kind, changes], text).toEqual(['denied', []]);
      expect(text).toMatch(why);
    });
  });

  test('a service alone is what it is: a job is run, Terraform is applied', async () => {
    const { call } = await startServer();
    expect((await call('deploy_service', { service: 'shop/staging/nightly-report', dry_run: true })).text).toMatch(
      /Schedules the job at/,
    );
    const terraform = await call('deploy_service', { service: 'shop/staging/assets-bucket' });
    expect([terraform.how, terraform.message]).toEqual(['yes', expect.stringContaining('Terraform plans')]);
  });

  test.each([['stop_environment'], ['cancel_deployment']])('%s is denied by its name', async (tool) => {
    const { call } = await startServer({ policy: `deny: [{ tool: ${tool} }]`, user: userAnswering(agree) });
    expect(await call(tool, { environment_id: environment.staging })).toMatchObject({
      how: 'unasked',
      changes: [],
      failure: { kind: 'denied' },
    });
  });
});
