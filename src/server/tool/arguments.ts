import * as z from 'zod';
import {
  controlCharacterIn,
  editDistance,
  halfCharacterIn,
  hiddenSecret,
  inputShape,
  issuesIn,
  nearestName,
  printPath,
  referenceKind,
  writtenOut,
  type AnyOperation,
  type SchemaIssue,
  type ValuePath,
} from '../../contract/index.ts';
import {
  at,
  isRecord,
  memberOf,
  memoised,
  withAt,
  withoutNull,
  type JsonRecord,
  type JsonSchema,
} from '../json/index.ts';
import { containsMark } from '../redaction/index.ts';
import { schemaWithShownNames, shownName, synonymIn, withShownNames } from './argument-names.ts';
import { referencesInRows, referencesInside } from './references.ts';
import { membersOf, toolAnswerSchema, toolArgumentSchema } from './schema.ts';
import type { PlannedOperation, Shape, Tool } from './tool.ts';

/** A problem with the arguments of a call, as a text that names the member. */
export type Issue = string;

const unknownMember = (name: string, path: ValuePath, known: readonly string[]): Issue => {
  const near = (path.length === 0 ? synonymIn(name, known) : undefined) ?? nearestName(name, known);
  const hint = near
    ? `did you mean "${near}"?`
    : known.length > 0
      ? `known here: ${known.join(', ')}`
      : 'nothing is taken here';
  return `"${printPath([...path, name])}" is not known; ${hint}`;
};

/** Whether a name is one letter off a known one. */
const isMisspelled = (name: string, known: readonly string[]): boolean =>
  known.some((one) => editDistance(name, one) === 1);

/**
 * Members that the schema doesn't know, at every level. Open records accept any name; those that declare members refuse
 * names that are one letter off a declared one. Below the root, members that the operation's own answer has in the same
 * place are accepted: callers send back what they read, and platforms ignore members that only they can set.
 */
function unknownMembers(
  value: unknown,
  node: JsonSchema,
  answered: JsonSchema | undefined,
  path: ValuePath = [],
): Issue[] {
  const schema = withoutNull(node);
  const answer = answered && withoutNull(answered);
  if (schema.anyOf) {
    const perOption = schema.anyOf.map((option) => unknownMembers(value, option, answer, path));
    return perOption.reduce((fewest, issues) => (issues.length < fewest.length ? issues : fewest));
  }
  if (Array.isArray(value)) {
    return schema.items
      ? value.flatMap((item, index) => unknownMembers(item, schema.items!, answer?.items, [...path, index]))
      : [];
  }
  if (!isRecord(value) || !schema.properties) return [];
  const known = schema.properties;
  return Object.entries(value).flatMap(([name, member]) => {
    const inAnswer = memberOf(answer, name);
    if (Object.hasOwn(known, name)) return unknownMembers(member, known[name]!, inAnswer, [...path, name]);
    if (typeof schema.additionalProperties === 'object' && !isMisspelled(name, Object.keys(known)))
      return unknownMembers(member, schema.additionalProperties, inAnswer, [...path, name]);
    return path.length > 0 && inAnswer ? [] : [unknownMember(name, path, Object.keys(known))];
  });
}

/** Members whose text still contains the redaction mask: sending it back would overwrite the real value. */
function maskedMembers(value: unknown, path: ValuePath = []): Issue[] {
  if (typeof value === 'string') {
    return containsMark(value)
      ? [
          `"${printPath(path)}" contains ${hiddenSecret}, which stands for a value that was not shown; give the real value`,
        ]
      : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => maskedMembers(item, [...path, index]));
  return isRecord(value)
    ? Object.entries(value).flatMap(([name, member]) => maskedMembers(member, [...path, name]))
    : [];
}

/** A text with an unpaired surrogate is refused: no strict JSON parser accepts it. */
function halfCharacters(value: unknown): Issue[] {
  const half = halfCharacterIn(value);
  return half ? [`"${printPath(half.path)}" has half a character, ${half.codePoint}; give whole ones`] : [];
}

const controlCharacterIssue = (text: string, where: ValuePath, what: string): Issue[] => {
  const found = controlCharacterIn(text);
  return found === undefined
    ? []
    : [
        `"${writtenOut(printPath(where))}" ${what} the control character ${found}; only line feed and tab are taken here`,
      ];
};

/** Members and names with control characters that no program needs: they could hide or change the text around them. */
function controlCharacters(value: unknown, node: JsonSchema | undefined, path: ValuePath = []): Issue[] {
  const schema = node && withoutNull(node);
  if (schema?.anyOf) {
    const perOption = schema.anyOf.map((option) => controlCharacters(value, option, path));
    return perOption.reduce((fewest, issues) => (issues.length < fewest.length ? issues : fewest));
  }
  if (typeof value === 'string') return schema?.freeText ? [] : controlCharacterIssue(value, path, 'has');
  if (Array.isArray(value))
    return value.flatMap((item, index) => controlCharacters(item, schema?.items, [...path, index]));
  if (!isRecord(value)) return [];
  const others = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return Object.entries(value).flatMap(([name, member]) => [
    ...controlCharacterIssue(name, [...path, name], 'is a name with'),
    ...controlCharacters(member, memberOf(schema, name) ?? others, [...path, name]),
  ]);
}

