/** What an error says. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What an error says, as a part of a sentence. */
export const reasonOf = (error: unknown): string => errorMessage(error).replace(/\.$/, '');
