import { documentedOperations } from './documented.ts';
import type { AnyOperation } from './operation.ts';
import { extensionOperations } from './extensions.ts';

/** Every operation by its name: the documented ones in the document's order, then those outside it. */
export const operations = { ...documentedOperations, ...extensionOperations };

export type OperationName = keyof typeof operations;
export type OperationNamed<Name extends OperationName> = (typeof operations)[Name];

/** The same as a list, for whoever derives something from each of them. */
export const allOperations: readonly AnyOperation[] = Object.values(operations);
