import { about, wordList } from './fields.ts';

/** Options that say which tools a server offers. */
export const scopeOptions = {
  toolsets: wordList.optional().register(about, {
    env: 'INFRA_TOOLSETS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Groups of tools to offer, separated by commas: `core` has what daily work needs, docs/tools.md has them all.', fallback: 'every tool',
  }),
  tools: wordList.optional().register(about, {
    env: 'INFRA_TOOLS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Tools to offer, beside those of the groups where groups are given.', fallback: 'every tool',
  }),
  excludeTools: wordList.default([]).register(about, {
    env: 'INFRA_EXCLUDE_TOOLS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Tools not to offer, whatever else is given.', fallback: 'none',
  }),
};
