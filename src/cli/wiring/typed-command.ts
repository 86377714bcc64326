import { resolve } from 'node:path';
import { type CommandName, type Config, defaultDataDir, kindOf, type OptionName, optionsOf } from '../config/index.ts';
import { typedProgram } from '../init/launch.ts';

/** Quotes a word for a POSIX shell. */
export const shellQuoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** A configuration, or the part of it that a command has. */
type Places = Partial<Config>;

/** The options that lead to files, an engine or a platform, with their defaults. None of them is secret. */
const places: readonly (readonly [OptionName, usual: (config: Places) => string | undefined])[] = [
  ['dataDir', () => defaultDataDir(process.env)],
  ['keysDir', ({ dataDir }) => dataDir],
  ['auditFile', () => undefined],
  ['approvalsOperators', () => undefined],
  ['engine', () => undefined],
  ['engineTlsDir', () => undefined],
  ['baseUrl', () => undefined],
  ['apiTokenFile', () => undefined],
];

/** The name of the options of a command that has those of another. */
const optionsLike: Readonly<Record<string, CommandName>> = { doctor: 'stdio', init: 'stdio' };

/**
 * The flags with which a command works on the same directories, files, engine and platform as a configuration.
 * @param command its first word
 * @param env variables of the shell in which it is typed
 */
function sameFlags(config: Places, command: string, env: NodeJS.ProcessEnv): string[] {
  const options = optionsOf(optionsLike[command] ?? (command as CommandName));
  return places.flatMap(([name, usual]) => {
    const option = options.find((each) => each.name === name);
    const value = config[name];
    if (option?.flag === undefined || typeof value !== 'string') return [];
    const given = env[option.env] ?? (option.foreignEnv && env[option.foreignEnv]);
    const there = given === undefined ? (usual(config) ?? option.defaultValue) : given;
    const isThere = there === value || (kindOf(option) === 'path' && given !== undefined && resolve(given) === value);
    return isThere ? [] : [option.flag, shellQuoted(value)];
  });
}

/**
 * A command line of this program for a hint, with the flags that lead to the same place as a configuration.
 * @param line its words without the program, such as `restore before-upgrade`
 */
export const typedCommand = (config: Places, line: string): string =>
  [typedProgram(), line, ...sameFlags(config, line.split(' ')[0]!, process.env)].join(' ');

/** The flags of the operator's command, typed in a shell of which nothing is known. Undefined if it needs none. */
export function operatorFlags(config: Places): string | undefined {
  const flags = sameFlags(config, 'approve', {});
  return flags.length === 0 ? undefined : flags.join(' ');
}

/** The operator's command for a shell of which nothing is known, such as `infra-mcp approve --data-dir /srv/infra`. */
export const approveCommandOf = (config: Places): string =>
  [typedProgram(), 'approve', operatorFlags(config)].filter((part) => part !== undefined).join(' ');
