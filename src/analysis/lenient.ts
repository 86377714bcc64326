import * as z from 'zod';

/**
 * A type as any platform may fill it: each member may be absent or null, and enums may have other values. Responses
 * that the client reads tolerantly are assignable to it, and so are plain records.
 */
export type Lenient<T> = T extends string
  ? string
  : T extends readonly (infer Row)[]
    ? readonly Lenient<Row>[]
    : T extends object
      ? { readonly [K in keyof T]?: Lenient<T[K]> | null }
      : T;

/** A schema for a value that may be missing: an invalid value counts as absent, so that the rest can be used. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** The same for a record, whose other members don't matter. */
export const maybeRecord = <Shape extends z.ZodRawShape>(shape: Shape) => maybe(z.looseObject(shape));
