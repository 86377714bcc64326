import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NextCall } from '../../src/server/tool/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({
    scenarios: [
      'missing-variable',
      'wrong-variable-value',
      'out-of-memory',
      'wrong-port',
      'helm-timeout',
      'failing-readiness-probe',
    ],
  });
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const port = { name: 'p8080', internal_port: 8080, external_port: 443, publicly_accessible: true, protocol: 'HTTP' };
const probing = (path: string) => ({ readiness_probe: { type: { http: { port: 8080, path, scheme: 'HTTP' } } } });
const run = async (tool: string, args: Json) => {
  const result = await client.call(tool, args);
  expect(result.isError, `${tool} ${JSON.stringify(args)}: ${textOf(result)}`).toBeFalsy();
  return result;
};

const found = async (tool: string, args: Json, name: string): Promise<string> =>
  String(rowsOf((await run(tool, args)).structuredContent as Json).find((row) => row['name'] === name)!['id']);

async function environmentIn(project: string, name: string): Promise<string> {
  const cluster_id = await found('list_clusters', {}, 'main');
  return String(
    (
      await platform.must('create_environment', {
        project_id: await found('list_projects', {}, project),
        name,
        mode: 'DEVELOPMENT',
        cluster_id,
      })
    )['id'],
  );
}

const containerIn = async (
  environment_id: string,
  name: string,
  image_name: string,
  tag: string,
  path: string,
  more: Json = {},
): Promise<string> =>
  String(
    (
      await platform.must('create_container', {
        environment_id,
        name,
        image_name,
        tag,
        registry_id: platform.seed['registry_id'],
        ports: [port],
        healthchecks: probing(path),
        ...more,
      })
    )['id'],
  );

const applicationIn = async (environment_id: string): Promise<string> =>
  String(
    (
      await platform.must('create_application', {
        environment_id,
        name: 'payments-api',
        git_repository: { url: 'https://git.acme.example/acme/payments-api.git', branch: 'main', root_path: '/' },
        ports: [port],
        healthchecks: probing('/health'),
      })
    )['id'],
  );

const deployed = async (service: string, as: string) =>
  expect((await client.call('deploy_service', { service, wait: true })).structuredContent).toMatchObject({
    outcome: as,
  });

/** A diagnosis: its proposed calls, those that lack what the user knows, and its text. */
async function diagnosed(service: string) {
  const result = await run('diagnose_deployment', { service });
  return {
    next: (result._meta?.[metaKeys.next] ?? []) as readonly NextCall[],
    open: (result.structuredContent as { next_once_known?: readonly NextCall[] }).next_once_known ?? [],
    text: textOf(result),
  };
}

/** Makes the first calls up to the deployment, after which the service runs. */
async function mend(service: string, calls: readonly NextCall[]) {
  const [fix, again] = calls;
  expect(again).toMatchObject({ tool: 'deploy_service', arguments: { service } });
  await run(fix!.tool, fix!.arguments);
  await deployed(service, 'succeeded');
}

describe('what was changed since the last good deployment is taken back first:', () => {
  test('less memory', async () => {
    const service = await containerIn(
      await environmentIn('discovery', 'memory'),
      'recommender',
      'acme/recommendations',
      '7.9.2',
      '/actuator/health',
      { memory: 768, cpu: 1000 },
    );
    await deployed(service, 'succeeded');
    await run('update_container', { container: service, memory: 600 });
    await run('update_container', { container: service, memory: 512 });
    await deployed(service, 'failed');
    const { next } = await diagnosed(service);
    expect(next[0]).toMatchObject({
      tool: 'update_container',
      arguments: { container: service, memory: 768 },
      why: expect.stringContaining('takes back what'),
    });
    await mend(service, next);
  });

  test('a variable that was added, before anything is moved', async () => {
    const environment = await environmentIn('shop', 'moved');
    const service = await containerIn(environment, 'vouchers', 'acme/gift-cards', '4.8.1', '/health');
    await deployed(service, 'succeeded');
    await platform.must('create_variable_of_environment', { environment_id: environment, key: 'PORT', value: '9090' });
    await deployed(service, 'failed');
    const { next } = await diagnosed(service);
    expect(next.map(({ tool }) => tool)).toEqual(['delete_environment_variable', 'deploy_service', 'update_container']);
    expect(next[0]).toMatchObject({
      arguments: { environment, key: 'PORT' },
      why: expect.stringMatching(/PORT, .* added/),
    });
    expect(next[2]!.why).toBe('or instead: the app listens on 9090');
    await mend(service, next);
  });

  test('a variable that was removed, with the value that it had', async () => {
    const service = await applicationIn(await environmentIn('payments', 'removed'));
    const gateway = await platform.must('create_environment_variable', {
      application_id: service,
      key: 'PAYMENT_GATEWAY_URL',
      value: 'https://gateway.acme.example/v3',
    });
    await platform.must('create_environment_variable', {
      application_id: service,
      key: 'RATES_API_URL',
      value: 'https://rates.acme.example',
    });
    await deployed(service, 'succeeded');
    await platform.must('delete_variable_of_application', {
      application_id: service,
      environment_variable_id: String(gateway['id']),
    });
    await deployed(service, 'failed');
    const { next, open, text } = await diagnosed(service);
    expect(open).toEqual([]);
    expect(next[0]).toMatchObject({
      tool: 'set_environment_variables',
      arguments: { service, variables: { PAYMENT_GATEWAY_URL: 'https://gateway.acme.example/v3' } },
      why: expect.stringContaining('removed since'),
    });
    expect(text).toContain('was https://gateway.acme.example/v3');
    await mend(service, next);
  });

  test('a variable that was changed', async () => {
    const service = 'orders/staging/orders-api';
    const { next, open } = await diagnosed(service);
    expect(open).toEqual([]);
    expect(next[0]).toMatchObject({
      tool: 'set_environment_variables',
      arguments: { variables: { QUEUE_HOST: 'queue.staging.acme.internal' } },
      why: expect.stringMatching(/QUEUE_HOST, .*Bo Lindqvist/),
    });
  });

  test('a chart version, before it may take longer', async () => {
    const { next } = await diagnosed('data/streaming/event-bus');
    expect(next.map(({ tool }) => tool)).toEqual(['update_helm', 'deploy_service', 'update_helm']);
    expect(next[0]).toMatchObject({
      arguments: { source: { helm_repository: { chart_name: 'kafka', chart_version: '30.1.8' } } },
      why: expect.stringContaining('Bo Lindqvist changed'),
    });
    expect(next[2]).toMatchObject({ arguments: { timeout_sec: 360 }, why: expect.stringMatching(/^or instead: /) });
    await mend(String(next[1]!.arguments['service']), next);
  });
});

