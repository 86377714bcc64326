import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeAgreedTo, newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

const user = userAnswering(agree);

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(user);
};

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0 });
  await connect();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const succeeded = succeeding((tool, args) => client.call(tool, args));

const newestEvent = (): Promise<Json> => newestEventOf(platform);

const until = '2999-01-01T06:00:00.000Z';
const always = { condition: { promql: 'vector(1)' }, for_duration: 'PT0S', alert_receiver_ids: ['on-call'] };
const ruleNamed = async (name: string): Promise<Json | undefined> =>
  rowsOf(await succeeded('list_alert_rules')).find((row) => row['name'] === name);

test('a rule is created, silenced for a time, told of again, and deleted', async () => {
  const created = await succeeded('create_alert_rule', {
    ...always,
    service: 'shop/staging/checkout-api',
    name: 'checkout-slow',
  });
  expect(created).toMatchObject({ severity: 'MEDIUM', enabled: true, target: { target_type: 'APPLICATION' } });
  expect(await newestEvent()).toMatchObject({ event_type: 'CREATE', sub_target_type: 'ALERT_RULE' });
  await expect.poll(async () => (await ruleNamed('checkout-slow'))?.['state']).toBe('NOTIFIED');

  await succeeded('silence_alert_rule', { alert_rule: 'checkout-slow', until, reason: 'Load test.' });
  await connectors.close();
  platform = await platform.restart();
  await connect();
  expect(await ruleNamed('checkout-slow')).toMatchObject({
    state: 'SUPPRESSED',
    silenced_until: until,
    silence_reason: 'Load test.',
  });
  const overview = await client.call('get_organization_overview', {});
  expect(textOf(overview)).toContain(`checkout-slow (SUPPRESSED: nobody is told until ${until}`);
  expect(await newestEvent()).toMatchObject({ event_type: 'UPDATE', sub_target_type: 'ALERT_RULE' });

  await succeeded('unsilence_alert_rule', { alert_rule: 'checkout-slow' });
  await expect.poll(async () => (await ruleNamed('checkout-slow'))?.['state']).toBe('NOTIFIED');
  expect(await ruleNamed('checkout-slow')).not.toHaveProperty('silenced_until');

  await succeeded('delete_alert_rule', { alert_rule: 'checkout-slow' });
  expect(user.questions.at(-1)!.message).toContain('It fires now (NOTIFIED');
  expect(await ruleNamed('checkout-slow')).toBeUndefined();
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', sub_target_type: 'ALERT_RULE' });
});

const changeFiring = (more: Json) =>
  changeAgreedTo(connectors, 'update_alert_rule', { alert_rule: 'importer-down', ...more });

test('the change of a rule that fires says so, and what becomes of that: it fires again after its time', async () => {
  const { effects, question, text } = await changeFiring({ severity: 'HIGH' });
  const startsOver = 'until its condition has held for PT5M again';
  expect(effects).toEqual(
    expect.arrayContaining([expect.stringMatching(/^It fires now \(NOTIFIED, since \S+\)\.$/)]) as unknown,
  );
  for (const told of [question, text]) expect(told).toContain(startsOver);
  expect(question).toContain('It fires now (NOTIFIED, since ');
  expect(text).toContain('It fired when it was changed (NOTIFIED, since ');
  await expect.poll(async () => (await ruleNamed('importer-down'))?.['state']).toBe('NOTIFIED');

  const off = await changeFiring({ enabled: false });
  expect(off.question).toContain('The change turns it off.');
  expect(off.question).not.toContain(startsOver);
  const again = await changeFiring({ enabled: true });
  expect(again.effects.join('\n')).not.toMatch(/fires now|It fired|starts it over/);
  await expect.poll(async () => (await ruleNamed('importer-down'))?.['state']).toBe('NOTIFIED');
});

test('rules are about clusters, environments and scheduled jobs too', async () => {
  for (const [where, type] of [
    [{ cluster: platform.seed['cluster_id'] }, 'CLUSTER'],
    [{ environment: 'shop/staging' }, 'ENVIRONMENT'],
    [{ service: platform.seed['job_id'] }, 'CRONJOB'],
  ] as const) {
    const created = await succeeded('create_alert_rule', { ...always, ...where, name: `on ${type}` });
    expect(created['target']).toMatchObject({ target_type: type });
  }
});

const request = (): Json => ({
  ...always,
  alert_receiver_ids: [platform.seed['alert_receiver_id']],
  organization_id: platform.organizationId,
  cluster_id: platform.seed['cluster_id'],
  name: 'x',
  description: '',
  tag: '',
  severity: 'LOW',
  enabled: true,
  presentation: {},
  target: { target_type: 'APPLICATION', target_id: platform.seed['application_id'] },
});
const nowhere = '00000000-0000-4000-8000-000000000000';

test.each([
  ['target.target_type', { target: { target_type: 'PROJECT', target_id: nowhere } }],
  ['target.target_id', { target: { target_type: 'APPLICATION', target_id: nowhere } }],
  ['cluster_id', { cluster_id: nowhere }],
  ['condition.promql', { condition: { promql: 'rate(' } }],
  ['alert_receiver_ids', { alert_receiver_ids: [nowhere] }],
])('%s must be right', async (member, given) => {
  const { status, body } = await platform.call('create_alert_rule', { ...request(), ...given });
  expect([status, body['message']]).toEqual([400, expect.stringContaining(member)]);
});

test('a silence ends later than now, and rules of the monitoring system alone are not silenced or deleted', async () => {
  const past = { alert_rule_id: platform.seed['alert_rule_id'], until: '2001-01-01T00:00:00Z' };
  expect((await platform.call('silence_alert_rule', past)).status).toBe(400);
  const rules = rowsOf(await platform.must('list_alert_rules', { organization_id: platform.organizationId }));
  const ghost = { alert_rule_id: rules.find(({ source }) => source === 'GHOST')!['id'] };
  for (const [name, more] of [
    ['silence_alert_rule', { until }],
    ['delete_alert_rule', {}],
  ] as const)
    expect((await platform.call(name, { ...ghost, ...more })).body['message']).toContain('monitoring system only');
});
