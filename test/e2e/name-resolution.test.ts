import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
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

/** The keys of an application's variables. */
const keysOf = async (id: unknown) =>
  ((await platform.must('list_environment_variables', { application_id: id }))['results'] as { key: string }[]).map(
    ({ key }) => key,
  );

describe.each(['modern', 'legacy'] as const)('over MCP, in the %s era', (era) => {
  test('names stand for ids wherever they are asked for', async () => {
    const client = await connectors[era](userAnswering(agree));
    const status = await client.call('get_application_status', { application_id: 'shop/staging/checkout-api' });
    expect(status.structuredContent).toMatchObject({ id: platform.seed['application_id'] });
    const restarted = await client.call('restart_services', {
      environment_id: 'shop/staging',
      container_ids: ['search'],
    });
    expect(restarted.structuredContent, textOf(restarted)).toMatchObject({ id: platform.seed['container_id'] });
    const uri = await client.call('get_environment', {
      environment_id: `infra://environment/${platform.seed['environment_id']}`,
    });
    expect(uri.structuredContent).toMatchObject({ name: 'staging' });
  });

  test('what a name could mean is told, and nothing is done', async () => {
    const user = userAnswering(agree);
    const result = await (await connectors[era](user)).call('deploy_application', { application_id: 'checkout-api' });
    expect(result.isError).toBe(true);
    expect(failureIn(result)).toMatchObject({ kind: 'bad_address', why: 'ambiguous' });
    expect(textOf(result)).toMatch(/shop\/staging\/checkout-api.*shop\/production\/checkout-api/s);
    expect(user.questions).toEqual([]);
  });

  test('a change is about the service that has the name now, not about one that a remembered list has under it', async () => {
    const client = await connectors[era](userAnswering(agree));
    const [name, path] = [`billing-${era}`, `shop/staging/billing-${era}`];
    const fields = { git_repository: { url: 'https://git.example/a/b.git' } };
    const make = async (of: string): Promise<unknown> =>
      (
        await platform.must('create_application', {
          environment_id: platform.seed['environment_id'],
          name: of,
          ...fields,
        })
      )['id'];
    const rename = (id: unknown, to: string) =>
      platform.must('update_application', { application_id: id, name: to, ...fields, ports: [], healthchecks: {} });
    const older = await make(name);
    expect((await client.call('get_service', { service: path })).structuredContent).toMatchObject({ id: older });
    await rename(older, `${name}-old`);
    // With nothing else of that name.
    expect((await client.call('set_environment_variables', { service: path, variables: { ONE: '1' } })).isError).toBe(
      true,
    );
    const newer = await make(`${name}-next`);
    expect((await client.call('get_service', { service: `${path}-next` })).structuredContent).toMatchObject({
      id: newer,
    });
    await rename(newer, name);
    await rename(older, `${name}-next`);
    const deployed = await client.call('deploy_service', { service: `${path}-next` });
    expect(deployed.structuredContent, textOf(deployed)).toMatchObject({ service: older, subject: `${path}-next` });
    const changed = await client.call('create_environment_variable', { application_id: path, key: 'TWO', value: '2' });
    expect(changed.isError, textOf(changed)).toBeFalsy();
    expect(await keysOf(newer)).toContain('TWO');
    expect(await keysOf(older)).not.toContain('TWO');
  });

  test('a change is not about what only a remembered list has by another spelling', async () => {
    const client = await connectors[era]();
    const make = async (name: string): Promise<unknown> =>
      (
        await platform.must('create_environment', {
          project_id: platform.seed['project_id'],
          cluster_id: platform.seed['cluster_id'],
          name,
          mode: 'STAGING',
        })
      )['id'];
    const older = await make(`canary-${era}`);
    expect(
      (await client.call('get_environment', { environment_id: `shop/Canary-${era}` })).structuredContent,
    ).toMatchObject({ id: older });
    await platform.must('delete_environment', { environment_id: older });
    const newer = await make(`Canary-${era}`);
    const planned = await client.call('stop_environment', { environment_id: `shop/Canary-${era}`, dry_run: true });
    expect(planned.structuredContent, textOf(planned)).toMatchObject({ dry_run: { target: { id: newer } } });
  });
});

test('where a name has a service of another kind, the tool for that kind is told, if there is one', async () => {
  const client = await connectors.modern(userAnswering(agree));
  const refused = async (tool: string, args: Record<string, unknown>) => {
    const result = await client.call(tool, args);
    expect(failureIn(result)).toMatchObject({ kind: 'bad_address' });
    return textOf(result);
  };
  expect(await refused('get_application_logs', { application_id: 'shop/production/search' })).toContain(
    'For a service of kind container, use search_logs.',
  );
  const uri = `infra://service/container/${String(platform.seed['container_id'])}`;
  expect(await refused('get_application_status', { application_id: uri })).toContain('use get_service.');
  expect(await refused('update_container', { container_id: 'shop/staging/orders-db', name: 'x' })).toContain(
    'use update_database.',
  );
  expect(await refused('run_job', { job_id: 'shop/staging/orders-db' })).not.toContain('For a service of kind');
  expect(await refused('get_application_logs', { application_id: 'shop/production/serach' })).not.toContain(
    'For a service of kind',
  );
});
