import * as z from 'zod';

/** A response as any platform may send it: at every level, each member except `id` may be absent or null. */
export type Tolerant<T> = T extends readonly (infer Row)[]
  ? Tolerant<Row>[]
  : T extends object
    ? { [K in keyof T as K extends 'id' ? K : never]: T[K] } & {
        [K in keyof T as K extends 'id' ? never : K]?: Tolerant<T[K]> | null;
      }
    : T;

/** A response of which only the readable parts are left: at every level, each member may be absent or null. */
export type Incomplete<T> = T extends readonly (infer Row)[]
  ? Incomplete<Row>[]
  : T extends object
    ? { [K in keyof T]?: Incomplete<T[K]> | null }
    : T;

const member = (name: string, schema: z.ZodType): z.ZodType => {
  const inner = tolerant(schema);
  return name === 'id' && !(schema instanceof z.ZodOptional) ? inner : inner.nullish();
};

/**
 * The schema with which clients read a response. It accepts unknown members and enum values and rejects only a missing
 * `id` or a wrong type. Formats, patterns and limits are left to the server.
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
  if (schema instanceof z.ZodUnion)
    return z.union(schema.options.map((option) => tolerant(option as z.ZodType)) as [z.ZodType]);
  if (schema instanceof z.ZodRecord) return z.looseObject({});
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  return schema;
}
