import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approveCommand } from '../../../src/cli/commands/approve.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import { type Pending, planText } from '../../../src/server/guard/index.ts';
import { approvalsPathsAt } from '../../../src/transport/http/console/page-frame.ts';
import { waitingCalls } from '../../../src/transport/http/approvals/pages.ts';
import { agree, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { approvalCodeIn, closedAfterEach, openGuardFixture, type GuardFixture } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer, type GuardedServerOptions } from '../../support/guarded-server.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const opened = closedAfterEach();

async function startServer(options: GuardedServerOptions = {}) {
  const server = await startGuardedServer(platform, options);
  opened.push(server);
  return server;
}

/** The platform calls every environment so. */
const calling =
  (name: string): GuardedServerOptions['alter'] =>
  (_method, path, body) =>
    /^\/environment\/[^/]+$/.test(path) ? { ...(body as object), name } : body;

/** What the approvals page and `infra-mcp approve` show of a waiting call. */
async function shownToOperator(
  { config }: GuardFixture,
  pending: Pending,
): Promise<{ page: string; terminal: string }> {
  const page = waitingCalls([pending], {
    operator: { cookie: '', formToken: '', sign: String },
    paths: approvalsPathsAt(''),
    now: Date.now(),
    showsWholePlans: true,
  }).markup;
  let terminal = '';
  const stop = new Error('seen');
  const person: Terminal = {
    isInteractive: true,
    write: (text) => void (terminal += text),
    ask: () => Promise.reject(stop),
    askHidden: () => Promise.reject(stop),
  };
  await expect(approveCommand(config, pending.code, {}, person)).rejects.toBe(stop);
  return {
    page: page.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"'),
    terminal: terminal.replaceAll(/\s+/g, ' '),
  };
}

let count = 0;
const settings = () => ({
  environment: platform.seed['environment_id'],
  variables: { SETTING: `value-${(count += 1)}` },
});
const update = (more: Record<string, unknown>) => ({ ...toolCallsOn(platform)['update_container']!(), ...more });

const odd = '--image=library/p\u0430yments';
const writtenOut = '--image=library/p<U+0430>yments';
const told = 'Not what it may look like: <U+0430> is not the Latin a, but Cyrillic.';

describe('a letter of another script', () => {
  test('is written out and named in the question, and sent as it was given', async () => {
    const bodies: string[] = [];
    const { connect } = await startServer({ mode: 'PRODUCTION', onBody: (body) => bodies.push(body) });
    const user = userAnswering(agree);
    const result = await (await connect({ user })).call('update_container', update({ arguments: [odd] }));
    expect(result.isError, textOf(result)).toBeFalsy();
    const lines = user.questions[0]!.message.split('\n');
    expect(lines.filter((line) => line.includes(writtenOut)).length).toBeGreaterThan(0);
    expect(lines).toContain(told);
    expect(user.questions[0]!.message).not.toContain('\u0430');
    expect(bodies.join('\n')).toContain(odd);
  });

  test('so it is in a dry run, and in what an operator approves', async () => {
    const guard = await openGuardFixture({ operator: true });
    opened.push(guard);
    const { connect, proxy } = await startServer({ guard, mode: 'PRODUCTION' });
    const caller = await connect();
    const dry = textOf(await caller.call('update_container', { ...update({ arguments: [odd] }), dry_run: true }));
    expect(dry).toContain(writtenOut);
    expect(dry).toContain(told);
    const args = update({ arguments: [odd] });
    const code = approvalCodeIn(textOf(await caller.call('update_container', args)));
    const [pending] = await guard.waiting();
    expect(planText(pending!.plan, { whole: true }).split('\n')).toContain(told);
    const seen = await shownToOperator(guard, pending!);
    for (const text of [seen.page, seen.terminal]) for (const part of [writtenOut, told]) expect(text).toContain(part);
    await guard.decide(code);
    expect((await caller.call('update_container', args)).isError).toBeFalsy();
    expect(proxy.writes()).toHaveLength(1);
  });

  test.each([
    ['p\u0430yments', 'shop/p<U+0430>yments'],
    ['\u05D0\u05D12', 'shop/<U+05D0><U+05D1>2'],
    ['a\u0301\u0302\u0303', 'shop/a\u0301\u0302<U+0303>'],
    // What is typed never stands for two names.
    ['p<U+0430>yments', 'shop/p%3CU+0430>yments'],
  ])('in a name is typed as it is written out: %j', async (name, typed) => {
    const { connect, proxy } = await startServer({ mode: 'PRODUCTION', alter: calling(name) });
    const user = userAnswering(({ requestedSchema }) => {
      expect(requestedSchema.properties['name']!.title).toBe(`To approve, type exactly: ${typed}`);
      return { action: 'accept', content: { name: typed.normalize('NFC') } };
    });
    const result = await (await connect({ user })).call('set_environment_variables', settings());
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(proxy.writes()).toHaveLength(1);
  });
});

describe('stays readable:', () => {
  test.each(['прод', '本番環境', 'إنتاج', 'παραγωγή', 'Größe'])('an environment called %s', async (name) => {
    const { connect } = await startServer({ mode: 'PRODUCTION', alter: calling(name) });
    const user = userAnswering(() => ({ action: 'decline' }));
    await (await connect({ user })).call('set_environment_variables', settings());
    expect(user.questions[0]!.message).toContain(`"shop/${name}"`);
    expect(user.questions[0]!.message).not.toMatch(/<U\+|Not what it may look like/);
  });
});

test('hosts of addresses are shown in ASCII form', async () => {
  const { connect } = await startServer({ mode: 'PRODUCTION' });
  const user = userAnswering(() => ({ action: 'decline' }));
  await (
    await connect({ user })
  ).call('set_environment_variables', {
    application: platform.seed['application_id'],
    variables: { ENDPOINT: 'https://\u0430\u0440\u0440\u04CF\u0435.com/x?y=z', PROXY: 'socks5://münchen.example:1080' },
  });
  expect(user.questions[0]!.message).toContain('https://xn--80ak6aa92e.com/x?y=z');
  expect(user.questions[0]!.message).toContain('socks5://xn--mnchen-3ya.example:1080');
  expect(user.questions[0]!.message).toContain('"xn--mnchen-3ya.example" is given as münchen.example');
});

test('so is the host that a probe asks', async () => {
  const { connect } = await startServer({ mode: 'PRODUCTION' });
  const user = userAnswering(agree);
  await (
    await connect({ user })
  ).call(
    'update_container',
    update({ healthchecks: { readiness_probe: { type: { tcp: { port: 80, host: 'münchen.example' } } } } }),
  );
  expect(user.questions[0]!.message).toContain('"host":"xn--mnchen-3ya.example"');
  expect(user.questions[0]!.message).toContain('"xn--mnchen-3ya.example" is given as münchen.example');
});
