import * as z from 'zod';
import { isServiceKind, serviceKinds, type ServiceKind } from '../../contract/index.ts';
import { isRecord, memoised, type JsonRecord, type JsonSchema } from '../json/index.ts';
import { pointsAt, referencesInside } from './references.ts';
import type { Tool } from './tool.ts';

/** Subjects with several names. Schemas show the first one. */
const sameThing: readonly (readonly string[])[] = [
  ['variable', 'environment_variable'],
  ['commit', 'git_commit'],
  ['domain', 'custom_domain'],
];

/**
 * Other programs' names for arguments, which models tend to try. They are suggested, but not accepted: they can mean
 * something else.
 */
const synonyms: readonly (readonly string[])[] = [
  ['page_size', 'limit', 'tail', 'per_page', 'pageSize', 'max_results', 'count', 'lines', 'size'],
  ['page', 'offset', 'cursor', 'skip', 'start'],
  ['fields', 'columns', 'select'],
  ['text', 'pattern', 'query', 'search', 'grep', 'filter', 'q'],
  ['commit', 'git_commit_id', 'sha', 'revision', 'ref'],
  ['since', 'from', 'after'],
  ['until', 'to', 'before'],
];

/** The first known name that is a synonym of another one. */
export const synonymIn = (name: string, known: readonly string[]): string | undefined =>
  synonyms.find((names) => names.includes(name))?.find((one) => known.includes(one));

const wordsFor = (subject: string): readonly string[] =>
  sameThing.find((words) => words.includes(subject)) ?? [subject];

const isList = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? isList(schema.unwrap() as z.ZodType)
    : schema instanceof z.ZodArray;

/** An argument whose value identifies something: a reference, or an id. */
interface Naming {
  readonly member: string;
  /** The subject, without suffix: `application` for `application_id` and `application_ids`. */
  readonly subject: string;
  /** The kind of resource that it refers to; undefined if it is looked up by the tool itself. */
  readonly kind: string | undefined;
  readonly list: boolean;
}

function namingOf(member: string, schema: z.ZodType): Naming[] {
  const [kind, list] = [pointsAt(schema), isList(schema)];
  const subject = member.replace(list ? /(?:_ids|s)$/ : /_id$/, '');
  const names = kind !== undefined || /_ids?$/.test(member) || wordsFor(subject).length > 1;
  return names && (!list || kind !== undefined) ? [{ member, subject, kind, list }] : [];
}

const shownForm = (word: string, { list }: Naming): string => (list ? `${word}s` : word);

const formsOf = (word: string, { list }: Naming): readonly string[] => [
  word,
  `${word}_id`,
  ...(list ? [`${word}s`, `${word}_ids`] : []),
];

/** Other kinds by which an argument may be called: a service by its kind, and one of a kind as a service. */
const relatedKinds = (kind: string): readonly string[] =>
  kind === 'service' ? [kind, ...serviceKinds] : isServiceKind(kind) ? [kind, 'service'] : [kind];

/** The meaning of an argument's other name. */
interface Alias {
  readonly naming: Naming;
  /** The kind that the name specifies, if the argument accepts any service. */
  readonly kind?: ServiceKind;
}

type Claim = readonly [alias: string, Alias];

/** Claims to names that are free; a name that several arguments claim belongs to none. */
const undisputed = (claims: readonly Claim[], taken: (name: string) => boolean): Claim[] =>
  [...Map.groupBy(claims, ([alias]) => alias)].flatMap(([alias, all]) =>
    taken(alias) || new Set(all.map(([, { naming }]) => naming.member)).size > 1 ? [] : [all[0]!],
  );

interface Names {
  /** The meanings of names that aren't arguments themselves. */
  readonly aliases: ReadonlyMap<string, Alias>;
  /** The names that schemas show, by argument, if they differ. */
  readonly shown: ReadonlyMap<string, string>;
  readonly lists: ReadonlySet<string>;
}

/**
 * The names of a tool's arguments, derived from their subjects: `application` and `application_id` are the same, and so
 * is `service` if only one argument refers to a service.
 */
const namesOf = memoised((tool: Tool): Names => {
  const isOwn = (name: string): boolean => Object.hasOwn(tool.input, name);
  const namings = Object.entries(tool.input).flatMap(([member, schema]) => namingOf(member, schema));
  const bySubject = namings.flatMap((naming) =>
    wordsFor(naming.subject)
      .flatMap((word) => formsOf(word, naming))
      .map((alias): Claim => [alias, { naming }]),
  );
  const near = undisputed(bySubject, isOwn);
  const byKind = namings.flatMap((naming) =>
    (naming.kind === undefined ? [] : relatedKinds(naming.kind)).flatMap((kind) =>
      formsOf(kind, naming).map((alias): Claim => [
        alias,
        { naming, ...(naming.kind === 'service' && isServiceKind(kind) && { kind }) },
      ]),
    ),
  );
  const aliases = new Map([
    ...near,
    ...undisputed(byKind, (name) => isOwn(name) || bySubject.some(([alias]) => alias === name)),
  ]);
  const shown = namings.map((naming) => [naming.member, shownForm(wordsFor(naming.subject)[0]!, naming)] as const);
  return {
    aliases,
    shown: new Map(shown.filter(([member, name]) => aliases.get(name)?.naming.member === member)),
    lists: new Set(namings.filter(({ list }) => list).map(({ member }) => member)),
  };
});

