import { closest, distance } from 'fastest-levenshtein';
import type * as z from 'zod';

/** The largest edit distance at which a name is suggested. */
const maximumDistance = 3;

/** Suggests the known name closest to `name`, or lists all of them. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = closest(name, [...known]);
  return distance(name, near) <= maximumDistance ? `did you mean "${near}"?` : `known are: ${known.join(', ')}`;
}

/** One validation error: its location and its message. */
export interface ValidationError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const formatPath = (path: ValidationError['path']): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );

/**
 * Turns zod's issues into messages for the author of the value. For unknown members it suggests the closest known one.
 * @param membersOf the member names that the object at a path may have
 */
export function validationErrors(
  error: z.ZodError,
  membersOf: (path: ValidationError['path']) => readonly string[],
): ValidationError[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path as ValidationError['path'];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `${formatPath([...path, key])}: is not known; ${suggestion(key, membersOf(path))}`,
      }));
    }
    return [{ path, message: path.length > 0 ? `${formatPath(path)}: ${issue.message}` : issue.message }];
  });
}
