import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { approvalCodeIn, closedAfterEach, openGuardFixture, policyFrom } from '../../support/guard-fixture.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof toolCallsOn>;
beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
});
afterAll(() => platform.close());

const opened = closedAfterEach();

/** A server whose policy is this text, and the operators of that server. */
async function startServer(policy: string, operators: Readonly<Record<string, object>>) {
  const guard = await openGuardFixture({ operators });
  opened.push(guard);
  const user = userAnswering(agree);
  const server = await startGuardedServer(platform, {
    guard,
    policy: { ...(await policyFrom(policy)), namesOperators: true },
    user,
  });
  opened.push(server);
  const recorded = async (): Promise<Record<string, unknown>[]> => {
    await guard.settled();
    const text = await readFile(join(guard.dataDir, 'audit.jsonl'), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { ...server, guard, user, recorded };
}

test('nobody agrees to what they asked for themselves', async () => {
  const { call, guard } = await startServer('two_person:\n  - tier: destructive', {
    ada: { callers: ['ann'] },
    bob: {},
  });
  const code = approvalCodeIn(textOf(await call('stop_environment', calls['stop_environment']!())));
  expect((await guard.waiting())[0]!.deciders!.operators).toEqual(['bob']);
  expect((await guard.decideAs('ada', code)).kind).toBe('not_theirs');
});

test('operators of other places decide nothing here, and the call does not wait for them', async () => {
  const { call } = await startServer('operator_only: [destructive]', {
    ada: { may: [{ project: 'data' }] },
    bob: { may: [{ tier: 'disruptive' }] },
  });
  const result = await call('stop_environment', calls['stop_environment']!());
  expect(failureIn(result)).toEqual({ kind: 'not_confirmed', why: 'nobody_may_agree', outcome: 'refused' });
});

test('the caller is told who refused, and why, as data', async () => {
  const { call, guard } = await startServer('operator_only: [destructive]', { ada: { may: [{ project: 'shop' }] } });
  const stop = calls['stop_environment']!();
  const code = approvalCodeIn(textOf(await call('stop_environment', stop)));
  await guard.decideAs('ada', code, 'refused', 'the sale is on until Monday');
  const refused = await call('stop_environment', stop);
  expect(failureIn(refused)).toMatchObject({ why: 'operator_refused' });
  expect(textOf(refused)).toMatch(/the operator ada refused it, with the reason .*the sale is on until Monday/);
});

test('what the policy wants two persons for waits for two operators, and the record names them', async () => {
  const { call, guard, user, proxy, recorded } = await startServer(
    'two_person:\n  - { tier: destructive, approvals: 2, of: [ada, bob] }',
    { ada: {}, bob: {}, cy: {} },
  );
  const stop = calls['stop_environment']!();
  const asked = await call('stop_environment', stop);
  expect(failureIn(asked)).toMatchObject({ kind: 'pending', why: 'two_person', outcome: 'pending' });
  expect(textOf(asked)).toContain('(two_person)');
  const code = approvalCodeIn(textOf(asked));
  expect((await guard.decideAs('cy', code)).kind).toBe('not_theirs');
  expect((await guard.decideAs('ada', code)).kind).toBe('counted');
  expect(textOf(await call('stop_environment', stop))).toContain('(1 of 2 operators agreed)');
  expect(proxy.writes()).toEqual([]);
  expect((await guard.decideAs('bob', code)).kind).toBe('decided');
  expect((await call('stop_environment', stop)).isError).toBeFalsy();
  expect(proxy.writes()).toHaveLength(1);
  expect(user.questions).toEqual([]);
  const records = await recorded();
  expect(records).toContainEqual(expect.objectContaining({ kind: 'decision', who: 'operator:ada', code }));
  expect(records).toContainEqual(
    expect.objectContaining({ kind: 'intent', tool: 'stop_environment', agreed_by: ['ada', 'bob'] }),
  );
});
