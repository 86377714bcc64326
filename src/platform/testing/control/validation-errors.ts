import { closest, distance } from 'fastest-levenshtein';
import type * as z from 'zod';

/** Letters that may differ between a name and the one that was probably meant. */
const maximumDistance = 3;

/** `known` as a hint: the one that is nearly `name`, or all of them. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = closest(name, [...known]);
  return distance(name, near) <= maximumDistance ? `did you mean "${near}"?` : `known are: ${known.join(', ')}`;
}

/** A fault of what was sent: where it is, and what is wrong, in words. */
export interface ValidationError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const formatPath = (path: ValidationError['path']): string => path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part), '');

/**
 * What zod found wrong with a value, in words for whoever wrote it. Unknown members are told with the one that was
 * probably meant.
 * @param membersOf names of the members that the object at a path may have
 */
export function validationErrors(error: z.ZodError, membersOf: (path: ValidationError['path']) => readonly string[]): ValidationError[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path as ValidationError['path'];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: `${formatPath([...path, key])}: is not known; ${suggestion(key, membersOf(path))}` }));
    }
    return [{ path, message: path.length > 0 ? `${formatPath(path)}: ${issue.message}` : issue.message }];
  });
}
