import { styleText } from 'node:util';
import { Argument, Command as Parser, Option } from 'commander';
import * as z from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { choicesOf, flagOf, type GivenFlags, type OptionHelp, optionsOf } from '../config/read-config.ts';
import { commands, groups } from './commands.ts';
import type { Command, Flag } from './command.ts';
import { runWithConfig } from '../wiring/run-with-config.ts';

const style = (format: Parameters<typeof styleText>[0]) => (text: string) => styleText(format, text, { validateStream: false });

/** How help looks. The parser takes the styles out again where there is no terminal, or NO_COLOR is set. */
const helpStyles = { styleTitle: style('bold'), styleCommandText: style('cyan'), styleSubcommandText: style('cyan'), styleOptionText: style('cyan'), styleArgumentText: style('yellow') };

const withChoices = (option: Option, schema: z.ZodType): Option => {
  const choices = choicesOf(schema);
  if (choices) option.argChoices = [...choices];
  return option;
};

const repeatable = (option: Option, { repeatable: several }: OptionHelp): Option =>
  several ? option.argParser((value, before: string | undefined) => (before === undefined ? value : `${before},${value}`)) : option;

const flagUsage = (flag: string, value: string | undefined): string => (value === undefined ? flag : `${flag} <${value}>`);

const optionText = ({ description, env, defaultText: otherwise }: OptionHelp): string =>
  `${description} (env: ${env}${otherwise === undefined ? '' : `; default: ${otherwise}`})`;

const commandFlagOption = (name: string, { value, description, schema }: Flag): Option => {
  const unset = schema.safeParse(undefined);
  const option = withChoices(new Option(flagUsage(flagOf(name), value), description), schema);
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

/** @throws Error that names the argument that is wrong. */
function checkArguments(args: NonNullable<Command['args']>, given: readonly string[]): void {
  for (const [index, { name, schema }] of args.entries()) {
    const fault = given[index] === undefined ? undefined : schema?.safeParse(given[index]).error;
    if (fault) throw new Error(`${name} ${fault.issues[0]!.message}, not ${given[index]}.`);
  }
}

/** A command line that was understood. */
export interface ParsedCommand {
  readonly command: Command;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  readonly rawFlags: GivenFlags;
}

/** Runs what was understood, with the options that it takes. */
const run = ({ command, ...given }: ParsedCommand): Promise<void> =>
  command.takes === undefined
    ? command.run({ ...given, config: undefined })
    : runWithConfig(command.takes, given.rawFlags, (config) => command.run({ ...given, config }));

const examplesText = (examples: Command['examples'] | Command['examples'][number][]): string =>
  `\nExamples:\n${examples.map(({ line, does }) => `  ${line}\n      ${does}`).join('\n')}`;

/** Gives the parser a word that several commands begin with. */
const addGroup = (parent: Parser, name: string): Parser =>
  parent.command(name).description(groups[name] ?? '').configureHelp(helpStyles)
    .addHelpText('after', examplesText(commands.filter((command) => command.name.startsWith(`${name} `)).flatMap(({ examples }) => examples)));

/** Gives the parser a command: its arguments, flags and options, its help, and what it does. */
function addCommand(parent: Parser, command: Command, carryOut: (called: ParsedCommand) => Promise<void>): void {
  const { name, summary, takes, examines, flags = {}, args = [], examples } = command;
  const whose = takes ?? examines;
  const parser = parent.command(name.split(' ').at(-1)!).description(summary).configureHelp(helpStyles);
  for (const { name: argument, description } of args) parser.addArgument(new Argument(argument, description));
  for (const [flag, own] of Object.entries(flags)) parser.addOption(commandFlagOption(flag, own));
  const options = whose === undefined ? [] : optionsOf(whose);
  for (const option of options) {
    if (option.flag) parser.addOption(repeatable(withChoices(new Option(flagUsage(option.flag, option.value), optionText(option)), option.createSchema()), option));
  }
  const unflagged = options.filter(({ flag }) => !flag);
  if (unflagged.length > 0) parser.addHelpText('after', `\nBy environment only:\n${unflagged.map(({ env, description }) => `  ${env}  ${description}`).join('\n')}`);
  parser.addHelpText('after', examplesText(examples));
  parser.action(async () => {
    checkArguments(args, parser.args);
    const unread = parser.opts<GivenFlags>();
    await carryOut({ command, flags: readFlags(flags, unread), args: parser.args, rawFlags: unread });
  });
}

/**
 * The parser of every command.
 * @param carryOut what is done with a command line that was understood; it is run where left out.
 */
export function createParser(carryOut: (called: ParsedCommand) => Promise<void> = run): Parser {
  const program = new Parser('infra-mcp')
    .description(manifest.description)
    .version(manifest.version)
    .configureHelp(helpStyles)
    .showHelpAfterError('(infra-mcp --help lists the commands, infra-mcp <command> --help its options)')
    .addHelpText('after', '\nThe options of stdio may also be given without naming it: infra-mcp --read-only');
  const parents = new Map<string, Parser>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    const group = second === undefined ? program : (parents.get(first) ?? addGroup(program, first));
    if (second !== undefined) parents.set(first, group);
    addCommand(group, command, carryOut);
  }
  return program;
}

/** Flags that are about the commands; all others are those of one. */
const aboutCommands = ['-h', '--help', '-V', '--version'];

const namesNone = ([first]: readonly string[]): boolean => first === undefined || (first.startsWith('-') && !aboutCommands.includes(first));

/** A command line that names its command: the default one of all, or of its group, where none is named. */
export function withCommand(args: readonly string[]): readonly string[] {
  const isMeant = ({ isDefault, name }: Command): boolean | undefined => {
    const group = name.split(' ').slice(0, -1);
    return isDefault && group.every((word, index) => word === args[index]) && namesNone(args.slice(group.length));
  };
  const meant = commands.find(isMeant)?.name.split(' ');
  return meant ? [...meant, ...args.slice(meant.length - 1)] : args;
}

/** Lets a command end by itself when whoever reads what it prints has seen enough, as head does. */
function outliveReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Runs the command that a command line names. @throws Error that the user should read. */
export async function runCli(args: readonly string[]): Promise<void> {
  outliveReader();
  // Asked by the scripts of completion, for themselves: what follows is somebody's unfinished line.
  if (args[0] === 'complete' && args[1] === '--') return (await import('./completion.ts')).completeCommand(createParser(), args.slice(2));
  await createParser().parseAsync(withCommand(args), { from: 'user' });
}
