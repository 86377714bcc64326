import { shortened } from '../../../contract/index.ts';

/** The most that a person writes as a reason, in characters. */
export const longestReason = 500;

/**
 * Why an operator refuses, as they wrote it into a field for it. Whoever shows it masks secrets in it, and marks it as
 * somebody else's text.
 * @returns undefined if the field is empty or missing.
 */
export function reasonIn(field: unknown): string | undefined {
  const written = typeof field === 'string' ? field.trim() : '';
  return written === '' ? undefined : shortened(written, longestReason);
}
