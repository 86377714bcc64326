import { documentedOperations } from './documented.ts';
import type { AnyOperation } from './operation.ts';
import { extensionOperations } from './extensions.ts';

/** Every operation by name: the documented ones in the document's order, then the others. */
export const operations = { ...documentedOperations, ...extensionOperations };

export type OperationName = keyof typeof operations;
export type OperationNamed<Name extends OperationName> = (typeof operations)[Name];

/** Every operation, as a list in the same order. */
export const allOperations: readonly AnyOperation[] = Object.values(operations);
