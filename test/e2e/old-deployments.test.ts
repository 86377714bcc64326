import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

interface Answer {
  readonly data: Json;
  readonly text: string;
}

/** The environment of a failure, what was said of it right after it, and the same once it was stopped. */
interface Story {
  readonly name: string;
  readonly environment: string;
  readonly service: string;
  readonly deployment: string;
  readonly before: Answer;
}

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let client: TestClient;
/** Paths that the platform doesn't have. */
let lacks: RegExp | undefined;
const stories: Story[] = [];

const ask = async (tool: string, args: Json, asked: TestClient = client): Promise<Answer> => {
  const result = await asked.call(tool, args);
  return { data: (result.structuredContent ?? {}) as Json, text: textOf(result) };
};

const codeOf = ({ data }: Answer): unknown => (data['cause'] as Json)['code'];

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: 10_000, scenarios: scenarios.map(({ name }) => name) });
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (lacks?.test(request.url!.split('?')[0]!))
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end(JSON.stringify({ status: 404, message: 'no such page' }));
    },
  });
  connectors = connectorsTo(proxy.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
  // Nothing on a locked cluster can be stopped.
  for (const { name, environments } of scenarios.filter((one) => one.name !== 'cluster-locked')) {
    const environment = environments[0].path;
    const before = await ask('diagnose_deployment', { environment });
    const stopped = await ask('stop_environment', { environment_id: environment, wait: true });
    expect(stopped.data['outcome'], stopped.text).toBe('succeeded');
    stories.push({
      name,
      environment,
      service: `${environment}/${String(before.data['subject'])}`,
      deployment: String((before.data['deployment'] as Json)['id']),
      before,
    });
  }
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

describe('lines of a deployment that is not the latest', () => {
  test('are those that the service logged while it went on', async () => {
    for (const { name, service, deployment: deployment_id } of stories) {
      const { data, text } = await ask('search_logs', { service, deployment_id, pattern: '.' });
      expect(data['matched'], `${name}: ${text}`).toBeGreaterThan(0);
      expect(text, name).toContain('Its lines are those that the log of the service has from');
    }
  });

  test('are not those of the deployment before', async () => {
    const { service, deployment: deployment_id } = stories.find(({ name }) => name === 'bad-image-tag')!;
    const {
      results: [, , good],
    } = (await ask('list_deployments', { service })).data as { results: Json[] };
    expect((await ask('search_logs', { service, deployment_id, text: '3.7.0-rc.2' })).data['matched']).toBeGreaterThan(
      0,
    );
    expect((await ask('search_logs', { service, deployment_id: good!['id'], text: '3.7.0-rc.2' })).data).toMatchObject({
      matched: 0,
    });
  });

  test('are not taken for none where they can not be had', async () => {
    lacks = /^\/container\/[^/]+\/log$/;
    // One that has not read such a log before.
    const other = connectorsTo(proxy.url, platform.token);
    const fresh = await other.modern();
    const { service, environment, deployment: deployment_id } = stories.find(({ name }) => name === 'wrong-port')!;
    const answers = [
      await ask('search_logs', { service, deployment_id, pattern: '.' }, fresh),
      await ask('search_logs', { environment, deployment_id, pattern: '.' }, fresh),
    ];
    lacks = undefined;
    await other.close();
    for (const { data, text } of answers) {
      expect(data).not.toHaveProperty('matched');
      expect(text).toContain('can not be had');
      expect(text).not.toContain('0 of 0');
    }
    expect(
      (await ask('search_logs', { service, deployment_id: '00000000-0000-4000-8000-000000000000', pattern: '.' })).text,
    ).toContain('the history of the service shows no such deployment');
  });
});

test('what was stopped after it failed is diagnosed of its environment: with who stopped it, and the calls that fix it', async () => {
  for (const { name, environment, service, before } of stories) {
    const after = await ask('diagnose_deployment', { environment });
    expect(codeOf(after), `${name}: ${after.text}`).toBe(codeOf(before));
    expect(after.data, name).toMatchObject({
      subject: service.split('/').at(-1),
      stopped: { by: 'operator', at: expect.any(String) as string },
      next: before.data['next'],
    });
    expect(after.text, name).toMatch(/^It was stopped afterwards by operator at /m);
    expect(after.text, name).not.toContain('failed state');
  }
});

test('what was stopped while it was well is told, and is no failure', async () => {
  const environment_id = 'network/tooling';
  expect((await ask('stop_environment', { environment_id, wait: true })).data['outcome']).toBe('succeeded');
  const { data, text } = await ask('diagnose_deployment', { environment: environment_id });
  expect(data).toMatchObject({
    outcome: 'nothing failed',
    stopped_services: [{ name: 'plan-runner', by: 'operator', before: { state: 'DEPLOYED', by: 'Bo Lindqvist' } }],
  });
  expect(text).toMatch(
    /container plan-runner \(id \S+\) was stopped by operator at .*; the deploy before by Bo Lindqvist at .* ended as DEPLOYED\./,
  );
});

test('the steps of a deployment and their times are told once others followed', async () => {
  const { service, deployment: deployment_id } = stories.find(({ name }) => name === 'bad-image-tag')!;
  const { results } = (await ask('list_deployments', { service })).data as { results: Json[] };
  const { steps } = results.find(({ id }) => id === deployment_id)!;
  expect(steps).toEqual([
    expect.stringMatching(/^DEPLOYMENT_QUEUEING \d+ s$/),
    expect.stringMatching(/^MIRROR_IMAGE \d+ s$/),
    expect.stringMatching(/^DEPLOYMENT \d+ s$/),
  ]);
  const { timeline } = (await ask('diagnose_deployment', { service, deployment_id })).data as { timeline: string[] };
  expect(timeline).toEqual(
    expect.arrayContaining([expect.stringMatching(/^DEPLOYMENT_QUEUEING succeeded \(\d+ s\)$/)]),
  );
});

test('a deployment is diagnosed as well once others followed', async () => {
  for (const { name, service, deployment: deployment_id, before } of stories) {
    const old = await ask('diagnose_deployment', { service, deployment_id });
    expect(codeOf(old), `${name}: ${old.text}`).toBe(codeOf(before));
  }
});
