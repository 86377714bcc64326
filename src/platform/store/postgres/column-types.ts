/** Text that is compared and ordered by its characters, whatever the database's language, and of which only ASCII letters have a case. */
export const text = 'text collate "C"';

/** A moment. Rows have it as ISO 8601 text. */
export const time = 'timestamptz';

/** A column that is true or false. Rows have it as 1 or 0. */
export const flag = (column: string): string => `${column} boolean not null`;

/** A column that is false at first. */
export const unsetFlag = (column: string): string => `${column} boolean not null default false`;
