import { beforeEach, describe, expect, test } from 'vitest';
import { policyFrom } from '../support/guard-fixture.ts';
import { proxiedForEach } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { failureIn, nameToType, type TestClient, textOf, type User } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let user: User;
let client: TestClient;
/** Services that seem to be in a state. */
let seeming: Readonly<Record<string, string>>;

const masked = (path: string, body: unknown): unknown => {
  if (/^\/organization\/[^/]+\/services/.test(path))
    return {
      results: rowsIn(body).map((row) => ({
        ...row,
        status: { ...(row['status'] as Json), state: seeming[String(row['id'])] ?? (row['status'] as Json)['state'] },
      })),
    };
  if (!path.endsWith('/statuses')) return body;
  return Object.fromEntries(
    Object.entries(body as Record<string, Json | Json[]>).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((row) => ({ ...row, state: seeming[String(row['id'])] ?? row['state'] }))
        : value,
    ]),
  );
};

beforeEach(() => {
  seeming = {};
});
proxiedForEach(
  { alter: (method, path, body) => (method === 'GET' ? masked(path, body) : body) },
  (proxied) => ({ platform, proxy, connectors, user, client } = proxied),
);

const rowsIn = (content: unknown): Json[] => (content as { results: Json[] }).results;
const stateOf = async (environment: string, name: string): Promise<unknown> =>
  rowsIn((await client.call('list_services', { environment_id: environment })).structuredContent).length > 0 &&
  ((await client.call('get_service', { service: `${environment}/${name}` })).structuredContent as { status: Json })
    .status['state'];

describe('stopping everything that is not production', () => {
  test('takes one plan, one question and one summary', async () => {
    seeming = { [platform.seed['helm_id']!]: 'DEPLOYING' };
    const result = await client.call('stop_services', { modes: ['DEVELOPMENT', 'STAGING'], wait: true });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(user.questions).toHaveLength(1);
    const [question] = user.questions;
    // What is typed is the number of services, each of which the question names with its environment.
    const { asked, results } = result.structuredContent as { asked: number; results: Json[] };
    expect(nameToType(question!)).toBe(String(asked));
    expect(question!.message).toContain(`On ${asked} services, listed below.`);
    expect(question!.message).toContain('Stops container search in shop/staging (STAGING), now DEPLOYED.');
    expect(question!.message).toMatch(/Stops database events-db in data\/development \(DEVELOPMENT\)/);
    const jobs = /Stops job nightly-report in shop\/staging \(STAGING\)(?:, now DEPLOYED)?: starting leaves it off/;
    expect(question!.message).toMatch(jobs);
    expect(textOf(result)).toMatch(jobs);
    expect(question!.message).not.toMatch(/job .* in data\/development.*: starting leaves it off/);
    expect(question!.message).toMatch(/Leaves alone in shop\/staging \(STAGING\): .*helm session-cache \(DEPLOYING\)/);
    expect(proxy.writes().toSorted()).toEqual([
      expect.stringMatching(/^POST .*service\/stop$/),
      expect.stringMatching(/^POST .*service\/stop$/),
    ]);

    const what = Object.fromEntries(results.map((row) => [row['service'], row['what']]));
    expect(what).toMatchObject({
      'shop/staging/search': 'stopped',
      'shop/staging/checkout-api': 'stopped',
      'shop/staging/orders-db': 'stopped',
      'data/development/events-db': 'stopped',
      'shop/staging/session-cache': 'left out: a deployment of it is under way',
      'shop/staging/assets-bucket': 'left out: what Terraform made stays when it is stopped',
      'shop/staging/storefront': 'left out: never deployed',
    });
    expect(Object.keys(what).filter((path) => path.startsWith('shop/production'))).toEqual([]);
    expect(asked).toBe(Object.values(what).filter((one) => one === 'stopped').length);
    seeming = {};
    expect(await stateOf('shop/production', 'search')).not.toBe('STOPPED');
    expect(await stateOf('shop/staging', 'session-cache')).toBe('DEPLOYED');

    // Again: nothing is left to do, and nobody is asked.
    seeming = { [platform.seed['helm_id']!]: 'DEPLOYING' };
    const again = await client.call('stop_services', { modes: ['DEVELOPMENT', 'STAGING'] });
    expect(again.structuredContent).toMatchObject({ asked: 0 });
    expect(textOf(again)).toContain('left out: already stopped');
    expect(user.questions).toHaveLength(1);
  });

  test('and bringing one environment back runs what ran before, no job and no Terraform', async () => {
    const commit = '00112233445566778899aabbccddeeff00112233';
    const application = { application_id: platform.seed['application_id']! };
    await platform.must('deploy_application', { ...application, git_commit_id: commit });
    await expect
      .poll(async () => (await platform.must('get_application_status', application))['state'])
      .toBe('RUNNING');
    await client.call('stop_services', { environment: 'shop/staging', wait: true });
    const runs = rowsOf(await platform.must('list_job_deployments', { job_id: platform.seed['job_id'] })).length;
    const terraform = rowsOf(
      await platform.must('list_terraform_deployments', { terraform_id: platform.seed['terraform_id'] }),
    ).length;
    const result = await client.call('start_services', { environment: 'shop/staging', wait: true });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(user.questions.at(-1)!.message).toContain(
      `Starts application checkout-api in shop/staging (STAGING), now STOPPED: commit ${commit}, which ran before.`,
    );
    expect(
      Object.fromEntries(rowsIn(result.structuredContent).map((row) => [row['service'], row['what']])),
    ).toMatchObject({
      'shop/staging/checkout-api': 'running',
      'shop/staging/search': 'running',
      'shop/staging/orders-db': 'running',
      'shop/staging/session-cache': 'running',
      'shop/staging/nightly-report': 'left out: starting runs no jobs',
      'shop/staging/assets-bucket': 'left out: starting runs no Terraform',
      'shop/staging/storefront': 'left out: never deployed',
    });
    // Its schedule stays off, which the answer leads to.
    expect(textOf(result)).toContain(`Next: deploy_service {"service":"${platform.seed['job_id']}"}`);
    expect(await platform.must('get_application', application)).toMatchObject({
      git_repository: { deployed_commit_id: commit },
    });
    expect(rowsOf(await platform.must('list_job_deployments', { job_id: platform.seed['job_id'] }))).toHaveLength(runs);
    expect(
      rowsOf(await platform.must('list_terraform_deployments', { terraform_id: platform.seed['terraform_id'] })),
    ).toHaveLength(terraform);
    // One request, one deployment.
    expect(proxy.writes().filter((line) => line.endsWith('/service/deploy'))).toHaveLength(1);
  });
});

