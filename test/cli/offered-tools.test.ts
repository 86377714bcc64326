import { describe, expect, test } from 'vitest';
import { offeredTools } from '../../src/cli/wiring/offered-tools.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { isOfferedByDefault } from '../../src/server/tool/index.ts';
import { core, tools } from '../../tools/index.ts';

const offered = (env: Record<string, string>): string[] =>
  offeredTools(readConfig('stdio', {}, env).config).map(({ name }) => name);
const named = (takes: (tool: (typeof tools)[number]) => boolean): string[] =>
  tools.filter(takes).map(({ name }) => name);

describe('the tools that are offered', () => {
  test.each([
    ['all but those that have to be chosen, unless something is said', {}, named(isOfferedByDefault)],
    ['those that have to be chosen', { INFRA_TOOLSETS: 'administration' }, named((tool) => !isOfferedByDefault(tool))],
    ['those with all others', { INFRA_TOOLSETS: 'default,administration' }, named(() => true)],
    ['one of those by its name', { INFRA_TOOLS: 'list_webhooks' }, ['list_webhooks']],
    [
      'those of toolsets',
      { INFRA_TOOLSETS: 'alerts,webhooks' },
      named(({ toolset }) => toolset === 'alerts' || toolset === 'webhooks'),
    ],
    [
      'those named',
      { INFRA_TOOLS: 'stop_environment, find_resource' },
      named(({ name }) => name === 'stop_environment' || name === 'find_resource'),
    ],
    [
      'both together',
      { INFRA_TOOLSETS: 'clusters', INFRA_TOOLS: 'find_resource' },
      named(({ toolset, name }) => toolset === 'clusters' || name === 'find_resource'),
    ],
    [
      'without those excluded',
      { INFRA_EXCLUDE_TOOLS: 'stop_environment' },
      named((tool) => isOfferedByDefault(tool) && tool.name !== 'stop_environment'),
    ],
    [
      'of a toolset without those excluded',
      { INFRA_TOOLSETS: 'alerts', INFRA_EXCLUDE_TOOLS: 'update_alert_rule' },
      named(({ toolset, name }) => toolset === 'alerts' && name !== 'update_alert_rule'),
    ],
    ['the core', { INFRA_TOOLSETS: 'core' }, named((tool) => core.includes(tool))],
  ])('%s', (_, env, expected) => {
    expect(offered(env)).toEqual(expected);
  });

  test.each([
    [
      { INFRA_TOOLSETS: 'servces' },
      '--toolsets (INFRA_TOOLSETS): there is no toolset "servces"; did you mean "services"?',
    ],
    [{ INFRA_TOOLSETS: 'everything' }, 'there are core, default, projects'],
    [
      { INFRA_TOOLS: 'stop_enviroment' },
      '--tools (INFRA_TOOLS): there is no tool "stop_enviroment"; did you mean "stop_environment"?',
    ],
    [
      { INFRA_EXCLUDE_TOOLS: 'stop-environment' },
      '--exclude-tools (INFRA_EXCLUDE_TOOLS): there is no tool "stop-environment"; did you mean "stop_environment"?',
    ],
    [
      { INFRA_TOOLS: 'get_helm', INFRA_EXCLUDE_TOOLS: 'get_helm' },
      'get_helm is in both --tools (INFRA_TOOLS) and --exclude-tools (INFRA_EXCLUDE_TOOLS)',
    ],
    [
      { INFRA_TOOLSETS: 'clusters', INFRA_EXCLUDE_TOOLS: named(({ toolset }) => toolset === 'clusters').join(',') },
      'No tool is left',
    ],
  ])('%j aborts startup', (env, says) => {
    expect(() => offered(env)).toThrow(says);
  });

  test('a list of words that is none is an error of the option', () => {
    expect(() => readConfig('stdio', { tools: 'stop environment' }, {})).toThrow(
      '--tools must be names, separated by commas.',
    );
  });
});
