import * as z from 'zod';

/** What a foreign server may answer: every member but `id` may be absent or null, at every level. */
export type Tolerant<T> = T extends readonly (infer Row)[]
  ? Tolerant<Row>[]
  : T extends object
    ? { [K in keyof T as K extends 'id' ? K : never]: T[K] } & { [K in keyof T as K extends 'id' ? never : K]?: Tolerant<T[K]> | null }
    : T;

const member = (name: string, schema: z.ZodType): z.ZodType => {
  const inner = tolerant(schema);
  return name === 'id' && !(schema instanceof z.ZodOptional) ? inner : inner.nullish();
};

/**
 * The reading side of a response schema: unknown members and unknown enum values pass, only a missing `id` or a
 * wrong type is refused. Formats, patterns and limits are the server's affair.
 */
export function tolerant(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return tolerant(schema.unwrap() as z.ZodType).nullish();
  }
  if (schema instanceof z.ZodObject) {
    const members = Object.entries<z.ZodType>(schema.shape);
    return z.looseObject(Object.fromEntries(members.map(([name, value]) => [name, member(name, value)])));
  }
  if (schema instanceof z.ZodArray) return z.array(tolerant(schema.element as z.ZodType));
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map((option) => tolerant(option as z.ZodType)) as [z.ZodType]);
  if (schema instanceof z.ZodRecord) return z.looseObject({});
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  return schema;
}