test('what never ran stays off when a whole environment that was stopped is started', async () => {
  const environment_id = platform.seed['environment_id']!;
  await platform.must('stop_environment', { environment_id });
  await expect.poll(() => stateOf('shop/staging', 'storefront')).toBe('STOPPED');
  await expect.poll(() => stateOf('shop/staging', 'search')).toBe('STOPPED');
  const started = await client.call('start_services', { environment: 'shop/staging', wait: true });
  expect(
    Object.fromEntries(rowsIn(started.structuredContent).map((row) => [row['service'], row['what']])),
  ).toMatchObject({
    'shop/staging/search': 'running',
    'shop/staging/storefront': expect.stringMatching(/^left out: it never ran/) as string,
  });
  expect(await stateOf('shop/staging', 'storefront')).toBe('STOPPED');
});

test('a stop names what it leaves as it is: disks, alerts that may end, and what starting does not bring back', async () => {
  const environment = 'data/development';
  const stopped = await client.call('stop_services', { environment, wait: true });
  for (const told of [user.questions[0]!.message, textOf(stopped)]) {
    expect(told).toMatch(/^Logs may be lost; disks and volumes stay\.$/m);
    expect(told).toMatch(/^Firing alerts that the stop alone may end: importer-down\.$/m);
    expect(told).toMatch(/^Stops container importer in .*: starting leaves it off\.$/m);
    expect(told).toMatch(/^Stops database events-db in data\/development \(DEVELOPMENT\)(?:, now DEPLOYED)?\.$/m);
  }
  const plan = textOf(await client.call('start_services', { environment, dry_run: true }));
  expect(plan).toMatch(/^Leaves alone in .*container importer \(STOPPED: it never ran/m);
  expect(plan).toMatch(/^Leaves alone in .*job migrate-schema \(READY: starting runs no jobs\)/m);
  const started = await client.call('start_services', { environment, wait: true });
  const rows = rowsIn(started.structuredContent);
  expect(rows.find(({ service }) => service === 'data/development/importer')).toMatchObject({
    what: expect.stringMatching(/^left out: it never ran, and only a deployment/) as string,
  });
  expect(textOf(started)).toContain('Next: diagnose_deployment');
});

test('a start of one service says nothing of why it was not to start others', async () => {
  await client.call('stop_services', { environment: 'shop/staging', wait: true });
  const plan = textOf(await client.call('start_services', { services: ['shop/staging/search'], dry_run: true }));
  expect(plan).toMatch(/^Leaves alone in .*application checkout-api \(STOPPED\)/m);
});

test('what is unavailable is stopped, and not taken for one that is being deployed', async () => {
  seeming = { [platform.seed['container_id']!]: 'UNAVAILABLE' };
  const start = await client.call('start_services', { services: ['shop/staging/search'] });
  expect(rowsIn(start.structuredContent)).toMatchObject([{ what: 'left out: not stopped' }]);
  const stop = await client.call('stop_services', { services: ['shop/staging/search'] });
  expect([stop.isError ?? false, stop.structuredContent]).toEqual([false, expect.objectContaining({ asked: 1 })]);
  seeming = {};
  await expect.poll(() => stateOf('shop/staging', 'search')).toBe('STOPPED');
});

/** What a call reads, with every id as `*`. */
const readsBy = async (tool: string, args: Json): Promise<string[]> =>
  (await requestsBy(tool, args)).filter((line) => line.startsWith('GET '));

/** What a call requests, with every id as `*`. */
async function requestsBy(tool: string, args: Json): Promise<string[]> {
  const from = proxy.requests.length;
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return proxy.requests.slice(from).map((line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*'));
}

describe('what it costs', () => {
  test.each([
    ['what is not production', { modes: ['DEVELOPMENT', 'STAGING'] }],
    ['a list', { services: ['shop/staging/search', 'shop/production/search', 'data/development/events-db'] }],
  ])('of a plan for %s does not grow with its environments', async (_, choice) => {
    // Names are looked up before, and known from then on.
    await readsBy('stop_services', { ...choice, dry_run: true });
    const reads = await readsBy('stop_services', { ...choice, dry_run: true });
    expect(reads.toSorted()).toEqual([
      'GET /organization',
      'GET /organization/*/alert-rules',
      'GET /organization/*/cluster/lock',
      'GET /organization/*/environments',
      'GET /organization/*/services',
    ]);
  });

  test('of a plan does not grow with environments that are seen for the first time', async () => {
    const names = ['one', 'two', 'three', 'four'];
    for (const name of names) {
      const environment = await platform.must('create_environment', {
        project_id: platform.seed['project_id'],
        cluster_id: platform.seed['cluster_id'],
        name,
        mode: 'STAGING',
      });
      const service = await platform.must('create_container', {
        environment_id: environment['id'],
        name: 'web',
        registry_id: platform.seed['registry_id'],
        image_name: 'web',
        tag: '1',
        healthchecks: {},
      });
      seeming = { ...seeming, [String(service['id'])]: 'DEPLOYED' };
    }
    const choice = { services: names.map((name) => `shop/${name}/web`), dry_run: true };
    expect((await readsBy('stop_services', choice)).toSorted()).toEqual([
      'GET /organization',
      'GET /organization/*/alert-rules',
      'GET /organization/*/cluster/lock',
      'GET /organization/*/environments',
      'GET /organization/*/project',
      'GET /organization/*/services',
      'GET /project/*/environment',
    ]);
  });

  test('is one request for each environment to stop, and the same plan where the platform has no wide lists', async () => {
    const plan = textOf(await client.call('stop_services', { modes: ['DEVELOPMENT', 'STAGING'], dry_run: true }));
    const narrow = await startRecordingProxy(platform.url, {
      beforeRequest: async (_, request, response) => {
        if (/^\/organization\/[^/]+\/(services|environments)/.test(request.url ?? ''))
          response.writeHead(404, { 'content-type': 'application/json' }).end('{"status":404,"message":"no route"}');
      },
    });
    const others = connectorsTo(narrow.url, platform.token);
    const other = await others.modern(user);
    expect(textOf(await other.call('stop_services', { modes: ['DEVELOPMENT', 'STAGING'], dry_run: true }))).toBe(plan);
    await others.close();
    await narrow.close();
    await client.call('stop_services', { modes: ['DEVELOPMENT', 'STAGING'] });
    expect(proxy.writes()).toHaveLength(2);
  });

  test.each([
    ['several environments', { modes: ['DEVELOPMENT', 'STAGING'] }, 'GET /organization/*/services'],
    ['one environment', { environment: 'shop/staging' }, 'GET /environment/*/statuses'],
  ])('is one request for each look at services of %s that are waited for', async (_, choice, look) => {
    for (const tool of ['stop_services', 'start_services']) {
      const requests = await requestsBy(tool, { ...choice, wait: true });
      const looks = requests.slice(requests.findLastIndex((line) => line.startsWith('POST ')) + 1);
      expect([tool, ...new Set(looks)]).toEqual([tool, look]);
    }
  });

  test('is no history of a service whose status says whether it was deployed', async () => {
    await client.call('stop_services', { environment: 'shop/staging', wait: true });
    const reads = await readsBy('start_services', { environment: 'shop/staging', dry_run: true });
    expect(reads.filter((line) => /^GET \/(database|application)\/.*History/.test(line))).toEqual([]);
    // The version to start is in the history only.
    expect(reads).toContain('GET /container/*/deploymentHistoryV2');
  });

  test('is no reason to look beyond what the policy allows', async () => {
    const guarded = await connectors.modern(user, await policyFrom('deny: [{ project: data }]'));
    const result = await guarded.call('stop_services', { environment: 'shop/staging', dry_run: true });
    expect(textOf(result)).toContain('Stops container search');
    const project = await guarded.call('stop_services', { project: 'shop', modes: ['STAGING'], dry_run: true });
    expect(textOf(project)).toContain('Stops container search');
  });
});

describe('services by list', () => {
  test('may lie in several environments, and production among them is told', async () => {
    const result = await client.call('stop_services', { services: ['shop/staging/search', 'shop/production/search'] });
    expect(result.structuredContent, textOf(result)).toMatchObject({ asked: 2 });
    expect(user.questions[0]!.message).toContain('Stops container search in shop/production (PRODUCTION)');
    expect(nameToType(user.questions[0]!)).toBe('2');
  });

  test('of one are agreed to by its environment', async () => {
    await client.call('stop_services', { services: ['shop/production/search'] });
    expect(nameToType(user.questions[0]!)).toBe('shop/production');
  });

  test('in production raise a start to what has to be typed', async () => {
    seeming = {
      [platform.seed['container_id']!]: 'STOPPED',
      ...Object.fromEntries(
        rowsOf(await platform.must('list_services', { environment_id: await production() })).map(({ id }) => [
          id,
          'STOPPED',
        ]),
      ),
    };
    await client.call('start_services', { services: ['shop/staging/search', 'shop/production/search'] });
    expect(nameToType(user.questions[0]!)).toBe('2');
  });

  test('are refused as a whole where the policy forbids one of them', async () => {
    const guarded = await connectors.modern(user, await policyFrom('deny: [{ mode: PRODUCTION }]'));
    const result = await guarded.call('stop_services', { services: ['shop/staging/search', 'shop/production/search'] });
    expect(failureIn(result)?.kind).toBe('denied');
    expect(proxy.writes()).toEqual([]);
  });

  test('each count against the limit of grave calls', async () => {
    const guarded = await connectors.modern(user, await policyFrom('max_disruptive_per_hour: 1'));
    const result = await guarded.call('stop_services', { services: ['shop/staging/search', 'shop/production/search'] });
    expect([failureIn(result)?.kind, textOf(result)]).toEqual(['denied', expect.stringContaining('comes to 2')]);
  });
});

const production = async (): Promise<unknown> =>
  ((await client.call('get_environment', { environment_id: 'shop/production' })).structuredContent as Json)['id'];
