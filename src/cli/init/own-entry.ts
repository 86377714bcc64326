import manifest from '../../../package.json' with { type: 'json' };
import { createRedaction } from '../../server/redaction/index.ts';
import type { EntryNames } from './assistants.ts';
import type { ConfigValue } from './config-format.ts';
import { commandLine } from './launch.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const launchIn = (entry: ConfigValue, names: EntryNames) => {
  const { [names.command]: command, args } = entry;
  return { command: isText(command) ? command : '', args: Array.isArray(args) ? args.filter(isText) : [] };
};

/** What this program is called at the end of a path: its file, a shim of it, a packed release, or an image or package with a version. */
const ownName = new RegExp(`^${manifest.name}(?:\\.mjs|\\.cmd|-\\d[\\w.+-]*\\.tgz|[@:#].+)?$`);

const isOwnWord = (word: string): boolean => {
  if (word.startsWith(`${manifest.name}@`)) return true;
  // A package in the scope of somebody else is another program, whatever its name.
  return !word.startsWith('@') && ownName.test(word.split(/[\\/]/).at(-1)!);
};

/** Whether an entry starts this program: its command or one of its arguments names it as a whole word. */
export function isOurs(entry: ConfigValue, names: EntryNames): boolean {
  const { command, args } = launchIn(entry, names);
  return [command, ...args].some(isOwnWord);
}

/** The command line of an entry, as it may be shown: arguments that a user put there may be secrets. */
export const shownCommand = (entry: ConfigValue, names: EntryNames): string => commandLine(createRedaction().value(launchIn(entry, names)) as ReturnType<typeof launchIn>);
