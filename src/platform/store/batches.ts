/**
 * The number of rows or ids in one statement. Databases limit its parameters: SQLite to 32,766, PostgreSQL to 65,535.
 */
const batch = 1000;

/** Splits rows or ids into batches that fit into one statement each. */
export const inBatches = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / batch) }, (_, index) =>
    items.slice(index * batch, (index + 1) * batch),
  );
