import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf } from '../support/mcp-clients.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: undefined });
  connectors = connectorsTo(platform.url, platform.token);
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

test('where the policy keeps places from being read, a wrong name tells only of what may be read', async () => {
  const [open, kept] = [
    await connectors.modern(),
    await connectors.modern(undefined, await policyFrom('deny: [{ mode: PRODUCTION }]')),
  ];
  expect(textOf(await open.call('get_service', { service: 'checkout-api' }))).toContain('shop/production/checkout-api');
  for (const service of ['checkout-api', 'shop/production/checkout', 'nothing']) {
    const text = textOf(await kept.call('get_service', { service }));
    expect(text).toContain('the policy restricts what may be read');
    expect(text).not.toContain('production/checkout-api ·');
    expect(text.match(/· application/g) ?? []).toHaveLength(service === 'checkout-api' ? 1 : 0);
  }
});

test('a rule about changes keeps nobody from seeing what there is', async () => {
  const client = await connectors.modern(
    undefined,
    await policyFrom('deny: [{ mode: PRODUCTION, tier: [write, disruptive, destructive] }]'),
  );
  expect(textOf(await client.call('get_service', { service: 'checkout-api' }))).toContain(
    'shop/production/checkout-api',
  );
});
