import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let user: User;
let client: TestClient;
/** How the platform refuses to take several services at once. */
let refusal: 404 | 405;
/** The paths that it fails at, and how. */
let failing: RegExp | undefined;
let failure: 401 | 409 | 503;
/** What it doesn't tell of commits: which there are, or which were deployed either. */
let hidden: 'newest' | 'all' | undefined;

beforeEach(async () => {
  [refusal, failing, failure, hidden] = [404, undefined, 409, undefined];
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method, { url = '' }, response) => {
      if (method === 'GET' && hidden && url.endsWith('/commit')) response.writeHead(405).end();
      if (method !== 'POST') return;
      const status = /\/service\/(stop|deploy)$/.test(url) ? refusal : failing?.test(url) ? failure : undefined;
      if (status)
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ status, message: status === 409 ? 'something else is under way' : 'no such route' }));
    },
    alter: (method, path, body) => {
      if (method !== 'GET' || hidden !== 'all') return body;
      return path.includes('/deploymentHistoryV2')
        ? { ...(body as Json), results: [] }
        : JSON.parse(JSON.stringify(body).replaceAll(/"deployed_commit_id":"[^"]*",?/g, ''));
    },
  });
  connectors = connectorsTo(proxy.url, platform.token, { clock: hurriedClock() });
  user = userAnswering(agree);
  client = await connectors.modern(user);
});

