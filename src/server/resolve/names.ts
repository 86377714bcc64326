import { serviceKinds, Uuid, type ServiceKind } from '../../contract/index.ts';
import type { ResourceRef } from './resource-ref.ts';

export const isId = (text: string): boolean => Uuid.safeParse(text).success;

/** A name as a segment of a path, with `/` and `%` escaped. */
export const segmentOf = (name: string): string => name.replace(/[%/]/g, (character) => encodeURIComponent(character));

export const joinPath = (names: readonly string[]): string => names.map(segmentOf).join('/');

/** A segment of a path without escapes. */
export function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The segments of a path, still escaped. */
export const segmentsOf = (path: string): readonly string[] =>
  path
    .trim()
    .replaceAll(/^\/+|\/+$/g, '')
    .split('/');

const qualifiedPattern = new RegExp(`^(${serviceKinds.join('|')}):(.+)$`, 'is');

/** Splits `database:checkout` into kind and name: services of different kinds can have the same name. */
export function qualifiedName(segment: string): { readonly kind: ServiceKind; readonly name: string } | undefined {
  const [, kind, name] = qualifiedPattern.exec(segment) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind: kind.toLowerCase() as ServiceKind, name };
}

/** Folds a name for comparison: names match regardless of case. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase();

type Normalize = (name: string) => string;

const matchesName = ({ kind, id, name }: ResourceRef, segment: string, normalize: Normalize): boolean => {
  if (id === segment.toLowerCase()) return true;
  const matches = (text: string): boolean =>
    name !== undefined && [text, unescaped(text)].some((item) => normalize(item) === normalize(name));
  const qualified = qualifiedName(segment);
  return (
    matches(segment) ||
    (qualified !== undefined &&
      kind === qualified.kind &&
      (matches(qualified.name) || id === qualified.name.toLowerCase()))
  );
};

/** Whether a segment is the name or id of a resource, letter by letter. */
export const isExactly = (ref: ResourceRef, segment: string): boolean => matchesName(ref, segment, (name) => name);

/** The siblings that a segment names. An exact match wins over those that differ in case. */
export function matchingName<Item>(
  siblings: readonly Item[],
  segment: string,
  refOf: (item: Item) => ResourceRef,
): readonly Item[] {
  const exact = siblings.filter((item) => isExactly(refOf(item), segment));
  return exact.length > 0 ? exact : siblings.filter((item) => matchesName(refOf(item), segment, foldCase));
}
