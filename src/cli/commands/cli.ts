import { styleText } from 'node:util';
import { Argument, Command as Parser, Help, Option } from 'commander';
import * as z from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { choicesOf, flagOf, type GivenFlags, type OptionHelp, optionsOf } from '../config/index.ts';
import { commands, groups } from './commands.ts';
import type { Command, CommandFlag } from './command.ts';
import { wrapped } from '../terminal/lines.ts';
import { runWithConfig } from '../wiring/run-with-config.ts';

const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
  styleText(format, text, { validateStream: false });

/** The minimum width for a description next to its term, in columns. With less it is below the term. */
const leastDescriptionWidth = 40;

const longestWord = (text: string): number => Math.max(...text.split(' ').map(({ length }) => length));

/**
 * Formats an option, argument or command in a help text. The description is below the term if a word, such as a link,
 * would not fit next to it.
 */
function formatHelpItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? Infinity;
  if (description === '' || width - termWidth - 4 >= Math.max(leastDescriptionWidth, longestWord(description)))
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
  return `  ${term}\n      ${helper.boxWrap(description, width - 6).replaceAll('\n', '\n      ')}`;
}

/** The format of help texts. The parser strips the styles if the output is not a terminal or NO_COLOR is set. */
const helpFormat = {
  minWidthToWrap: 20,
  formatItem: formatHelpItem,
  styleTitle: style('bold'),
  styleCommandText: style('cyan'),
  styleSubcommandText: style('cyan'),
  styleOptionText: style('cyan'),
  styleArgumentText: style('yellow'),
};

const withChoices = (option: Option, schema: z.ZodType): Option => {
  const choices = choicesOf(schema);
  if (choices) option.argChoices = [...choices];
  return option;
};

const repeatable = (option: Option, { repeatable: several }: Pick<OptionHelp, 'repeatable'>): Option =>
  several
    ? option.argParser((value, before: string | undefined) => (before === undefined ? value : `${before},${value}`))
    : option;

const flagUsage = (flag: string, value: string | undefined): string =>
  value === undefined ? flag : `${flag} <${value}>`;

const optionText = ({ description, env, defaultText: otherwise }: OptionHelp): string =>
  `${description} (env: ${env}${otherwise === undefined ? '' : `; default: ${otherwise}`})`;

const commandFlagOption = (name: string, flag: CommandFlag): Option => {
  const { value, description, schema } = flag;
  const unset = schema.safeParse(undefined);
  const option = repeatable(withChoices(new Option(flagUsage(flagOf(name), value), description), schema), flag);
  return unset.data === undefined
    ? option.makeOptionMandatory(!unset.success)
    : option.default(`${unset.data as string | number}`);
};

/** Parses a command's own flags. @throws Error that names the invalid flag. */
const readFlags = (
  flags: NonNullable<Command['flags']>,
  raw: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, { schema }]) => {
      const parsed = schema.safeParse(raw[name]);
      if (!parsed.success) throw new Error(`${flagOf(name)} ${parsed.error.issues[0]!.message}.`);
      return [name, parsed.data];
    }),
  );

/** Validates the arguments of a command. @throws Error that names the invalid one. */
function checkArguments(args: NonNullable<Command['args']>, values: readonly string[]): void {
  for (const [index, { name, schema }] of args.entries()) {
    const fault = values[index] === undefined ? undefined : schema?.safeParse(values[index]).error;
    if (fault) throw new Error(`${name} ${fault.issues[0]!.message}, not ${values[index]}.`);
  }
}

/** A parsed command line. */
export interface ParsedCommand {
  readonly command: Command;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  readonly rawFlags: GivenFlags;
}

/** Runs a parsed command with its configuration. */
const run = ({ command, ...invocation }: ParsedCommand): Promise<void> =>
  command.takes === undefined
    ? command.run({ ...invocation, config: undefined })
    : runWithConfig(command.takes, invocation.rawFlags, (config) => command.run({ ...invocation, config }));

const examplesText = (examples: Command['examples'] | Command['examples'][number][]): string =>
  `\nExamples:\n${examples.map(({ line, does }) => `  ${line}\n      ${does}`).join('\n')}`;

