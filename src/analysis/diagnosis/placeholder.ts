/**
 * What stands in a proposed call for a value that only the user knows. Nothing has such a value or name, so that a call
 * made without filling it in is refused.
 */
export const toBeFilledIn = '...';