afterEach(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const rowsIn = (content: unknown): Json[] => (content as { results: Json[] }).results;
const whatOf = (content: unknown): Json =>
  Object.fromEntries(rowsIn(content).map((row) => [row['service'], row['what']]));
/** The changes that were sent, by kind and action. */
const changes = (): string[] =>
  proxy.writes().map((line) => line.replace(/^POST /, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '*'));
const stateOf = async (kind: 'container' | 'database'): Promise<unknown> =>
  (await platform.must(`get_${kind}_status`, { [`${kind}_id`]: platform.seed[`${kind}_id`] }))['state'];

test.each([404, 405] as const)(
  'services are stopped and started one at a time after %i, with one question, and the answer says so',
  async (status) => {
    refusal = status;
    const services = ['shop/staging/search', 'shop/staging/orders-db', 'shop/staging/checkout-api'];
    const stopped = await client.call('stop_services', { services, wait: true });
    expect(stopped.isError, textOf(stopped)).toBeFalsy();
    expect(stopped.structuredContent).toMatchObject({ asked: 3 });
    expect(whatOf(stopped.structuredContent)).toEqual(
      Object.fromEntries(services.map((service) => [service, 'stopped'])),
    );
    expect(textOf(stopped)).toContain('Sent one service at a time: this platform does not take several at once.');
    expect(changes()).toEqual([
      '/environment/*/service/stop',
      '/application/*/stop',
      '/container/*/stop',
      '/database/*/stop',
    ]);
    expect(user.questions).toHaveLength(1);

    const started = await client.call('start_services', { services, wait: true });
    expect(started.isError, textOf(started)).toBeFalsy();
    expect(whatOf(started.structuredContent)).toEqual(
      Object.fromEntries(services.map((service) => [service, 'running'])),
    );
    expect(changes().slice(4)).toEqual([
      '/environment/*/service/deploy',
      '/database/*/deploy',
      '/container/*/deploy',
      '/application/*/deploy',
    ]);

    // What is missing is known by now, and still somebody may agree.
    await client.call('stop_services', { services: services.slice(0, 2), wait: true });
    expect(changes().slice(8)).toEqual(['/container/*/stop', '/database/*/stop']);
  },
);

const application = () => ({ application_id: platform.seed['application_id']! });
/** The commits of the application's deployments, newest first. */
const commitsRun = async (): Promise<unknown[]> =>
  rowsOf(await platform.must('list_application_deployments', application())).map(
    ({ details }) => (details as { commit?: Json }).commit?.['git_commit_id'],
  );

/** The application runs a commit that isn't the newest. */
async function runningAnOlderCommit(): Promise<string> {
  const older = String(rowsOf(await platform.must('list_application_commits', application()))[1]!['git_commit_id']);
  await client.call('deploy_application', { ...application(), git_commit_id: older, wait: true });
  expect((await commitsRun())[0]).toBe(older);
  return older;
}

test('what is deployed without a version one at a time runs the commit that it ran, as the plan says', async () => {
  const older = await runningAnOlderCommit();
  hidden = 'newest';
  const result = await client.call('deploy_service', {
    services: [{ service: 'shop/staging/checkout-api' }, { service: 'shop/staging/search', version: '9.9.9' }],
    wait: true,
  });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(textOf(result)).toContain(`commit ${older.slice(0, 7)} again`);
  expect(textOf(result)).not.toContain('its present version');
  expect(changes().slice(1)).toEqual([
    '/environment/*/service/deploy',
    '/container/*/deploy',
    '/application/*/redeploy',
  ]);
  expect((await commitsRun()).slice(0, 2)).toEqual([older, older]);
});

test('what is started one at a time runs the commit that ran before, where nothing tells it', async () => {
  const older = await runningAnOlderCommit();
  hidden = 'all';
  await client.call('stop_services', { services: ['shop/staging/checkout-api'], wait: true });
  const started = await client.call('start_services', { services: ['shop/staging/checkout-api'], wait: true });
  expect(started.isError, textOf(started)).toBeFalsy();
  expect(user.questions.at(-1)!.message).toContain('the commit that the platform has from before');
  expect(user.questions.at(-1)!.message).toContain(
    'If it takes only one service at a time, for each, in this order: POST /application/{applicationId}/redeploy.',
  );
  expect(changes().at(-1)).toBe('/application/*/redeploy');
  expect((await commitsRun())[0]).toBe(older);
});

const three = { services: ['shop/staging/search', 'shop/staging/orders-db', 'shop/staging/checkout-api'], wait: true };
const ofSeed = (kind: string): string => `stop_${kind} shop/staging on ${kind} ${platform.seed[`${kind}_id`]!}`;

test('where one of them is refused, the others are stopped all the same, and the answer tells of each', async () => {
  failing = /^\/container\/[^/]+\/stop$/;
  const result = await client.call('stop_services', three);
  expect(failureIn(result)).toMatchObject({
    kind: 'partly',
    done: 2,
    failures: [{ kind: 'api', why: 'conflict', status: 409 }],
  });
  expect(textOf(result)).toContain(
    `${ofSeed('application')}; ${ofSeed('database')}. 1 failed:\n- ${ofSeed('container')}`,
  );
  expect(changes()).toEqual([
    '/environment/*/service/stop',
    '/application/*/stop',
    '/container/*/stop',
    '/database/*/stop',
  ]);
  expect(await stateOf('container')).toBe('DEPLOYED');
  await expect.poll(() => stateOf('database')).toBe('STOPPED');
});

test.each([401, 503] as const)('where one fails with %i, none after it is tried', async (status) => {
  [failing, failure] = [/^\/container\/[^/]+\/stop$/, status];
  const result = await client.call('stop_services', three);
  expect(failureIn(result)).toMatchObject({ kind: 'partly', done: 1, failures: [{ kind: 'api', status }] });
  expect(textOf(result)).toMatch(new RegExp(`${ofSeed('application')}.*\\(${ofSeed('container')}\\)`));
  expect(await stateOf('database')).toBe('DEPLOYED');
});

test('where each is refused, it is said that none was made, and why', async () => {
  failing = /^\/\w+\/[^/]+\/stop$/;
  const conflict = expect.objectContaining({ kind: 'api', why: 'conflict', status: 409 }) as object;
  expect(failureIn(await client.call('stop_services', three))).toEqual({
    kind: 'partly',
    outcome: 'failed',
    done: 0,
    failures: [conflict, conflict, conflict],
  });
});

test('a refusal of the request itself is not sent again in parts', async () => {
  const services = ['shop/staging/search', 'shop/staging/orders-db'];
  await connectors.close();
  await proxy.close();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method, { url = '' }, response) => {
      if (method === 'POST' && url.endsWith('/service/stop'))
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({ status: 404, message: `no environment has the id ${platform.seed['environment_id']!}` }),
          );
    },
  });
  connectors = connectorsTo(proxy.url, platform.token, { clock: hurriedClock() });
  const result = await (await connectors.modern(user)).call('stop_services', { services });
  expect(result.isError).toBe(true);
  expect(changes()).toEqual(['/environment/*/service/stop']);
});
