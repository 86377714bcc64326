import { segmentOf, serviceKinds, unescaped, Uuid, type ServiceKind } from '../../contract/index.ts';
import type { ResourceRef } from './resource-ref.ts';

export const isId = (text: string): boolean => Uuid.safeParse(text).success;

/** Maximum number of segments of a path in which names may have slashes that aren't escaped. */
const mostSegments = 8;

/** Every way to read neighbouring segments as one name with slashes, those that join the fewest first. */
export function withSlashesInNames(segments: readonly string[]): readonly (readonly string[])[] {
  if (segments.length > mostSegments) return [];
  const [first, ...rest] = segments;
  const readings = rest.reduce<readonly (readonly string[])[]>(
    (all, segment) =>
      all.flatMap((names) => [
        [...names, segment],
        [...names.slice(0, -1), `${names.at(-1)}/${segment}`],
      ]),
    first === undefined ? [] : [[first]],
  );
  return readings.filter((names) => names.length < segments.length).toSorted((one, other) => other.length - one.length);
}

const qualifiedPattern = new RegExp(`^(${serviceKinds.join('|')}):(.+)$`, 'is');

/** Splits `database:checkout` into kind and name: services of different kinds can have the same name. */
export function qualifiedName(segment: string): { readonly kind: ServiceKind; readonly name: string } | undefined {
  const [, kind, name] = qualifiedPattern.exec(segment) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind: kind.toLowerCase() as ServiceKind, name };
}

/** Folds a name for comparison: names match regardless of case. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase();

type Normalize = (name: string) => string;

const matchesName = ({ kind, id, name, email }: ResourceRef, segment: string, normalize: Normalize): boolean => {
  if (id === segment.toLowerCase()) return true;
  const matches = (text: string): boolean =>
    [name, email].some(
      (own) => own !== undefined && [text, unescaped(text)].some((item) => normalize(item) === normalize(own)),
    );
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

/**
 * The siblings that a segment names. The name that paths write like this wins over others that match letter by letter,
 * and those over names that differ in case.
 */
export function matchingName<Item>(
  siblings: readonly Item[],
  segment: string,
  refOf: (item: Item) => ResourceRef,
): readonly Item[] {
  const written = siblings.filter((item) => segmentOf(refOf(item).name ?? '') === segment);
  if (written.length > 0) return written;
  const exact = siblings.filter((item) => isExactly(refOf(item), segment));
  return exact.length > 0 ? exact : siblings.filter((item) => matchesName(refOf(item), segment, foldCase));
}
