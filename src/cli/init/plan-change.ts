import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Assistant,
  entryOf,
  type Machine,
  namesOf,
  type ServerEntry,
  serverName,
  type EntryNames,
} from './assistants.ts';
import {
  assertChanged,
  type ConfigFormat,
  type ConfigValue,
  entryIn,
  type EntryPath,
  withEntry,
  withoutEntry,
} from './config-format.ts';
import { type ConfigFile, type FileChange, readBackup, readConfigFile, splitMark } from './config-file.ts';
import { jsonFormat } from './json-format.ts';
import { tomlFormat } from './toml-format.ts';
import { yamlFormat } from './yaml-format.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { createRedaction } from '../../server/redaction/index.ts';
import { commandLine } from './launch.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const launchIn = (entry: ConfigValue, names: EntryNames) => {
  const { [names.command]: command, args } = entry;
  return { command: isText(command) ? command : '', args: Array.isArray(args) ? args.filter(isText) : [] };
};

/**
 * What this program is called at the end of a path: its file, a shim of it, a packed release, or an image or package
 * with a version.
 */
const ownName = new RegExp(`^${manifest.name}(?:\\.mjs|\\.cmd|-\\d[\\w.+-]*\\.tgz|[@:#].+)?$`);

const isOwnWord = (word: string): boolean => {
  if (word.startsWith(`${manifest.name}@`)) return true;
  // A package in the scope of somebody else is another program, whatever its name.
  return !word.startsWith('@') && ownName.test(word.split(/[\\/]/).at(-1)!);
};

/** Whether an entry starts this program: its command or one of its arguments names it as a whole word. */
function isOurs(entry: ConfigValue, names: EntryNames): boolean {
  const { command, args } = launchIn(entry, names);
  return [command, ...args].some(isOwnWord);
}

/** The command line of an entry, as it may be shown: arguments that a user put there may be secrets. */
const shownCommand = (entry: ConfigValue, names: EntryNames): string =>
  commandLine(createRedaction().value(launchIn(entry, names)) as ReturnType<typeof launchIn>);

const formats: Readonly<Record<Assistant['format'], (assistant: Assistant) => ConfigFormat>> = {
  json: () => jsonFormat,
  toml: () => tomlFormat,
  yaml: ({ member, isList }) => yamlFormat(isList && member),
};

/** The format of an assistant's file. */
export const formatOf = (assistant: Assistant): ConfigFormat => formats[assistant.format](assistant);

/** What `init` would do for one assistant. */
export type AssistantPlan =
  | {
      readonly kind: 'change';
      readonly does: 'create' | 'add' | 'update' | 'remove';
      readonly change: FileChange;
      readonly shown: string;
      readonly line: number;
      /** The command line that is replaced or removed. */ readonly was?: string;
    }
  | { readonly kind: 'as it should be' }
  | { readonly kind: 'blocked'; readonly reason: string };

export const pathOf = ({ member }: Assistant): EntryPath => [member, serverName];

/** Whether the assistant is on the machine: its file is there, or its folder if the file may be made. */
export const isFound = (assistant: Assistant, machine: Machine): boolean =>
  existsSync(assistant.file(machine)) ||
  (!assistant.needsFile && existsSync(assistant.folder?.(machine) ?? dirname(assistant.file(machine))));

const foreign = `it has a server "${serverName}" that isn't infra-mcp; rename or remove that first`;

const firstDifference = (before: string, after: string): number => {
  const [one, other] = [before.split('\n'), after.split('\n')];
  const at = other.findIndex((line, index) => line !== one[index]);
  return at < 0 ? other.length : at + 1;
};

/**
 * An entry with the members of another one in place of its own. What else the user put into it stays, and what is the
 * user's to change.
 */
const merged = (existing: ConfigValue, entry: ConfigValue, assistant: Assistant): ConfigValue => {
  const { env: name } = namesOf(assistant);
  const env = { ...(existing[name] as ConfigValue | undefined), ...(entry[name] as ConfigValue | undefined) };
  const changed = Object.keys(assistant.initial ?? {})
    .filter((member) => Object.hasOwn(existing, member))
    .map((member) => [member, existing[member]]);
  return { ...existing, ...entry, ...Object.fromEntries(changed), ...(Object.keys(env).length > 0 && { [name]: env }) };
};

