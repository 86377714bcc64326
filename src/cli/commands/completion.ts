import type { Command as Parser, Option } from 'commander';
import { choicesOf, profileNames, type OptionName } from '../config/index.ts';
import { commands } from './commands.ts';

type ValueSource = (flags: Readonly<Partial<Record<OptionName, string>>>) => Promise<readonly string[]>;

const toolNameValues: ValueSource = async () => (await import('../wiring/offered-tools.ts')).toolNames;

/** Possible values of options that refer to existing resources. Looked up when a shell requests them. */
export const optionValues: Readonly<Partial<Record<OptionName, ValueSource>>> = {
  scenario: async () => {
    const { allScenarios, scenarios } = await import('../../platform/testing/scenarios/scenarios.ts');
    return [...scenarios.map(({ name }) => name), allScenarios];
  },
  profile: async ({ profilesFile }) => profileNames(process.env, profilesFile),
  toolsets: async () => (await import('../wiring/offered-tools.ts')).groupNames,
  tools: toolNameValues,
  excludeTools: toolNameValues,
};

interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** The parser's state after some words of a command line. */
interface CursorPosition {
  readonly parser: Parser;
  /** Number of arguments that the command already has. */
  readonly arguments: number;
  /** The option whose value is the next word. */
  readonly awaiting?: Option;
  /** Values of earlier options, by option name. */
  readonly given: Readonly<Record<string, string>>;
}

/** The default command, whose flags are also accepted without its name. */
const optionsParser = (parser: Parser): Parser => parser.commands.find((one) => one.name() === 'stdio') ?? parser;

const optionOf = (parser: Parser, word: string): Option | undefined =>
  optionsParser(parser).options.find(({ long, short }) => word === long || word === short);

function advancePosition({ parser, arguments: count, awaiting, given }: CursorPosition, word: string): CursorPosition {
  if (awaiting) return { parser, arguments: count, given: { ...given, [awaiting.attributeName()]: word } };
  if (word.startsWith('-')) {
    const option = optionOf(parser, word);
    return { parser, arguments: count, given, ...(option?.required && { awaiting: option }) };
  }
  const command = parser.commands.find((one) => one.name() === word);
  return command ? { parser: command, arguments: 0, given } : { parser, arguments: count + 1, given };
}

const nameOf = (parser: Parser): string =>
  parser.parent?.parent ? `${parser.parent.name()} ${parser.name()}` : parser.name();

const plainCandidates = (words: readonly string[] = []): Candidate[] =>
  words.map((word) => ({ word, description: '' }));

async function valuesFor({ parser, arguments: count }: CursorPosition): Promise<Candidate[]> {
  const { args = [] } = commands.find(({ name }) => name === nameOf(parser)) ?? {};
  const argument = args[count] ?? (args.at(-1)?.name.includes('...') ? args.at(-1) : undefined);
  return plainCandidates((argument?.schema && choicesOf(argument.schema)) ?? (await argument?.words?.()));
}

/** Candidates for the value of an option. For a comma-separated list, each extends the values typed so far. */
async function valuesOf(option: Option, { given }: CursorPosition, typed: string): Promise<Candidate[]> {
  const values = option.argChoices ?? (await optionValues[option.attributeName() as OptionName]?.(given)) ?? [];
  const before = option.parseArg === undefined ? [] : typed.split(',').slice(0, -1);
  return plainCandidates(
    values.filter((value) => !before.includes(value)).map((value) => [...before, value].join(',')),
  );
}

// Repeatable flags have their own parser, which appends to the earlier value.
const canFollow = ({ long, parseArg }: Option, before: readonly string[]): boolean =>
  long !== undefined && (parseArg !== undefined || !before.includes(long));

/**
 * The completions of a command line.
 * @param words all words after the program's name. The last one is being typed and may be empty.
 */
export async function candidates(program: Parser, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const position = before.reduce<CursorPosition>(advancePosition, { parser: program, arguments: 0, given: {} });
  const all = (): Candidate[] | Promise<Candidate[]> => {
    const { parser, awaiting } = position;
    if (awaiting) return valuesOf(awaiting, position, typed);
    const help = parser.createHelp();
    if (!typed.startsWith('-')) {
      const subcommands = help
        .visibleCommands(parser)
        .map((one) => ({ word: one.name(), description: one.description() }));
      if (subcommands.length > 0) return position.arguments === 0 ? subcommands : [];
      return valuesFor(position);
    }
    const options = [...help.visibleOptions(parser), ...optionsParser(parser).options].filter((option) =>
      canFollow(option, before),
    );
    return options.map(({ long, description }) => ({ word: long!, description }));
  };
  const found = (await all()).filter(({ word }) => word.startsWith(typed));
  return [...new Map(found.map((one) => [one.word, one])).values()];
}

/** `infra-mcp complete -- …`: prints the completions for the shell scripts, one per line: word, tab, description. */
export async function completeCommand(program: Parser, words: readonly string[]): Promise<void> {
  const found = await candidates(program, words);
  process.stdout.write(found.map(({ word, description }) => `${word}\t${description}\n`).join(''));
}
