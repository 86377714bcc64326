import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands, groups } from '../../src/cli/commands/commands.ts';
import type { Command } from '../../src/cli/commands/command.ts';
import { flagOf, optionHelp, optionsOf } from '../../src/cli/config/index.ts';

const root = join(import.meta.dirname, '../..');

/** A text of the program that tells to type something. */
interface Mention {
  readonly where: string;
  /** What follows the name of the program, up to the end of the sentence. */
  readonly words: readonly string[];
}

/** Words after the program's name in a sentence about it. */
const inSentences = ['with', 'or', 'and', 'was', 'can'];

/** Called by the completion scripts alone. */
const hidden = ['complete'];

/** The texts of a runtime for the command line. */
const ofRuntimes = ['provider', 'doctor'].map((folder) => `src/platform/runtime/docker/${folder}`);

/** Options of Docker's own client, in the commands that these tell to run. */
const ofDocker = [
  '--advertise-addr',
  '--availability',
  '--force',
  '--filter',
  '--label-rm',
  '--tlsverify',
  '--tlscacert',
  '--tlscert',
  '--tlskey',
];

const isOfDocker = ({ file, flag }: { file: string; flag: string }): boolean =>
  ofRuntimes.some((folder) => file.startsWith(`${folder}/`)) && ofDocker.includes(flag);

const sources = (folder: string): { file: string; text: string }[] =>
  globSync(`${folder}/**/*.ts`, { cwd: root }).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** Every place where a text names the program and goes on. */
const mentionsIn = ({ file, text }: { file: string; text: string }): Mention[] =>
  [
    ...text.matchAll(/(?:\binfra-mcp|\$\{typedProgram\(\)\})((?: (?:<\w+>|[\w=/-]+))+)/g),
    ...text.matchAll(/\btypedCommand\([^'`]+['`]((?:(?:<\w+>|[\w=/-]+) ?)+)/g),
  ].map((found) => ({ where: `${file}: ${found[0]}`, words: found[1]!.trim().split(' ') }));

const flagsOf = ({ takes, examines, flags = {} }: Command): string[] => {
  const configured = takes ?? examines;
  return [
    '--help',
    ...Object.keys(flags).map(flagOf),
    ...(configured === undefined ? [] : optionsOf(configured).flatMap(({ flag }) => flag ?? [])),
  ];
};

/** The commands that the words begin with: one, or those of a group; without any, the default command. */
function commandsOf(words: readonly string[]): readonly Command[] {
  const [first = '', second = ''] = words;
  if (first.startsWith('-')) return commands.filter(({ isDefault, name }) => isDefault && !name.includes(' '));
  const exact = commands.filter(({ name }) => name === first || name === `${first} ${second}`);
  // The default command of a group may be left out.
  return exact.length > 0 || !Object.hasOwn(groups, first)
    ? exact
    : commands.filter(({ name, isDefault }) => isDefault && name.startsWith(`${first} `));
}

/** What is wrong with a mention; undefined if it can be typed like this. */
function faultOf({ words }: Mention): string | undefined {
  const [first = ''] = words;
  if (inSentences.includes(first) || hidden.includes(first) || first.startsWith('<')) return undefined;
  const meant = commandsOf(words);
  if (meant.length === 0) return 'no such command';
  const known = [...meant.flatMap(flagsOf), ...(first.startsWith('-') ? ['--version'] : [])];
  const unknown = words
    .filter((word) => word.startsWith('--'))
    .map((word) => word.split('=')[0]!)
    .filter((flag) => !known.includes(flag));
  return unknown.length === 0 ? undefined : `no such option: ${unknown.join(', ')}`;
}

const faultsOf = (mentions: readonly Mention[]): string[] =>
  mentions.flatMap((mention) => {
    const fault = faultOf(mention);
    return fault === undefined ? [] : [`${mention.where}: ${fault}`];
  });

describe('what texts of the program tell to type', () => {
  const mentions = ['src', 'tools'].flatMap(sources).flatMap(mentionsIn);

  test('is found', () => expect(mentions.length).toBeGreaterThan(40));

  test('are commands and options that there are', () => expect(faultsOf(mentions)).toEqual([]));

  test('are options of a command, also where no command stands before them', () => {
    const known = new Set(['--version', ...commands.flatMap(flagsOf)]);
    const named = ['src/cli', ...ofRuntimes]
      .flatMap(sources)
      .flatMap(({ file, text }) => [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => ({ file, flag })));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((one) => !known.has(one.flag) && !isOfDocker(one))).toEqual([]);
  });

  test('are variables that there are', () => {
    const known = new Set(optionHelp.map(({ env }) => env));
    const named = ['src', 'tools']
      .flatMap(sources)
      .flatMap(({ file, text }) => [...text.matchAll(/\bINFRA_[A-Z_]+\b/g)].map(([variable]) => ({ file, variable })));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ variable }) => !known.has(variable))).toEqual([]);
  });
});

test.each([
  ['infra-mcp aprove', 'no such command'],
  ['infra-mcp tools --toolset x', 'no such option: --toolset'],
  ['infra-mcp token make --name x', 'no such command'],
  ['infra-mcp --readonly', 'no such option: --readonly'],
])('%s is noticed: %s', (text, fault) =>
  expect(faultsOf(mentionsIn({ file: 'x', text }))).toEqual([`x: ${text}: ${fault}`]),
);
