import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let client: TestClient;
let calls: ReturnType<typeof toolCallsOn>;
const user = userAnswering(agree);

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
  proxy = await startRecordingProxy(platform.url);
  connectors = connectorsTo(proxy.url, platform.tokens.admin);
  client = await connectors.modern(user);
});
afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});
beforeEach(() => void user.questions.splice(0));

/** Carries out a call that has to succeed. */
async function carried(tool: string, args: Json): Promise<Json> {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Json;
}

/** Tries a call that has to be refused, with nobody asked and nothing sent. Resolves to its text. */
async function refused(tool: string, args: Json): Promise<string> {
  user.questions.splice(0);
  const before = proxy.writes().length;
  const result = await client.call(tool, args);
  expect([failureIn(result)?.kind, user.questions, proxy.writes().length - before], textOf(result)).toEqual([
    'not_possible',
    [],
    0,
  ]);
  return textOf(result);
}

const window = { name: 'tried', environment_id: 'data/development', time_zone: 'Europe/Paris' };

test.each<[string, string, Json, string]>([
  [
    'a window that ends before it begins',
    'create_deployment_window',
    { begins: '2999-12-27 08:00', ends: '2999-12-24 16:00' },
    'later than begins',
  ],
  [
    'a window of no length',
    'create_deployment_window',
    { begins: 'FRIDAY 16:00', ends: 'FRIDAY 16:00' },
    'differ from begins',
  ],
  [
    'a window from a weekday to a date',
    'create_deployment_window',
    { begins: 'FRIDAY 16:00', ends: '2999-12-24 16:00' },
    'day of the week',
  ],
  [
    'a window that is over',
    'create_deployment_window',
    { begins: '2001-12-24 16:00', ends: '2001-12-27 08:00' },
    '"ends" is over',
  ],
  [
    'an end in the past',
    'set_environment_end',
    { environment_id: 'data/development', ends_at: '2001-01-01T00:00:00Z' },
    '"ends_at" is over',
  ],
  ['a silence that is over', 'silence_alert_rule', { until: '2001-01-01T00:00:00Z' }, '"until" is over'],
  [
    'a token that expired',
    'create_api_token',
    { name: 'late', permission: 'read', expires_at: '2001-01-01T00:00:00Z' },
    '"expires_at" is over',
  ],
])('%s is refused before anybody is asked', async (_, tool, args, says) => {
  const place = tool === 'create_deployment_window' ? window : tool === 'silence_alert_rule' ? calls[tool]!() : {};
  expect(await refused(tool, { ...place, ...args })).toContain(says);
});

test('a job that was never deployed, or is stopped, is not run', async () => {
  const { id } = await carried('create_job', calls['create_job']!());
  expect(await refused('run_job', { job_id: id })).toContain('never deployed');
  const { job_id: deployed } = calls['run_job']!();
  await carried('stop_services', { services: [`infra://service/job/${String(deployed)}`], wait: true });
  expect(await refused('run_job', { job_id: deployed })).toContain('is stopped');
});

test('an environment that has an end does not become PRODUCTION, until its end is removed', async () => {
  const environment = { environment_id: 'data/development' };
  await carried('set_environment_end', { ...environment, ends_at: '2999-01-01T00:00:00Z' });
  expect(await refused('update_environment', { ...environment, mode: 'PRODUCTION' })).toContain(
    'unset_environment_end',
  );
  await carried('update_environment', { ...environment, mode: 'STAGING' });
  await carried('unset_environment_end', environment);
  await carried('update_environment', { ...environment, mode: 'PRODUCTION' });
});

test('a project is deleted only once it is empty', async () => {
  expect(await refused('delete_project', { project_id: 'shop' })).toContain('staging');
  const { id } = await carried('create_project', { name: 'emptied' });
  await carried('delete_project', { project_id: id });
});

const checkout = 'shop/staging/checkout-api';
const newJob = {
  environment: 'shop/staging',
  name: 'never-made',
  source: { image: { image_name: 'acme/report', tag: '3.2.0' } },
};
const at = (scheduled_at: string, timezone = 'Europe/Paris') => ({ schedule: { cronjob: { scheduled_at, timezone } } });

test.each<[string, string, Json, string]>([
  ['more memory than there may be', 'update_application', { application: checkout, memory: 999_999 }, 'maximum_memory'],
  ['more CPU', 'update_container', { container: 'shop/staging/search', cpu: 999_999 }, 'maximum_cpu'],
  ['a schedule out of range', 'create_job', { ...newJob, ...at('99 25 * * *') }, 'no cron expression'],
  ['a day that never comes', 'create_job', { ...newJob, ...at('0 0 30 2 *') }, 'never comes due'],
  [
    'an unknown time zone',
    'update_job',
    { job: 'shop/staging/nightly-report', ...at('0 4 * * *', 'Mars/Olympus') },
    'no time zone',
  ],
])('%s is refused, in a dry run too', async (_, tool, args, why) => {
  for (const dry_run of [true, false]) expect(await refused(tool, { ...args, dry_run })).toContain(why);
});

test('a dry run says what it did not check', async () => {
  const plan = textOf(await client.call('update_application', { application: checkout, memory: 768, dry_run: true }));
  expect(plan.match(/, if the platform accepts it\. Not checked: what only the platform decides/g)).toHaveLength(1);
});
