import * as z from 'zod';
import { isRecord, type JsonRecord } from '../json/index.ts';
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

function lenientValue(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (typeof value === 'string' && isScalar(inner)) {
    const meant = meantBy(value);
    return meant !== undefined && accepts(inner, meant) ? meant : value;
  }
  if (Array.isArray(value) && inner instanceof z.ZodArray)
    return value.map((item: unknown) => lenientValue(inner.element as z.ZodType, item));
  return isRecord(value) && inner instanceof z.ZodObject ? lenientMembers(inner.shape, value) : value;
}

/** Null means absence if a member may be absent but not null: otherwise null has a meaning. */
const isAbsent = (schema: z.ZodType | undefined, value: unknown): boolean =>
  value === null && schema !== undefined && accepts(schema, undefined) && !accepts(schema, null);

function lenientMembers(shape: Shape, members: JsonRecord): JsonRecord {
  const own = (name: string): z.ZodType | undefined => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name, value]) => !isAbsent(own(name), value))
      .map(([name, value]) => [name, own(name) ? lenientValue(own(name)!, value) : value]),
  );
}

/**
 * The intended arguments of a call: without optional members that are null, and with numbers and booleans that were
 * given as text, if the schema accepts nothing else. Unclear values stay unchanged, to be refused.
 */
export const lenientArguments = (tool: Tool, args: JsonRecord): JsonRecord => lenientMembers(tool.input, args);
