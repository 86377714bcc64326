import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['wrong-variable-value'] });
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});
afterAll(() => platform.close());

async function updating(args: Json, options: RecordingProxyOptions = {}) {
  const proxy = await startRecordingProxy(platform.url, options);
  const connectors = connectorsTo(proxy.url, platform.tokens.admin);
  opened.push(proxy, connectors);
  const user = userAnswering(agree);
  const result = await (await connectors.modern(user)).call('update_environment_variable', args);
  return {
    failure: failureIn(result),
    text: textOf(result),
    requests: proxy.requests,
    writes: proxy.writes(),
    questions: user.questions.length,
  };
}

const idOf = (key: string): string =>
  String(
    (platform.dump()['variable'] as Json[]).find((row) => row['key'] === key && row['sealed_value'] !== null)!['id'],
  );

const isSecret = { kind: 'bad_address', why: 'is_secret', outcome: 'failed' };

test.each([
  ['of a service', { service: 'shop/staging/checkout-api' }, 'PAYMENT_API_KEY'],
  ['of a project', { project: 'shop' }, 'LICENCE_TOKEN'],
  ['inherited by an environment', { environment: 'shop/staging' }, 'LICENCE_TOKEN'],
])('a secret %s is not said to be missing, but to be changed otherwise', async (_, owner, key) => {
  const { failure, text, requests, writes, questions } = await updating({
    ...owner,
    variable: key,
    value: 'new-value-of-it',
  });
  expect(failure).toEqual(isSecret);
  expect(text).toContain(`"${key}"`);
  expect(text).toContain('set_environment_variables and "secrets"');
  expect(text).not.toMatch(/There is no|The search ended|PLATFORM_PROJECT_ID|new-value-of-it/);
  expect(requests.length).toBeLessThan(25);
  expect([writes, questions]).toEqual([[], 0]);
});

test('nor one that is given by its id', async () => {
  const { failure, text, writes } = await updating({
    service: 'shop/staging/checkout-api',
    variable: idOf('PAYMENT_API_KEY'),
    value: 'x',
  });
  expect([failure?.kind, text, writes]).toEqual(['not_possible', expect.stringContaining('is a secret'), []]);
});

test('a variable that is nowhere in what is given is not looked for elsewhere', async () => {
  const { failure, text, requests } = await updating({
    service: 'shop/staging/checkout-api',
    variable: 'QUEUE_HOST',
    value: 'x',
  });
  expect(failure).toEqual({ kind: 'bad_address', why: 'unknown', outcome: 'failed' });
  expect(text).toContain('"QUEUE_HOST"');
  expect(text).not.toContain('The search ended');
  expect(requests.length).toBeLessThan(25);
});

test('where secrets can not be read, that it may be one is said', async () => {
  const forbidden: RecordingProxyOptions = {
    beforeRequest: async (_, request, response) => {
      if (/\/secret(?:\?|$)/.test(request.url!))
        response
          .writeHead(403, { 'content-type': 'application/json' })
          .end('{"status":403,"error":"Forbidden","message":"no"}');
    },
  };
  const { text } = await updating(
    { service: 'shop/staging/checkout-api', variable: 'PAYMENT_API_KEY', value: 'x' },
    forbidden,
  );
  expect(text).toContain('It may be a secret: the secrets can not be read here.');
});
