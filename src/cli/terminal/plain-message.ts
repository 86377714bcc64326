import { plainSystemError } from '../../files/index.ts';

/** The message of an error for people: one of the system in a sentence of this program, with its path and the reason. */
export const plainMessage = (error: unknown): string =>
  plainSystemError(error) ?? (error instanceof Error ? error.message : String(error));
