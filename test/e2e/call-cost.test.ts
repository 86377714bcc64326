import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** What the platform says of the budget. */
let budget: Record<string, string> = {};

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, { responseHeaders: () => budget });
  connectors = connectorsTo(proxy.url, platform.token);
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const left = (remaining: number, limit = 1000): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 1800),
});

/** What an answer says of the budget, and the number of requests that it took. */
async function costOf(tool: string, args: Record<string, unknown>) {
  const client = await connectors.modern(userAnswering(agree));
  await client.call('get_organization', {});
  const before = proxy.requests.length;
  const text = textOf(await client.call(tool, args));
  return { took: proxy.requests.length - before, line: /^.*requests to the platform.*$/m.exec(text)?.[0] };
}

test('while much is left, a cheap call says nothing of it, and a costly one what it took', async () => {
  budget = left(450, 500);
  expect((await costOf('list_projects', {})).line).toBeUndefined();
  const { took, line } = await costOf('compare_environments', { first: 'shop/staging', second: 'shop/production' });
  expect(took).toBeGreaterThanOrEqual(10);
  expect(line).toMatch(
    new RegExp(`^This call took ${took} of 500 requests to the platform; \\d+ are left until \\S+Z\\.$`),
  );
});

test('when little is left, every call says so, and what it took', async () => {
  budget = left(200);
  const { took, line } = await costOf('list_projects', {});
  expect(line).toMatch(
    new RegExp(
      `^This call took ${took} of 1000 requests to the platform; only 200 are left until .*: make few and wide ones\\.$`,
    ),
  );
});
