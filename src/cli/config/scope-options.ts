import { optional, path, preset, within, wordList, words } from './fields.ts';

const word = within('a name of letters, digits, - and _', (value) => /^[\w-]+$/.test(value));
const place = () => words().transform((value) => value.trim());

/** Options that say which platform, how much of it, and which tools a server is for. */
export const scopeOptions = {
  profile: optional(word, {
    env: 'INFRA_PROFILE', value: 'name', commands: ['stdio', 'http', 'tools'],
    description: 'Profile to take options from: one of several platforms or organizations, by the name it has in the file of profiles.',
  }),
  profilesFile: optional(path, {
    env: 'INFRA_PROFILES_FILE', value: 'path', commands: ['stdio', 'http', 'tools'],
    description: 'File of profiles, in YAML or JSON.', fallback: '$XDG_CONFIG_HOME/infra-mcp/profiles.yaml or ~/.config/infra-mcp/profiles.yaml',
  }),
  toolsets: optional(wordList, {
    env: 'INFRA_TOOLSETS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Groups of tools to offer, separated by commas: `core` has what daily work needs, docs/tools.md has them all.', fallback: 'every tool',
  }),
  tools: optional(wordList, {
    env: 'INFRA_TOOLS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Tools to offer, beside those of the groups where groups are given.', fallback: 'every tool',
  }),
  excludeTools: preset(wordList, [], {
    env: 'INFRA_EXCLUDE_TOOLS', value: 'names', commands: ['stdio', 'http', 'tools'], repeatable: true,
    description: 'Tools not to offer, whatever else is given.', fallback: 'none',
  }),
  project: optional(place, {
    env: 'INFRA_PROJECT', value: 'name', commands: ['stdio', 'http', 'tools'],
    description: 'Project, by name or id, that every call is kept to: tools need not be told it, and nothing of another project is reached.',
  }),
  environment: optional(place, {
    env: 'INFRA_ENVIRONMENT', value: 'path', commands: ['stdio', 'http', 'tools'],
    description: 'Environment, as project/environment or by its id, that every call is kept to in the same way.',
  }),
};
