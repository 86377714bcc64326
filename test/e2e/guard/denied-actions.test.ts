import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { withDeploymentUnderWay, type RecordingProxyOptions } from '../../support/recording-proxy.ts';
import { closedAfterEach } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
const opened = closedAfterEach();

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

async function startServer(policy: string, options: RecordingProxyOptions = {}) {
  const server = await startGuardedServer(platform, { policy, user: userAnswering(agree), ...options });
  opened.push(server);
  const call = async (tool: string, args: Json) => {
    const before = server.proxy.writes().length;
    const result = await server.call(tool, args);
    return {
      isDenied: failureIn(result)?.kind === 'denied',
      changes: server.proxy.writes().length - before,
      text: textOf(result),
    };
  };
  return { ...server, call };
}

const application = 'shop/staging/checkout-api';
const application_id = seedId(`service/${application}`);

/** A history of these commits, newest first. */
const history =
  (...commits: string[]) =>
  (_method: string, path: string, body: unknown): unknown => {
    if (!path.endsWith('/deploymentHistoryV2') || !Array.isArray((body as Json)['results'])) return body;
    const [row] = (body as { results: Json[] }).results;
    return {
      results: commits.map((git_commit_id, index) => ({
        ...row,
        identifier: { execution_id: `e-${index}` },
        status: 'DEPLOYED',
        details: { commit: { git_commit_id } },
      })),
    };
  };

const [old, present, next] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)];

describe('a deny of rollback_application', () => {
  const policy = 'deny: [{ tool: rollback_application }]';

  test.each<[string, Json, boolean]>([
    ['of an older commit', { git_commit_id: old }, true],
    ['of an older commit, written short', { git_commit_id: old.slice(0, 8).toUpperCase() }, true],
    ['of the present one', { git_commit_id: present }, false],
    ['of one that was never deployed', { git_commit_id: 'd'.repeat(40) }, false],
    ['of the newest', {}, false],
  ])('holds for a deployment %s: %j %s', async (_, more, isDenied) => {
    const { call } = await startServer(policy, { alter: history(present, old) });
    expect(await call('deploy_application', { application_id: application, ...more })).toMatchObject({
      isDenied,
      changes: isDenied ? 0 : 1,
    });
  });

  test('does not hold for going forward again', async () => {
    const { call } = await startServer(policy, { alter: history(old, next, old) });
    expect(await call('deploy_application', { application_id: application, git_commit_id: next })).toMatchObject({
      isDenied: false,
      changes: 1,
    });
  });

  test.each<[string, RecordingProxyOptions]>([
    ['is not shown', { mode: 'unknown' }],
    [
      'goes back further than is read',
      {
        alter: (method, path, body) =>
          path.endsWith('/deploymentHistoryV2')
            ? history(...Array.from({ length: 100 }, () => present))(method, path, body)
            : body,
      },
    ],
  ])('holds in doubt where the history %s', async (_, options) => {
    const { call } = await startServer(policy, options);
    const uri = `infra://service/application/${application_id}`;
    const { text, ...rest } = await call('deploy_application', { application_id: uri, git_commit_id: next });
    expect(rest).toEqual({ isDenied: true, changes: 0 });
    expect(text).toContain('in doubt');
    expect(await call('deploy_application', { application_id: uri })).toMatchObject({ isDenied: false, changes: 1 });
  });

  test('reads no history where no such rule is set', async () => {
    const { call, proxy } = await startServer('deny: [{ tool: stop_environment }]');
    await call('deploy_application', { application_id: application_id, git_commit_id: old });
    expect(proxy.requests.filter((line) => line.endsWith('/deploymentHistoryV2'))).toEqual([]);
  });

  test('leaves the tool listed that also goes forward', async () => {
    const { listed } = await startServer(policy);
    expect([listed.includes('rollback_application'), listed.includes('deploy_application')]).toEqual([false, true]);
  });
});

const deploy = (...services: string[]) => ({ services: services.map((service) => ({ service })) });

describe('a deny of start_services', () => {
  const policy = 'deny: [{ tool: start_services }]';
  const search = 'shop/staging/search';
  const stopped = (_: string, path: string, body: unknown): unknown => {
    if (!/^\/environment\/[^/]+\/statuses$/.test(path)) return body;
    const { containers = [], ...rest } = body as { containers?: Json[] };
    return { ...rest, containers: containers.map((row) => ({ ...row, state: 'STOPPED' })) };
  };

  test.each<[string, string, Json, boolean]>([
    ['several services of which one is stopped', 'deploy_service', deploy(application, search), true],
    ['what runs', 'deploy_service', deploy(application), false],
    ['one service by itself', 'deploy_service', { service: search }, false],
    ['itself', 'start_services', { services: [search] }, true],
  ])('and %s: %s %j %s', async (_, tool, args, isDenied) => {
    const { call } = await startServer(policy, { alter: stopped });
    const { text, ...rest } = await call(tool, args);
    expect(rest, text).toEqual({ isDenied, changes: isDenied ? 0 : 1 });
  });

  test('holds in doubt where no states can be read', async () => {
    const { call } = await startServer(policy, {
      beforeRequest: async (_, request, response) =>
        void (
          request.url!.endsWith('/statuses') &&
          response.writeHead(403, { 'content-type': 'application/json' }).end('{"status":403,"message":"no"}')
        ),
    });
    const { text, ...rest } = await call('deploy_service', deploy(application));
    expect(rest).toEqual({ isDenied: true, changes: 0 });
    expect(text).toContain('in doubt');
  });
});

