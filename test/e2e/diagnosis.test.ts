import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CauseCode } from '../../src/analysis/diagnosis/diagnosis.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import { connectorsTo } from '../support/connectors.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const rateLimit = 10_000;

/** Most that asking why something failed may cost, by a path and without knowing anything before. */
const mostRequests = 8;
/** Who holds the lock of a Terraform state runs elsewhere, and whose it is stands in its history. */
const mostRequestsWith: Readonly<Record<string, number>> = {
  'terraform-state-lock': 11,
  // The variables are read beside the states, and say nothing of the lock.
  'cluster-locked': mostRequests + 1,
  // By whom a setting was changed, and from what, is one more.
  ...Object.fromEntries(
    ['failing-readiness-probe', 'wrong-variable-value', 'helm-timeout', 'image-pull-denied'].map((name) => [
      name,
      mostRequests + 1,
    ]),
  ),
};
const requestsFor = (name: string): number => mostRequestsWith[name] ?? mostRequests;
const mostBytes = 6_000;

/** The causes that the diagnosis of each scenario may name. */
const causes: Readonly<Record<string, readonly CauseCode[]>> = {
  'bad-image-tag': ['image_tag_not_found'],
  'failing-readiness-probe': ['readiness_probe_failing'],
  'missing-variable': ['missing_variable'],
  'wrong-variable-value': ['dns_failed'],
  'wrong-port': ['wrong_port'],
  'out-of-memory': ['out_of_memory'],
  'docker-build-error': ['dependency_install_failed', 'docker_build_failed'],
  'terraform-state-lock': ['terraform_state_locked'],
  'helm-timeout': ['helm_timeout'],
  'database-down': ['dependency_unreachable'],
  'image-pull-denied': ['image_pull_denied'],
  // The container stands still because its migration did: what is said of it names that job.
  'flaky-migration-job': ['app_crashed', 'migration_failed'],
  'cluster-locked': ['disk_full', 'cluster_locked'],
};

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit, scenarios: scenarios.map(({ name }) => name) });
});

afterAll(async () => {
  await platform.close();
});

/** What the platform counted of the token's requests before this one. */
async function counted(): Promise<number> {
  const response = await fetch(`${platform.url}/organization`, {
    headers: { authorization: `Token ${platform.token}` },
  });
  return rateLimit - Number(response.headers.get('x-ratelimit-remaining')) - 1;
}

/** Asks why the environment of a failure is broken, as somebody does who knows nothing yet. */
async function ask(subject: { environment: string } | { service: string }) {
  const before = await counted();
  const connectors = connectorsTo(platform.url, platform.token);
  const result = await (await connectors.modern()).call('diagnose_deployment', subject);
  await connectors.close();
  const {
    subject: about,
    cause,
    lines = [],
  } = (result.structuredContent ?? {}) as {
    subject?: string;
    cause?: { code?: string; sentence?: string };
    lines?: readonly string[];
  };
  return {
    about,
    cause,
    lines,
    next: (result._meta?.[metaKeys.next] ?? []) as readonly unknown[],
    bytes: JSON.stringify(result).length,
    requests: (await counted()) - before - 1,
  };
}

test('every scenario has an expected cause', () => {
  expect(Object.keys(causes).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
});

test('the cause of a failure takes one call, few requests and few bytes', async () => {
  const diagnoses = [];
  for (const { name, environments } of scenarios)
    diagnoses.push({ name, ...(await ask({ environment: environments[0].path })) });
  expect(
    diagnoses
      .filter(({ name, cause }) => !(causes[name] as readonly (string | undefined)[]).includes(cause?.code))
      .map(({ name, cause }) => [name, cause]),
  ).toEqual([]);
  expect(diagnoses.filter(({ next }) => next.length === 0).map(({ name }) => name)).toEqual([]);
  expect(diagnoses.filter(({ bytes }) => bytes > mostBytes).map(({ name, bytes }) => [name, bytes])).toEqual([]);
  expect(
    diagnoses
      .filter(({ name, requests }) => requests > requestsFor(name))
      .map(({ name, requests }) => [name, requests]),
  ).toEqual([]);
  expect(diagnoses.every(({ name, cause }) => !JSON.stringify(cause).includes(name))).toBe(true);
});

test('and of a service by its path at no higher cost', async () => {
  for (const { name, environments } of scenarios) {
    const environment = environments[0].path;
    const { about } = await ask({ environment });
    const { cause, requests } = await ask({ service: `${environment}/${about}` });
    expect(causes[name], name).toContain(cause?.code);
    expect(requests, name).toBeLessThanOrEqual(requestsFor(name));
  }
});

test('shows the line that decides, not a warning beside it', async () => {
  for (const [name, decides] of [
    ['image-pull-denied', /pull access denied, .* may require authorization/],
    ['bad-image-tag', /3\.7\.0-rc\.2: not found/],
  ] as const) {
    const { lines } = await ask({ environment: scenarios.find((one) => one.name === name)!.environments[0].path });
    expect(
      lines.filter((line) => decides.test(line)),
      lines.join('\n'),
    ).toHaveLength(1);
    expect(lines.join('\n')).not.toContain('FailedToRetrieveImagePullSecret');
  }
});

test('who holds the lock of a Terraform state is named as the service it is, with whose it is and whether it runs', async () => {
  const { cause, next } = await ask({ environment: 'network/staging' });
  expect(cause?.sentence).toMatch(
    /: that is an instance of container "network\/tooling\/plan-runner", which runs \(DEPLOYED\) and may be at work, or hang\. It was last deployed by "Bo Lindqvist" at \S+: ask there before it is disturbed\.$/,
  );
  expect(next[0]).toMatchObject({
    tool: 'restart_services',
    arguments: {
      environment: seedId('environment/network/tooling'),
      containers: [seedId('service/network/tooling/plan-runner')],
    },
    why: expect.stringContaining("somebody else's work: only once they agree") as string,
  });
});

test('an unknown deployment is not taken for no deployment', async () => {
  const connectors = connectorsTo(platform.url, platform.token);
  const result = await (
    await connectors.modern()
  ).call('diagnose_deployment', {
    service: 'shop/production/search',
    deployment_id: '00000000-0000-4000-8000-000000000000',
  });
  await connectors.close();
  expect([failureIn(result)?.kind, textOf(result)]).toEqual([
    'not_possible',
    expect.stringContaining('list_deployments'),
  ]);
});

test('a commit that was deployed well before is not rolled back: something else broke it', async () => {
  const connectors = connectorsTo(platform.url, platform.token);
  const result = await (
    await connectors.modern()
  ).call('rollback_application', { application: 'orders/staging/orders-api' });
  await connectors.close();
  expect([failureIn(result)?.kind, textOf(result)]).toEqual([
    'not_possible',
    expect.stringMatching(/commit that failed, [0-9a-f]+, was deployed well/),
  ]);
});

test('the outcome of an environment has the diagnosis of the service that broke it', async () => {
  const connectors = connectorsTo(platform.url, platform.token);
  const result = await (
    await connectors.modern()
  ).call('deploy_service', { environment: 'pricing/staging', wait: true });
  await connectors.close();
  expect(result.structuredContent, textOf(result)).toMatchObject({
    outcome: 'failed',
    diagnosis: { subject: 'pricing-engine', cause: { code: 'image_tag_not_found' } },
  });
  expect(result._meta?.[metaKeys.next]).not.toEqual([]);
});