describe('a value that may be a secret is in no proposal:', () => {
  test.each([
    [
      'with-userinfo',
      'create_environment_variable',
      'delete_variable_of_application',
      'https://reader:hunter2-hunter2@gateway.acme.example',
    ],
    ['random', 'create_environment_variable', 'delete_variable_of_application', 'Zx8Kq2LmP0vR4tYw6BnC1dFg'],
    ['stored', 'create_secret', 'delete_secret_of_application', 'horse-battery-staple'],
  ] as const)('%s', async (name, create, remove, value) => {
    const service = await applicationIn(await environmentIn('payments', name));
    const gateway = await platform.must(create, { application_id: service, key: 'PAYMENT_GATEWAY_URL', value });
    await platform.must('create_environment_variable', {
      application_id: service,
      key: 'RATES_API_URL',
      value: 'https://rates.acme.example',
    });
    await deployed(service, 'succeeded');
    await platform.must(remove, {
      application_id: service,
      [remove.includes('secret') ? 'secret_id' : 'environment_variable_id']: String(gateway['id']),
    });
    await deployed(service, 'failed');
    const result = await run('diagnose_deployment', { service });
    expect(JSON.stringify(result)).not.toContain(value);
    const { open } = await diagnosed(service);
    expect(open[0]).toMatchObject({
      tool: 'set_environment_variables',
      arguments: { service },
      needs: expect.stringContaining('PAYMENT_GATEWAY_URL'),
      why: expect.stringContaining('removed since'),
    });
  });
});

test('a stored secret that was replaced is not told as removed, beside a variable that was', async () => {
  const environment = await environmentIn('payments', 'replaced');
  const service = await applicationIn(environment);
  const set = (
    operation: 'create_secret_of_environment' | 'create_variable_of_environment',
    key: string,
    value: string,
  ) => platform.must(operation, { environment_id: environment, key, value });
  const login = await set('create_secret_of_environment', 'LEDGER_LOGIN', 'battery-staple');
  const gateway = await set('create_variable_of_environment', 'PAYMENT_GATEWAY_URL', 'https://gateway.acme.example/v3');
  await set('create_variable_of_environment', 'RATES_API_URL', 'https://rates.acme.example');
  await deployed(service, 'succeeded');
  await platform.must('delete_secret_of_environment', { environment_id: environment, secret_id: String(login['id']) });
  await set('create_secret_of_environment', 'LEDGER_LOGIN', 'correct-horse');
  await platform.must('delete_variable_of_environment', {
    environment_id: environment,
    environment_variable_id: String(gateway['id']),
  });
  await deployed(service, 'failed');
  const result = await run('diagnose_deployment', { service });
  const { changes } = result.structuredContent as { changes: string[] };
  expect(changes.toSorted()).toEqual([
    expect.stringMatching(/^secret LEDGER_LOGIN replaced \(environment\) by [^:]+, 2/),
    expect.stringMatching(/^variable PAYMENT_GATEWAY_URL removed \(environment\) by .+: was https:\/\/gateway/),
  ]);
  expect(JSON.stringify(result)).not.toMatch(/battery-staple|correct-horse/);
});

test('a new commit that asks for a variable may also be gone back from', async () => {
  const { next, open } = await diagnosed('payments/staging/payments-api');
  expect(open).toMatchObject([
    {
      tool: 'set_environment_variables',
      arguments: { service: expect.any(String) },
      needs: 'env_text RATES_API_URL=<its value>',
    },
  ]);
  expect(next).toMatchObject([
    { tool: 'deploy_service' },
    {
      tool: 'deploy_application',
      arguments: { application: expect.any(String), commit: expect.stringMatching(/^c81f5a2/) },
      why: expect.stringMatching(/^or instead: goes back/),
    },
  ]);
});
