import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../../src/server/guard/index.ts';
import { policyText } from '../../../src/server/browse/resources/server-resources.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { agree, failureIn, textOf, userAnswering, type User } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import {
  closedAfterEach,
  approvalCodeIn,
  openGuardFixture,
  policyFrom,
  type GuardFixture,
} from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof toolCallsOn>;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
});
afterAll(() => platform.close());

const opened = closedAfterEach();

/** A policy of several sets of rules: the server's file, then that of a key. */
const policyOf = async (texts: readonly string[]): Promise<Policy> => ({
  readOnly: false,
  rules: (await Promise.all(texts.map(policyFrom))).flatMap(({ rules = [] }) => rules),
});

async function startServer(
  texts: readonly string[],
  { user, operator = true }: { user?: User; operator?: boolean } = {},
) {
  const guard: GuardFixture = await openGuardFixture({ operator });
  opened.push(guard);
  const server = await startGuardedServer(platform, { guard, policy: await policyOf(texts), user });
  opened.push(server);
  return { guard, ...server };
}

const leftToOperator = { kind: 'pending', why: 'operator_only', outcome: 'pending', code: expect.any(String) };

describe('a call that the policy leaves to the operator', () => {
  test.each([
    ['by the one file', ['operator_only: [disruptive]']],
    ['by the file of a key', ['unattended: [disruptive]', 'operator_only: [disruptive]']],
    [
      'by the file of the server, whatever that of a key says',
      ['operator_only: [disruptive]', 'unattended: [disruptive]\noperator_only: []'],
    ],
  ])('is not agreed to by a client that would, %s', async (_, texts) => {
    const user = userAnswering(agree);
    const { call, guard, proxy } = await startServer(texts, { user });
    const restart = calls['restart_services']!();
    const result = await call('restart_services', restart);
    expect(failureIn(result)).toEqual(leftToOperator);
    const waiting = textOf(result);
    expect(waiting).toMatch(
      /leaves calls like this to its operator alone .* the user was not asked here.*infra-mcp approve/s,
    );
    expect(waiting).not.toContain('plan_token');
    expect((await call('restart_services', restart)).isError).toBe(true);
    expect(user.questions).toEqual([]);
    expect(proxy.writes()).toEqual([]);
    await guard.decide(approvalCodeIn(waiting));
    expect((await call('restart_services', restart)).isError).toBeFalsy();
    expect(proxy.writes()).toHaveLength(1);
    expect(user.questions).toEqual([]);
  });

  test('waits for them where the client cannot ask, too, and takes no plan token', async () => {
    const { call, client, proxy } = await startServer(['unattended: [disruptive]', 'operator_only: [disruptive]']);
    const restart = calls['restart_services']!();
    expect(failureIn(await call('restart_services', restart))).toEqual(leftToOperator);
    expect(textOf(await call('restart_services', { ...restart, plan_token: 'v1.e30.x' }))).toContain('plan_token');
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'restart_services')!.inputSchema.properties).not.toHaveProperty(
      'plan_token',
    );
    expect(proxy.writes()).toEqual([]);
  });

  test('is refused where no operator is set up, with what to do', async () => {
    const user = userAnswering(agree);
    const { call, proxy } = await startServer(['operator_only: [destructive]'], { user, operator: false });
    const result = await call('stop_environment', calls['stop_environment']!());
    expect(failureIn(result)).toEqual({ kind: 'not_confirmed', why: 'operator_only', outcome: 'refused' });
    expect(textOf(result)).toMatch(/infra-mcp approve --data-dir \S+ --set-secret/);
    expect(user.questions).toEqual([]);
    expect(proxy.writes()).toEqual([]);
  });

  test('is left to them by a part of it, beside something graver', async () => {
    const application = seedId('service/shop/production/checkout-api');
    const set = (variables: Record<string, string>) =>
      ['set_environment_variables', { application, variables }] as const;
    const { call: asEver } = await startServer([], { user: userAnswering(agree) });
    expect((await asEver(...set({ THERE: '1' }))).isError).toBeFalsy();
    const user = userAnswering(agree);
    const { call, proxy } = await startServer(['operator_only: [disruptive]'], { user });
    // On production, adding is disruptive and replacing destructive.
    const both = await call(...set({ THERE: '2', ADDED: '1' }));
    expect([failureIn(both), textOf(both)]).toEqual([leftToOperator, expect.stringContaining('(destructive)')]);
    expect(user.questions).toEqual([]);
    expect(proxy.writes()).toEqual([]);
    expect((await call(...set({ THERE: '2' }))).isError).toBeFalsy();
    expect(user.questions).toHaveLength(1);
  });

  test('is no call of another tier: there the user is asked as ever', async () => {
    const user = userAnswering(agree);
    const { call, proxy } = await startServer(['operator_only: [sensitive, destructive]'], { user });
    expect((await call('restart_services', calls['restart_services']!())).isError).toBeFalsy();
    expect(user.questions).toHaveLength(1);
    expect(proxy.writes()).toHaveLength(1);
  });

  test('is told in the policy that the server shows', async () => {
    expect(policyText(await policyOf(['operator_only: [sensitive, destructive]']))).toContain(
      'Calls that are sensitive or destructive are agreed to by the operator alone',
    );
  });
});
