import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditFilesOf } from '../../../src/cli/wiring/guard.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { agree, failureIn, textOf, userAnswering, type User } from '../../support/mcp-clients.ts';
import { openGuardFixture, type GuardFixture } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

let platform: TestPlatform;
let guard: GuardFixture;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  guard = await openGuardFixture();
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
  await guard.close();
});

const production = 'shop/production/checkout-api';
const staging = 'shop/staging/checkout-api';

async function startServer({ user = userAnswering(agree), ...options }: GuardedServerOptions = {}) {
  const server = await startGuardedServer(platform, { guard, user, ...options });
  opened.push(server);
  const call = async (tool: string, args: Record<string, unknown>) => {
    const result = await server.call(tool, args);
    return { text: textOf(result), isError: result.isError === true, failure: failureIn(result) };
  };
  const set = (application: string, keys: readonly string[], value = '1') =>
    call('set_environment_variables', { application, variables: Object.fromEntries(keys.map((key) => [key, value])) });
  return { proxy: server.proxy, user, call, set };
}

/** What is on record of calls once they were agreed to. */
async function recorded(): Promise<unknown[][]> {
  await guard.settled();
  const entries = (await readFile(auditFilesOf(guard.config).file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return entries
    .filter(({ confirmed }) => confirmed !== undefined)
    .map(({ kind, tool, tier, confirmed, outcome, why }) => [kind, tool, tier, confirmed, outcome, why]);
}

const intent = ['intent', 'set_environment_variables', 'disruptive', 'elicited', undefined, undefined];

describe('a call of several operations that fails after some were made says and records', () => {
  test('which were made, which failed and why, and that the rest was not tried', async () => {
    // What can be read is refused before anything is begun.
    const { call, set, proxy } = await startServer({
      beforeRequest: async (method, request, response) => {
        if (method === 'GET' && request.url!.split('?')[0]!.endsWith('/secret')) response.writeHead(403).end();
      },
    });
    await call('create_secret', { application_id: production, key: 'TAKEN', value: 'correct-horse-11' });
    const before = proxy.writes().length;
    const { text, failure } = await set(production, ['MADE', 'TAKEN', 'UNTRIED']);
    expect(failure).toEqual({
      kind: 'partly',
      outcome: 'failed',
      done: 1,
      failures: [
        expect.objectContaining({ kind: 'api', why: 'invalid_input', operation: 'create_environment_variable' }),
      ],
    });
    expect(text).toMatch(
      /^1 of 3 .* create_environment_variable MADE on \w+ .* \(create_environment_variable TAKEN on /,
    );
    expect(text).not.toContain('UNTRIED');
    expect(proxy.writes().length - before).toBe(2);
    expect((await recorded()).slice(-2)).toEqual([
      intent,
      ['outcome', 'set_environment_variables', 'disruptive', 'elicited', 'failed', '1 of 3 done'],
    ]);
    const list = await call('list_environment_variables', { application_id: production });
    expect([list.text.includes('MADE'), list.text.includes('UNTRIED')]).toEqual([true, false]);
  });

  test('that nobody knows of the one whose answer got lost', async () => {
    let posts = 0;
    const { set } = await startServer({ dropsResponse: (method) => method === 'POST' && (posts += 1) > 1 });
    const { text, failure } = await set(production, ['KNOWN', 'LOST', 'NEVER']);
    expect(failure).toMatchObject({
      kind: 'partly',
      outcome: 'unknown',
      done: 1,
      failures: [{ kind: 'api', outcome: 'unknown' }],
    });
    expect(text).toContain('create_environment_variable KNOWN');
    expect((await recorded()).at(-1)).toEqual([
      'outcome',
      'set_environment_variables',
      'disruptive',
      'elicited',
      'unknown',
      '1 of 3 done',
    ]);
  });

  test('that all was made where only the telling fails, and that it must not be made again', async () => {
    let posted = false;
    const { call, proxy } = await startServer({
      alter: (method, _path, body) => {
        posted ||= method === 'POST';
        return posted && method === 'GET' ? 'nothing that could be read' : body;
      },
    });
    const { text, failure } = await call('deploy_service', { service: production, wait: true });
    expect(failure).toMatchObject({
      kind: 'afterwards',
      outcome: 'done',
      done: 1,
      failures: [{ kind: 'not_possible' }],
    });
    expect(text).toContain('(deploy_application on application ');
    expect(proxy.writes()).toHaveLength(1);
    expect((await recorded()).at(-1)?.slice(0, 5)).toEqual([
      'outcome',
      'deploy_service',
      'disruptive',
      'elicited',
      'done',
    ]);
  });
});

describe('a limit of grave calls', () => {
  const policy = 'max_disruptive_per_hour: 3';

  test('keeps a call out that comes to more than it allows, before anybody is asked', async () => {
    const { set, user, proxy } = await startServer({ policy });
    const { text, failure } = await set(production, ['A_1', 'A_2', 'A_3', 'A_4', 'A_5']);
    expect(failure?.kind).toBe('denied');
    expect(text).toMatch(
      /at most 3 disruptive or graver calls are allowed in 60 minutes, and this one comes to 5 \(policy\.yaml, max_disruptive_per_hour\).*of these at most 3 at once/,
    );
    expect([user.questions, proxy.writes()]).toEqual([[], []]);
  });

  test('counts each act of a call', async () => {
    const { set, proxy } = await startServer({ policy });
    expect((await set(production, ['B_1', 'B_2'])).isError).toBe(false);
    expect((await set(production, ['B_3', 'B_4'])).text).toMatch(/comes to 2 .*this many from 20/);
    expect((await set(production, ['B_3'])).isError).toBe(false);
    expect((await set(production, ['B_4'])).text).toMatch(/next one from 20/);
    expect(proxy.writes()).toHaveLength(3);
  });

  test('counts each service that a restart names', async () => {
    const { call, user, proxy } = await startServer({ policy: 'max_disruptive_per_hour: 2' });
    const restart = {
      environment_id: 'shop/staging',
      application_ids: ['checkout-api', 'storefront'],
      container_ids: ['search'],
    };
    expect((await call('restart_services', restart)).text).toContain('comes to 3');
    expect([user.questions, proxy.writes()]).toEqual([[], []]);
    expect((await call('restart_services', { ...restart, application_ids: ['checkout-api'] })).isError).toBe(false);
    expect((await call('restart_services', { ...restart, application_ids: [] })).text).toMatch(/next one from 20/);
    expect(proxy.writes()).toHaveLength(1);
  });

  test('counts each service of an environment that is stopped, and one where they are not shown', async () => {
    const args = { environment_id: 'shop/production' };
    const { call, user, proxy } = await startServer({ policy: 'max_disruptive_per_hour: 2' });
    expect((await call('stop_environment', args)).text).toContain('comes to 3');
    expect([user.questions, proxy.writes()]).toEqual([[], []]);
    const unseen = await startServer({
      policy: 'max_disruptive_per_hour: 2',
      mode: 'unknown',
      user: userAnswering(() => ({ action: 'decline' })),
    });
    await unseen.call('stop_environment', { environment_id: seedId('environment/shop/production') });
    expect(unseen.user.questions).toHaveLength(1);
  });

  test('counts nothing that is so already, rehearsed, or harmless', async () => {
    const { set, call, proxy } = await startServer({ policy });
    expect((await set(staging, ['C_1', 'C_2', 'C_3', 'C_4', 'C_5'])).isError).toBe(false);
    expect((await set(production, ['C_1', 'C_2', 'C_3'])).isError).toBe(false);
    expect((await set(production, ['C_1', 'C_2', 'C_3'])).text).toContain('nothing to change');
    const rehearsed = await call('set_environment_variables', {
      application: staging,
      variables: { C_6: '1' },
      dry_run: true,
    });
    expect(rehearsed.isError).toBe(false);
    expect(proxy.writes()).toHaveLength(8);
  });

  test('lets no two calls through together that each would fit alone', async () => {
    const bothAsked = Promise.withResolvers<void>();
    const users: User[] = [];
    const patient = (): User => {
      const user = userAnswering(async (question) => {
        if (users.every((one) => one.questions.length > 0)) bothAsked.resolve();
        await bothAsked.promise;
        return agree(question);
      });
      users.push(user);
      return user;
    };
    const [one, other] = [
      await startServer({ policy, user: patient() }),
      await startServer({ policy, user: patient() }),
    ];
    const results = await Promise.all([one.set(production, ['D_1', 'D_2']), other.set(production, ['E_1', 'E_2'])]);
    expect(results.filter(({ isError }) => isError)).toMatchObject([
      { text: expect.stringContaining('comes to 2') as string, failure: { kind: 'denied' } },
    ]);
    expect(one.proxy.writes().length + other.proxy.writes().length).toBe(2);
  });
});
