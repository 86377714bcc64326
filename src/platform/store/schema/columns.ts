import { type Index, text, time } from '../../../database/index.ts';

/**
 * Columns and indexes that tables share. A column whose name ends in `_ms` holds milliseconds since the epoch; other
 * times are ISO 8601 text. A column whose name starts with `sealed_` holds text that the vault encrypted.
 */

/** The columns of every resource with an id. */
export const identity = () => ({ id: text().key(), created_at: time(), updated_at: time() });

/** A name. With a unique index, no two names of an owner differ only in the case of ASCII letters. */
export const name = () => text().caseless();

/** The columns of every named resource of an organization. */
export const inOrganization = () => ({
  ...identity(),
  organization_id: text().references('organization'),
  name: name(),
});

/** Lists and their pages are in the order of creation. */
export const inOrder = (table: string, owner = 'organization_id'): Readonly<Record<string, Index>> => ({
  [`${table}_in_order`]: { on: [owner, 'created_at', 'id'] },
});

/** The same, where names are unique per owner. */
export const named = (table: string, owner = 'organization_id', column = 'name'): Readonly<Record<string, Index>> => ({
  ...inOrder(table, owner),
  [`${table}_${column}`]: { on: [owner, column], isUnique: true },
});
