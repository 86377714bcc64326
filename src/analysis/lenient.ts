/**
 * A type as any platform may fill it: each member may be absent or null, and enums may have other values.
 * Responses that the client reads tolerantly are assignable to it, and so are plain records.
 */
export type Lenient<T> = T extends string
  ? string
  : T extends readonly (infer Row)[]
    ? readonly Lenient<Row>[]
    : T extends object
      ? { readonly [K in keyof T]?: Lenient<T[K]> | null }
      : T;
