import { isRecord } from './json.ts';
import { parameterKind, snakeCase, type AnyOperation } from './operation.ts';
import type { ReferenceKind } from './primitives.ts';
import { ownerKindOf } from './resources/variable.ts';

/** A resource by kind and id. */
export interface ResourceId {
  readonly kind: ReferenceKind;
  readonly id: string;
}

/** The words for kinds that aren't the kind in capitals. */
const otherWords: Readonly<Record<string, ReferenceKind>> = { CLUSTER: 'cluster', CRONJOB: 'job' };

/** The kind that a word of a request names. Some platforms write words with a space before. */
const kindNamed = (word: unknown): ReferenceKind | undefined => {
  const trimmed = typeof word === 'string' ? word.trim() : '';
  return otherWords[trimmed] ?? ownerKindOf(trimmed);
};

const memberAt = (input: Readonly<Record<string, unknown>>, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), input);

/**
 * The resource on which an operation with this input acts: the one that its path names or, if the operation declares
 * so, the one that two members name. Undefined for the organization, and if the members name nothing.
 */
export function targetIn(
  { target, targetBy, params }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): ResourceId | undefined {
  if (targetBy) {
    const [kind, id] = [kindNamed(memberAt(input, targetBy.scope)), memberAt(input, targetBy.id)];
    return kind !== undefined && typeof id === 'string' ? { kind, id } : undefined;
  }
  const param = params.find((one: string) => parameterKind(one) === target);
  return param === undefined ? undefined : { kind: target, id: String(input[snakeCase(param)]) };
}

const rootOf = (path: string): string => path.split('.', 1)[0]!;

/**
 * The names of the members that identify the resource on which an input acts: those of its path, and those that name
 * its target.
 */
export const identifyingMembers = ({ params, targetBy }: AnyOperation): readonly string[] => [
  ...new Set([
    ...(params as string[]).map(snakeCase),
    ...(targetBy ? [rootOf(targetBy.scope), rootOf(targetBy.id)] : []),
  ]),
];