/** The name of an argument in schemas and texts. */
export const shownName = (tool: Tool, member: string): string => namesOf(tool).shown.get(member) ?? member;

/** The other names of a tool's arguments, by argument. */
export const aliasesOf = (tool: Tool): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...Map.groupBy(namesOf(tool).aliases, ([, { naming }]) => naming.member)].map(([member, all]) => [
      member,
      all.map(([alias]) => alias),
    ]),
  );

/** Arguments with the names that schemas show. */
export const withShownNames = (tool: Tool, args: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [shownName(tool, name), value]));

/** A schema of arguments with the names that it shows. */
export const schemaWithShownNames = (tool: Tool, schema: JsonSchema): JsonSchema => {
  const { properties = {}, required } = schema;
  const renamed = Object.entries(properties).map(([name, member]) => [shownName(tool, name), member] as const);
  return {
    ...schema,
    properties: Object.fromEntries(renamed),
    ...(required && { required: required.map((name) => shownName(tool, name)) }),
  };
};

/** Arguments with their own names. */
export interface NamedArguments {
  readonly args: JsonRecord;
  /** The kinds that names specify for arguments that accept any service. */
  readonly kinds: Readonly<Record<string, ServiceKind>>;
  readonly issues: readonly string[];
}

interface Given {
  readonly name: string;
  readonly value: unknown;
  readonly kind?: ServiceKind | undefined;
}

const quoted = (given: readonly Given[]): string => given.map(({ name }) => `"${name}"`).join(' and ');

/** The list of texts whose JSON a text is; undefined if it isn't, and is the only item itself. */
function listOfTexts(text: string): unknown {
  try {
    const list: unknown = text.trimStart().startsWith('[') ? JSON.parse(text) : undefined;
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

/** The record in which one text member has another name, at a dotted path; as it is if the member isn't there. */
function renamedAt(record: JsonRecord, path: string, to: string): JsonRecord {
  const cut = path.indexOf('.');
  if (cut >= 0) {
    const [name, inner] = [path.slice(0, cut), record[path.slice(0, cut)]];
    return isRecord(inner) ? { ...record, [name]: renamedAt(inner, path.slice(cut + 1), to) } : record;
  }
  const { [path]: value, ...rest } = record;
  return typeof value !== 'string' || Object.hasOwn(rest, to) ? record : { ...rest, [to]: value };
}

/** References inside a record by their own names: `registry` is taken for `registry_id`. */
const withOwnNamesInside = (schema: z.ZodType | undefined, value: unknown): unknown =>
  isRecord(value)
    ? referencesInside(schema).reduce((record, { path }) => {
        const plain = path.replace(/_id$/, '');
        return plain === path ? record : renamedAt(record, plain, path.slice(path.lastIndexOf('.') + 1));
      }, value)
    : value;

/** Renames arguments that were given by another name to their own names. Later steps know only those. */
export function withOwnNames(tool: Tool, args: JsonRecord): NamedArguments {
  const { aliases, lists } = namesOf(tool);
  const memberOf = (name: string): string =>
    Object.hasOwn(tool.input, name) ? name : (aliases.get(name)?.naming.member ?? name);
  const valueFor = (member: string, value: unknown): unknown =>
    lists.has(member) && typeof value === 'string' ? (listOfTexts(value) ?? [value]) : value;
  const issues: string[] = [];
  const kinds: Record<string, ServiceKind> = {};
  const named = [...Map.groupBy(Object.entries(args), ([name]) => memberOf(name))].map(([member, entries]) => {
    const all = entries.map(([name, value]): Given => ({
      name,
      value: valueFor(member, value),
      kind: Object.hasOwn(tool.input, name) ? undefined : aliases.get(name)?.kind,
    }));
    // With two names, null means that only the other one is intended.
    const told = all.length > 1 ? all.filter(({ value }) => value !== null && value !== undefined) : all;
    const given = told.length > 0 ? told : all.slice(0, 1);
    const said = [
      ...new Set(
        given.flatMap(({ value, kind }) => (kind === undefined || value === null || value === undefined ? [] : [kind])),
      ),
    ];
    if (new Set(given.map(({ value }) => JSON.stringify(value))).size > 1)
      issues.push(`${quoted(given)} are the same argument and have different values; give one of them`);
    else if (said.length > 1) issues.push(`${quoted(given)} say different kinds of the same service; give one of them`);
    if (said.length === 1) kinds[member] = said[0]!;
    return [member, withOwnNamesInside(tool.input[member], given[0]!.value)] as const;
  });
  return { args: Object.fromEntries(named), kinds, issues };
}
