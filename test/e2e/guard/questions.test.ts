import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planText, maximumQuestionLength } from '../../../src/server/guard/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { closedAfterEach, approvalCodeIn, openGuardFixture, type GuardFixture } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const opened = closedAfterEach();

async function startServer(options: GuardedServerOptions = {}) {
  const server = await startGuardedServer(platform, options);
  opened.push(server);
  return server;
}

const operated = async (): Promise<GuardFixture> => {
  const guard = await openGuardFixture({ operator: true });
  opened.push(guard);
  return guard;
};

const variables = (count: number, value = 'x', name = 'SETTING'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}_${index}`, `${value}-${index}`]));

const onProduction = { application: seedId('service/shop/production/checkout-api') };

describe('a question', () => {
  test('is shown to its last line', async () => {
    const { connect } = await startServer();
    const user = userAnswering(() => ({ action: 'decline' }));
    await (await connect({ user })).call('set_environment_variables', { ...onProduction, variables: variables(16) });
    for (const [key, value] of Object.entries(variables(16))) {
      expect(user.questions[0]!.message).toContain(key);
      expect(user.questions[0]!.message).toContain(value);
    }
  });

  test('names its whole path, and that is what is typed', async () => {
    const { connect } = await startServer();
    const user = userAnswering(agree);
    const result = await (
      await connect({ user })
    ).call('set_environment_variables', { ...onProduction, variables: variables(1, 'x', 'ONE') });
    expect(result.isError).toBeFalsy();
    expect(user.questions[0]!.message).toMatch(
      /^On: application "shop\/production\/checkout-api", PRODUCTION \(id [0-9a-f-]{36}\)$/m,
    );
    expect(user.questions[0]!.requestedSchema.properties['name']!.title).toBe(
      'To approve, type exactly: shop/production/checkout-api',
    );
  });

  test.each([
    ['', /^To approve, type exactly: [0-9a-f-]{36}$/],
    ['\u001B[2J\u001B[1;1H', /^To approve, type exactly: shop\/%1B\[2J%1B\[1;1H$/],
    ['\u202Etset', /^To approve, type exactly: shop\/%E2%80%AEtset$/],
    [
      'x", STAGING (id 1)\nOn: environment "test',
      /^To approve, type exactly: shop\/x%22, STAGING \(id 1\)%0AOn: environment %22test$/,
    ],
  ])('an environment called %j is not agreed to by typing nothing', async (name, title) => {
    const { connect, proxy } = await startServer({
      alter: (_method, path, body) => (/^\/environment\/[^/]+$/.test(path) ? { ...(body as object), name } : body),
    });
    const user = userAnswering(() => ({ action: 'accept', content: { name: ' ' } }));
    expect(
      (await (await connect({ user })).call('stop_environment', { environment_id: platform.seed['environment_id'] }))
        .isError,
    ).toBe(true);
    expect(user.questions[0]!.requestedSchema.properties['name']!.title).toMatch(title);
    expect(user.questions[0]!.message.match(/^On: /gm)).toHaveLength(1);
    expect(proxy.writes()).toEqual([]);
  });

  test('is asked for whole in the client, up to its limit', async () => {
    const { connect } = await startServer();
    const user = userAnswering(() => ({ action: 'decline' }));
    await (
      await connect({ user })
    ).call('set_environment_variables', { ...onProduction, variables: { WHOLE: 'r'.repeat(3_500) } });
    expect(user.questions[0]!.message).toContain('r'.repeat(3_500));
    expect(user.questions[0]!.message.length).toBeLessThanOrEqual(maximumQuestionLength);
  });
});

const long = (name: string) => ({ ...onProduction, variables: variables(60, 'y'.repeat(100), name) });

describe('what is too long for a form', () => {
  test('waits for the operator, who sees all of it', async () => {
    const guard = await operated();
    const { connect, proxy } = await startServer({ guard });
    const user = userAnswering(agree);
    const caller = await connect({ user });
    const call = long('SEEN');
    const result = await caller.call('set_environment_variables', call);
    expect(failureIn(result)).toMatchObject({ kind: 'pending', why: 'too_long', outcome: 'pending' });
    const waiting = textOf(result);
    expect(waiting).toContain('4000 characters');
    expect(user.questions).toEqual([]);
    expect(proxy.writes()).toEqual([]);
    const [pending] = await guard.waiting();
    for (const [key, value] of Object.entries(call.variables))
      expect(planText(pending!.plan, { whole: true })).toMatch(new RegExp(`${key}.*${value}|${value}.*${key}`, 's'));
    expect(pending!.typed).toBe('shop/production/checkout-api');
    await guard.decide(approvalCodeIn(waiting));
    expect((await caller.call('set_environment_variables', call)).isError).toBeFalsy();
    expect(proxy.writes()).toHaveLength(60);
  });

  test('is refused where no operator is set up, and never left to the caller', async () => {
    const { connect, proxy } = await startServer({ policy: 'unattended: [disruptive, destructive]' });
    const user = userAnswering(agree);
    const result = await (await connect({ user })).call('set_environment_variables', long('REFUSED'));
    expect(failureIn(result)).toEqual({ kind: 'not_confirmed', why: 'too_long', outcome: 'refused' });
    expect(textOf(result)).not.toContain('plan_token');
    expect(user.questions).toEqual([]);
    expect(proxy.writes()).toEqual([]);
  });
});

/** Statuses of an environment in which everything has this state. */
const allIn = (state: string, body: unknown): unknown =>
  Object.fromEntries(
    Object.entries(body as Record<string, object>).map(([name, one]) => [
      name,
      Array.isArray(one) ? one.map((row: object) => ({ ...row, state })) : { ...one, state },
    ]),
  );

describe('what was approved', () => {
  test.each(['cancel_deployment', 'stop_environment', 'restart_services'])(
    '%s is carried out though its services went on from QUEUED to BUILDING',
    async (tool) => {
      const guard = await operated();
      let state = 'QUEUED';
      const { connect, proxy } = await startServer({
        guard,
        alter: (_method, path, body) => (path.endsWith('/statuses') ? allIn(state, body) : body),
      });
      const caller = await connect();
      const args = toolCallsOn(platform)[tool]!();
      await guard.decide(approvalCodeIn(textOf(await caller.call(tool, args))));
      state = 'BUILDING';
      const result = await caller.call(tool, args);
      expect(failureIn(result)?.kind).not.toBe('not_confirmed');
      expect(proxy.writes(), textOf(result)).toHaveLength(1);
    },
  );
});
