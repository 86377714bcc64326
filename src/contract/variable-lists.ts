import type { AnyOperation } from './operation.ts';
import { operations } from './operations.ts';
import { ownerKinds, scopeOfOwner, type OwnerKind, type VariableOwnerKind } from './resources/variable.ts';

/** The operations that list an owner's visible variables or secrets at the owner's path. */
const ownLists = {
  variables: {
    application: operations.list_environment_variables,
    container: operations.list_variables_of_container,
    job: operations.list_variables_of_job,
    environment: operations.list_variables_of_environment,
    project: operations.list_variables_of_project,
  },
  secrets: {
    application: operations.list_secrets_of_application,
    container: operations.list_secrets_of_container,
    job: operations.list_secrets_of_job,
    environment: operations.list_secrets_of_environment,
    project: operations.list_secrets_of_project,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<OwnerKind, AnyOperation>>>>;

/** The two kinds of lists. */
export type VariableListing = keyof typeof ownLists;

/** The operation that lists variables or secrets of one owner, and its input. */
export interface VariableList {
  readonly operation: AnyOperation;
  readonly inputFor: (id: string) => Readonly<Record<string, unknown>>;
  /**
   * Whether a row of its answer belongs to the listing; absent if every row does. A platform may ignore the filter in
   * the input.
   */
  readonly isListed?: (row: Readonly<Record<string, unknown>>) => boolean;
}

/** Whether an owner of this kind has its own paths for variables and secrets. */
export const hasVariablePaths = (kind: VariableOwnerKind): kind is OwnerKind =>
  (ownerKinds as readonly string[]).includes(kind);

/**
 * The list of the variables or secrets that an owner of this kind sees: at its own path, or else at the path of all
 * variables, where a row that isn't marked as a plain variable counts as a secret.
 */
export const variableList = (listing: VariableListing, kind: VariableOwnerKind): VariableList =>
  hasVariablePaths(kind)
    ? { operation: ownLists[listing][kind], inputFor: (id) => ({ [`${kind}_id`]: id }) }
    : {
        operation: operations.list_variables,
        inputFor: (id) => ({ scope: scopeOfOwner(kind), parent_id: id, is_secret: String(listing === 'secrets') }),
        isListed: (row) => (row['is_secret'] !== false) === (listing === 'secrets'),
      };
