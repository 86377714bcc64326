import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createNameResolver, type PersistentNameResolver } from '../../../src/server/resolve/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { recordingCaller, type RecordingCaller } from './recording-caller.ts';

let platform: TestPlatform;
let resolver: PersistentNameResolver;
let caller: RecordingCaller;

beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(async () => {
  await caller?.close();
  resolver = createNameResolver();
  caller = recordingCaller(platform.url, platform.tokens.read, resolver);
});
afterAll(async () => {
  await caller.close();
  await platform.close();
});

const staging = 'shop/staging';

describe('a thing is found', () => {
  test.each([
    ['project', 'shop', 'project/shop'],
    ['project', 'Acme/shop', 'project/shop'],
    ['environment', 'shop/staging', 'environment/shop/staging'],
    ['environment', 'acme/SHOP/Staging', 'environment/shop/staging'],
    ['environment', 'development', 'environment/data/development'],
    ['application', 'shop/staging/checkout-api', `service/${staging}/checkout-api`],
    ['application', 'staging/checkout-api', `service/${staging}/checkout-api`],
    ['application', 'storefront', `service/${staging}/storefront`],
    ['application', 'application:storefront', `service/${staging}/storefront`],
    ['service', 'shop/production/orders-db', 'service/shop/production/orders-db'],
    ['service', 'acme/shop/staging/database:orders-db', `service/${staging}/orders-db`],
    ['service', 'session-cache', `service/${staging}/session-cache`],
    ['job', 'nightly-report', `service/${staging}/nightly-report`],
    ['cluster', 'production', 'cluster/production'],
    ['cluster', 'acme/production', 'cluster/production'],
    ['role', 'viewer', 'role/viewer'],
    ['registry', 'acme', 'registry/acme'],
    ['git_token', 'source-reader', 'git-token/reader'],
    ['alert_rule', 'checkout-errors', 'alert-rule/checkout-errors'],
    ['alert_receiver', 'team-mail', 'alert-receiver/mail'],
    ['labels_group', 'cost', 'labels-group/cost'],
    ['annotations_group', 'metrics', 'annotations-group/metrics'],
    ['webhook', 'hooks.acme.example', 'webhook/deployments'],
    ['helm_repository', 'charts', 'helm-repository/charts'],
    ['environment_variable', 'shop/staging/LOG_LEVEL', 'variable/shop/staging/LOG_LEVEL'],
    ['organization', 'acme', 'organization'],
    ['environment', 'infra://environment/shop%2Fstaging', 'environment/shop/staging'],
    ['service', 'infra://service/application/storefront/logs', `service/${staging}/storefront`],
  ] as const)('%s %s', async (kind, reference, seeded) => {
    expect(await resolver.resolve(kind, reference, caller.lookup)).toMatchObject({ id: seedId(seeded) });
  });
});
