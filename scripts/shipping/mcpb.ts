import { visibleText } from '../../src/server/tool/index.ts';
import manifest from '../../package.json' with { type: 'json' };
import { kindOf, optionsOf, type OptionHelp } from '../../src/cli/config/index.ts';
import { defaultTools } from '../../tools/index.ts';
import { about } from './about.ts';

/** The options that a host asks its user for. The others keep their defaults. */
const userOptions: readonly OptionHelp['name'][] = ['baseUrl', 'apiToken', 'readOnly', 'policyFile'];
const options = optionsOf('stdio').filter(({ name }) => userOptions.includes(name));

/** Entry point of the bundle: `mcpb-start.mjs`, added to the files of the npm package. */
export const entryPoint = 'server/start.mjs';

/** `INFRA_BASE_URL` → `base_url` */
const keyOf = ({ env }: OptionHelp): string => env.replace('INFRA_', '').toLowerCase();

const titleOf = (option: OptionHelp): string =>
  keyOf(option)
    .replaceAll('_', ' ')
    .replace(/^./, (letter) => letter.toUpperCase());

/** What hosts call the kinds of values. */
const types = { path: 'file', boolean: 'boolean', number: 'number', text: 'string' } as const;

const question = (option: OptionHelp) => ({
  title: titleOf(option),
  description: option.description,
  required: false,
  type: types[kindOf(option)],
  ...(kindOf(option) === 'boolean' && { default: false }),
  ...(option.secret && { sensitive: true }),
});

/** manifest.json of the MCP bundle. */
export const mcpbManifest = {
  manifest_version: '0.3',
  name: about.name,
  display_name: about.title,
  version: about.version,
  description: about.summary,
  long_description: about.description,
  author: { name: about.author },
  license: about.license,
  repository: { type: 'git', url: about.repository },
  homepage: about.homepage,
  support: manifest.bugs,
  keywords: about.keywords,
  server: {
    type: 'node',
    entry_point: entryPoint,
    mcp_config: {
      command: 'node',
      args: [`\${__dirname}/${entryPoint}`],
      env: Object.fromEntries(options.map((option) => [option.env, `\${user_config.${keyOf(option)}}`])),
    },
  },
  tools: defaultTools.map(({ name, description }) => ({ name, description: visibleText(description, []) })),
  // The server lists its prompts itself.
  prompts_generated: true,
  compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: manifest.engines.node } },
  user_config: Object.fromEntries(options.map((option) => [keyOf(option), question(option)])),
};
