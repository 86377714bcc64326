import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };

/** A command that starts this program, without its own arguments. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command that starts the published package. */
export const published: Launch = { command: 'npx', args: ['-y', `${manifest.name}@${manifest.version}`] };

/** The properties that determine how this program can be started again. */
export interface RunningProgram {
  /** The script that Node was started with. */
  readonly script: string;
  readonly node: string;
  readonly env: NodeJS.ProcessEnv;
}

/** This process. */
export const thisProgram = (): RunningProgram => ({
  script: realpathSync(process.argv[1]!),
  node: process.execPath,
  env: process.env,
});

/** Whether a folder holds this program's package. An unreadable manifest belongs to another project. */
const isPackage = (folder: string): boolean => {
  try {
    return (
      (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown } | null)?.name ===
      manifest.name
    );
  } catch {
    return false;
  }
};

/** The folder of this program's package; undefined for a standalone bundle. */
function packageFolder(script: string): string | undefined {
  for (let folder = dirname(script); ; folder = dirname(folder)) {
    if (isPackage(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether npm puts a folder on the PATH of the scripts that it runs. A shell doesn't have it. */
const isOfNpm = (folder: string): boolean => folder.endsWith(join('node_modules', '.bin'));

/** The first file of a name on the PATH of the user's shell; undefined if there is none. */
const onPath = (name: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined =>
  PATH.split(delimiter)
    .filter((folder) => folder !== '' && !isOfNpm(folder))
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const isSameFile = (path: string | undefined, other: string): boolean =>
  path !== undefined && realpathSync(path) === realpathSync(other);

/** The path of Node on the PATH, if it is the running one, because that path survives an update of Node. */
const lastingNode = ({ node, env }: RunningProgram): string => {
  const found = onPath('node', env);
  return found !== undefined && isSameFile(found, node) ? found : node;
};

/** The Node that `npm ci` installs in a checkout; undefined if there is none. */
function installedNode(folder: string): string | undefined {
  const path = join(folder, 'node_modules', 'node', 'bin', 'node');
  return existsSync(path) ? path : undefined;
}

/**
 * The command with which an assistant starts this program from anywhere. It has absolute paths, because assistants
 * don't have the PATH of a shell. In a checkout it is the same whether npm or another Node runs this program.
 * @throws Error if it runs from a checkout that isn't built.
 */
export function launchOf(program: RunningProgram = thisProgram()): Launch {
  const folder = packageFolder(program.script);
  if (folder === undefined) return { command: lastingNode(program), args: [program.script] };
  if (folder.split(sep).includes('_npx')) return published;
  if (!existsSync(join(folder, 'dist', 'infra-mcp.mjs')))
    throw new Error(
      `${folder} is not built, so no assistant could start it. Run npm run build there, then this again.`,
    );
  return { command: installedNode(folder) ?? lastingNode(program), args: [join(folder, manifest.bin['infra-mcp'])] };
}

const quoted = (word: string): string => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`);

/** A command as one line for a shell. */
export const commandLine = ({ command, args }: Launch, ...more: readonly string[]): string =>
  [command, ...args, ...more].map(quoted).join(' ');

/** The command with which a person starts this program in the current shell. */
export function typedProgram(program: RunningProgram = thisProgram()): string {
  const { script, env } = program;
  if (isSameFile(onPath(manifest.name, env), script)) return manifest.name;
  const folder = packageFolder(script);
  if (folder?.split(sep).includes('_npx')) return commandLine(published);
  // The source needs the loader that the npm script sets.
  if (script.endsWith('.ts')) return 'npm start --';
  // Another program runs this one's code.
  if (folder !== undefined && script !== join(folder, manifest.bin['infra-mcp'])) return manifest.name;
  // In a checkout, the program also starts with a Node that is too old, and then goes on with the installed one.
  const isInstalled = folder !== undefined && isSameFile(installedNode(folder), program.node);
  const found = onPath('node', env);
  return commandLine({
    command: isSameFile(found, program.node) || (isInstalled && found !== undefined) ? 'node' : program.node,
    args: [script],
  });
}