/** An entry as it may be shown: values of the environment that the user put there may be secrets. */
const shownEntry = (entry: ConfigValue, own: ConfigValue, assistant: Assistant): ConfigValue => {
  const { env: name } = namesOf(assistant);
  const [env, ownEnv] = [entry[name] as ConfigValue | undefined, own[name] as ConfigValue | undefined];
  const shown = Object.fromEntries(Object.keys(own).map((member) => [member, entry[member]]));
  return {
    ...shown,
    ...(env && {
      [name]: Object.fromEntries(
        Object.entries(env).map(([variable, value]) => [
          variable,
          ownEnv && Object.hasOwn(ownEnv, variable) ? value : '(stays as it is)',
        ]),
      ),
    }),
  };
};

async function planned(
  assistant: Assistant,
  machine: Machine,
  plan: (file: ConfigFile, format: ConfigFormat) => Promise<AssistantPlan>,
): Promise<AssistantPlan> {
  try {
    return await plan(await readConfigFile(assistant.file(machine)), formatOf(assistant));
  } catch (error) {
    return { kind: 'blocked', reason: (error as Error).message };
  }
}

/** Plans to add the server to an assistant, or to bring its entry up to date. */
export const planAdding = (assistant: Assistant, machine: Machine, server: ServerEntry): Promise<AssistantPlan> =>
  planned(assistant, machine, async (file, format) => {
    const path = pathOf(assistant);
    if (assistant.needsFile && file.text === undefined)
      return { kind: 'blocked', reason: `there is no such file yet; ${assistant.title} makes it when it starts` };
    const [mark, text] = splitMark(file.text ?? '');
    const config = format.parse(text);
    const existing = entryIn(config, path);
    if (existing && !isOurs(existing, namesOf(assistant))) return { kind: 'blocked', reason: foreign };
    const own = entryOf(assistant, server);
    const entry = existing ? merged(existing, own, assistant) : own;
    const after = format.set(text, path, entry);
    if (after === text) return { kind: 'as it should be' };
    assertChanged(format, after, withEntry(config, path, entry));
    const backup = existing && (await readBackup(file)) !== undefined ? 'keep' : 'write';
    return {
      kind: 'change',
      does: file.text === undefined ? 'create' : existing ? 'update' : 'add',
      change: { file, after: mark + after, backup },
      shown: format.show(path, shownEntry(entry, own, assistant)),
      line: firstDifference(text, after),
      ...(existing && { was: shownCommand(existing, namesOf(assistant)) }),
    };
  });

/** The backup's text, if the file is still that with the entry added: then it can be restored as it was. */
async function untouchedBackup(
  file: ConfigFile,
  format: ConfigFormat,
  path: EntryPath,
  entry: ConfigValue,
): Promise<string | undefined> {
  const backup = await readBackup(file);
  if (backup === undefined) return undefined;
  const [mark, text] = splitMark(backup);
  try {
    return entryIn(format.parse(text), path) === undefined && mark + format.set(text, path, entry) === file.text
      ? backup
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Plans to remove the server from an assistant. Everything else stays as it is, also what was changed since it was
 * added. A file is deleted only if it is exactly what `init` creates: the rest of any other one is the user's, if only
 * its comments.
 */
export const planRemoving = (assistant: Assistant, machine: Machine): Promise<AssistantPlan> =>
  planned(assistant, machine, async (file, format) => {
    const path = pathOf(assistant);
    const [mark, text] = splitMark(file.text ?? '');
    const config = format.parse(text);
    const entry = entryIn(config, path);
    if (!entry) return { kind: 'as it should be' };
    if (!isOurs(entry, namesOf(assistant))) return { kind: 'blocked', reason: foreign };
    const asChange = (after: string | undefined, backup: FileChange['backup']): AssistantPlan => ({
      kind: 'change',
      does: 'remove',
      change: { file, after, backup },
      shown: '',
      line: firstDifference(after ?? '', text),
      was: shownCommand(entry, namesOf(assistant)),
    });
    const untouched = await untouchedBackup(file, format, path, entry);
    if (untouched !== undefined) return asChange(untouched, 'remove');
    const hasBackup = (await readBackup(file)) !== undefined;
    if (!hasBackup && file.text === format.set('', path, entry)) return asChange(undefined, 'keep');
    const after = format.remove(text, path, false);
    const rest = format.parse(after);
    // An empty table of TOML is not written, so its member may go.
    assertChanged(format, after, withoutEntry(config, path, !Object.hasOwn(rest, assistant.member)));
    return asChange(mark + after, hasBackup ? 'keep' : 'write');
  });
