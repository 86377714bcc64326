import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { failureIn, type TestClient, textOf } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const application = 'shop/staging/checkout-api';
const bad = 'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: undefined });
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const running = async (): Promise<string> => {
  const { structuredContent } = await client.call('get_service', { service: application });
  return /"deployed_commit_id":"([0-9a-f]+)"/.exec(JSON.stringify(structuredContent))![1]!;
};

test('going back twice undoes nothing of it: the second time there is nothing to do', async () => {
  const good = await running();
  await client.call('deploy_application', { application_id: application, git_commit_id: bad, wait: true });
  expect(await running()).toBe(bad);

  const first = await client.call('rollback_application', { application, wait: true });
  expect(textOf(first)).toContain(`From commit ${bad.slice(0, 7)} back to ${good.slice(0, 7)}`);
  expect(first.structuredContent).toMatchObject({
    outcome: 'succeeded',
    why: expect.stringContaining(good.slice(0, 7)) as string,
  });

  const second = await client.call('rollback_application', { application, wait: true });
  expect(second.isError, textOf(second)).toBeFalsy();
  expect(textOf(second)).toMatch(/nothing to change/);
  expect(textOf(second)).toContain(`gone back already from commit ${bad.slice(0, 7)} to ${good.slice(0, 7)}`);
  expect(second.structuredContent).toMatchObject({ outcome: 'nothing_to_do' });
  expect(await running()).toBe(good);

  for (const args of [
    { tool: 'deploy_service', service: application },
    { tool: 'deploy_application', application },
  ]) {
    const { tool, ...of } = args;
    const { dry_run: plan } = (await client.call(tool, { ...of, dry_run: true })).structuredContent as {
      dry_run: { warnings: unknown[]; effects: string[] };
    };
    expect(plan.warnings).toEqual([{ code: 'ROLLBACK_UNDONE', left: bad, running: good }]);
    expect(plan.effects.filter((line) => line.includes('it was rolled back from commit'))).toHaveLength(1);
  }
  const environment = await client.call('deploy_service', { environment: 'shop/staging', dry_run: true });
  const planOf = (answer: typeof environment) =>
    (answer.structuredContent as { dry_run: { warnings?: unknown[]; effects: string[] } }).dry_run;
  const warning = { code: 'ROLLBACK_UNDONE', service: 'checkout-api', left: bad, running: good };
  expect(planOf(environment).warnings).toEqual([warning]);
  const several = async (version?: string) =>
    planOf(
      await client.call('deploy_service', {
        services: [
          { service: application, ...(version !== undefined && { version }) },
          { service: 'shop/staging/search' },
        ],
        dry_run: true,
      }),
    ).warnings;
  expect(await several()).toEqual([{ ...warning, next: expect.stringMatching(/^[0-9a-f]{40}$/) as string }]);
  expect(await several(bad)).toEqual([{ ...warning, next: bad }]);
  expect(await several(good)).toBeUndefined();

  const named = await client.call('deploy_application', { application, commit: bad, dry_run: true });
  expect((named.structuredContent as { dry_run: object }).dry_run).not.toHaveProperty('warnings');

  const forward = await client.call('rollback_application', { application, commit: bad });
  expect([failureIn(forward)?.kind, textOf(forward)]).toEqual(['not_possible', expect.stringContaining(bad)]);
  expect(await running()).toBe(good);
});

test('a commit is as old as its first deployment, however many came since', async () => {
  const service = 'shop/production/checkout-api';
  const [older, newer] = ['0dd0dd0dd0dd0dd0dd0dd0dd0dd0dd0dd0dd0dd0', 'feedfeedfeedfeedfeedfeedfeedfeedfeedfeed'];
  const { id } = (await client.call('get_service', { service })).structuredContent as { id: string };
  const deploy = async (git_commit_id: string): Promise<void> => {
    const response = await fetch(`${platform.url}/application/${id}/deploy`, {
      method: 'POST',
      headers: { authorization: `Token ${platform.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ git_commit_id }),
    });
    expect(response.ok, await response.text()).toBe(true);
  };
  for (const commit of [older, ...Array.from({ length: 101 }, () => newer), older]) await deploy(commit);
  await client.call('wait_for_deployment', { service });
  const answer = await client.call('rollback_application', { application: service, dry_run: true });
  expect(textOf(answer)).not.toContain(`to ${newer.slice(0, 7)}`);
  expect(textOf(answer)).toMatch(/nothing to change|gone back already/);
});
