import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let showsReceivers = true;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, { url = '' }, response) => {
      if (!showsReceivers && url.includes('/alert-receivers'))
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"status":404,"error":"Not Found"}');
    },
  });
  connectors = connectorsTo(proxy.url, platform.tokens.admin);
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

async function calling(tool: string, args: Json) {
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  return { text: textOf(result), isError: result.isError === true, answer: (result.structuredContent ?? {}) as Json };
}

test.each([{}, { fields: ['name', 'receivers'] }])(
  'of rules that fire, those whose receivers are not told are named, whichever columns are shown: %j',
  async (args) => {
    const client = await connectors.modern();
    const text = textOf(await client.call('list_alert_rules', args));
    expect(text.match(/^They fire, and whatever receivers they have are not told: .*$/gm)).toEqual([
      expect.stringMatching(/disk-filling \(UNROUTED: nobody is told\), report-late \(SUPPRESSED: nobody is told\)\.$/),
    ]);
  },
);

test('the list of alert rules says who is told by name, and who else can be told', async () => {
  const { text, answer } = await calling('list_alert_rules', {});
  expect(answer['receivers']).toEqual([
    expect.objectContaining({ name: 'on-call', type: 'SLACK' }),
    expect.objectContaining({ name: 'team-mail', type: 'EMAIL' }),
  ]);
  expect(text).toMatch(
    /^Receivers that rules can have: on-call \(SLACK, id [0-9a-f-]{36}\); team-mail \(EMAIL, id [0-9a-f-]{36}\)$/m,
  );
  const rules = rowsOf(answer);
  expect(rules.find(({ name }) => name === 'checkout-errors')).toMatchObject({
    receivers: ['on-call'],
    alert_receiver_ids: [platform.seed['alert_receiver_id']],
  });
  expect(text).toMatch(/^checkout-errors .*\["on-call"\]/m);
  const named = (await calling('list_alert_rules', { fields: ['name', 'receivers'] })).text;
  expect(named).toContain('name | receivers');
  expect(named).toContain('Receivers that rules can have: on-call');
});

test('the list of alert rules names clusters, and says which rules watch nothing', async () => {
  const { text, answer } = await calling('list_alert_rules', {});
  expect(new Set(rowsOf(answer).map(({ cluster }) => cluster))).toEqual(new Set(['main']));
  expect(answer['unwatched']).toBe(
    'old-latency (GHOST: deleted here, left in the alerting system), node-memory (UNDEPLOYED: not in the alerting system)',
  );
  expect(text).toContain(`they watch nothing: ${String(answer['unwatched'])}.`);
});

test('the list of alert rules has paths of what they watch, and no operator and threshold that count for nothing', async () => {
  const { text, answer } = await calling('list_alert_rules', {});
  const rule = rowsOf(answer).find(({ name }) => name === 'checkout-errors')!;
  expect(rule).toMatchObject({ target: { path: 'shop/staging/checkout-api' } });
  expect(rule['condition']).toEqual({ promql: expect.any(String) as unknown });
  expect(text).not.toMatch(/condition\.(operator|threshold)/);
});

test('a receiver is given by name, and the error for another name lists all that there are', async () => {
  const wrong = await calling('update_alert_rule', {
    alert_rule: 'disk-filling',
    alert_receivers: ['on-call', 'team'],
  });
  expect(wrong.isError).toBe(true);
  expect(wrong.text).toContain('team-mail');
  expect(wrong.text).toContain('on-call');
  const { isError, text } = await calling('update_alert_rule', {
    alert_rule: 'disk-filling',
    alert_receivers: ['on-call', 'team-mail'],
    severity: 'CRITICAL',
  });
  expect(isError, text).toBe(false);
  const rules = rowsOf((await calling('list_alert_rules', {})).answer);
  expect(rules.find(({ name }) => name === 'disk-filling')).toMatchObject({
    receivers: ['on-call', 'team-mail'],
    severity: 'CRITICAL',
  });
});

test('where receivers can not be read, that is said, and the rules are shown all the same', async () => {
  showsReceivers = false;
  const { text, answer } = await calling('list_alert_rules', {});
  showsReceivers = true;
  expect(text).toContain('Not known: which receivers there are.');
  expect(rowsOf(answer).length).toBeGreaterThan(3);
  expect(answer).not.toHaveProperty('receivers');
});
