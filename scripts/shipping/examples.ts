import { stringify } from 'yaml';
import { about } from './about.ts';

const { name, server } = about;

const command = 'node';
const args = ['/absolute/path/to/infra-mcp/bin/infra-mcp.mjs'];
const env = { INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN_FILE: '/home/me/.config/infra-token' };
const local = { command, args, env };

const url = 'https://mcp.example.com/mcp';
/** A key of the HTTP server, from where each assistant takes secrets. */
const authorization = (key: string) => ({ Authorization: `Bearer ${key}` });
const key = 'TEAM_MCP_KEY';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const text = JSON.stringify;

const codex = `[mcp_servers.${server}]
command = ${text(command)}
args = ${text(args)}

[mcp_servers.${server}.env]
${Object.entries(env).map(([variable, value]) => `${variable} = ${text(value)}`).join('\n')}
`;

interface Example {
  readonly assistant: string;
  /** Where it belongs, as the assistant's own documentation says. */
  readonly place: string;
  readonly file: string;
  readonly content: string;
}

/** A server of one's own, which the assistant starts. */
const starting: readonly Example[] = [
  { assistant: 'Claude Desktop', place: '`claude_desktop_config.json` (Settings → Developer → Edit Config)', file: 'claude-desktop.json', content: json({ mcpServers: { [server]: local } }) },
  { assistant: 'Claude Code', place: '`.mcp.json` in the project', file: 'claude-code.json', content: json({ mcpServers: { [server]: { type: 'stdio', ...local } } }) },
  { assistant: 'Cursor', place: '`~/.cursor/mcp.json`', file: 'cursor.json', content: json({ mcpServers: { [server]: local } }) },
  { assistant: 'VS Code', place: '`.vscode/mcp.json`', file: 'vscode.json', content: json({ servers: { [server]: { type: 'stdio', ...local } } }) },
  { assistant: 'Windsurf', place: '`~/.codeium/windsurf/mcp_config.json`', file: 'windsurf.json', content: json({ mcpServers: { [server]: local } }) },
  { assistant: 'Gemini CLI', place: '`~/.gemini/settings.json`', file: 'gemini-cli.json', content: json({ mcpServers: { [server]: local } }) },
  { assistant: 'Codex CLI', place: '`~/.codex/config.toml`', file: 'codex.toml', content: codex },
  { assistant: 'Zed', place: '`settings.json`', file: 'zed.json', content: json({ context_servers: { [server]: { source: 'custom', ...local } } }) },
  { assistant: 'Continue', place: '`.continue/mcpServers/infra.yaml`', file: 'continue.yaml', content: stringify({ name, version: about.version, schema: 'v1', mcpServers: [{ name: server, type: 'stdio', ...local }] }) },
  { assistant: 'Goose', place: '`~/.config/goose/config.yaml`', file: 'goose.yaml', content: stringify({ extensions: { [server]: { type: 'stdio', name: server, enabled: true, timeout: 60, cmd: command, args, envs: env } } }) },
];

/** A server that a team has, over HTTP. */
const connecting: readonly Example[] = [
  { assistant: 'Claude Code', place: '`.mcp.json` in the project', file: 'claude-code-http.json', content: json({ mcpServers: { [server]: { type: 'http', url, headers: authorization(`\${${key}}`) } } }) },
  { assistant: 'Cursor', place: '`~/.cursor/mcp.json`', file: 'cursor-http.json', content: json({ mcpServers: { [server]: { url, headers: authorization(`\${env:${key}}`) } } }) },
  {
    assistant: 'VS Code', place: '`.vscode/mcp.json`', file: 'vscode-http.json',
    content: json({
      inputs: [{ type: 'promptString', id: 'infra-mcp-key', description: 'Key of the infra-mcp server', password: true }],
      servers: { [server]: { type: 'http', url, headers: authorization('${input:infra-mcp-key}') } },
    }),
  },
  { assistant: 'Gemini CLI', place: '`~/.gemini/settings.json`', file: 'gemini-cli-http.json', content: json({ mcpServers: { [server]: { httpUrl: url, headers: authorization(`$${key}`) } } }) },
];

const rows = (examples: readonly Example[]): string => examples.map(({ assistant, place, file }) => `| ${assistant} | ${place} | [${file}](${file}) |`).join('\n');

const readme = `# Configurations of assistants

Written by \`npm run docs\`. Without the variables of \`env\` the embedded platform is used.

The assistant starts a server of its own:

| Assistant | Where it belongs | Example |
| --- | --- | --- |
${rows(starting)}

The assistant connects to a server that a team has ([run it](../docs/run-for-a-team.md)); \`${key}\` is a key of that server:

| Assistant | Where it belongs | Example |
| --- | --- | --- |
${rows(connecting)}

The formats are those the assistants document; none of these assistants was run with them here.
`;

/** The examples, by their path. */
export const examples: Readonly<Record<string, string>> = {
  'examples/README.md': readme,
  ...Object.fromEntries([...starting, ...connecting].map(({ file, content }) => [`examples/${file}`, content])),
};
