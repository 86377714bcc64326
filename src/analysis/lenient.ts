/**
 * A type as a foreign platform may fill it: any member may be absent or null, any enum may hold another word.
 * What the client reads tolerantly fits it, and so do plain records.
 */
export type Lenient<T> = T extends string
  ? string
  : T extends readonly (infer Row)[]
    ? readonly Lenient<Row>[]
    : T extends object
      ? { readonly [K in keyof T]?: Lenient<T[K]> | null }
      : T;