/** Adds a text to the end of a help text. */
function addToHelp(parser: Parser, text: string): void {
  parser.addHelpText('after', ({ error }) => wrapped(text, error ? process.stderr : process.stdout));
}

/** Adds the first word of a group of commands to the parser. */
function addGroup(parent: Parser, name: string): Parser {
  const group = parent
    .command(name)
    .description(groups[name] ?? '')
    .configureHelp(helpFormat);
  addToHelp(
    group,
    examplesText(commands.filter((command) => command.name.startsWith(`${name} `)).flatMap(({ examples }) => examples)),
  );
  return group;
}

/** Adds a command to the parser: arguments, flags, options, help and action. */
function addCommand(parent: Parser, command: Command, execute: (parsed: ParsedCommand) => Promise<void>): void {
  const { name, summary, takes, examines, flags = {}, args = [], examples } = command;
  const configuredCommand = takes ?? examines;
  const parser = parent.command(name.split(' ').at(-1)!).description(summary).configureHelp(helpFormat);
  for (const { name: argument, description } of args) parser.addArgument(new Argument(argument, description));
  for (const [flag, own] of Object.entries(flags)) parser.addOption(commandFlagOption(flag, own));
  const options = configuredCommand === undefined ? [] : optionsOf(configuredCommand);
  for (const option of options) {
    if (option.flag)
      parser.addOption(
        repeatable(
          withChoices(new Option(flagUsage(option.flag, option.value), optionText(option)), option.createSchema()),
          option,
        ),
      );
  }
  const unflagged = options.filter(({ flag }) => !flag);
  if (unflagged.length > 0)
    addToHelp(
      parser,
      `\nEnvironment variables without a flag:\n${unflagged.map(({ env, description }) => `  ${env}  ${description}`).join('\n')}`,
    );
  addToHelp(parser, examplesText(examples));
  parser.action(async () => {
    checkArguments(args, parser.args);
    const rawFlags = parser.opts<GivenFlags>();
    await execute({ command, flags: readFlags(flags, rawFlags), args: parser.args, rawFlags });
  });
}

/**
 * Creates the parser of every command.
 * @param execute called with the parsed command line. Default: runs the command.
 */
export function createParser(execute: (parsed: ParsedCommand) => Promise<void> = run): Parser {
  const program = new Parser('infra-mcp')
    .description(manifest.description)
    .version(manifest.version)
    .configureHelp(helpFormat)
    .showHelpAfterError('(infra-mcp --help lists the commands, infra-mcp <command> --help its options)');
  addToHelp(program, '\nstdio may be omitted: infra-mcp --read-only');
  const parents = new Map<string, Parser>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    const group = second === undefined ? program : (parents.get(first) ?? addGroup(program, first));
    if (second !== undefined) parents.set(first, group);
    addCommand(group, command, execute);
  }
  return program;
}

/** Flags of the program itself. All other flags belong to a command. */
const programFlags = ['-h', '--help', '-V', '--version'];

const namesNoCommand = ([first]: readonly string[]): boolean =>
  first === undefined || (first.startsWith('-') && !programFlags.includes(first));

/** Inserts the name of the default command, of the program or of a group, if the command line names no command. */
export function withCommand(args: readonly string[]): readonly string[] {
  const applies = ({ isDefault, name }: Command): boolean | undefined => {
    const group = name.split(' ').slice(0, -1);
    return isDefault && group.every((word, index) => word === args[index]) && namesNoCommand(args.slice(group.length));
  };
  const words = commands.find(applies)?.name.split(' ');
  return words ? [...words, ...args.slice(words.length - 1)] : args;
}

/** Ignores EPIPE, so that a command finishes when the reader of its output closes the pipe, as `head` does. */
function ignoreBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Runs the command of a command line. @throws Error with a message for the user. */
export async function runCli(args: readonly string[]): Promise<void> {
  ignoreBrokenPipe();
  // Called by the completion scripts; the remaining words are an unfinished command line.
  if (args[0] === 'complete' && args[1] === '--')
    return (await import('./completion.ts')).completeCommand(createParser(), args.slice(2));
  await createParser().parseAsync(withCommand(args), { from: 'user' });
}
