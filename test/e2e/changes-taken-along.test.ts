import { expect, test } from 'vitest';
import { changeAgreedTo } from '../support/assistant-calls.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

connectedForAll((connected) => ({ platform, connectors } = connected));

async function call(tool: string, args: Json, through: Connectors = connectors) {
  const result = await (await through.modern(userAnswering(agree))).call(tool, args);
  expect(failureIn(result), textOf(result)).toBeUndefined();
  return { text: textOf(result), answer: result.structuredContent as Json };
}

const effectsOf = async (args: Json, through?: Connectors): Promise<readonly string[]> => {
  const { answer } = await call('deploy_service', { ...args, dry_run: true }, through);
  return (answer['dry_run'] as { effects: string[] }).effects;
};

/** What a plan says that a deployment takes along. */
const taken = (effects: readonly string[]): readonly string[] =>
  effects.flatMap((line) => /^Takes along: (.*)\.$/.exec(line)?.[1] ?? []);

const search = 'shop/production/search';
const licence = 'n3w-licence-of-2026';

/** Calls behind a proxy, and the requests for lists of variables and secrets that they took. */
async function listsReadBy(run: (through: Connectors) => Promise<unknown>): Promise<readonly string[]> {
  const proxy = await startRecordingProxy(platform.url);
  const own = connectorsTo(proxy.url, platform.tokens.admin);
  await run(own);
  await own.close();
  await proxy.close();
  return proxy.requests.filter((line) => /^GET .*\/(?:variable|environmentVariable|secret)(?:\?|$)/.test(line));
}

test('of what is up to date, a deployment takes nothing along, and no variable is read for that', async () => {
  const reads = await listsReadBy(async (through) => {
    for (const args of [{ service: search }, { environment: 'shop/production' }])
      expect(taken(await effectsOf(args, through))).toEqual([]);
    const { answer } = await call('get_environment_overview', { environment: 'shop/production' }, through);
    expect(answer).not.toHaveProperty('changed_since_deployment');
  });
  expect(reads).toEqual([]);
});

test('a plan names the secret of a project that a deployment takes along, and so does the answer, without its value', async () => {
  await call('set_environment_variables', { project: 'shop', secrets: { LICENCE_TOKEN: licence } });
  const ofSecret = /^secret LICENCE_TOKEN of scope PROJECT changed at \d{4}-\S+Z \(it may have been set back to .*\)$/;
  expect(taken(await effectsOf({ service: search }))).toEqual([expect.stringMatching(ofSecret)]);
  const several = taken(
    await effectsOf({ services: [{ service: search }, { service: 'shop/production/checkout-api' }] }),
  );
  expect(several).toEqual([
    expect.stringMatching(/^secret LICENCE_TOKEN .*: (?:search, checkout-api|checkout-api, search)$/),
  ]);
  const { question, text } = await changeAgreedTo(connectors, 'deploy_service', { service: search, wait: true });
  expect(question).toContain('Takes along: secret LICENCE_TOKEN of scope PROJECT changed at ');
  // Once it is deployed, nothing is pending any more.
  expect(text).toMatch(/^Included: secret LICENCE_TOKEN of scope PROJECT changed at \S+Z\.$/m);
  expect(text).not.toContain('Takes along');
  for (const told of [question, text]) expect(told).not.toContain(licence);
  expect(taken(await effectsOf({ service: search }))).toEqual([]);
});

test('of many services, what they share is named in one line, and that their own was not looked at', async () => {
  await call('set_environment_variables', { environment: 'shop/staging', variables: { TAKEN_ALONG: 'yes' } });
  const reads = await listsReadBy(async (through) => {
    const effects = await effectsOf({ environment: 'shop/staging' }, through);
    const added = taken(effects).filter((line) => line.includes('TAKEN_ALONG'));
    expect(added).toEqual([
      expect.stringMatching(/^variable TAKEN_ALONG of scope ENVIRONMENT added at .*checkout-api/),
    ]);
    expect(effects).toContain(
      'Not looked at: variables of single services. Where there are any, they count before these.',
    );
  });
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThanOrEqual(2);
});

