import { expect, test } from 'vitest';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let connectors: Connectors;
let platform: TestPlatform;

connectedForAll((connected) => ({ connectors, platform } = connected));

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

/** The services that a plan names by when they take a change: at their next deployment, and so on. */
function effects(text: string, key?: string): Readonly<Record<string, readonly string[]>> {
  const subject = key === undefined ? 'Takes effect' : `${key} takes effect`;
  const lines = text.split('\n').filter((line) => line.startsWith(`${subject} with `));
  return Object.fromEntries(
    lines.map((line) => {
      const [when = '', names = ''] = line.slice(`${subject} with the `.length, -1).split(': ');
      return [when, names.split(', ').toSorted()];
    }),
  );
}

const atRun = 'next run or, on some platforms, only with the next deployment';
const due = /^\S*nightly-report \(due \d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z\)$/;

test.each([
  ['an environment', { environment: 'shop/staging' }, ''],
  ['a project', { project: 'shop' }, 'staging/'],
])('a plan for a variable of %s says when each kind of service takes it', async (_, owner, place) => {
  const plan = await call('set_environment_variables', {
    ...owner,
    variables: { TAKEN_WHEN: 'known', AND_THIS: 'too' },
    dry_run: true,
  });
  expect(effects(plan)).toEqual({
    'next deployment': expect.arrayContaining(
      ['checkout-api', 'search', 'session-cache'].map((name) => `${place}${name}`),
    ) as unknown,
    'first deployment': [`${place}storefront`],
    'next plan that is applied': [`${place}assets-bucket`],
    [atRun]: [expect.stringMatching(due)],
  });
  // Once for both variables.
  expect(plan.match(/^Takes effect with the first deployment/gm)).toHaveLength(1);
  const deletion = await call('delete_environment_variable', {
    environment: 'shop/staging',
    key: 'LOG_LEVEL',
    dry_run: true,
  });
  expect(Object.keys(effects(deletion))).toContain(atRun);
});

test('who has a value of its own does not take that of the environment', async () => {
  await call('set_environment_variables', { service: 'shop/staging/search', variables: { OF_ONE: 'own' } });
  const plan = await call('set_environment_variables', {
    environment: 'shop/staging',
    variables: { OF_ONE: 'wide' },
    dry_run: true,
  });
  expect(effects(plan, 'OF_ONE')['next deployment']).toContain('checkout-api');
  expect(effects(plan, 'OF_ONE')['next deployment']).not.toContain('search');
});

test('of one service its own kind and state decide', async () => {
  const variables = { OF_THIS_ONLY: 'yes' };
  const plan = (service: string) => call('set_environment_variables', { service, variables, dry_run: true });
  expect(await plan('shop/staging/search')).toContain('Takes effect with the next deployment.');
  expect(await plan('shop/staging/storefront')).toContain('Takes effect with the first deployment.');
  expect(await plan('shop/staging/nightly-report')).toMatch(
    /^Takes effect with the next run or, .* deployment \(due \d{4}-[^ ]+Z\)\.$/m,
  );
  await call('stop_services', { services: ['shop/staging/session-cache'], wait: true });
  expect(await plan('shop/staging/session-cache')).toContain(
    'Takes effect with the deployment that starts what is stopped.',
  );
});

test('where no status can be read, nothing is said to be stopped or never deployed', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (request.url!.includes('/statuses')) response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
    },
  });
  const own = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (
    await own.modern()
  ).call('set_environment_variables', {
    environment: 'shop/staging',
    variables: { TAKEN_WHEN: 'not known' },
    dry_run: true,
  });
  await own.close();
  await proxy.close();
  expect(result.isError ?? false, textOf(result)).toBe(false);
  expect(Object.keys(effects(textOf(result))).toSorted()).toEqual(
    ['next deployment', 'next plan that is applied', atRun].toSorted(),
  );
  expect(effects(textOf(result))['next deployment']).toContain('storefront');
});

/** What a call answers, and what it requests. */
async function recorded(tool: string, args: Json): Promise<{ text: string; requests: readonly string[] }> {
  const urls: string[] = [];
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method, request) => void urls.push(`${method} ${request.url!}`),
  });
  const own = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (await own.modern()).call(tool, args);
  await own.close();
  await proxy.close();
  expect(result.isError ?? false, textOf(result)).toBe(false);
  return { text: textOf(result), requests: urls };
}

test('who keeps a value is read off services, and of an environment without any off itself', async () => {
  const { id } = await platform.must('create_environment', {
    project_id: platform.seed['project_id'],
    cluster_id: platform.seed['cluster_id'],
    name: 'empty',
    mode: 'STAGING',
  });
  for (const environment of ['shop/production', 'shop/empty'])
    await call('set_environment_variables', { environment, variables: { KEPT_THERE: 'own' } });
  const { text, requests } = await recorded('set_environment_variables', {
    project: 'shop',
    variables: { KEPT_THERE: 'wide' },
    dry_run: true,
  });
  expect(keeping(text, 'KEPT_THERE')).toEqual(expect.arrayContaining(['production', 'production/search', 'empty']));
  expect(effects(text, 'KEPT_THERE')['next deployment']).toContain('staging/search');
  expect(effects(text, 'KEPT_THERE')['next deployment']).not.toContain('production/search');
  const ofEnvironments = requests.filter((one) => one.includes('scope=ENVIRONMENT'));
  expect(ofEnvironments).toEqual([expect.stringContaining(String(id))]);
});

test('what changed of a service that is out of date takes one request for variables and secrets', async () => {
  const { text, requests } = await recorded('get_service', { service: 'shop/staging/search' });
  expect(text).toContain('Out of date. Since its last deployment: variable');
  expect(requests.filter((one) => /\/variable\?|\/environmentVariable|\/secret/.test(one))).toHaveLength(1);
});
