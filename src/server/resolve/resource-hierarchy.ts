import * as z from 'zod';
import {
  allOperations,
  isServiceKind,
  operations,
  parameterKind,
  resourceKind,
  serviceKinds,
  snakeCase,
  variableList,
  variableOwnerKinds,
  type AnyOperation,
  type ReferenceKind,
} from '../../contract/index.ts';
import { at, memoised, type JsonRecord } from '../json/index.ts';
import type { ResourceKind } from '../tool/index.ts';
import { resourceRefOf, type ResourceRef } from './resource-ref.ts';

/** An operation that lists the children of a resource. */
export interface ListOperation {
  readonly operation: AnyOperation;
  /** The kind of the resource that contains them. */
  readonly parent: ReferenceKind;
  /** The kinds that it lists. */
  readonly kinds: readonly ReferenceKind[];
  /** Its input for a parent with this id. */
  readonly inputFor: (id: string) => JsonRecord;
  /** Whether a row of its answer is of these kinds; absent if every row is. */
  readonly isListed?: (row: JsonRecord) => boolean;
}

/** One step down the hierarchy: a list operation, and the wanted kinds. */
export interface ListStep {
  readonly listing: ListOperation;
  readonly kinds: readonly ReferenceKind[];
}

/** The steps from the organization down to resources of a kind. */
export type ListChain = readonly ListStep[];

const kindsOfShape = (shape: unknown): readonly ReferenceKind[] => {
  if (shape instanceof z.ZodUnion) return shape.options.flatMap(kindsOfShape);
  const kind = shape instanceof z.ZodType ? resourceKind(shape) : undefined;
  return kind === undefined ? [] : [kind];
};

/** The kinds of resources in an operation's response, and whether it is a list. */
export const responseKinds = memoised(
  ({ response }: AnyOperation): { readonly kinds: readonly ReferenceKind[]; readonly list: boolean } => {
    const single = kindsOfShape(response);
    if (single.length > 0 || !(response instanceof z.ZodObject)) return { kinds: single, list: false };
    const rows = (response.shape as Record<string, unknown>)['results'];
    return rows instanceof z.ZodArray ? { kinds: kindsOfShape(rows.element), list: true } : { kinds: [], list: false };
  },
);

const listsAtParents: readonly ListOperation[] = allOperations.flatMap((operation) => {
  const { kinds, list } = responseKinds(operation);
  const [param, ...others]: readonly string[] = operation.params;
  const isListOperation =
    operation.method === 'GET' && list && kinds.length > 0 && param !== undefined && others.length === 0;
  return isListOperation
    ? [{ operation, parent: parameterKind(param), kinds, inputFor: (id) => ({ [snakeCase(param)]: id }) }]
    : [];
});

/** The lists of variables of resources without a path for them: at the path of all variables, without the secrets. */
const otherVariableLists: readonly ListOperation[] = variableOwnerKinds
  .filter(
    (kind) => !listsAtParents.some(({ parent, kinds }) => parent === kind && kinds.includes('environment_variable')),
  )
  .map((parent) => ({ ...variableList('variables', parent), parent, kinds: ['environment_variable'] }));

const listOperations: readonly ListOperation[] = [...listsAtParents, ...otherVariableLists];

/** The operation that lists the resources of a kind in a parent; undefined if there is none. */
export const listOperationFor = (parent: ReferenceKind, kind: ReferenceKind): ListOperation | undefined =>
  listOperations.find((one) => one.parent === parent && one.kinds.includes(kind));

/** A list of all resources of some kinds in an organization, whatever they lie in. */
export interface WideList {
  readonly operation: AnyOperation;
  /** The kind of what they lie in. */
  readonly parent: ReferenceKind;
  readonly kinds: readonly ReferenceKind[];
  /** The id of what the resource of a row lies in. */
  readonly parentIn: (row: JsonRecord) => unknown;
}

const wideLists: readonly WideList[] = [
  {
    operation: operations.list_environments_of_organization,
    parent: 'project',
    kinds: ['environment'],
    parentIn: (row) => at(row, 'project.id'),
  },
  {
    operation: operations.list_services_of_organization,
    parent: 'environment',
    kinds: serviceKinds,
    parentIn: (row) => row['environment_id'],
  },
];

/** The wide list that has the rows of a list at every parent; undefined if there is none. */
export const wideListFor = ({ parent, kinds }: ListOperation): WideList | undefined =>
  wideLists.find((one) => one.parent === parent && kinds.length > 0 && kinds.every((kind) => one.kinds.includes(kind)));

/** What a row of a wide list is; undefined if it can't be used, or doesn't tell what it lies in. */
export function refInWideList({ parent, kinds, parentIn }: WideList, row: JsonRecord): ResourceRef | undefined {
  const id = parentIn(row);
  return typeof id === 'string' ? resourceRefOf(row, kinds, { kind: parent, id: id.toLowerCase() }) : undefined;
}

/** The environments in the answer of an operation, if it lists those of an organization. */
export const environmentsInWideList = (operation: AnyOperation, rows: readonly JsonRecord[]): readonly ResourceRef[] =>
  wideLists
    .filter((list) => list.operation === operation && list.kinds.includes('environment'))
    .flatMap((list) => rows.flatMap((row) => refInWideList(list, row) ?? []));

/** Whether a resource of this kind is of the requested one: a `service` can be of any service kind. */
export const isOfKind = (kind: ReferenceKind, requested: ResourceKind): boolean =>
  kind === requested || (requested === 'service' && isServiceKind(kind));

function chainsTo(requested: ResourceKind): readonly ListChain[] {
  if (requested === 'organization') return [[]];
  return listOperations.flatMap((listing) => {
    const kinds = listing.kinds.filter((kind) => isOfKind(kind, requested));
    return kinds.length === 0 ? [] : chainsTo(listing.parent).map((chain) => [...chain, { listing, kinds }]);
  });
}

const chainsByKind = new Map<ResourceKind, readonly ListChain[]>();

/** Every chain of lists to resources of a kind, the shortest first. Empty if nothing lists them. */
export function listChainsFor(requested: ResourceKind): readonly ListChain[] {
  const chains = chainsByKind.get(requested) ?? chainsTo(requested).toSorted((one, other) => one.length - other.length);
  chainsByKind.set(requested, chains);
  return chains;
}
