import { expect, test } from 'vitest';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type Json } from '../support/test-platform.ts';

let connectors: Connectors;

connectedForAll((connected) => ({ connectors } = connected));

async function call(tool: string, args: Json): Promise<string> {
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  expect(result.isError === true ? textOf(result) : '').toBe('');
  return textOf(result);
}

const seeing = (text: string): string => /^(?:Seen by|No service).*$/m.exec(text)?.[0] ?? text;
/** Who keeps a value of its own for a key, as a plan says; undefined if it says nothing of that key. */
const keeping = (text: string, key: string): string[] | undefined =>
  new RegExp(`^Keep a value of their own for ${key}: (.*)\\.$`, 'm').exec(text)?.[1]!.split(', ').toSorted();
const mail = 'help@acme.example';

test('a plan for a shared variable names who keeps a value of its own, secrets and environments included', async () => {
  await call('set_environment_variables', {
    service: 'shop/staging/search',
    variables: { SUPPORT_EMAIL: 'own@acme.example' },
  });
  await call('create_secret', {
    application: 'shop/staging/checkout-api',
    key: 'SUPPORT_EMAIL',
    value: 'hidden-address',
  });
  await call('set_environment_variables', {
    environment: 'shop/production',
    variables: { SUPPORT_EMAIL: 'live@acme.example' },
  });
  const project = await call('set_environment_variables', {
    project: 'shop',
    variables: { SUPPORT_EMAIL: mail, BRAND_NEW: 'yes' },
    dry_run: true,
  });
  expect(seeing(project)).toContain('staging/storefront');
  expect(keeping(project, 'SUPPORT_EMAIL')).toEqual(
    expect.arrayContaining(['staging/search', 'staging/checkout-api', 'production/search']),
  );
  expect(keeping(project, 'SUPPORT_EMAIL')).not.toContain('staging/storefront');
  expect(keeping(project, 'BRAND_NEW')).toBeUndefined();
  const environment = await call('set_environment_variables', {
    environment: 'shop/staging',
    variables: { SUPPORT_EMAIL: mail },
    dry_run: true,
  });
  expect(seeing(environment)).toContain('storefront');
  expect(keeping(environment, 'SUPPORT_EMAIL')).toEqual(['checkout-api', 'search']);
});

test.each([
  ['of an environment', { environment: 'shop/staging' }, ['search', 'checkout-api'], 'storefront'],
  ['of a project', { project: 'shop' }, ['staging/search', 'production/search'], 'staging/storefront'],
])('so does the plan of a change of one %s, under its old name and its new one', async (_, owner, own, without) => {
  const key = `SHARED_OF_${Object.keys(owner)[0]!.toUpperCase()}`;
  await call('set_environment_variables', { ...owner, variables: { [key]: 'wide' } });
  await call('set_environment_variables', { service: 'shop/staging/search', variables: { [key]: 'narrow' } });
  await call('set_environment_variables', {
    service: `shop/${own[1]!.includes('/') ? own[1] : `staging/${own[1]}`}`,
    variables: { [`${key}_NOW`]: 'narrow' },
  });
  const change = await call('update_environment_variable', { ...owner, variable: key, value: 'wider', dry_run: true });
  expect(keeping(change, key)).toEqual([own[0]]);
  expect(seeing(change)).toContain(without);
  const rename = await call('update_environment_variable', {
    ...owner,
    variable: key,
    key: `${key}_NOW`,
    dry_run: true,
  });
  expect([keeping(rename, key), keeping(rename, `${key}_NOW`)]).toEqual([[own[0]], [own[1]]]);
});

test('a shared variable that is changed by way of a service reaches all that see it', async () => {
  const change = await call('update_environment_variable', {
    service: 'shop/staging/search',
    variable: 'LOG_LEVEL',
    value: 'error',
    dry_run: true,
  });
  expect(seeing(change)).toContain('storefront');
});

test('what a changed variable leaves out of date is what the plan says sees it', async () => {
  const fresh = await startTestPlatform();
  const own = connectorsTo(fresh.url, fresh.tokens.admin);
  const outdated = (): Json[] =>
    (fresh.dump()['service'] as Json[]).filter(({ deployment_status: status }) => status === 'OUT_OF_DATE');
  const before = outdated().map(({ id }) => id);
  const client = await own.modern(userAnswering(agree));
  const args = { project: 'shop', variables: { FRESH_OF_ALL: 'yes' } };
  const plan = textOf(await client.call('set_environment_variables', { ...args, dry_run: true }));
  expect((await client.call('set_environment_variables', args)).isError).toBeFalsy();
  const since = outdated().filter(({ id }) => !before.includes(id));
  await own.close();
  await fresh.close();
  expect(since.length).toBeGreaterThan(3);
  for (const { name } of since) expect(seeing(plan)).toContain(`/${String(name)}`);
});
