import { documentedOperations } from './documented.ts';
import type { AnyOperation } from './operation.ts';
import { extensionOperations } from './extensions.ts';

/** Every operation by name: the documented ones in the document's order, then the others. */
export const operations = { ...documentedOperations, ...extensionOperations };

export type OperationName = keyof typeof operations;
export type OperationNamed<Name extends OperationName> = (typeof operations)[Name];

/** Every operation, as a list in the same order. */
export const allOperations: readonly AnyOperation[] = Object.values(operations);

const isSameAct = (one: AnyOperation, other: AnyOperation): boolean =>
  one.effect === other.effect && one.permission === other.permission && one.target === other.target && one.params.join() === other.params.join();

/** The redeployments, by the names of the deployments that they take the place of. The guard judges only the deployment. */
const redeployments = new Map(
  allOperations.flatMap((operation) => {
    if (operation.redeploy === undefined) return [];
    const found = allOperations.find(({ name }) => name === operation.redeploy);
    if (!found || !isSameAct(operation, found)) throw new Error(`${operation.name}: ${operation.redeploy} is no operation of the same effect on the same target`);
    return [[operation.name, found] as const];
  }),
);

/**
 * The operation that deploys the same again where a platform refuses this one without a version; undefined if there is
 * none, or if the input names a version.
 */
export const redeployOf = ({ name, body }: AnyOperation, input: Readonly<Record<string, unknown>>): AnyOperation | undefined =>
  Object.keys(body?.shape ?? {}).some((member) => input[member] !== undefined) ? undefined : redeployments.get(name);
