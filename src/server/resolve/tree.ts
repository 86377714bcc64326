import * as z from 'zod';
import { parameterKind, type AnyOperation } from '../../contract/operation.ts';
import { allOperations } from '../../contract/operations.ts';
import { resourceKind, type ReferenceKind } from '../../contract/primitives.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import type { AddressKind } from '../tool/address.ts';

/** An operation that lists what lies in one thing. */
export interface Listing {
  readonly operation: AnyOperation;
  /** What it lists the inside of. */
  readonly parent: ReferenceKind;
  /** What it lists. */
  readonly kinds: readonly ReferenceKind[];
}

/** One step down the tree: a listing, and what of it is wanted. */
export interface Step {
  readonly listing: Listing;
  readonly kinds: readonly ReferenceKind[];
}

/** The way from the organization down to things of a kind. */
export type Way = readonly Step[];

const kindsOfShape = (shape: unknown): readonly ReferenceKind[] => {
  if (shape instanceof z.ZodUnion) return shape.options.flatMap(kindsOfShape);
  const kind = shape instanceof z.ZodType ? resourceKind(shape) : undefined;
  return kind === undefined ? [] : [kind];
};

/** What an operation answers: resources of these kinds, one or a list of them. */
export function answeredBy({ response }: AnyOperation): { readonly kinds: readonly ReferenceKind[]; readonly list: boolean } {
  const alone = kindsOfShape(response);
  if (alone.length > 0 || !(response instanceof z.ZodObject)) return { kinds: alone, list: false };
  const rows = (response.shape as Record<string, unknown>)['results'];
  return rows instanceof z.ZodArray ? { kinds: kindsOfShape(rows.element), list: true } : { kinds: [], list: false };
}

const listings: readonly Listing[] = allOperations.flatMap((operation) => {
  const { kinds, list } = answeredBy(operation);
  const [param, ...others]: readonly string[] = operation.params;
  const lists = operation.method === 'GET' && list && kinds.length > 0 && param !== undefined && others.length === 0;
  return lists ? [{ operation, parent: parameterKind(param), kinds }] : [];
});

/** What lists the things of a kind in one of another kind; undefined where nothing does. */
export const listingIn = (parent: ReferenceKind, kind: ReferenceKind): Listing | undefined => listings.find((one) => one.parent === parent && one.kinds.includes(kind));

const isServiceKind = (kind: ReferenceKind): boolean => (serviceKinds as readonly string[]).includes(kind);

/** Whether something of this kind is what was asked for. */
export const fits = (kind: ReferenceKind, asked: AddressKind): boolean => kind === asked || (asked === 'service' && isServiceKind(kind));

function waysTo(asked: AddressKind): readonly Way[] {
  if (asked === 'organization') return [[]];
  return listings.flatMap((listing) => {
    const kinds = listing.kinds.filter((kind) => fits(kind, asked));
    return kinds.length === 0 ? [] : waysTo(listing.parent).map((way) => [...way, { listing, kinds }]);
  });
}

const known = new Map<AddressKind, readonly Way[]>();

/** Every way to things of a kind, the shortest first. Empty where nothing lists them. */
export function waysFor(asked: AddressKind): readonly Way[] {
  const ways = known.get(asked) ?? waysTo(asked).toSorted((one, other) => one.length - other.length);
  known.set(asked, ways);
  return ways;
}
