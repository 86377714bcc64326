import * as z from 'zod';
import { isFreeText } from '../../contract/index.ts';
import { isRecord, parseWithNumbers, writtenNumbersKey, type JsonRecord, type WrittenNumber } from '../json/index.ts';
import { membersOf } from './schema.ts';
import type { Shape, Tool } from './tool.ts';

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

/** A decimal number as JSON writes it. Others, such as 0x10 or 1e3, may be meant as text. */
const decimal = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** The number or boolean that a text represents; undefined if it is neither. */
const meantBy = (text: string): number | boolean | undefined =>
  decimal.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : undefined;

const isScalar = (schema: z.ZodType): boolean => schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean;

/** Whether a schema accepts only lists, or only objects; undefined for others. */
const containerOf = (schema: z.ZodType): 'list' | 'object' | undefined =>
  schema instanceof z.ZodArray
    ? 'list'
    : schema instanceof z.ZodObject || schema instanceof z.ZodRecord
      ? 'object'
      : undefined;

/** The list or object whose JSON a text is; undefined if it is no such JSON. */
function containerIn(text: string, container: 'list' | 'object'): ReturnType<typeof parseWithNumbers> | undefined {
  if (!text.trimStart().startsWith(container === 'list' ? '[' : '{')) return undefined;
  try {
    const parsed = parseWithNumbers(text);
    return (container === 'list' ? Array.isArray(parsed.value) : isRecord(parsed.value)) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The schema of a member or item; undefined if none is declared. */
function schemaOfMember(schema: z.ZodType, step: string | number): z.ZodType | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return inner.element as z.ZodType;
  if (inner instanceof z.ZodRecord) return inner.valueType as z.ZodType;
  return inner instanceof z.ZodObject && Object.hasOwn(inner.shape, step)
    ? (inner.shape[step] as z.ZodType)
    : undefined;
}

const isText = (schema: z.ZodType | undefined): boolean => schema !== undefined && isFreeText(unwrapped(schema));

/**
 * A value with its numbers as text, where the schema wants text.
 * @param written the numbers whose text isn't the one that JavaScript writes
 */
function withNumbersAsText(schema: z.ZodType | undefined, value: unknown, written: readonly WrittenNumber[]): unknown {
  if (!schema) return value;
  if (typeof value === 'number') {
    if (!isText(schema)) return value;
    const { path, text } = written[0] ?? { path: [], text: String(value) };
    return path.length === 0 && Number(text) === value ? text : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const byStep = Map.groupBy(written, ({ path }) => String(path[0]));
  const member = (step: string | number, inner: unknown): unknown =>
    withNumbersAsText(
      schemaOfMember(schema, step),
      inner,
      (byStep.get(String(step)) ?? []).map(({ path, text }) => ({ path: path.slice(1), text })),
    );
  return Array.isArray(value)
    ? value.map((item: unknown, index) => member(index, item))
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, member(name, inner)]));
}

/**
 * A number or boolean of which nobody knows how it was written, as the text of a value. Undefined for numbers that can
 * be written in several ways: fractions, and those with more digits than a number keeps.
 */
const asText = (value: unknown): string | undefined =>
  typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;

function lenientValue(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (typeof value === 'string') {
    if (isScalar(inner)) {
      const meant = meantBy(value);
      return meant !== undefined && accepts(inner, meant) ? meant : value;
    }
    const container = containerOf(inner);
    const parsed = container && containerIn(value, container);
    if (!parsed) return value;
    return lenientValue(inner, parsed.written ? withNumbersAsText(inner, parsed.value, parsed.written) : parsed.value);
  }
  if (isText(inner)) return asText(value) ?? value;
  if (Array.isArray(value) && inner instanceof z.ZodArray)
    return value.map((item: unknown) => lenientValue(inner.element as z.ZodType, item));
  if (!isRecord(value)) return value;
  if (inner instanceof z.ZodRecord)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, lenientValue(inner.valueType as z.ZodType, member)]),
    );
  return inner instanceof z.ZodObject ? lenientMembers(inner.shape, value) : value;
}

/** Null means absence if a member may be absent but not null: otherwise null has a meaning. */
const isAbsent = (schema: z.ZodType | undefined, value: unknown): boolean =>
  value === null && schema !== undefined && accepts(schema, undefined) && !accepts(schema, null);

/** The intended members of an object, as `lenientArguments` reads them. */
export function lenientMembers(shape: Shape, members: JsonRecord): JsonRecord {
  const own = (name: string): z.ZodType | undefined => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name, value]) => !isAbsent(own(name), value))
      .map(([name, value]) => [name, own(name) ? lenientValue(own(name)!, value) : value]),
  );
}

/**
 * The intended arguments of a call: without optional members that are null; with numbers, booleans, lists and objects
 * that were given as JSON text, if the schema accepts nothing else; with numbers and booleans as text where the schema
 * wants the text of a value. Unclear values stay unchanged, to be refused.
 */
export const lenientArguments = (tool: Tool, args: JsonRecord): JsonRecord => lenientMembers(tool.input, args);

const WrittenNumbers = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), text: z.string() }));

/**
 * Arguments with the text of numbers as the transport received them, where the schema wants the text of a value.
 * @param meta the metadata of the call, in which the transport hands on the text of numbers. Without it, no text is
 *   known, and the arguments stay as they are.
 */
export function withNumbersAsWritten(tool: Tool, args: JsonRecord, meta: unknown): JsonRecord {
  const written = isRecord(meta) ? WrittenNumbers.safeParse(meta[writtenNumbersKey]).data : undefined;
  return written ? (withNumbersAsText(membersOf(tool), args, written) as JsonRecord) : args;
}
