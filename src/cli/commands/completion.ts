import type { Command as Parser, Option } from 'commander';
import { choicesOf, profileNames, type OptionName } from '../config/read-config.ts';
import { commands } from './commands.ts';
import { scripts, type Shell } from './shells.ts';

type ValueSource = (flags: Readonly<Partial<Record<OptionName, string>>>) => Promise<readonly string[]>;

const toolNameValues: ValueSource = async () => (await import('../wiring/offered-tools.ts')).toolNames;

/** Options whose values are names of things there are, and those names; looked up when a shell asks for them. */
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

/** `infra-mcp completion`: prints what teaches a shell to complete. */
export const completionCommand = (shell: Shell): void => void process.stdout.write(scripts[shell]);

interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Where a command line has come to. */
interface CursorPosition {
  readonly parser: Parser;
  /** How many arguments of the command are already there. */
  readonly arguments: number;
  /** The option whose value comes next. */
  readonly awaiting?: Option;
  /** Values that were given to options, by the options' names. */
  readonly given: Readonly<Record<string, string>>;
}

/** The command that runs where none of these is named: its flags are taken there too. */
const optionsParser = (parser: Parser): Parser => parser.commands.find((one) => one.name() === 'stdio') ?? parser;

const optionOf = (parser: Parser, word: string): Option | undefined => optionsParser(parser).options.find(({ long, short }) => word === long || word === short);

function advancePosition({ parser, arguments: count, awaiting, given }: CursorPosition, word: string): CursorPosition {
  if (awaiting) return { parser, arguments: count, given: { ...given, [awaiting.attributeName()]: word } };
  if (word.startsWith('-')) {
    const option = optionOf(parser, word);
    return { parser, arguments: count, given, ...(option?.required && { awaiting: option }) };
  }
  const command = parser.commands.find((one) => one.name() === word);
  return command ? { parser: command, arguments: 0, given } : { parser, arguments: count + 1, given };
}

const nameOf = (parser: Parser): string => (parser.parent?.parent ? `${parser.parent.name()} ${parser.name()}` : parser.name());

const plainCandidates = (words: readonly string[] = []): Candidate[] => words.map((word) => ({ word, description: '' }));

async function valuesFor({ parser, arguments: count }: CursorPosition): Promise<Candidate[]> {
  const { args = [] } = commands.find(({ name }) => name === nameOf(parser)) ?? {};
  const argument = args[count] ?? (args.at(-1)?.name.includes('...') ? args.at(-1) : undefined);
  return plainCandidates((argument?.schema && choicesOf(argument.schema)) ?? (await argument?.words?.()));
}

/** What the value of an option may be; of those that take several with commas, what may follow the ones that are there. */
async function valuesOf(option: Option, { given }: CursorPosition, typed: string): Promise<Candidate[]> {
  const values = option.argChoices ?? (await optionValues[option.attributeName() as OptionName]?.(given)) ?? [];
  const before = option.parseArg === undefined ? [] : typed.split(',').slice(0, -1);
  return plainCandidates(values.filter((value) => !before.includes(value)).map((value) => [...before, value].join(',')));
}

// Flags that may be repeated have a parser of their own, which adds to what was given before.
const canFollow = ({ long, parseArg }: Option, before: readonly string[]): boolean => long !== undefined && (parseArg !== undefined || !before.includes(long));

/**
 * What may come next on a command line.
 * @param words all after the program's name; the last is what is being typed, perhaps empty.
 */
export async function candidates(program: Parser, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const place = before.reduce<CursorPosition>(advancePosition, { parser: program, arguments: 0, given: {} });
  const all = (): Candidate[] | Promise<Candidate[]> => {
    const { parser, awaiting } = place;
    if (awaiting) return valuesOf(awaiting, place, typed);
    const help = parser.createHelp();
    if (!typed.startsWith('-')) {
      const below = help.visibleCommands(parser).map((one) => ({ word: one.name(), description: one.description() }));
      if (below.length > 0) return place.arguments === 0 ? below : [];
      return valuesFor(place);
    }
    const options = [...help.visibleOptions(parser), ...optionsParser(parser).options].filter((option) => canFollow(option, before));
    return options.map(({ long, description }) => ({ word: long!, description }));
  };
  const found = (await all()).filter(({ word }) => word.startsWith(typed));
  return [...new Map(found.map((one) => [one.word, one])).values()];
}

/** `infra-mcp complete -- …`: prints what may come next, for the scripts above; a line each, a tab before its description. */
export async function completeCommand(program: Parser, words: readonly string[]): Promise<void> {
  const found = await candidates(program, words);
  process.stdout.write(found.map(({ word, description }) => `${word}\t${description}\n`).join(''));
}
