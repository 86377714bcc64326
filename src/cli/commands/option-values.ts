import { profileNames, type OptionName } from '../config/read-config.ts';

type Values = (flags: Readonly<Partial<Record<OptionName, string>>>) => Promise<readonly string[]>;

const toolNames: Values = async () => (await import('../wiring/offered-tools.ts')).toolNames;

/** Options whose values are names of things there are, and those names; looked up when a shell asks for them. */
export const optionValues: Readonly<Partial<Record<OptionName, Values>>> = {
  scenario: async () => {
    const { allScenarios, scenarios } = await import('../../platform/testing/scenarios/scenarios.ts');
    return [...scenarios.map(({ name }) => name), allScenarios];
  },
  profile: async ({ profilesFile }) => profileNames(process.env, profilesFile),
  toolsets: async () => (await import('../wiring/offered-tools.ts')).groupNames,
  tools: toolNames,
  excludeTools: toolNames,
};
