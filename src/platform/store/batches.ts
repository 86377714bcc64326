/**
 * How many rows or ids go into one statement. Databases limit its parameters: SQLite to 32,766, PostgreSQL to 65,535.
 */
const batch = 1000;

/** Rows or ids in parts that fit into one statement each. */
export const inBatches = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / batch) }, (_, index) =>
    items.slice(index * batch, (index + 1) * batch),
  );
