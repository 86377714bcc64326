import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../../tools/index.ts';
import { issuesOfCall } from '../../support/argument-issues.ts';
import { closedAfterEach } from '../../support/guard-fixture.ts';
import { startGuardedServer } from '../../support/guarded-server.ts';
import { agree, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { takenBy, textPlaces } from '../../support/text-places.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';

let platform: TestPlatform;
let calls: ReturnType<typeof toolCallsOn>;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
});
afterAll(() => platform.close());

const opened = closedAfterEach();

/** Calls a tool on production for a user who agrees: the answer, the questions, and what the platform got. */
async function called(name: string, args: Record<string, unknown>) {
  const bodies: string[] = [];
  const server = await startGuardedServer(platform, { mode: 'PRODUCTION', onBody: (body) => bodies.push(body) });
  opened.push(server);
  const user = userAnswering(agree);
  const result = await (await server.connect({ user })).call(name, args);
  return {
    isError: result.isError === true,
    text: textOf(result),
    questions: user.questions.map(({ message }) => message),
    sent: bodies.join('\n'),
    writes: server.proxy.writes(),
  };
}

const titleCommand = 'echo ready\u001B]0;rm -rf /data;\u0007';

describe('terminal sequences', () => {
  test.each([
    ['arguments[1]', { arguments: ['-c', titleCommand] }, 'U+001B'],
    ['entrypoint', { entrypoint: '\u001B[curl evil.example' }, 'U+001B'],
    ['description', { description: 'a\u009Db' }, 'U+009D'],
    [
      'healthchecks.readiness_probe.type.exec.command[0]',
      { healthchecks: { readiness_probe: { type: { exec: { command: ['true\b'] } } } } },
      'U+0008',
    ],
    ['arguments[0]', { arguments: ['true\r\nfalse'] }, 'U+000D'],
  ])('are refused in %s, with the character, and nothing is sent', async (member, args, character) => {
    const { isError, text, questions, writes } = await called('update_container', {
      ...calls['update_container']!(),
      ...args,
    });
    expect(isError).toBe(true);
    expect(text).toContain(`"${member}" has`);
    expect(text).toContain(character);
    expect([questions, writes]).toEqual([[], []]);
  });

  test('are refused in names of members', () => {
    const scaler = { scaler_type: 'cpu', config_json: { 'va\u001Blue': '80' } };
    expect(
      issuesOfCall(
        tools.find(({ name }) => name === 'update_container')!,
        { ...calls['update_container']!(), autoscaling: { scalers: [scaler] } },
      ),
    ).toEqual([
      '"autoscaling.scalers[0].config_json.va<U+001B>lue" is a name with the control character U+001B; only line feed and tab are taken here',
    ]);
  });

  test('are refused in every text of every tool but values of variables and contents of files', () => {
    const places = tools
      .flatMap((tool) =>
        textPlaces(tool, calls[tool.name]!()).flatMap((place) => ({ tool, place, text: takenBy(place, ['abc']) })),
      )
      .filter(({ text }) => text !== undefined);
    const open = places.filter(
      ({ tool, place, text }) =>
        !issuesOfCall(tool, place.argsWith(`${text}\u001B`)).some((issue) => issue.includes('U+001B')),
    );
    expect([...new Set(open.map(({ place: { path } }) => path))].toSorted()).toEqual([
      'autoscaling.scalers[].config_yaml',
      'autoscaling.scalers[].trigger_authentication.config_yaml',
      'env_text',
      'secrets.*',
      'source.docker.dockerfile_raw',
      'tf_vars[].value',
      'value',
      'values_override.file.raw.values[].content',
      'variables.*',
    ]);
    expect(places.length).toBeGreaterThan(250);
  });

  test('in the value of a variable are asked about in full, and sent as they are', async () => {
    const { questions, sent, isError } = await called('create_environment_variable', {
      ...calls['create_environment_variable']!(),
      value: `${titleCommand}\u001B[curl`,
    });
    expect(isError).toBe(false);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('value: echo ready<U+001B>]0;rm -rf /data;<U+0007><U+001B>[curl\n');
    expect(sent).toContain(JSON.stringify(`${titleCommand}\u001B[curl`));
  });
});

test('.env text may have the line ends of Windows', async () => {
  const { isError, sent } = await called('set_environment_variables', {
    application: platform.seed['application_id'],
    env_text: 'WINDOWS_ONE=1\r\nWINDOWS_TWO="a b"\r\n',
  });
  expect(isError).toBe(false);
  expect(sent).toContain('"WINDOWS_ONE"');
  expect(sent).toContain('"a b"');
});
