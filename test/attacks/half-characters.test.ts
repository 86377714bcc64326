import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { halfCharacterIn } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';
import { cutInsideEmoji } from '../support/half-characters.ts';
import { failureIn, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy, withDeploymentUnderWay } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';
import { isLanding } from '../suites.ts';
import { startAttackedProgram, clientKinds, type AttackedProgram } from './attacked-program.ts';

/**
 * Every tool on a platform whose texts are cut inside of an emoji, with clients whose JSON parser refuses half
 * characters. Before a landing every client makes a choice of calls.
 */

let platform: TestPlatform;
let program: AttackedProgram;
let calls: ReturnType<typeof toolCallsOn>;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
  const proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) =>
      method === 'GET' ? cutInsideEmoji(withDeploymentUnderWay(method, path, body)) : body,
  });
  program = await startAttackedProgram(proxy.url, platform.token);
  opened.push(platform, proxy, program);
});
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
});

const representative = [
  'list_services',
  'get_application_logs',
  'search_logs',
  'list_events',
  'diagnose_deployment',
  'list_environment_variables',
  'get_organization_overview',
  'list_alert_rules',
  'stop_environment',
  'update_container',
];
const [first, ...others] = clientKinds.map((way) => [`over ${way.transport}, ${way.era}`, way] as const);

describe.each([
  [...first!, isLanding ? representative : tools.map(({ name }) => name)] as const,
  ...others.map((kind) => [...kind, representative] as const),
])('a strict client %s', (_, way, names) => {
  const user = userAnswering(() => ({ action: 'decline' }));
  let client: TestClient;

  beforeAll(async () => {
    client = await program.connect(way, { user });
  });

  test.each(names.map((name) => [name]))('takes every message of %s', async (name) => {
    const result = await client.call(name, calls[name]!());
    expect(program.refused(), textOf(result).slice(0, 200)).toEqual([]);
    expect(['internal', 'withheld']).not.toContain(failureIn(result)?.kind);
    expect(halfCharacterIn(user.questions.splice(0))).toBeUndefined();
  });

  test('takes the errors of calls that it sends half characters', async () => {
    const result = await client.call('create_project', { name: 'shop\uD83D' });
    expect(textOf(result)).toMatch(/"name" has half a character, U\+D83D/);
    await client.call('no_such_\uD83D').catch(() => undefined);
    expect(program.refused()).toEqual([]);
  });
});

test('what the program wrote down is well-formed too', () => {
  expect(program.written()).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
});
