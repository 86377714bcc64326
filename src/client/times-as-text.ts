import * as z from 'zod';
import { isDateTime, isoTime, isRecord } from '../contract/index.ts';

/**
 * A body with times that are numbers, of seconds or milliseconds, as text: the contract's times are text. Numbers that
 * are no times stay.
 */
export function withTimesAsText(schema: z.ZodType, body: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withTimesAsText(schema.unwrap() as z.ZodType, body);
  if (schema instanceof z.ZodUnion)
    return schema.options.reduce<unknown>((read, option) => withTimesAsText(option as z.ZodType, read), body);
  if (typeof body === 'number') return isDateTime(schema) ? (isoTime(body) ?? body) : body;
  if (Array.isArray(body))
    return schema instanceof z.ZodArray
      ? body.map((item: unknown) => withTimesAsText(schema.element as z.ZodType, item))
      : body;
  if (!isRecord(body) || !(schema instanceof z.ZodObject)) return body;
  const members = schema.shape as Readonly<Record<string, z.ZodType>>;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const member = Object.hasOwn(members, name) ? members[name] : undefined;
      return [name, member ? withTimesAsText(member, value) : value];
    }),
  );
}
