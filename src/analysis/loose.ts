/**
 * A type as a foreign platform may fill it: any member may be absent or null, any enum may hold another word.
 * What the client reads tolerantly fits it, and so do plain records.
 */
export type Loose<T> = T extends string
  ? string
  : T extends readonly (infer Row)[]
    ? readonly Loose<Row>[]
    : T extends object
      ? { readonly [K in keyof T]?: Loose<T[K]> | null }
      : T;
