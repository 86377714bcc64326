import { hasVariablePaths, isRecord, recordsIn, operations, parameterKind, scopeOfOwner, serviceKinds, snakeCase, variableOwnerKinds, type AnyOperation, type JsonRecord, type ReferenceKind } from '../../../contract/index.ts';
import { responseKinds } from '../../../server/resolve/index.ts';

/** Ids of a platform's resources, as far as its lists showed them. */
export interface KnownIds {
  /** Keeps the ids in an answer. */
  learn(operation: AnyOperation, answer: unknown): void;
  of(kind: ReferenceKind): readonly string[];
  /** The members that an operation needs, with the first id of each kind; undefined if one is not known. */
  inputFor(operation: AnyOperation): JsonRecord | undefined;
  /** The first kind of which an operation needs an id that is not known. */
  lackingFor(operation: AnyOperation): ReferenceKind | undefined;
  /** How many there are, by kind. */
  counts(): Readonly<Record<string, number>>;
}

const rowsIn = (answer: JsonRecord): readonly JsonRecord[] => recordsIn(answer['results']);

const kindOfRow = (kinds: readonly ReferenceKind[], row: JsonRecord): ReferenceKind | undefined =>
  kinds.length === 1 ? kinds[0] : serviceKinds.find((kind) => kind === String(row['service_type']).toLowerCase());

const paramsOf = ({ params }: AnyOperation): readonly string[] => params;

const paramKinds = (operation: AnyOperation): readonly ReferenceKind[] => paramsOf(operation).map(parameterKind);

/** Kinds of owners of variables, those first whose variables are listed at no path of their own. */
const owners = variableOwnerKinds.toSorted((one, other) => Number(hasVariablePaths(one)) - Number(hasVariablePaths(other)));

/** Creates an empty collection of ids. */
export function createKnownIds(): KnownIds {
  const ids = new Map<ReferenceKind, Set<string>>();
  const keep = (kind: ReferenceKind | undefined, id: unknown): void => {
    if (kind !== undefined && typeof id === 'string' && id !== '') ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  };
  const of = (kind: ReferenceKind): readonly string[] => [...(ids.get(kind) ?? [])];
  const ownerIn = ({ targetBy }: AnyOperation): JsonRecord | undefined => {
    const kind = targetBy && owners.find((one) => ids.has(one));
    return kind && { [targetBy.scope]: scopeOfOwner(kind), [targetBy.id]: of(kind)[0] };
  };
  const lackingFor = (operation: AnyOperation): ReferenceKind | undefined =>
    paramKinds(operation).find((kind) => !ids.has(kind)) ?? (operation.targetBy && !ownerIn(operation) ? owners[0] : undefined);
  return {
    of,
    lackingFor,
    learn: (operation, answer) => {
      if (!isRecord(answer)) return;
      const { kinds, list } = responseKinds(operation);
      if (list) for (const row of rowsIn(answer)) keep(kindOfRow(kinds, row), row['id']);
      if (operation === operations.get_organization) keep('organization', answer['id']);
    },
    inputFor: (operation) =>
      lackingFor(operation) === undefined ? { ...Object.fromEntries(paramsOf(operation).map((param) => [snakeCase(param), of(parameterKind(param))[0]])), ...ownerIn(operation) } : undefined,
    counts: () => Object.fromEntries([...ids].map(([kind, found]) => [kind, found.size])),
  };
}
