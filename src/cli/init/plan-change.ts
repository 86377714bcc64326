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
import { choosesTools } from './tool-limits.ts';
import { yamlFormat } from './yaml-format.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { createRedaction } from '../../server/redaction/index.ts';
import { plainMessage } from '../terminal/plain-message.ts';
import { commandLine } from './launch.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const launchIn = (entry: ConfigValue, names: EntryNames) => {
  const { [names.command]: command, args } = entry;
  return { command: isText(command) ? command : '', args: Array.isArray(args) ? args.filter(isText) : [] };
};

/**
 * The last segment of a path that names this program: its file, a shim, a packed release, or an image or package with a
 * version.
 */
const ownName = new RegExp(`^${manifest.name}(?:\\.mjs|\\.cmd|-\\d[\\w.+-]*\\.tgz|[@:#].+)?$`);

const isOwnWord = (word: string): boolean => {
  if (word.startsWith(`${manifest.name}@`)) return true;
  // A package in another scope is another program, whatever its name.
  return !word.startsWith('@') && ownName.test(word.split(/[\\/]/).at(-1)!);
};

/** Whether an entry starts this program: its command or one of its arguments names it as a whole word. */
function isOurs(entry: ConfigValue, names: EntryNames): boolean {
  const { command, args } = launchIn(entry, names);
  return [command, ...args].some(isOwnWord);
}

/** The command line of an entry, redacted for display, because arguments added by a user may be secrets. */
const shownCommand = (entry: ConfigValue, names: EntryNames): string =>
  commandLine(createRedaction().value(launchIn(entry, names)) as ReturnType<typeof launchIn>);

const formats: Readonly<Record<Assistant['format'], (assistant: Assistant) => ConfigFormat>> = {
  json: () => jsonFormat,
  toml: () => tomlFormat,
  yaml: ({ member, isList }) => yamlFormat(isList && member),
};

/** The format of an assistant's file. */
export const formatOf = (assistant: Assistant): ConfigFormat => formats[assistant.format](assistant);

/** The plan of `init` for one assistant. */
export type AssistantPlan =
  | {
      readonly kind: 'change';
      readonly does: 'create' | 'add' | 'update' | 'remove';
      readonly change: FileChange;
      readonly shown: string;
      readonly line: number;
      /** Whether the new entry says which tools the server offers. */
      readonly choosesTools?: boolean;
      /** The command line that is replaced or removed. */ readonly was?: string;
      /** The names of the variables of the entry that it had before and that stay, with values that may be secret. */
      readonly kept?: readonly string[];
    }
  | { readonly kind: 'as it should be'; readonly choosesTools?: boolean; readonly kept?: readonly string[] }
  | { readonly kind: 'blocked'; readonly reason: string };

export const pathOf = ({ member }: Assistant): EntryPath => [member, serverName];

/** Whether the assistant is on the machine: its file exists, or its folder does and the file may be created. */
export const isFound = (assistant: Assistant, machine: Machine): boolean =>
  existsSync(assistant.file(machine)) ||
  (!assistant.needsFile && existsSync(assistant.folder?.(machine) ?? dirname(assistant.file(machine))));

const foreign = `it has a server "${serverName}" that isn't infra-mcp; rename or remove that first`;

const firstDifference = (before: string, after: string): number => {
  const [one, other] = [before.split('\n'), after.split('\n')];
  const at = other.findIndex((line, index) => line !== one[index]);
  return at < 0 ? other.length : at + 1;
};

/** Merges a new entry into an existing one. Other members, and members that the user may change, keep their values. */
const merged = (existing: ConfigValue, entry: ConfigValue, assistant: Assistant): ConfigValue => {
  const { env: name } = namesOf(assistant);
  const env = { ...(existing[name] as ConfigValue | undefined), ...(entry[name] as ConfigValue | undefined) };
  const changed = Object.keys(assistant.initial ?? {})
    .filter((member) => Object.hasOwn(existing, member))
    .map((member) => [member, existing[member]]);
  return { ...existing, ...entry, ...Object.fromEntries(changed), ...(Object.keys(env).length > 0 && { [name]: env }) };
};

/** The names of the variables of an entry that a new one doesn't set. */
const keptVariables = (existing: ConfigValue | undefined, own: ConfigValue, assistant: Assistant): string[] => {
  const { env: name } = namesOf(assistant);
  const names = Object.keys((existing?.[name] as ConfigValue | undefined) ?? {});
  return names.filter((variable) => !Object.hasOwn((own[name] as ConfigValue | undefined) ?? {}, variable));
};

/** An entry for display, without environment values added by the user, which may be secrets. */
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
    return { kind: 'blocked', reason: plainMessage(error) };
  }
}

/** Plans to add the server to an assistant, or to update its entry. */
export const planAdding = (assistant: Assistant, machine: Machine, server: ServerEntry): Promise<AssistantPlan> =>
  planned(assistant, machine, async (file, format) => {
    const path = pathOf(assistant);
    if (assistant.needsFile && file.text === undefined)
      return { kind: 'blocked', reason: `there is no such file yet; ${assistant.title} makes it when it starts` };
    const [mark, text] = splitMark(file.text ?? '');
    const config = format.parse(text);
    const existing = entryIn(config, path);
    if (existing && !isOurs(existing, namesOf(assistant))) return { kind: 'blocked', reason: foreign };
    const own = entryOf(assistant, existing ? { ...server, initialEnv: {} } : server);
    const entry = existing ? merged(existing, own, assistant) : own;
    const after = format.set(text, path, entry);
    const chooses = choosesTools(entry[namesOf(assistant).env]);
    const kept = keptVariables(existing, own, assistant);
    if (after === text) return { kind: 'as it should be', choosesTools: chooses, kept };
    assertChanged(format, after, withEntry(config, path, entry));
    const backup = existing && (await readBackup(file)) !== undefined ? 'keep' : 'write';
    return {
      kind: 'change',
      does: file.text === undefined ? 'create' : existing ? 'update' : 'add',
      change: { file, after: mark + after, backup },
      shown: format.show(path, shownEntry(entry, own, assistant)),
      line: firstDifference(text, after),
      choosesTools: chooses,
      kept,
      ...(existing && { was: shownCommand(existing, namesOf(assistant)) }),
    };
  });

/** The backup's text, if the file differs from it only by the added entry, so that the backup can be restored. */
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
 * Plans to remove the server from an assistant. Everything else stays, including later changes. A file is deleted only
 * if it is exactly as `init` creates it. The rest of any other file belongs to the user, even if only comments.
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
    // TOML omits an empty table, so its member may disappear.
    assertChanged(format, after, withoutEntry(config, path, !Object.hasOwn(rest, assistant.member)));
    return asChange(mark + after, hasBackup ? 'keep' : 'write');
  });