/** The JSON types whose text `lenientArguments` reads, by the type that the schema expects. */
const jsonContainers: Readonly<Record<string, string>> = { array: 'a list', object: 'an object', record: 'an object' };

const issueText = ({ path, text, issue }: SchemaIssue, input: unknown): Issue => {
  const name = path.length === 0 ? 'the arguments' : `"${printPath(path)}"`;
  const value = path.reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], input);
  if (issue.code !== 'custom' && value === undefined) return `${name} is required`;
  if (issue.code !== 'invalid_type') return `${name}: ${text}`;
  if (issue.expected === 'string' && typeof value === 'number')
    return `${name}: must be text; put the number in quotes, so that it stays as it is written`;
  const container = typeof value === 'string' ? jsonContainers[issue.expected] : undefined;
  return container === undefined
    ? `${name}: ${text}`
    : `${name}: must be ${container}, and the text given for it is not valid JSON of one`;
};

const shownSchema = memoised((tool: Tool) => schemaWithShownNames(tool, toolArgumentSchema(tool)));

const anyId = '00000000-0000-4000-8000-000000000000';

// A reference may be a name instead of an id; whether it resolves is checked later.
const withoutNameText = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(withoutNameText) : typeof value === 'string' && value !== '' ? anyId : value;

const withoutInnerNames = (schema: z.ZodType | undefined, value: JsonRecord): JsonRecord =>
  referencesInside(schema).reduce(
    (record, { path }) =>
      at(record, path) === undefined ? record : withAt(record, path, withoutNameText(at(record, path))),
    value,
  );

const withoutRowNames = (schema: z.ZodType | undefined, rows: readonly unknown[]): readonly unknown[] => {
  const members = referencesInRows(schema).map(({ member }) => member);
  return rows.map((row) =>
    isRecord(row)
      ? Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, members.includes(name) ? withoutNameText(value) : value]),
        )
      : row,
  );
};

function withoutNames(shape: Shape, args: JsonRecord): JsonRecord {
  const isReference = (schema: z.ZodType | undefined): boolean => {
    if (schema === undefined) return false;
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
      return isReference(schema.unwrap() as z.ZodType);
    return schema instanceof z.ZodArray
      ? isReference(schema.element as z.ZodType)
      : referenceKind(schema) !== undefined;
  };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [
        name,
        isReference(schema)
          ? withoutNameText(value)
          : Array.isArray(value)
            ? withoutRowNames(schema, value)
            : isRecord(value)
              ? withoutInnerNames(schema, value)
              : value,
      ];
    }),
  );
}

/**
 * Maximum number of members and items in a call's arguments: far more than any call needs, and few enough to validate.
 */
const maximumParts = 5_000;

/** Counts members and items of a value at every depth. Stops once there are more than `most`. */
function countParts(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  for (const one of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    parts += countParts(one, most - parts);
    if (parts > most) return parts;
  }
  return parts;
}

/** An issue if the arguments are too many to validate. */
export const sizeIssues = (args: unknown): Issue[] =>
  countParts(args, maximumParts) > maximumParts
    ? [`they have more than ${maximumParts} members and items in all; make several calls of it`]
    : [];

/** The text of an issue that names arguments, in quotation marks, as schemas show them. */
const namedAsShown = (tool: Tool, text: string): string =>
  text.replaceAll(/"(\w+)(?=["[.])/g, (quoted, name: string) =>
    Object.hasOwn(tool.input, name) ? `"${shownName(tool, name)}` : quoted,
  );

/**
 * All issues with the arguments of a call; empty if they are valid. Strict at every level: a member that neither the
 * tool nor, below the root, its answer knows is reported with the nearest known name, never dropped.
 * @param args with their own names (`withOwnNames`). Issues use the names that schemas show.
 */
export function issuesOf(tool: Tool, args: JsonRecord): Issue[] {
  const checked = withoutNames(tool.input, args);
  const members = membersOf(tool).safeParse(checked);
  const shown = withShownNames(tool, args);
  const memberIssues = members.success
    ? []
    : issuesIn(members.error).map((issue) => namedAsShown(tool, issueText(issue, checked)));
  // Rules across members are checked only if each member is valid.
  const rules = members.success ? tool.rules(checked).map((text) => namedAsShown(tool, text)) : [];
  return [
    ...unknownMembers(shown, shownSchema(tool), toolAnswerSchema(tool)),
    ...memberIssues,
    ...rules,
    ...maskedMembers(shown),
    ...halfCharacters(shown),
    ...controlCharacters(shown, shownSchema(tool)),
  ];
}

const inputOf = memoised((operation: AnyOperation) => z.object(inputShape(operation)));

/** Issues with the input that a tool created for an operation, except with members that are sent back unchanged. */
export const issuesOfPlanned = ({ operation, input, unchanged = [], accepted = [] }: PlannedOperation): Issue[] => {
  const members = inputOf(operation).safeParse(input);
  const body = members.success && operation.body ? (operation.body as z.ZodObject).safeParse(input) : members;
  return (body.error ? issuesIn(body.error) : [])
    .filter(({ path }) => !unchanged.includes(String(path[0])))
    .map((issue) => issueText(issue, input))
    .filter((text) => !accepted.includes(text));
};
