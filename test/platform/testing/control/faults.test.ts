import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rateHeaders, type OperationName } from '../../../../src/contract/index.ts';
import { type Json, rowsOf } from '../../../support/test-platform.ts';
import { type ControlledPlatform, startInstantPlatform } from './controlled-platform.ts';

let platform: ControlledPlatform;
beforeAll(async () => {
  platform = await startInstantPlatform({ randomSeed: 'faults' });
});
afterAll(() => platform.close());
afterEach(() => platform.mustControl('DELETE', '/faults'));

const put = (name: string, rule: Json) => platform.mustControl('PUT', `/faults/${name}`, rule);
const organization = () => platform.call('get_organization');
const createProject = (name: string) =>
  platform.call('create_project', { organization_id: platform.organizationId, name });
const projects = async () =>
  rowsOf(await platform.must('list_projects', { organization_id: platform.organizationId, page_size: 100 })).map(
    ({ name }) => name,
  );

const timed = async () => {
  const began = performance.now();
  return { status: (await organization()).status, took: performance.now() - began };
};

/** What thirty requests are answered with under a rule that strikes every other one. */
const pattern = async () => {
  await put('now-and-then', { effect: 'status_500', operation: 'get_organization', probability: 0.5 });
  const statuses = [];
  for (let turn = 0; turn < 30; turn += 1) statuses.push((await organization()).status);
  return statuses;
};

describe('a rule for requests', () => {
  test('refuses as the rate limit does, with headers that say when to come back', async () => {
    await put('limit', { effect: 'status_429', operation: 'get_organization', retry_after_seconds: 30 });
    const before = Math.floor(Date.now() / 1000);
    const { status, headers, body } = await organization();
    const after = Date.now() / 1000;
    const reset = Number(headers[rateHeaders.reset.toLowerCase()]);
    expect([status, headers[rateHeaders.remaining.toLowerCase()], headers[rateHeaders.limit.toLowerCase()]]).toEqual([
      429,
      '0',
      '1000000',
    ]);
    expect(reset - before).toBeGreaterThanOrEqual(30);
    // The rest of the window, and what the rule adds.
    expect(reset).toBeLessThanOrEqual(after + 90);
    expect(body['message']).toBe(
      `All 1000000 calls of this window are used. Call again at ${new Date(reset * 1000).toISOString()}.`,
    );
    expect((await platform.call('list_projects', { organization_id: platform.organizationId })).status).toBe(200);
  });

  test('answers 500 without doing anything, and says nothing of a rule', async () => {
    await put('broken', { effect: 'status_500', operation: ['create_project'] });
    const { status, text } = await createProject('never');
    expect([status, text.includes('rule'), text.includes('fault')]).toEqual([500, false, false]);
    expect(await projects()).not.toContain('never');
  });

  test('breaks the connection before anything is done', async () => {
    await put('gone', { effect: 'dropped_before', operation: 'create_project' });
    await expect(createProject('lost')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(await projects()).not.toContain('lost');
  });

  test('breaks the connection after everything is done', async () => {
    await put('gone', { effect: 'dropped_after', operation: 'create_project', count: 1 });
    await expect(createProject('done')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(await projects()).toContain('done');
    expect((await createProject('done')).status).toBe(400);
  });

  test('holds an answer back, alone or with another effect', async () => {
    await put('slow', { effect: 'latency', operation: 'get_organization', latency_ms: 60 });
    const slow = await timed();
    expect(slow.status).toBe(200);
    expect(slow.took).toBeGreaterThan(50);
    await put('slow', { effect: 'status_500', operation: 'get_organization', latency_ms: 60 });
    const broken = await timed();
    expect(broken.status).toBe(500);
    expect(broken.took).toBeGreaterThan(50);
  });

  test('applies at most as often as its count, and reports how often it has', async () => {
    await put('twice', { effect: 'status_500', operation: 'get_organization', count: 2 });
    const statuses = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await organization()).status);
    expect(statuses).toEqual([500, 500, 200, 200]);
    expect(await platform.mustControl('GET', '/faults')).toEqual({
      results: [
        { name: 'twice', effect: 'status_500', operation: ['get_organization'], probability: 1, count: 2, struck: 2 },
      ],
    });
  });

  test('strikes by chance, which is the same for the same seed', async () => {
    const one = await pattern();
    expect(new Set(one)).toEqual(new Set([200, 500]));
    expect(await pattern()).toEqual(one);
  });

  test('does not strike who may not call at all', async () => {
    await put('all', { effect: 'status_500' });
    expect((await platform.send('GET', '/organization', { authorization: null })).status).toBe(401);
    expect(
      (
        await platform.call(
          'create_project',
          { organization_id: platform.organizationId, name: 'x' },
          { authorization: `Token ${platform.tokens.read}` },
        )
      ).status,
    ).toBe(403);
    expect((await organization()).status).toBe(500);
    expect((await platform.send('GET', '/openapi.json')).status).toBe(200);
  });

  test('is gone once it is deleted', async () => {
    await put('gone', { effect: 'status_500' });
    await platform.mustControl('DELETE', '/faults/gone');
    expect((await organization()).status).toBe(200);
    expect((await platform.sendControl('DELETE', '/faults/gone')).status).toBe(404);
  });
});

