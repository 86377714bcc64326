import { afterAll, beforeAll, expect, test } from 'vitest';
import { agree, failureIn, userAnswering, type Answer, type User } from '../support/mcp-clients.ts';
import { openGuardFixture, type GuardFixture } from '../support/guard-fixture.ts';
import { startGuardedServer, type GuardedServerOptions } from '../support/guarded-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let guard: GuardFixture;
let withOperator: GuardFixture;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  [guard, withOperator] = await Promise.all([openGuardFixture(), openGuardFixture({ operator: true })]);
});
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
  await Promise.all([guard.close(), withOperator.close()]);
  await platform.close();
});

const nobody = '11111111-2222-4333-8444-555555555555';
const production = { environment_id: 'shop/production' };
const answering = (answer: Answer): User => userAnswering(() => answer);

/** The failure of one call, with a server of its own. */
async function failureOf(
  tool: string,
  args: Record<string, unknown>,
  options: GuardedServerOptions = {},
): Promise<unknown> {
  const server = await startGuardedServer(platform, { guard, user: userAnswering(agree), ...options });
  opened.push(server);
  return failureIn(await server.call(tool, args));
}

/** Lets requests that create fail with a status. */
const failing = (status: number, path: string): GuardedServerOptions => ({
  beforeRequest: async (method, request, response) => {
    if (method === 'POST' && request.url!.split('?')[0]!.endsWith(path)) response.writeHead(status).end('{}');
  },
});

test.each<[string, unknown, string, Record<string, unknown>, GuardedServerOptions?]>([
  ['arguments that are wrong', { kind: 'bad_arguments', outcome: 'failed' }, 'get_environment', {}],
  [
    'a name that nothing has',
    { kind: 'bad_address', why: 'unknown', outcome: 'failed' },
    'get_service',
    { service: 'shop/staging/nothing' },
  ],
  [
    'an id that nothing has',
    { kind: 'api', why: 'not_found', outcome: 'failed', status: 404 },
    'get_environment',
    { environment_id: nobody },
  ],
  [
    'a platform that fails',
    { kind: 'api', why: 'server_error', outcome: 'unknown', status: 500, operation: 'create_project' },
    'create_project',
    { name: 'loyalty' },
    failing(500, '/project'),
  ],
  [
    'a policy that denies',
    { kind: 'denied', outcome: 'denied' },
    'stop_environment',
    production,
    { policy: 'deny:\n  - tool: stop_environment\n' },
  ],
  [
    'a user who says no',
    { kind: 'not_confirmed', why: 'declined', outcome: 'refused' },
    'stop_environment',
    production,
    { user: answering({ action: 'decline' }) },
  ],
  [
    'a user who closes the form',
    { kind: 'not_confirmed', why: 'dismissed', outcome: 'refused' },
    'stop_environment',
    production,
    { user: answering({ action: 'cancel' }) },
  ],
  [
    'a client that cannot ask',
    { kind: 'not_confirmed', why: 'cannot_ask', outcome: 'refused' },
    'stop_environment',
    production,
    { user: undefined },
  ],
])('%s', async (_, expected, tool, args, options) => {
  expect(await failureOf(tool, args, options)).toMatchObject(expected as object);
});

test('a call that waits for the operator', async () => {
  expect(await failureOf('stop_environment', production, { user: undefined, guard: withOperator })).toMatchObject({
    kind: 'pending',
    outcome: 'pending',
    code: expect.stringMatching(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/),
  });
});

test('several changes of which one fails', async () => {
  const variables = { FIRST: '1', SECOND: '2' };
  const taken = failing(409, '/environmentVariable');
  expect(
    await failureOf('set_environment_variables', { application: 'shop/staging/checkout-api', variables }, taken),
  ).toMatchObject({
    kind: 'partly',
    done: 0,
    failures: [{ kind: 'api', why: 'conflict', operation: 'create_environment_variable', status: 409 }],
  });
});

test('a call that does not fail has none', async () => {
  expect(await failureOf('list_projects', {})).toBeUndefined();
});
