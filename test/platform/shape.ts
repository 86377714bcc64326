import * as z from 'zod';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (shape: Record<string, z.ZodType>, value: Record<string, unknown>, path: string): string[] =>
  Object.entries(value).flatMap(([name, member]) => {
    const schema = shape[name];
    return schema === undefined ? [`${path}.${name}`] : undeclared(schema, member, `${path}.${name}`);
  });

/** Paths of what an answer holds although its schema doesn't list it. */
export function undeclared(schema: z.ZodType, value: unknown, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return undeclared(schema.unwrap() as z.ZodType, value, path);
  }
  if (schema instanceof z.ZodUnion) {
    const fitting = (schema.options as z.ZodType[]).find((option) => option.safeParse(value).success);
    return fitting ? undeclared(fitting, value, path) : [`${path} fits none of its shapes`];
  }
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? value.flatMap((row, index) => undeclared(schema.element as z.ZodType, row, `${path}.${index}`)) : [];
  if (schema instanceof z.ZodObject && isObject(value)) return membersOf(schema.shape, value, path);
  return [];
}
