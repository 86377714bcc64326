import { documentedOperations } from './documented/documented.ts';
import { parameterKind, snakeCase, type AnyOperation } from './operation.ts';
import { extensionOperations } from './extensions/extensions.ts';

/** Every operation by name: the documented ones in the document's order, then the others. */
export const operations = { ...documentedOperations, ...extensionOperations };

export type OperationName = keyof typeof operations;
export type OperationNamed<Name extends OperationName> = (typeof operations)[Name];

/** Every operation, as a list in the same order. */
export const allOperations: readonly AnyOperation[] = Object.values(operations);

type Input = Readonly<Record<string, unknown>>;

const isSameAct = (one: AnyOperation, other: AnyOperation): boolean =>
  one.effect === other.effect &&
  one.permission === other.permission &&
  one.target === other.target &&
  one.params.join() === other.params.join();

/** The redeployments, by the names of the deployments that they replace. The guard checks only the deployment. */
const redeployments = new Map(
  allOperations.flatMap((operation) => {
    if (operation.redeploy === undefined) return [];
    const found = allOperations.find(({ name }) => name === operation.redeploy);
    if (!found || !isSameAct(operation, found))
      throw new Error(
        `${operation.name}: ${operation.redeploy} is not an operation with the same effect on the same target`,
      );
    return [[operation.name, found] as const];
  }),
);

const isSameChange = (one: AnyOperation, other: AnyOperation): boolean =>
  one.method === other.method &&
  one.effect === other.effect &&
  one.permission === other.permission &&
  one.body === other.body &&
  one.params.at(-1) === other.params.at(-1);

/**
 * The operations that do the same at another path, by the names of those that they replace. The guard checks only the
 * latter.
 */
const elsewhere = new Map(
  allOperations.map(
    (operation) =>
      [
        operation.name,
        (operation.elsewhere ?? []).map((name) => {
          const found = allOperations.find((one) => one.name === name);
          if (!found || !isSameChange(operation, found))
            throw new Error(`${operation.name}: ${name} is not an operation with the same effect and body`);
          return found;
        }),
      ] as const,
  ),
);

/** The kinds of resources that an operation deletes. */
const deletedKinds = new Set<string>(
  allOperations
    .filter(({ method }) => method === 'DELETE')
    .map(({ changed, params }) => changed?.kind ?? parameterKind(params.at(-1)!)),
);

/** Whether there is an operation that deletes again what this one creates; true if it creates nothing. */
export const isTakenBack = ({ creates }: AnyOperation): boolean =>
  creates === undefined || deletedKinds.has(creates.kind);

/** A service that owns the subject of a request, or shows it. */
export interface Holder {
  readonly kind: string;
  readonly id: string;
}

/** The same request at the path of the service that owns its target; undefined if there is none. */
export function elsewhereOf(
  operation: AnyOperation,
  input: Input,
  heldBy?: Holder,
): { readonly operation: AnyOperation; readonly input: Input } | undefined {
  const found = elsewhere.get(operation.name)?.find(({ target }) => target === heldBy?.kind);
  const own = operation.params.map(snakeCase);
  const others = Object.entries(input).filter(
    ([name]) => !own.includes(name) || found?.params.map(snakeCase).includes(name),
  );
  return (
    found && heldBy && { operation: found, input: { ...Object.fromEntries(others), [`${heldBy.kind}_id`]: heldBy.id } }
  );
}

/**
 * The operation that deploys the same version again if a platform refuses this one without a version; undefined if
 * there is none, or if the input names a version.
 */
export const redeployOf = ({ name, body }: AnyOperation, input: Input): AnyOperation | undefined =>
  Object.keys(body?.shape ?? {}).some((member) => input[member] !== undefined) ? undefined : redeployments.get(name);

/** An operation with its input. */
interface Single {
  readonly operation: AnyOperation;
  readonly input: Input;
}

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * The request for one of the services in a list: an id, or a record with the id and the requested version. Without a
 * version, the list means the version that was deployed before. A deployment of a single service would use the newest
 * version instead, so the service is redeployed.
 */
function singleOf(operation: AnyOperation, item: unknown): Single {
  const own = snakeCase(operation.params[0]!);
  const { id, [own]: named, ...others } = (typeof item === 'string' ? { id: item } : item) as Record<string, unknown>;
  const input = { ...others, [own]: id ?? named };
  return { operation: redeployOf(operation, input) ?? operation, input };
}

/**
 * The requests that do the same for one service at a time; undefined if an operation has none, or none for the services
 * in the input.
 */
export function oneByOneOf({ oneByOne, params }: AnyOperation, input: Input): readonly Single[] | undefined {
  const own = params.map(snakeCase);
  const lists = Object.entries(input)
    .filter(([member, value]) => !own.includes(member) && itemsOf(value).length > 0)
    .map(([member]) => member);
  if (!oneByOne || !lists.every((member) => Object.hasOwn(oneByOne, member))) return undefined;
  return Object.entries(oneByOne).flatMap(([member, name]) => {
    const operation = allOperations.find((one) => one.name === name)!;
    return itemsOf(input[member]).map((item) => singleOf(operation, item));
  });
}
