/** Marks an operation that isn't in the API document. */
export const undocumented = { documented: false } as const;

/** What all reads outside the API document have in common. */
export const read = { method: 'GET', effect: 'read', ...undocumented } as const;