/** Deploys a service and waits for the end; gives its state, and what its log says. */
const outcome = async (kind: 'application' | 'container' | 'job' | 'database') => {
  const id = { [`${kind}_id`]: platform.seed[`${kind}_id`] };
  const accepted = await platform.must(`deploy_${kind}` as OperationName, id);
  const status = async () => platform.must(`get_${kind}_status` as OperationName, id);
  let now = await status();
  while (['QUEUED', 'ONGOING'].includes(String((now['status_details'] as Json)['status']))) now = await status();
  const { results } = await platform.must(`get_${kind}_logs` as OperationName, { ...id, tail: 100 });
  return {
    deployment: accepted['deployment_request_id'],
    state: now['state'],
    log: (results as { message: string }[]).map(({ message }) => message).join('\n'),
  };
};

describe('a rule for steps', () => {
  test.each([
    ['build_error', 'application', 'BUILD_ERROR', 'exit code: 2'],
    ['failing_probe', 'application', 'DEPLOYMENT_ERROR', 'Readiness probe failed'],
    ['out_of_memory', 'container', 'DEPLOYMENT_ERROR', 'OOMKilled'],
    ['out_of_memory', 'job', 'DEPLOYMENT_ERROR', 'OOMKilled'],
    ['crash_loop', 'container', 'DEPLOYMENT_ERROR', 'CrashLoopBackOff'],
    ['step_error', 'database', 'DEPLOYMENT_ERROR', 'timed out'],
  ] as const)('makes %s of a deployment of a %s', async (effect, kind, state, words) => {
    await put('failing', { effect, kind, count: 1 });
    const failed = await outcome(kind);
    expect(failed).toMatchObject({ state, log: expect.stringContaining(words) });
    expect((await outcome(kind)).state).toMatch(/^(DEPLOYED|RUNNING)$/);
    expect(await platform.mustControl('GET', '/faults')).toMatchObject({ results: [{ struck: 1 }] });
  });

  test('strikes what it names, by id, name, kind and step, and nothing else', async () => {
    await put('by-id', { effect: 'step_error', service: platform.seed['container_id'], step: 'ROUTER_DEPLOYMENT' });
    expect((await outcome('application')).state).toBe('RUNNING');
    expect(await outcome('container')).toMatchObject({
      state: 'DEPLOYMENT_ERROR',
      log: expect.stringContaining('ROUTER_DEPLOYMENT failed'),
    });
    await platform.mustControl('DELETE', '/faults');
    const { name } = await platform.must('get_container', { container_id: platform.seed['container_id'] });
    await put('by-name', { effect: 'crash_loop', service: name, kind: 'application' });
    expect((await outcome('container')).state).toBe('DEPLOYED');
    await put('by-name', { effect: 'crash_loop', service: name, kind: 'container' });
    expect((await outcome('container')).state).toBe('DEPLOYMENT_ERROR');
  });
});

test('a rule for upgrades leaves the cluster at its version, and the next attempt gets it on', async () => {
  const ids = { organization_id: platform.organizationId, cluster_id: platform.seed['cluster_id'] };
  const cluster = async () =>
    rowsOf(await platform.must('list_clusters', { organization_id: platform.organizationId })).find(
      ({ id }) => id === ids.cluster_id,
    )!;
  const { version } = await cluster();
  const upgraded = async () => {
    await platform.must('upgrade_cluster', { cluster_id: ids.cluster_id });
    let status;
    do ({ status } = await platform.must('get_cluster_status', ids));
    while (status === 'DEPLOYMENT_QUEUED' || status === 'DEPLOYING');
    return { status, version: (await cluster())['version'] };
  };
  await put('stuck', { effect: 'upgrade_error', cluster: (await cluster())['name'], count: 1 });
  expect(await upgraded()).toEqual({ status: 'DEPLOYMENT_ERROR', version });
  const { status, version: next } = await upgraded();
  expect([status, next === version]).toEqual(['DEPLOYED', false]);
});

test.each([
  [{ effect: 'status_501' }, 'effect: "status_501" is none of its kind; did you mean "status_500"?'],
  [{ effekt: 'status_500' }, 'effekt: is not known; did you mean "effect"?'],
  [{}, 'effect: is required'],
  [
    { effect: 'status_500', operation: 'get_organisation' },
    'operation[0]: "get_organisation" is none of its kind; did you mean "get_organization"?',
  ],
  [
    { effect: 'status_500', service: 'web' },
    'service: does not go with the effect status_500, which takes operation, latency_ms',
  ],
  [{ effect: 'status_500', retry_after_seconds: 5 }, 'retry_after_seconds: does not go with'],
  [{ effect: 'latency' }, 'latency_ms: is required for the effect latency'],
  [{ effect: 'build_error', step: 'DEPLOYMENT' }, "step: build_error can't happen at DEPLOYMENT, only at BUILD"],
  [{ effect: 'build_error', kind: 'aplication' }, 'did you mean "application"?'],
  [{ effect: 'status_500', probability: 2 }, 'probability: '],
  [{ effect: 'status_500', count: 0 }, 'count: '],
  [{ effect: 'status_500', name: 'other' }, 'name: is other in the body and rule in the path'],
])('a rule of %j is refused', async (rule, words) => {
  const { status, body } = await platform.sendControl('PUT', '/faults/rule', rule);
  expect([status, body['message']]).toEqual([400, expect.stringContaining(words)]);
  expect(await platform.mustControl('GET', '/faults')).toEqual({ results: [] });
});

test('a platform that closes holds no answer back any longer, and waits for no connection', async () => {
  const other = await startInstantPlatform({
    faults: [{ name: 'slow', effect: 'latency', latency_ms: 120_000, probability: 1 }],
  });
  const slow = other.call('get_organization');
  while (!rowsOf(await other.mustControl('GET', '/faults')).some(({ struck }) => struck === 1)) await setImmediate();
  await other.close();
  expect((await slow).status).toBe(200);
});