const variable = { application_id: application, key: 'NEVER_SET', value: 'x' };

const helm = 'shop/staging/session-cache';

const deeds: [string, [string, Json][]][] = [
  [
    'deploy_application',
    [
      ['deploy_service', { service: application }],
      ['rollback_application', { application }],
      ['deploy_service', { environment: 'shop/production' }],
    ],
  ],
  [
    'deploy_service',
    [
      ['deploy_database', { database_id: 'shop/staging/orders-db' }],
      ['deploy_application', { application_id: application }],
      ['redeploy_terraform', { terraform_id: 'shop/staging/assets-bucket' }],
      ['rollback_application', { application }],
      ['start_services', { services: [application] }],
      ['deploy_service', { services: [{ service: application }] }],
    ],
  ],
  [
    'set_environment_variables',
    [
      ['create_environment_variable', variable],
      ['create_secret', variable],
      [
        'update_environment_variable',
        { environment_id: 'shop/staging', environment_variable_id: 'shop/staging/REGION', value: 'x' },
      ],
      [
        'override_environment_variable',
        { container_id: 'shop/staging/search', environment_variable_id: 'shop/staging/REGION', value: 'x' },
      ],
    ],
  ],
  [
    'create_secret',
    [
      ['set_environment_variables', { application, secrets: { NEVER_SET: 'correct-horse-12' } }],
      ['set_environment_variables', { service: 'shop/staging/search', secrets: { NEVER_SET: 'correct-horse-12' } }],
      ['set_environment_variables', { service: helm, secrets: { NEVER_SET: 'correct-horse-12' } }],
    ],
  ],
  [
    'create_environment_variable',
    [
      ['set_environment_variables', { environment: 'shop/staging', variables: { NEVER_SET: 'x' } }],
      ['set_environment_variables', { service: helm, variables: { NEVER_SET: 'x' } }],
    ],
  ],
];

describe.each(deeds)('a deny of %s', (denied, others) => {
  test.each(others)('holds for %s %j', async (tool, args) => {
    const { call } = await startServer(`deny: [{ tool: ${denied} }]`, { alter: withDeploymentUnderWay });
    const { text, ...rest } = await call(tool, args);
    expect(rest, text).toEqual({ isDenied: true, changes: 0 });
  });
});

/** Calls that no such rule holds for: at the path of all variables, one operation sets both. */
const otherDeeds: [string, string, Json][] = [
  ['create_secret', 'create_environment_variable', { service: helm, key: 'ALLOWED', value: 'x' }],
  ['create_secret', 'set_environment_variables', { service: helm, variables: { ALLOWED_TOO: 'x' } }],
  ['create_environment_variable', 'create_secret', { service: helm, key: 'STORED', value: 'correct-horse-12' }],
  [
    'create_environment_variable',
    'set_environment_variables',
    { service: helm, secrets: { STORED_TOO: 'correct-horse-12' } },
  ],
];

test.each(otherDeeds)('a deny of %s does not hold for %s %j', async (denied, tool, args) => {
  const { call } = await startServer(`deny: [{ tool: ${denied} }]`);
  const { text, ...rest } = await call(tool, args);
  expect(rest, text).toEqual({ isDenied: false, changes: 1 });
});

test('tools that a deny leaves nothing of are not listed', async () => {
  const { listed } = await startServer('deny: [{ tool: deploy_service }, { tool: set_environment_variables }]');
  for (const gone of [
    'deploy_service',
    'deploy_database',
    'deploy_application',
    'redeploy_terraform',
    'rollback_application',
    'set_environment_variables',
    'create_secret',
    'update_environment_variable',
  ])
    expect(listed).not.toContain(gone);
  for (const left of ['restart_services', 'list_environment_variables', 'create_application'])
    expect(listed).toContain(left);
});

test('a deny of a tool of several reads takes away no read', async () => {
  const { listed } = await startServer('deny: [{ tool: get_environment_overview }]');
  expect(listed).toEqual(expect.arrayContaining(['list_services', 'get_environment_status']));
});
