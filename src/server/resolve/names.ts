import { Uuid } from '../../contract/primitives.ts';
import { serviceKinds, type ServiceKind } from '../../contract/resources/service.ts';
import type { ResourceRef } from './resource-ref.ts';

export const isId = (text: string): boolean => Uuid.safeParse(text).success;

/** A name as a segment of a path: what would end the segment is escaped. */
export const segmentOf = (name: string): string => name.replace(/[%/]/g, (character) => encodeURIComponent(character));

export const joinPath = (names: readonly string[]): string => names.map(segmentOf).join('/');

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The names in a path, as they were typed. */
export const segmentsOf = (path: string): readonly string[] => path.trim().replaceAll(/^\/+|\/+$/g, '').split('/');

const qualifiedPattern = new RegExp(`^(${serviceKinds.join('|')}):(.+)$`, 'is');

/** `database:checkout` in its parts: services of different kinds can have the same name. */
export function qualifiedName(segment: string): { readonly kind: ServiceKind; readonly name: string } | undefined {
  const [, kind, name] = qualifiedPattern.exec(segment) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind: kind.toLowerCase() as ServiceKind, name };
}

/** Names are told apart whatever their case. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase();

type Normalize = (name: string) => string;

const matchesName = ({ kind, id, name }: ResourceRef, segment: string, same: Normalize): boolean => {
  if (id === segment.toLowerCase()) return true;
  const says = (text: string): boolean => name !== undefined && [text, unescaped(text)].some((one) => same(one) === same(name));
  const precise = qualifiedName(segment);
  return says(segment) || (precise !== undefined && kind === precise.kind && (says(precise.name) || id === precise.name.toLowerCase()));
};

/** Those of some siblings that a segment names. Where one is spelled exactly so, the others aren't meant. */
export function matchingName<One>(siblings: readonly One[], segment: string, thing: (one: One) => ResourceRef): readonly One[] {
  const exact = siblings.filter((one) => matchesName(thing(one), segment, (name) => name));
  return exact.length > 0 ? exact : siblings.filter((one) => matchesName(thing(one), segment, foldCase));
}
