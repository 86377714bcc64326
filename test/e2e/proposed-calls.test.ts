import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { issuesOfCall } from '../support/argument-issues.ts';
import { withOwnNames, withShownNames, type Tool, type NextCall } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: scenarios.map(({ name }) => name) });
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern(userAnswering(agree));
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const isCall = (value: unknown): value is NextCall =>
  typeof value === 'object' && value !== null && 'tool' in value && 'arguments' in value;

/** Every proposed call in an answer, at whatever depth. */
function callsIn(value: unknown, name = ''): readonly NextCall[] {
  if (Array.isArray(value)) return name === 'next' ? value.filter(isCall) : value.flatMap((one) => callsIn(one));
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([member, inner]) => callsIn(inner, member))
    : [];
}

const proposedBy = async (tool: string, args: Record<string, unknown>): Promise<readonly NextCall[]> => {
  const { structuredContent, _meta: meta } = await client.call(tool, args);
  return [...callsIn({ next: meta?.[metaKeys.next] ?? [] }), ...callsIn(structuredContent)];
};

/** The names among those of arguments that the tool's schema does not show. */
const namesNotShown = (tool: Tool, args: Readonly<Record<string, unknown>>): readonly string[] => {
  const shown = Object.keys(withShownNames(tool, withOwnNames(tool, args).args));
  return Object.keys(args).filter((name) => !shown.includes(name));
};

/**
 * What is wrong with proposed calls: an unknown tool, arguments that it refuses or calls otherwise, something still to
 * be filled in.
 */
const faultsOf = (calls: readonly NextCall[]): readonly string[] =>
  calls.flatMap(({ tool: name, arguments: args, needs }) => {
    const tool = tools.find((one) => one.name === name);
    const issues = tool
      ? [...issuesOfCall(tool, args), ...namesNotShown(tool, args).map((one) => `calls it ${one}`)]
      : ['there is no such tool'];
    const text = JSON.stringify(args);
    return [
      ...issues,
      ...(/\.\.\.|…|<[^>]*>/.test(text) ? ['holds a placeholder'] : []),
      ...(needs === undefined ? [] : ['lacks something']),
    ].map((fault) => `${name} ${text}: ${fault}`);
  });

const call = (tool: string, args: object, more: object = {}): NextCall => ({
  tool,
  arguments: { ...args },
  why: '',
  ...more,
});

test('the check of proposed calls finds what is not complete', () => {
  expect(faultsOf([call('no_such_tool', {})])).toHaveLength(1);
  expect(faultsOf([call('deploy_service', {})])).not.toEqual([]);
  expect(faultsOf([call('set_environment_variables', { environment: 'a/b', env_text: 'KEY=...' })])).toHaveLength(1);
  expect(
    faultsOf([call('set_environment_variables', { environment: 'a/b', env_text: 'KEY=v' }, { needs: 'x' })]),
  ).toHaveLength(1);
  expect(faultsOf([call('deploy_service', { environment: 'a/b' })])).toEqual([]);
  expect(faultsOf([call('list_environment_variables', { application_id: 'a/b/c' })])).toEqual([
    expect.stringContaining('calls it application_id'),
  ]);
});

describe('every proposed call is complete:', () => {
  test.each(scenarios.flatMap(({ environments }) => environments.map(({ path }) => path)))(
    'what is proposed for %s',
    async (environment) => {
      const asked = await Promise.all(
        ['diagnose_deployment', 'get_environment_overview', 'get_environment_status', 'list_services'].map((tool) =>
          proposedBy(
            tool,
            tools.find(({ name }) => name === tool)!.input['environment_id']
              ? { environment_id: environment }
              : { environment },
          ),
        ),
      );
      // Nothing fails in the one that holds a lock.
      if (environment !== 'network/tooling') expect(asked[0]!.length + asked[1]!.length).toBeGreaterThan(0);
      expect(faultsOf(asked.flat())).toEqual([]);
    },
  );

  test('what every tool proposes after a call', async () => {
    const faults: string[] = [];
    // One changes what the next one finds.
    for (const [tool, args] of Object.entries(toolCallsOn(platform)))
      faults.push(...faultsOf(await proposedBy(tool, args())).map((fault) => `after ${tool}: ${fault}`));
    expect(faults).toEqual([]);
  });
});
