/**
 * The column types that tables share. Times are ISO 8601 text, unless a column's name ends in `_ms`: then they are
 * milliseconds since the epoch. A column whose name begins with `sealed_` holds text that the vault encrypted.
 */

/** A boolean, as rows have it whatever the database. */
export type BooleanColumn = 0 | 1;

/** JSON text. */
export type Json = string;

/** The columns of every resource with an id. Times are ISO 8601 text. */
export interface IdentityColumns {
  id: string;
  created_at: string;
  updated_at: string;
}

/** The columns of every named resource of an organization. */
export interface InOrganization extends IdentityColumns {
  organization_id: string;
  name: string;
}
