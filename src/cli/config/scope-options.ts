import { nameList, optional, path, textMatching, anyText, withDefault } from './fields.ts';

const profileName = textMatching('a name of letters, digits, - and _', (value) => /^[\w-]+$/.test(value));
const resourceName = () => anyText().transform((value) => value.trim());

/** Options that select the profile, the tools and the scope of a server. */
export const scopeOptions = {
  profile: optional(profileName, {
    env: 'INFRA_PROFILE',
    value: 'name',
    commands: ['stdio', 'http', 'console', 'tools'],
    description:
      'Name of the profile in the profiles file to take options from, for example one for each platform or organization.',
  }),
  profilesFile: optional(path, {
    env: 'INFRA_PROFILES_FILE',
    value: 'path',
    commands: ['stdio', 'http', 'console', 'tools'],
    description: 'Profiles file in YAML or JSON.',
    fallback: '$XDG_CONFIG_HOME/infra-mcp/profiles.yaml or ~/.config/infra-mcp/profiles.yaml',
  }),
  toolsets: optional(nameList, {
    env: 'INFRA_TOOLSETS',
    value: 'names',
    commands: ['stdio', 'http', 'console', 'tools'],
    repeatable: true,
    description:
      'Toolsets to offer, separated by commas. `core` contains the tools for daily work, `default` all but those of `administration`; `infra-mcp tools --toolsets default,administration` shows the toolset of every tool.',
    fallback: '`default`',
  }),
  tools: optional(nameList, {
    env: 'INFRA_TOOLS',
    value: 'names',
    commands: ['stdio', 'http', 'console', 'tools'],
    repeatable: true,
    description: 'Tools to offer, in addition to those of the toolsets.',
    fallback: 'those of the toolsets',
  }),
  excludeTools: withDefault(nameList, [], {
    env: 'INFRA_EXCLUDE_TOOLS',
    value: 'names',
    commands: ['stdio', 'http', 'console', 'tools'],
    repeatable: true,
    description: 'Tools to exclude, regardless of the other options.',
    fallback: 'none',
  }),
  organization: optional(resourceName, {
    env: 'INFRA_ORGANIZATION',
    value: 'name',
    commands: ['stdio', 'http', 'console'],
    description:
      'Name or id of the organization to use. Required if the token has several; the embedded platform has one.',
    fallback: "the token's only one",
  }),
  project: optional(resourceName, {
    env: 'INFRA_PROJECT',
    value: 'name',
    commands: ['stdio', 'http', 'console', 'tools'],
    description:
      'Name or id of a project to restrict every call to. Tools then need no project argument and cannot access other projects.',
  }),
  environment: optional(resourceName, {
    env: 'INFRA_ENVIRONMENT',
    value: 'path',
    commands: ['stdio', 'http', 'console', 'tools'],
    description: 'Environment to restrict every call to, as project/environment or id.',
  }),
};