test('the overview of an environment names what its services are out of date by', async () => {
  const { answer, text } = await call('get_environment_overview', { environment: 'shop/staging' });
  const changes = answer['changed_since_deployment'] as string[];
  expect(changes).toContainEqual(expect.stringMatching(/^variable TAKEN_ALONG of scope ENVIRONMENT .*checkout-api/));
  expect(changes).toContainEqual(expect.stringMatching(/^secret LICENCE_TOKEN of scope PROJECT /));
  expect(text).toContain('variable TAKEN_ALONG of scope ENVIRONMENT');
});

test('a value of the service itself counts, and not the one around it', async () => {
  await call('set_environment_variables', { service: 'shop/staging/search', variables: { TAKEN_ALONG: 'own' } });
  const lines = taken(await effectsOf({ service: 'shop/staging/search' })).filter((one) => one.includes('TAKEN_ALONG'));
  expect(lines).toEqual([expect.stringMatching(/^variable TAKEN_ALONG of scope CONTAINER added at /)]);
});

const standingOf = async (args: Json, through?: Connectors): Promise<unknown> =>
  rowsOf((await call('list_environment_variables', { key: 'LICENCE_TOKEN', ...args }, through)).answer)[0]![
    'not_deployed_since'
  ];

test('a search for a key tells which services were not deployed since it was set', async () => {
  for (const args of [{}, { project: 'shop' }]) {
    const standing = String(await standingOf(args));
    expect(standing).toContain('production/checkout-api');
    expect(standing).toContain('staging/checkout-api');
    // That one was deployed since, and the other never.
    expect(standing).not.toMatch(/production\/search|storefront|not known/);
  }
  expect(await standingOf({ environment: 'shop/production' })).toBe('production/checkout-api');
  await call('deploy_service', { service: 'shop/production/checkout-api', wait: true });
  expect(await standingOf({ environment: 'shop/production' })).toBe('none');
});

test('where no status can be read, that is not known, and it is not said to be nothing', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (/\/statuses|\/organization\/[^/]+\/services/.test(request.url!))
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no","message":"no"}');
    },
  });
  const own = connectorsTo(proxy.url, platform.tokens.admin);
  expect(await standingOf({ environment: 'shop/production' }, own)).toMatch(/^not known of .*production\/search/);
  await own.close();
  await proxy.close();
});

const setting = async (args: Json) => call('set_environment_variables', { variables: { GIFT: 'on' }, ...args });

test('the answer of set variables says who sees them, also where nobody was asked', async () => {
  const { answer, text } = await setting({ environment: 'shop/staging' });
  expect(answer['seen_by']).toContain('checkout-api');
  expect(text).toMatch(/^Services that see it, unless they have a value of their own: [^\n]*checkout-api/m);
  expect((await setting({ project: 'shop' })).answer['seen_by']).toContain('production/checkout-api');
  const own = await setting({ service: 'shop/staging/search' });
  expect(own.answer['seen_only_by']).toBe('container');
  expect(own.text).toContain('Seen by this container only.');
});

test('the answer of an override has the value that it takes the place of, unless that is a secret one', async () => {
  const service = 'shop/staging/checkout-api';
  const over = async (variable: string, value: string) =>
    (await call('override_environment_variable', { service, variable, value })).text;
  expect(await over('LOG_LEVEL', 'trace')).toMatch(/^LOG_LEVEL: \S+ \(of scope ENVIRONMENT\) → trace$/m);
  const environment_id = platform.seed['environment_id'];
  await platform.must('create_variable_of_environment', { environment_id, key: 'PAY_PASSWORD', value: 'old-hush-77' });
  const text = await over('PAY_PASSWORD', 'new-hush-78');
  expect(text).toContain('PAY_PASSWORD');
  expect(text).not.toContain('old-hush-77');
});

test('of a database it is said that nothing tells whether its data are encrypted', async () => {
  const { answer, text } = await call('get_service', { service: 'shop/production/orders-db' });
  expect(answer['encryption_at_rest']).toMatch(/^not known/);
  expect(text).toContain('encryption_at_rest: not known');
  expect((await call('get_service', { service: search })).answer).not.toHaveProperty('encryption_at_rest');
});
