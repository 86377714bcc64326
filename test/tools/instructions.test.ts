import { expect, test } from 'vitest';
import { type Policy, type Scope, createRegistry } from '../../src/server/guard/index.ts';
import { instructions } from '../../src/server/protocol/instructions.ts';
import { isOfferedByDefault, toolsets, type Tool } from '../../src/server/tool/index.ts';
import { core, tools } from '../../tools/index.ts';
import { policyFrom } from '../support/guard-fixture.ts';

const instructed = (offered: readonly Tool[], policy: Policy): string => {
  const leftOut = new Map(
    tools.filter((tool) => !offered.includes(tool)).map((tool) => [tool.name, { tool, why: 'not chosen' }]),
  );
  const { hidden, off } = createRegistry(offered, policy, leftOut);
  return instructions(policy, hidden, off);
};
const usual = tools.filter((tool) => isOfferedByDefault(tool));
const offIn = (text: string): string => /^Off until the operator chooses: .*$/m.exec(text)?.[0] ?? '';

const ofToolsets = (...names: readonly string[]): readonly Tool[] =>
  tools.filter(({ toolset }) => names.includes(toolset));
const withCore = (others: readonly Tool[]): readonly Tool[] => [...new Set([...core, ...others])];

/** What a server may be told to offer. */
const choices: readonly (readonly [name: string, offered: readonly Tool[]])[] = [
  ['all', tools],
  ['the usual ones', usual],
  ['the core', core],
  ...toolsets.flatMap(
    (name) =>
      [
        [name, ofToolsets(name)],
        [`the core and ${name}`, withCore(ofToolsets(name))],
        [`all but ${name}`, tools.filter(({ toolset }) => toolset !== name)],
      ] as const,
  ),
  ...toolsets.flatMap((one, index) =>
    toolsets
      .slice(index + 1)
      .map((other) => [`the core, ${one} and ${other}`, withCore(ofToolsets(one, other))] as const),
  ),
];

const longName = 'long-name-'.repeat(25);

const scopes: readonly (Scope | undefined)[] = [
  undefined,
  { project: { name: 'shop', setBy: 'INFRA_PROJECT' } },
  { environment: { name: 'shop/production', setBy: 'INFRA_ENVIRONMENT' } },
  { project: { name: longName, setBy: 'INFRA_PROJECT' } },
  {
    project: { name: longName, setBy: 'INFRA_PROJECT' },
    environment: { name: `${longName}/${longName}`, setBy: 'INFRA_ENVIRONMENT' },
  },
];

test.each(choices)('the instructions are under 2,000 characters, whatever else is chosen, with %s', (_, offered) => {
  for (const scope of scopes)
    for (const readOnly of [true, false])
      expect(instructed(offered, { readOnly, ...(scope && { scope }) }).length).toBeLessThan(2_000);
});

test('a server that is kept to a place says so beside what it offers usually, and what is off', () => {
  for (const scope of scopes.slice(1)) {
    const text = instructed(usual, { readOnly: false, scope });
    expect(text).toContain('This server is kept to');
    expect(offIn(text)).toContain('toolset administration (');
  }
});

test('the instructions say which tools are off, and nothing where none is', () => {
  for (const readOnly of [true, false]) {
    expect(offIn(instructed(tools, { readOnly }))).toBe('');
    expect(offIn(instructed(usual, { readOnly }))).toContain('toolset administration');
    expect(offIn(instructed(usual, { readOnly }))).not.toContain('more tools');
  }
  expect(offIn(instructed(core, { readOnly: false }))).toContain('more tools of every toolset');
  const { toolset } = tools.find(({ name }) => name === 'plan_terraform')!;
  const allButOne = tools.filter(({ name }) => name !== 'plan_terraform');
  expect(offIn(instructed(allButOne, { readOnly: false }))).toMatch(`: more tools of ${toolset}.`);
});

test('what could not be done with tools that are off is not said to be off', () => {
  const readOnly = offIn(instructed(usual, { readOnly: true }));
  for (const change of ['edits', 'new', 'leavers', 'job runs']) expect(readOnly).not.toContain(change);
  // The webhooks that tools of the usual list create are not off: their changes are.
  expect(offIn(instructed(usual, { readOnly: false }))).toContain('edits of webhooks');
});

test('what a policy denies is not said to wait for a choice', async () => {
  const denied = await policyFrom('deny: [{ tool: run_job }]');
  expect(offIn(instructed(usual, denied))).not.toContain('job runs');
  expect(offIn(instructed(usual, { readOnly: false }))).toContain('job runs');
});
