import * as z from 'zod';
import { isRecord, type JsonRecord } from './values.ts';

const below = (path: string, name: string): string => (path ? `${path}.${name}` : name);

function mergeMember(now: unknown, given: unknown, exclusive: readonly string[], path: string): unknown {
  if (!isRecord(now) || !isRecord(given)) return given;
  const merged = mergeInto(now, given, exclusive, path);
  return exclusive.includes(path) ? Object.fromEntries(Object.entries(merged).filter(([name]) => given[name] !== undefined)) : merged;
}

/**
 * A record changed by another, as RFC 7396 says: null removes a member, records are merged, everything else replaces.
 * @param exclusive dotted paths of records of which only the members that are given stay.
 */
export function mergeInto(now: JsonRecord, given: JsonRecord, exclusive: readonly string[] = [], path = ''): JsonRecord {
  const changed = Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, mergeMember(now[name], value, exclusive, below(path, name))]);
  const stays = Object.entries(now).filter(([name]) => given[name] !== null);
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
