import { CommanderError, type Command as Parser } from 'commander';
import { type ParsedCommand, createParser, withCommand } from '../../src/cli/commands/cli.ts';
import { readConfig } from '../../src/cli/config/index.ts';

/**
 * The arguments of this program in a command, and the variables it is given; undefined where another program is called.
 */
export function programCommand(
  words: readonly string[],
): { readonly args: string[]; readonly env: Record<string, string> } | undefined {
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const env = Object.fromEntries(
    words.slice(0, start).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  const [first, ...rest] = words.slice(start);
  // Started by another program, which has the path of ours.
  const program = words.findIndex((word) => word.endsWith('/bin/infra-mcp.mjs'));
  if (program >= 0) return { args: words.slice(program + 1), env };
  // As another user of the machine.
  if (first === 'sudo' && rest[0] === '-u') return programCommand([...words.slice(0, start), ...rest.slice(2)]);
  if (first === 'infra-mcp') return { args: rest, env };
  if (first === 'npx') return programCommand([...words.slice(0, start), ...rest.filter((word) => word !== '-y')]);
  // What stands before the dashes is for npm.
  if (first === 'npm' && rest[0] === 'start')
    return { args: rest.slice(rest.includes('--') ? rest.indexOf('--') + 1 : 1), env };
  return undefined;
}

const quiet = (parser: Parser): Parser => {
  parser.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  parser.commands.forEach(quiet);
  return parser;
};

/**
 * What the program understands a command line as; undefined where it only prints help or its version.
 * @throws Error that says what is wrong with it.
 */
export async function parseProgramCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<ParsedCommand | undefined> {
  const found: ParsedCommand[] = [];
  try {
    await quiet(createParser(async (called) => void found.push(called))).parseAsync(withCommand(args), {
      from: 'user',
    });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    throw error;
  }
  const [called] = found;
  // Nobody has the profiles of the pages.
  const { profile } = called?.rawFlags ?? {};
  // Throws where the options can't be meant, or contradict each other.
  if (called?.command.takes)
    readConfig(
      called.command.takes,
      called.rawFlags,
      env,
      profile === undefined ? undefined : { name: String(profile), texts: {} },
    );
  return called;
}
