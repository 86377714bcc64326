import * as z from 'zod';
import { removal } from './merge-patch.ts';

/** The schema inside of what may be left out, may be null, or has a default. */
export const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap() as z.ZodType) : schema;

function changedSchema(inner: z.ZodType): z.ZodType {
  if (inner instanceof z.ZodObject) return z.object(partialShape(inner.shape));
  const item = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined;
  if (!(item instanceof z.ZodObject)) return inner;
  return z.array(z.object({ ...partialShape(item.shape), [removal]: z.boolean().nullish() }));
}

function partialMember(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema);
  const description = schema.description ?? inner.description;
  const changed = changedSchema(inner);
  return (description === undefined || changed.description !== undefined ? changed : changed.describe(description)).nullish();
}

/** The shape of a partial update: each member may be left out, or be null to remove it, in the items of lists of records as well. */
export const partialShape = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, partialMember(schema)]));
