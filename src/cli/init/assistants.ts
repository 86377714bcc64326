import { posix, win32 } from 'node:path';
import type { Launch } from './launch.ts';

/** Name of the server in configurations of assistants. */
export const serverName = 'infra';

/** The command and environment with which an assistant starts the server. */
export interface ServerEntry extends Launch {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that only a new entry gets, because they are for the user to change. */
  readonly initialEnv?: Readonly<Record<string, string>>;
}

/** The properties of a machine that determine where programs keep their configuration. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Joins and examines paths of the machine's platform. */
const pathsOf = ({ platform }: Machine) => (platform === 'win32' ? win32 : posix);

const inHome =
  (...path: readonly string[]) =>
  (machine: Machine): string =>
    pathsOf(machine).join(machine.home, ...path);

/** The folder of configurations: that of XDG, or the platform's own. */
function configFolder(machine: Machine): string {
  const { platform, env, home } = machine;
  const { join, isAbsolute } = pathsOf(machine);
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return xdgFolder(env['XDG_CONFIG_HOME'], isAbsolute) ?? join(home, '.config');
}

const xdgFolder = (given: string | undefined, isAbsolute: (path: string) => boolean): string | undefined =>
  given !== undefined && isAbsolute(given) ? given : undefined;

const inConfig =
  (...path: readonly string[]) =>
  (machine: Machine): string =>
    pathsOf(machine).join(configFolder(machine), ...path);

/** A file in a folder that a variable can move. */
const inMovable =
  (variable: string, folder: string, file: string) =>
  (machine: Machine): string =>
    pathsOf(machine).join(machine.env[variable] || pathsOf(machine).join(machine.home, folder), file);

/** An assistant whose configuration is a file that `init` can change. */
export interface Assistant {
  /** For `--assistant`, and the name of its example. */
  readonly name: string;
  readonly title: string;
  /** The location of its file, for documentation. */
  readonly place: string;
  readonly format: 'json' | 'toml' | 'yaml';
  /** The member of the file that holds its servers. */
  readonly member: string;
  /** Its servers are a list, each with its name. */
  readonly isList?: true;
  /** The file on a machine. */
  readonly file: (machine: Machine) => string;
  /** A folder that exists if the assistant is installed; default: that of the file. */
  readonly folder?: (machine: Machine) => string;
  /** Only the assistant creates the file. One with only a server would not work. */
  readonly needsFile?: true;
  /** Members of its entries besides command, arguments and environment. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Members that only a new entry gets, because they are for the user to change. */
  readonly initial?: Readonly<Record<string, boolean | number>>;
  /** How many tools it takes, of all its servers together; undefined if it documents no limit. */
  readonly maximumTools?: number;
  /** Its names of the command and the environment, if they differ. */
  readonly names?: EntryNames;
  /** The command with which the assistant adds a server itself. */
  readonly adds?: (launch: Launch) => Launch;
}

/** Names of an entry's members. */
export interface EntryNames {
  readonly command: string;
  readonly env: string;
}

/** An assistant's names of the command and the environment of an entry. */
export const namesOf = ({ names }: Assistant): EntryNames => names ?? { command: 'command', env: 'env' };

/**
 * The command `<program> mcp add`.
 * @param separator before the server's command, if the program would parse the arguments as its own.
 */
const mcpAdd =
  (program: string, ...separator: readonly string[]) =>
  ({ command, args }: Launch): Launch => ({
    command: program,
    args: ['mcp', 'add', serverName, ...separator, command, ...args],
  });

/** Zed keeps its settings in ~/.config on macOS too. */
const zedSettings = (machine: Machine): string => {
  if (machine.platform === 'darwin') return inHome('.config', 'zed', 'settings.json')(machine);
  return inConfig(machine.platform === 'win32' ? 'Zed' : 'zed', 'settings.json')(machine);
};

/** Goose keeps its configuration in ~/.config on macOS too. */
const gooseConfig = (machine: Machine): string => {
  if (machine.platform === 'win32') return inConfig('Block', 'goose', 'config', 'config.yaml')(machine);
  return machine.platform === 'darwin'
    ? inHome('.config', 'goose', 'config.yaml')(machine)
    : inConfig('goose', 'config.yaml')(machine);
};

