import * as z from 'zod';
import type { AnyOperation } from '../contract/operation.ts';
import { isSecret } from '../contract/primitives.ts';

const secretsInMembers = (members: Readonly<Record<string, z.ZodType>>, values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => (Object.hasOwn(members, name) ? secretsIn(members[name], value) : []));

function secretsIn(schema: z.ZodType | undefined, value: unknown): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return secretsIn(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.flatMap((item) => secretsIn(schema.element as z.ZodType, item));
  if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    return secretsInMembers(schema.shape, value);
  }
  if (schema instanceof z.ZodRecord && typeof value === 'object' && value !== null) {
    return Object.values(value).flatMap((member) => secretsIn(schema.valueType as z.ZodType, member));
  }
  return schema && isSecret(schema) && typeof value === 'string' ? [value] : [];
}

/** The values in an input that the contract marks secret: a server may echo them in its errors. */
export const secretsOf = (operation: AnyOperation, input: unknown): string[] => secretsIn(operation.body as z.ZodType | undefined, input);
