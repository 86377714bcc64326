import { referenceKinds, type ReferenceKind } from '../../contract/primitives.ts';
import type { Address } from './address.ts';
import { fits } from './tree.ts';

const scheme = 'infra:';

/** What there is to read of a thing beside the thing itself. */
export const uriParts = ['status', 'logs', 'variables', 'history'] as const;
export type UriPart = (typeof uriParts)[number];

/** What a URI of ours points at. */
export interface Pointed {
  readonly kind: ReferenceKind;
  /** An id, a name, or a path of names. */
  readonly given: string;
  readonly part?: UriPart;
}

const isPart = (text: string): text is UriPart => (uriParts as readonly string[]).includes(text);

/** The URI of a thing, or of a part of it: `infra://environment/<id>`, `infra://service/<kind>/<id>/logs`. */
export const uriOf = ({ kind, id }: Pick<Address, 'kind' | 'id'>, part?: UriPart): string =>
  `${scheme}//${fits(kind, 'service') ? `service/${kind}` : kind}/${encodeURIComponent(id)}${part ? `/${part}` : ''}`;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is meant as a URI of ours. */
export const isUri = (text: string): boolean => text.toLowerCase().startsWith(`${scheme}//`);

/**
 * What a URI points at; undefined where it is none of ours. In place of an id it may have a name or a path, escaped
 * as one segment.
 */
export function parseUri(text: string): Pointed | undefined {
  if (!isUri(text)) return undefined;
  const [first, ...others] = text.slice(`${scheme}//`.length).split('/');
  const isService = first === 'service';
  const [named, name, part, ...rest] = isService ? others : [first, ...others];
  const kind = referenceKinds.find((one) => one === named);
  const given = name === undefined ? undefined : decoded(name);
  if (kind === undefined || !given || rest.length > 0 || isService !== fits(kind, 'service') || (part !== undefined && !isPart(part))) return undefined;
  return { kind, given, ...(part !== undefined && { part }) };
}
