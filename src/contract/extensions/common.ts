/** Marks an operation that isn't in the API document. */
export const undocumented = { documented: false } as const;

/** The members that all reads outside the API document share. */
export const read = { method: 'GET', effect: 'read', ...undocumented } as const;
