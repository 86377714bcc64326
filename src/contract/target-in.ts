import { parameterKind, snakeCase, type AnyOperation } from './operation.ts';
import type { ReferenceKind } from './primitives.ts';
import { ownerKindOf } from './resources/variable.ts';

/** A resource by kind and id. */
export interface ResourceId {
  readonly kind: ReferenceKind;
  readonly id: string;
}

/**
 * The resource on which an operation with this input acts: the one that its path names or, if the operation declares
 * so, the one that two members name. Undefined for the organization, and if the members name nothing.
 */
export function targetIn(
  { target, targetBy, params }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): ResourceId | undefined {
  if (targetBy) {
    const [kind, id] = [ownerKindOf(input[targetBy.scope]), input[targetBy.id]];
    return kind !== undefined && typeof id === 'string' ? { kind, id } : undefined;
  }
  const param = params.find((one: string) => parameterKind(one) === target);
  return param === undefined ? undefined : { kind: target, id: String(input[snakeCase(param)]) };
}

/**
 * The names of the members that identify the resource on which an input acts: those of its path, and those that name
 * its target.
 */
export const identifyingMembers = ({ params, targetBy }: AnyOperation): readonly string[] => [
  ...(params as string[]).map(snakeCase),
  ...(targetBy ? [targetBy.scope, targetBy.id] : []),
];
