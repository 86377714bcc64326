import { referenceKinds, type ReferenceKind } from '../../contract/index.ts';
import type { ResolvedResource } from '../tool/index.ts';
import { isOfKind } from './resource-hierarchy.ts';

const scheme = 'infra:';

/** The parts of a resource with separate URIs. */
export const uriParts = ['status', 'logs', 'variables', 'history'] as const;
export type UriPart = (typeof uriParts)[number];

/** The target of an `infra:` URI. */
export interface ParsedUri {
  readonly kind: ReferenceKind;
  /** An id, a name, or a path of names. */
  readonly given: string;
  readonly part?: UriPart;
}

const isPart = (text: string): text is UriPart => (uriParts as readonly string[]).includes(text);

/** The URI of a resource, or of a part of it: `infra://environment/<id>`, `infra://service/<kind>/<id>/logs`. */
export const uriOf = ({ kind, id }: Pick<ResolvedResource, 'kind' | 'id'>, part?: UriPart): string =>
  `${scheme}//${isOfKind(kind, 'service') ? `service/${kind}` : kind}/${encodeURIComponent(id.toWellFormed())}${part ? `/${part}` : ''}`;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is an `infra:` URI, valid or not. */
export const isInfraUri = (text: string): boolean => text.toLowerCase().startsWith(`${scheme}//`);

/** Whether a text is a URI of another scheme. */
export const isForeignUri = (text: string): boolean => !isInfraUri(text) && /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/**
 * The id, name or path in a URI: one escaped segment, or several segments. Undefined if it is empty or wrongly escaped.
 */
function referenceIn(segments: readonly string[]): string | undefined {
  if (segments.length === 0 || segments.some((segment) => !decoded(segment))) return undefined;
  const [alone, ...more] = segments;
  // Names in several segments stay escaped: they may contain slashes.
  return alone !== undefined && more.length === 0 ? decoded(alone) : segments.join('/');
}

/**
 * Parses an `infra:` URI; undefined if it isn't valid. The last of several segments is a part if it has the name of
 * one.
 */
export function parseUri(text: string): ParsedUri | undefined {
  if (!isInfraUri(text)) return undefined;
  const [first, ...others] = text.slice(`${scheme}//`.length).split('/');
  const isService = first === 'service';
  const [named, ...segments] = isService ? others : [first!, ...others];
  const kind = referenceKinds.find((one) => one === named);
  const last = segments.at(-1) ?? '';
  const part = segments.length > 1 && isPart(last) ? last : undefined;
  const given = referenceIn(part === undefined ? segments : segments.slice(0, -1));
  if (kind === undefined || given === undefined || isService !== isOfKind(kind, 'service')) return undefined;
  return { kind, given, ...(part !== undefined && { part }) };
}
