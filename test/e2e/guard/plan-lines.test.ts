import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wrappedFacts } from '../../../src/cli/terminal/lines.ts';
import { planText } from '../../../src/server/guard/index.ts';
import { approvalsPathsAt } from '../../../src/transport/http/console/page-frame.ts';
import { waitingCalls } from '../../../src/transport/http/approvals/pages.ts';
import { closedAfterEach, openGuardFixture } from '../../support/guard-fixture.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';
import { userAnswering } from '../../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';

/** No part of a text that a caller gives can pass for a line of the plan, or get lost where the plan is drawn. */

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const opened = closedAfterEach();

/** What a user is asked about a call. */
async function asked(name: string, more: Record<string, unknown>): Promise<string> {
  const server = await startGuardedServer(platform, { mode: 'PRODUCTION' });
  opened.push(server);
  const user = userAnswering(() => ({ action: 'decline' }));
  await (await server.connect({ user })).call(name, { ...toolCallsOn(platform)[name]!(), ...more });
  return user.questions[0]!.message;
}

const imitation = `${'a'.repeat(72)} On: cluster "sandbox", DEVELOPMENT (id 1) Sends: POST /nothing`;

describe('a text like the lines of a plan', () => {
  test('is quoted, with its own quotes escaped', async () => {
    expect(await asked('lock_cluster', { reason: imitation })).toContain(`reason: ${JSON.stringify(imitation)}\n`);
    expect(await asked('lock_cluster', { reason: 'upgrade of the nodes' })).toContain('reason: upgrade of the nodes\n');
  });

  test('begins no line in a terminal and on the page', async () => {
    const guard = await openGuardFixture({ operator: true });
    opened.push(guard);
    const server = await startGuardedServer(platform, { guard, mode: 'PRODUCTION' });
    opened.push(server);
    await server.call('lock_cluster', { ...toolCallsOn(platform)['lock_cluster']!(), reason: imitation });
    const [pending] = await guard.waiting();
    const facts = planText(pending!.plan, { whole: true });
    for (const columns of [80, 81, 40])
      expect(wrappedFacts(facts, { isTTY: true, columns } as NodeJS.WriteStream).match(/^\S+/gm)).toEqual(
        facts.match(/^\S+/gm),
      );
    const page = waitingCalls([pending!], {
      operator: { cookie: '', formToken: '', sign: String },
      paths: approvalsPathsAt(''),
      now: Date.now(),
      showsWholePlans: true,
    }).markup;
    expect(page.match(/<span class="fact">\S+/g)).toEqual(
      facts.match(/^\S+/gm)!.map((word) => `<span class="fact">${word}`),
    );
  });
});

test('what gets lost where a text is drawn, and what pushes others out of sight, is written out', async () => {
  const value = `a\u00A0b${' '.repeat(60)}c${'\n'.repeat(500)}<!-- d -->\uE000[e](https://f.example)`;
  const question = await asked('create_environment_variable', { value });
  expect(question).toContain(
    'value: "a<U+00A0>b<60 spaces>c<500 line feeds><U+003C>!-- d --><U+E000>[e]<U+0028>https://f.example)"\n',
  );
  expect(question).toMatch(/^Not what it may look like: .*<U\+003C> is "<"; <U\+0028> is "\("/m);
  expect(question.length).toBeLessThan(1_500);
});
