import type { Exchange } from './exchanges.ts';
import type { ValueShape } from './shape.ts';

/** One difference between two platforms. */
export interface Difference {
  readonly operation: string;
  readonly path: string;
  /** The member's path in the answer; `status` for the HTTP status. */
  readonly member: string;
  readonly embedded: string;
  readonly other: string;
}

const absent = 'absent';

const typesAt = (shape: ValueShape, member: string): string =>
  [...(shape.get(member) ?? [absent])].toSorted().join(' | ');

/** The paths of the values that contain the one at this path, outermost first. */
const containersOf = (member: string): readonly string[] => [
  '',
  ...[...member.matchAll(/\[\]|\./g)].map(({ index }) => member.slice(0, index)),
];

/**
 * Whether both shapes have what contains a member, so that its absence says something; an empty list says nothing of
 * its items.
 */
const isComparable = (member: string, one: ValueShape, other: ValueShape): boolean => {
  if (member.endsWith('[]') && (!one.has(member) || !other.has(member))) return false;
  return containersOf(member).every((container) =>
    [one, other].every(
      (shape) => shape.get(container)?.has(member[container.length] === '[' ? 'array' : 'object') ?? member === '',
    ),
  );
};

function memberDifferences({ operation, path, shape: embedded }: Exchange, other: ValueShape): readonly Difference[] {
  const members = [...new Set([...embedded.keys(), ...other.keys()])];
  return members
    .filter((member) => member === '' || isComparable(member, embedded, other))
    .map((member) => ({
      operation,
      path,
      member: member === '' ? 'the answer' : member,
      embedded: typesAt(embedded, member),
      other: typesAt(other, member),
    }))
    .filter((one) => one.embedded !== one.other);
}

/**
 * Every difference of status and shape between the answers of two platforms, never of values. Failed answers differ by
 * their status only.
 */
export function differencesBetween(embedded: readonly Exchange[], other: readonly Exchange[]): readonly Difference[] {
  return embedded.flatMap((one) => {
    const same = other.find(({ operation }) => operation === one.operation);
    if (!same || one.status === undefined || same.status === undefined) return [];
    if (one.status !== same.status)
      return [
        {
          operation: one.operation,
          path: one.path,
          member: 'status',
          embedded: String(one.status),
          other: String(same.status),
        },
      ];
    return memberDifferences(one, same.shape);
  });
}

/** The operations that could be compared on one of the two only, for lack of a resource. */
export const notCompared = (embedded: readonly Exchange[], other: readonly Exchange[]): readonly string[] =>
  embedded
    .filter(
      ({ operation, status }) =>
        status === undefined || other.find((one) => one.operation === operation)?.status === undefined,
    )
    .map(({ operation }) => operation);
