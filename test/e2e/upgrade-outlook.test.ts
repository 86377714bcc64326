import { beforeEach, expect, test } from 'vitest';
import { proxiedForEach } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import { rowsOf, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
/** Paths that the platform refuses to read. */
let refused: RegExp | undefined;

beforeEach(() => {
  refused = undefined;
});
proxiedForEach(
  {
    beforeRequest: async (_, request, response) => {
      if (refused?.test(request.url!))
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"status":403,"message":"no"}');
    },
  },
  (proxied) => ({ platform, connectors, client } = proxied),
);

const planOf = async (cluster: string): Promise<string> =>
  textOf(await client.call('upgrade_cluster', { cluster, dry_run: true }));
/** The names that a line of a plan lists; undefined if it has no such line. */
const named = (plan: string, line: string): string[] | undefined =>
  plan
    .split('\n')
    .find((one) => one.startsWith(line))
    ?.replace(/^.*?: (.*)\.$/, '$1')
    .split(', ')
    .toSorted();
const single = 'May be interrupted while they are moved';
const untold = 'The platform does not tell how many instances these have';

/** The services of the staging of the shop that run, and have this many instances at least. */
async function runningWith(least: number | undefined): Promise<string[]> {
  const environment_id = platform.seed['environment_id'];
  const rows = rowsOf(await platform.must('list_services', { environment_id }));
  const statuses = Object.values(await platform.must('get_environment_status', { environment_id })).flat() as Json[];
  const stateOf = (id: unknown): unknown => statuses.find((one) => one['id'] === id)?.['state'];
  return rows
    .filter(({ service_type: type }) => !['JOB', 'TERRAFORM'].includes(String(type)))
    .filter(
      ({ id, min_running_instances: min }) => min === least && !['READY', 'STOPPED'].includes(String(stateOf(id))),
    )
    .map(({ name }) => `shop/staging/${String(name)}`);
}

test('the plan of an upgrade names what it may interrupt, and of what the number of instances is not told', async () => {
  const plan = await planOf('main');
  const [once, without] = [await runningWith(1), await runningWith(undefined)];
  expect(once.length).toBeGreaterThan(0);
  expect(without.length).toBeGreaterThan(0);
  expect(named(plan, single)).toEqual(expect.arrayContaining(once));
  expect(named(plan, untold)).toEqual(expect.arrayContaining(without));
  // It was never deployed.
  expect(named(plan, single)).not.toContain('shop/staging/storefront');
});

test('what is stopped, or has several instances, is not interrupted', async () => {
  const [stopped, several] = ['shop/staging/search', 'shop/staging/checkout-api'];
  const outcome = await client.call('stop_services', { services: [stopped], wait: true });
  expect(outcome.isError, textOf(outcome)).toBeFalsy();
  const changed = await client.call('update_application', {
    application_id: several,
    min_running_instances: 2,
    max_running_instances: 2,
  });
  expect(changed.isError, textOf(changed)).toBeFalsy();
  const names = named(await planOf('main'), single) ?? [];
  expect(names).not.toContain(stopped);
  expect(names).not.toContain(several);
});

test('it names the alerts that fire there, and says so where none does', async () => {
  expect(await planOf('main')).toMatch(/^Alerts fire on it or on what it hosts: .*disk-filling/m);
  const idle = await planOf('edge-lab');
  expect(idle).toContain('No alert fires on it or on what it hosts.');
  expect(idle).toContain('No service that runs on it has a single instance.');
});

test.each([
  ['alert rules', /\/alert-rules/, 'Not known: which alerts fire on it or on what it hosts.', 'No alert fires'],
  ['environments', /\/organization\/[^/]+\/environments/, 'Not known: which services on it', 'No service that runs'],
  ['services', /\/environment\/[^/]+\/services/, 'Not looked at, whether services have a', 'No service that runs'],
])('where the %s can not be read, it says so', async (_, paths, told, hidden) => {
  refused = paths;
  const plan = await planOf('main');
  expect(plan).toContain(told);
  expect(plan).not.toContain(hidden);
});

test.each([
  ['', 'after somebody agreed'],
  ['operator_only: [destructive]', 'after an operator agreed'],
  ['two_person:\n  - { tier: destructive, approvals: 2 }', 'after 2 operators agreed'],
])('a dry run says who has to agree, as far as the policy settles it: %j', async (rules, who) => {
  const guarded = rules === '' ? client : await connectors.modern(undefined, await policyFrom(rules));
  expect(textOf(await guarded.call('upgrade_cluster', { cluster: 'main', dry_run: true }))).toContain(who);
});
