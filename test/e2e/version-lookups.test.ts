import { describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { proxiedForEach } from '../support/connected-platform.ts';
import type { TestClient } from '../support/mcp-clients.ts';
import type { RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let client: TestClient;

proxiedForEach({}, (proxied) => ({ platform, proxy, client } = proxied));

const helm = 'shop/staging/session-cache';

const planOf = async (tool: string, args: Json) => {
  const before = proxy.requests.length;
  const { structuredContent } = await client.call(tool, { ...args, dry_run: true });
  const { warnings, effects } = (structuredContent as { dry_run: { warnings?: Json[]; effects: string[] } }).dry_run;
  const notLookedUp = effects.filter((line) => line.startsWith('Not looked up: ') && line.includes('chart'));
  const lookUps = proxy.requests.slice(before).filter((line) => line.includes('/charts'));
  return { warnings, notLookedUp: notLookedUp.length, lookUps: lookUps.length };
};

const chartOf = (chart_version: string, more: Json = {}) => ({
  source: {
    helm_repository: { repository: platform.seed['helm_repository_id'], chart_name: 'redis', chart_version, ...more },
  },
});

test('a chart version that its repository does not list is warned of, by one look-up', async () => {
  const warning = { code: 'CHART_VERSION_NOT_FOUND', chart: 'redis', version: '99.0.0', newest: '20.7.0' };
  const release = { environment_id: 'shop/staging', name: 'cache' };
  for (const [tool, args] of [
    ['update_helm', { helm, ...chartOf('99.0.0') }],
    ['create_helm', { ...release, ...chartOf('99.0.0') }],
    ['deploy_service', { services: [{ service: helm, version: '99.0.0' }] }],
  ] as const)
    expect([tool, await planOf(tool, args)]).toEqual([tool, { warnings: [warning], notLookedUp: 0, lookUps: 1 }]);
  const { warnings } = await planOf('create_helm', { ...release, ...chartOf('1.0.0', { chart_name: 'nothing' }) });
  expect(warnings).toEqual([{ code: 'CHART_VERSION_NOT_FOUND', chart: 'nothing', version: '1.0.0' }]);
});

test('a version that is listed, and one that stays, are not warned of; the latter costs no request', async () => {
  expect(await planOf('update_helm', { helm, ...chartOf('20.7.0') })).toEqual({ notLookedUp: 0, lookUps: 1 });
  expect(await planOf('update_helm', { helm, timeout_sec: 700 })).toEqual({ notLookedUp: 0, lookUps: 0 });
});

test('where charts can not be listed, or several versions fit, the plan says that nobody looked', async () => {
  expect(await planOf('update_helm', { helm, ...chartOf('^21.0.0') })).toEqual({ notLookedUp: 1, lookUps: 0 });
  const { id } = await platform.must('create_helm_repository', {
    organization_id: platform.organizationId,
    name: 'oci',
    kind: 'OCI_GENERIC_CR',
    url: 'oci://charts.acme.example/stable',
    skip_tls_verification: false,
    config: {},
  });
  expect(await planOf('update_helm', { helm, ...chartOf('21.0.0', { repository: id }) })).toEqual({
    notLookedUp: 1,
    lookUps: 1,
  });
});

test('a release is changed although its version is not found', async () => {
  const helm_id = seedId(`service/${helm}`);
  const { isError } = await client.call('update_helm', { helm, ...chartOf('99.0.0') });
  expect(isError).toBeFalsy();
  expect(await platform.must('get_helm', { helm_id })).toMatchObject({
    source: { repository: { chart_version: '99.0.0' } },
  });
});

describe('the commit of a deployment', () => {
  const application = 'shop/staging/checkout-api';
  const application_id = seedId(`service/${application}`);
  const nowhere = '0'.repeat(40);

  const warningsFor = async (commit: string) =>
    (await planOf('deploy_application', { application, git_commit_id: commit })).warnings;

  test('that is neither listed nor was deployed is warned of, once', async () => {
    const rows = rowsOf(await platform.must('list_application_commits', { application_id }));
    const listed = String(rows.at(-1)!['git_commit_id']);
    expect(await warningsFor(nowhere)).toEqual([{ code: 'COMMIT_NOT_LISTED', commit: nowhere, listed: rows.length }]);
    expect(await warningsFor(listed.slice(0, 8).toUpperCase())).toBeUndefined();
    await platform.must('deploy_application', { application_id, git_commit_id: nowhere });
    expect(await warningsFor(nowhere)).toBeUndefined();
  });

  test('that a rollback goes back to is not looked up', async () => {
    await platform.must('deploy_application', { application_id, git_commit_id: nowhere });
    await client.call('wait_for_deployment', { service: application });
    const before = proxy.requests.length;
    const { warnings } = await planOf('rollback_application', { application });
    expect(warnings).toBeUndefined();
    expect(proxy.requests.slice(before).filter((line) => line.endsWith('/commit'))).toEqual([]);
  });
});
