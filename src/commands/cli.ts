import { styleText } from 'node:util';
import { Argument, Command as Parser, Option } from 'commander';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { choicesOf, flagOf, type OptionHelp, optionsOf } from '../config.ts';
import { commands, groups } from './all.ts';
import type { Command, Flag } from './command.ts';
import { configured } from './configured.ts';

const style = (format: Parameters<typeof styleText>[0]) => (text: string) => styleText(format, text, { validateStream: false });

/** How help looks. The parser takes the styles out again where there is no terminal, or NO_COLOR is set. */
const looks = { styleTitle: style('bold'), styleCommandText: style('cyan'), styleSubcommandText: style('cyan'), styleOptionText: style('cyan'), styleArgumentText: style('yellow') };

const withChoices = (option: Option, schema: z.ZodType): Option => {
  const choices = choicesOf(schema);
  if (choices) option.argChoices = [...choices];
  return option;
};

const repeatable = (option: Option, { repeatable: several }: OptionHelp): Option =>
  several ? option.argParser((value, before: string | undefined) => (before === undefined ? value : `${before},${value}`)) : option;

const spelled = (flag: string, value: string | undefined): string => (value === undefined ? flag : `${flag} <${value}>`);

const told = ({ description, env, otherwise }: OptionHelp): string =>
  `${description} (env: ${env}${otherwise === undefined ? '' : `; default: ${otherwise}`})`;

const ownOption = (name: string, { value, description, schema }: Flag): Option => {
  const unset = schema.safeParse(undefined);
  const option = withChoices(new Option(spelled(flagOf(name), value), description), schema);
  return unset.data === undefined ? option.makeOptionMandatory(!unset.success) : option.default(`${unset.data as string | number}`);
};

/** Reads a command's own flags. @throws Error that names the one that is wrong. */
const readFlags = (own: NonNullable<Command['flags']>, given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(own).map(([name, { schema }]) => {
      const read = schema.safeParse(given[name]);
      if (!read.success) throw new Error(`${flagOf(name)} ${read.error.issues[0]!.message}.`);
      return [name, read.data];
    }),
  );

/** Gives the parser a command: its arguments, flags and options, its help, and what it does. */
function add(parent: Parser, command: Command): void {
  const { name, summary, takes, flags = {}, args = [], examples } = command;
  const parser = parent.command(name.split(' ').at(-1)!).description(summary).configureHelp(looks);
  for (const { name: argument, description } of args) parser.addArgument(new Argument(argument, description));
  for (const [flag, own] of Object.entries(flags)) parser.addOption(ownOption(flag, own));
  const options = takes === undefined ? [] : optionsOf(takes);
  for (const option of options) {
    if (option.flag) parser.addOption(repeatable(withChoices(new Option(spelled(option.flag, option.value), told(option)), option.schema), option));
  }
  const unflagged = options.filter(({ flag }) => !flag);
  if (unflagged.length > 0) parser.addHelpText('after', `\nBy environment only:\n${unflagged.map(({ env, description }) => `  ${env}  ${description}`).join('\n')}`);
  parser.addHelpText('after', `\nExamples:\n${examples.map(({ line, does }) => `  ${line}\n      ${does}`).join('\n')}`);
  parser.action(async () => {
    const given = parser.opts<Record<string, string | true | undefined>>();
    const own = readFlags(flags, given);
    if (takes === undefined) return command.run({ config: undefined, flags: own, args: parser.args });
    return configured(takes, given, (config) => command.run({ config, flags: own, args: parser.args }));
  });
}

/** The parser of every command. */
export function createParser(): Parser {
  const program = new Parser('infra-mcp')
    .description(manifest.description)
    .version(manifest.version)
    .configureHelp(looks)
    .showHelpAfterError('(infra-mcp --help lists the commands, infra-mcp <command> --help its options)')
    .addHelpText('after', '\nThe options of stdio may also be given without naming it: infra-mcp --read-only');
  const parents = new Map<string, Parser>();
  for (const command of commands) {
    const [first, second] = command.name.split(' ');
    if (second === undefined) add(program, command);
    else {
      if (!parents.has(first!)) parents.set(first!, program.command(first!).description(groups[first!] ?? '').configureHelp(looks));
      add(parents.get(first!)!, command);
    }
  }
  return program;
}

/** Flags of the program itself; all others are those of the server. */
const ofProgram = ['-h', '--help', '-V', '--version'];

/** Runs the command that a command line names. @throws Error that the user should read. */
export async function cli(args: readonly string[]): Promise<void> {
  const isForServer = args[0] === undefined || (args[0].startsWith('-') && !ofProgram.includes(args[0]));
  await createParser().parseAsync(isForServer ? ['stdio', ...args] : args, { from: 'user' });
}