/**
 * The assistants that `init` knows, in the order of the documentation. Locations and formats follow the documentation
 * of each.
 */
export const assistants: readonly Assistant[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    place: '`claude_desktop_config.json` (Settings → Developer → Edit Config)',
    format: 'json',
    member: 'mcpServers',
    file: inConfig('Claude', 'claude_desktop_config.json'),
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    place: '`.mcp.json` in the project, or `~/.claude.json`',
    format: 'json',
    member: 'mcpServers',
    extra: { type: 'stdio' },
    file: (machine) => pathsOf(machine).join(machine.env['CLAUDE_CONFIG_DIR'] || machine.home, '.claude.json'),
    folder: inMovable('CLAUDE_CONFIG_DIR', '.claude', '.'),
    adds: mcpAdd('claude', '--'),
  },
  {
    name: 'cursor',
    title: 'Cursor',
    place: '`~/.cursor/mcp.json`',
    format: 'json',
    member: 'mcpServers',
    file: inHome('.cursor', 'mcp.json'),
    maximumTools: 40,
  },
  {
    name: 'vscode',
    title: 'VS Code',
    place: '`.vscode/mcp.json`, or `mcp.json` of the user (MCP: Open User Configuration)',
    format: 'json',
    member: 'servers',
    extra: { type: 'stdio' },
    file: inConfig('Code', 'User', 'mcp.json'),
    maximumTools: 128,
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    place: '`~/.codeium/windsurf/mcp_config.json`',
    format: 'json',
    member: 'mcpServers',
    file: inHome('.codeium', 'windsurf', 'mcp_config.json'),
    maximumTools: 100,
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    place: '`~/.gemini/settings.json`',
    format: 'json',
    member: 'mcpServers',
    file: inHome('.gemini', 'settings.json'),
    adds: mcpAdd('gemini'),
  },
  {
    name: 'codex',
    title: 'Codex CLI',
    place: '`~/.codex/config.toml`',
    format: 'toml',
    member: 'mcp_servers',
    file: inMovable('CODEX_HOME', '.codex', 'config.toml'),
    adds: mcpAdd('codex', '--'),
  },
  {
    name: 'zed',
    title: 'Zed',
    place: '`~/.config/zed/settings.json`',
    format: 'json',
    member: 'context_servers',
    extra: { source: 'custom' },
    file: zedSettings,
  },
  // If only the older config.json exists, a new config.yaml would replace it.
  {
    name: 'continue',
    title: 'Continue',
    place: '`mcpServers` in `~/.continue/config.yaml`',
    format: 'yaml',
    member: 'mcpServers',
    isList: true,
    needsFile: true,
    extra: { name: serverName, type: 'stdio' },
    file: inHome('.continue', 'config.yaml'),
  },
  {
    name: 'goose',
    title: 'Goose',
    place: '`~/.config/goose/config.yaml`',
    format: 'yaml',
    member: 'extensions',
    extra: { type: 'stdio', name: serverName },
    initial: { enabled: true, timeout: 60 },
    names: { command: 'cmd', env: 'envs' },
    file: gooseConfig,
  },
];

/** An entry as an assistant writes it. An empty environment is left out. */
export const entryOf = (
  assistant: Assistant,
  { command, args, env, initialEnv }: ServerEntry,
): Readonly<Record<string, unknown>> => {
  const variables = { ...initialEnv, ...env };
  return {
    ...assistant.extra,
    ...assistant.initial,
    [namesOf(assistant).command]: command,
    args: [...args],
    ...(Object.keys(variables).length > 0 && { [namesOf(assistant).env]: variables }),
  };
};

/** The commands with which some assistants add a server themselves, with the title of each. */
export const addingCommands = (
  those: readonly Assistant[],
  launch: Launch,
): readonly { readonly title: string; readonly line: Launch }[] =>
  those.flatMap(({ title, adds }) => (adds ? [{ title, line: adds(launch) }] : []));
