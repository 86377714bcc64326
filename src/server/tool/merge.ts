import * as z from 'zod';
import { isRecord, type JsonRecord } from '../json/values.ts';

const below = (path: string, name: string): string => (path ? `${path}.${name}` : name);

/** What holds for some members, by dotted path. */
export interface Merging {
  /** Records of which only the members that are given stay. */
  readonly exclusive?: readonly string[];
  /** Members that can be null and can't be left out: of them null is a value. */
  readonly nullable?: readonly string[];
}

function mergeMember(now: unknown, given: unknown, merging: Merging, path: string): unknown {
  if (!isRecord(given)) return given;
  // Where there was no record, null has nothing to remove, and says nothing.
  const merged = mergeInto(isRecord(now) ? now : {}, given, merging, path);
  return merging.exclusive?.includes(path) ? Object.fromEntries(Object.entries(merged).filter(([name]) => given[name] !== undefined)) : merged;
}

/** A record changed by another, as RFC 7396 says: null removes a member, records are merged, everything else replaces. */
export function mergeInto(now: JsonRecord, given: JsonRecord, merging: Merging = {}, path = ''): JsonRecord {
  const removes = (name: string): boolean => given[name] === null && !merging.nullable?.includes(below(path, name));
  const changed = Object.entries(given)
    .filter(([name, value]) => value !== undefined && !removes(name))
    .map(([name, value]) => [name, mergeMember(now[name], value, merging, below(path, name))]);
  const stays = Object.entries(now).filter(([name]) => !removes(name));
  return { ...Object.fromEntries(stays), ...Object.fromEntries(changed) };
}

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap() as z.ZodType) : schema;

function partlyMember(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema);
  const description = schema.description ?? inner.description;
  const changed = inner instanceof z.ZodObject ? z.object(partly(inner.shape as Record<string, z.ZodType>)) : inner;
  return (description === undefined || changed.description !== undefined ? changed : changed.describe(description)).nullish();
}

/** The members of a change: each may be left out, or be null to be removed. What stands in lists stays whole. */
export const partly = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, partlyMember(schema)]));

/** Dotted paths of the members that can be null and can't be left out. */
export const nullableIn = (shape: Readonly<Record<string, z.ZodType>>, path = ''): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const inner = unwrapped(schema);
    const own = schema.safeParse(null).success && !schema.safeParse(undefined).success ? [below(path, name)] : [];
    return [...own, ...(inner instanceof z.ZodObject ? nullableIn(inner.shape, below(path, name)) : [])];
  });
