import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import type { Policy } from '../../../src/server/guard/index.ts';
import { agree, failureIn, nameToType, textOf, userAnswering } from '../../support/mcp-clients.ts';
import type { RecordingProxyOptions } from '../../support/recording-proxy.ts';
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

/** Deploys services by one call, and says what became of it. */
async function deploys(services: Json[], policy: Policy | string, options: RecordingProxyOptions = {}) {
  const user = userAnswering(agree);
  const server = await startGuardedServer(platform, { policy, user, ...options });
  opened.push(server);
  const result = await server.call('deploy_service', { services });
  return {
    isRefused: failureIn(result)?.kind === 'denied',
    kind: failureIn(result)?.kind,
    changes: server.proxy.writes().length,
    text: textOf(result),
    questions: user.questions,
  };
}

const kept = { isRefused: true, changes: 0 };
const at = (path: string, version?: string): Json => ({ service: path, ...(version !== undefined && { version }) });

const [application, container] = ['shop/staging/checkout-api', 'shop/staging/search'];
const others: Record<string, string> = {
  deploy_application: application,
  deploy_database: 'shop/staging/orders-db',
  redeploy_terraform: 'shop/staging/assets-bucket',
};

describe('a rule about the tool that deploys one service holds for each of several', () => {
  test.each(Object.entries(others))('%s is denied: %s', async (tool, path) => {
    const { text, ...rest } = await deploys([at(container, '9.9.9'), at(path)], `deny: [{ tool: ${tool} }]`);
    expect(rest, text).toMatchObject(kept);
    expect(text).toMatch(new RegExp(`${tool} on \\w+ ${seedId(`service/${path}`)}`));
  });

  test.each(Object.entries(others))('%s is frozen: %s', async (tool, path) => {
    const { text, ...rest } = await deploys(
      [at(container, '9.9.9'), at(path)],
      `freeze: [{ cron: "* * * * *", time_zone: UTC, duration: PT1H, tool: ${tool} }]`,
    );
    expect(rest, text).toMatchObject(kept);
    expect(text).toContain('policy.yaml, freeze[0]');
  });

  test('and for no other service', async () => {
    expect(
      await deploys([at(container, '9.9.9')], 'deny: [{ tool: deploy_application }, { tool: redeploy_terraform }]'),
    ).toMatchObject({ isRefused: false, changes: 1 });
  });

  test('a deny of deploy_service holds, and one of starting services does not, as none is stopped', async () => {
    expect(await deploys([at(container, '9.9.9')], 'deny: [{ tool: deploy_service }]')).toMatchObject({
      isRefused: true,
      changes: 0,
    });
    expect(await deploys([at(container, '9.9.9')], 'deny: [{ tool: start_services }]')).toMatchObject({
      isRefused: false,
      changes: 1,
    });
  });
});

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

const [old, present] = ['a'.repeat(40), 'b'.repeat(40)];

describe('a deny of rollback_application', () => {
  const policy = 'deny: [{ tool: rollback_application }]';

  test.each<[string, string | undefined, boolean]>([
    ['an older commit', old, true],
    ['an older commit, written short', old.slice(0, 8), true],
    ['the present commit', present, false],
    ['the newest commit', undefined, false],
  ])('holds for several services of which one goes to %s: %s %s', async (_, version, isRefused) => {
    const { text, ...rest } = await deploys([at(container, '9.9.9'), at(application, version)], policy, {
      alter: history(present, old),
    });
    expect(rest, text).toMatchObject({ isRefused, changes: isRefused ? 0 : 1 });
  });

  test('holds in doubt where the history goes back further than is read', async () => {
    const { text, ...rest } = await deploys([at(application, old)], policy, {
      alter: history(...Array.from({ length: 100 }, () => present)),
    });
    expect(rest, text).toMatchObject(kept);
    expect(text).toContain('in doubt');
  });
});

describe('where services lie counts for several at once', () => {
  const production = [at('shop/production/search', '9.9.9'), at('shop/production/checkout-api')];

  test.each([
    'deny: [{ mode: PRODUCTION }]',
    'deny: [{ environment: shop/production }]',
    'freeze: [{ cron: "* * * * *", time_zone: UTC, duration: PT1H, mode: PRODUCTION }]',
  ])('%s', async (policy) => {
    expect(await deploys(production, policy)).toMatchObject(kept);
  });

  test('PRODUCTION is asked about by its name', async () => {
    const { questions } = await deploys(production, 'max_disruptive_per_hour: 9');
    expect(questions.map(nameToType)).toEqual(['shop/production']);
  });

  test('each service counts against the limit of grave changes', async () => {
    const { text, ...rest } = await deploys(production, 'max_disruptive_per_hour: 1');
    expect(rest).toMatchObject(kept);
    expect(text).toContain('comes to 2');
  });

  test('a mode that can not be read is asked about', async () => {
    const { questions } = await deploys([at(container, '9.9.9')], 'max_disruptive_per_hour: 9', {
      alter: (method, path, body) =>
        method === 'GET' && /^\/environment\/[^/]+$/.test(path) ? { ...(body as Json), mode: 'NEW' } : body,
    });
    expect(questions).toHaveLength(1);
  });

  test('a server that is kept to an environment deploys nothing outside of it', async () => {
    const policy: Policy = {
      readOnly: false,
      scope: { environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } },
    };
    expect(await deploys(production, policy)).toMatchObject({ changes: 0 });
    expect(await deploys([at(container, '9.9.9')], policy)).toMatchObject({ changes: 1 });
  });

  test('services of two environments are refused before anything is sent, and nobody is asked', async () => {
    const { text, kind, changes, questions } = await deploys(
      [at(container, '9.9.9'), at('shop/production/search', '9.9.9')],
      'max_disruptive_per_hour: 9',
    );
    expect([kind, changes, questions], text).toEqual(['not_possible', 0, []]);
    expect(text).toContain('another environment');
  });
});
