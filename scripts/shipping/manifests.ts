import { stringify } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { optionsOf, type OptionHelp } from '../../src/cli/config/read-config.ts';
import { about, published } from './about.ts';
import { isSecretOption, isBooleanOption } from './options.ts';

const { name, title, version, summary, author, license, server } = about;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const formatOf = (option: OptionHelp): string => {
  if (option.value === 'path') return 'filepath';
  return isBooleanOption(option) ? 'boolean' : 'string';
};

const variable = (option: OptionHelp) => ({
  name: option.env, description: option.description, format: formatOf(option), ...(isSecretOption(option) && { isSecret: true }),
});

/** server.json, for the registry of MCP servers. */
const serverJson = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: manifest.mcpName,
  title,
  description: summary,
  version,
  packages: [{ registryType: 'npm', identifier: name, version, runtimeHint: 'npx', transport: { type: 'stdio' }, environmentVariables: optionsOf('stdio').map(variable) }],
};

/** An extension of Gemini CLI. Its server has the variables of the shell that it is started in. */
const geminiExtension = { name, version, description: summary, mcpServers: { [server]: published } };

/** A plugin of Claude Code, and the marketplace that this repository is, with that plugin alone. */
const claudePlugin = { name, version, description: summary, author: { name: author }, license, mcpServers: { [server]: published } };
const claudeMarketplace = { name, owner: { name: author }, plugins: [{ name, source: './', description: summary }] };

/** Chart.yaml of the Helm chart. */
const chart = { apiVersion: 'v2', name, description: 'infra-mcp for a team, over HTTP.', type: 'application', version, appVersion: version, kubeVersion: '>=1.30.0-0' };

/** The manifests that tell others of this version, by their path. */
export const manifests: Readonly<Record<string, string>> = {
  'server.json': json(serverJson),
  'gemini-extension.json': json(geminiExtension),
  '.claude-plugin/plugin.json': json(claudePlugin),
  '.claude-plugin/marketplace.json': json(claudeMarketplace),
  'deploy/helm/infra-mcp/Chart.yaml': `# Written by \`npm run docs\`.\n${stringify(chart)}`,
};
