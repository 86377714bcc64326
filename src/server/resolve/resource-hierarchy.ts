import * as z from 'zod';
import { parameterKind, type AnyOperation } from '../../contract/operation.ts';
import { allOperations } from '../../contract/operations.ts';
import { resourceKind, type ReferenceKind } from '../../contract/primitives.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import type { ResourceKind } from '../tool/name-resolver.ts';

/** An operation that lists what lies in one thing. */
export interface ListOperation {
  readonly operation: AnyOperation;
  /** What it lists the inside of. */
  readonly parent: ReferenceKind;
  /** What it lists. */
  readonly kinds: readonly ReferenceKind[];
}

/** One step down the tree: a listing, and what of it is wanted. */
export interface ListStep {
  readonly listing: ListOperation;
  readonly kinds: readonly ReferenceKind[];
}

/** The way from the organization down to things of a kind. */
export type ListChain = readonly ListStep[];

const kindsOfShape = (shape: unknown): readonly ReferenceKind[] => {
  if (shape instanceof z.ZodUnion) return shape.options.flatMap(kindsOfShape);
  const kind = shape instanceof z.ZodType ? resourceKind(shape) : undefined;
  return kind === undefined ? [] : [kind];
};

/** What an operation answers: resources of these kinds, one or a list of them. */
export function responseKinds({ response }: AnyOperation): { readonly kinds: readonly ReferenceKind[]; readonly list: boolean } {
  const alone = kindsOfShape(response);
  if (alone.length > 0 || !(response instanceof z.ZodObject)) return { kinds: alone, list: false };
  const rows = (response.shape as Record<string, unknown>)['results'];
  return rows instanceof z.ZodArray ? { kinds: kindsOfShape(rows.element), list: true } : { kinds: [], list: false };
}

const listOperations: readonly ListOperation[] = allOperations.flatMap((operation) => {
  const { kinds, list } = responseKinds(operation);
  const [param, ...others]: readonly string[] = operation.params;
  const lists = operation.method === 'GET' && list && kinds.length > 0 && param !== undefined && others.length === 0;
  return lists ? [{ operation, parent: parameterKind(param), kinds }] : [];
});

/** What lists the things of a kind in one of another kind; undefined where nothing does. */
export const listOperationFor = (parent: ReferenceKind, kind: ReferenceKind): ListOperation | undefined => listOperations.find((one) => one.parent === parent && one.kinds.includes(kind));

const isServiceKind = (kind: ReferenceKind): boolean => (serviceKinds as readonly string[]).includes(kind);

/** Whether something of this kind is what was asked for. */
export const isOfKind = (kind: ReferenceKind, asked: ResourceKind): boolean => kind === asked || (asked === 'service' && isServiceKind(kind));

function chainsTo(asked: ResourceKind): readonly ListChain[] {
  if (asked === 'organization') return [[]];
  return listOperations.flatMap((listing) => {
    const kinds = listing.kinds.filter((kind) => isOfKind(kind, asked));
    return kinds.length === 0 ? [] : chainsTo(listing.parent).map((way) => [...way, { listing, kinds }]);
  });
}

const chainsByKind = new Map<ResourceKind, readonly ListChain[]>();

/** Every way to things of a kind, the shortest first. Empty where nothing lists them. */
export function listChainsFor(asked: ResourceKind): readonly ListChain[] {
  const ways = chainsByKind.get(asked) ?? chainsTo(asked).toSorted((one, other) => one.length - other.length);
  chainsByKind.set(asked, ways);
  return ways;
}
