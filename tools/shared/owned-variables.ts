import { operations, ownerKinds, type AnyOperation, type OwnerKind } from '../../src/contract/index.ts';
import { readUses, rowsIn, textOf, type JsonRecord, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';

/** The operations on the variables and secrets of an owner, by its kind. */
export const variableOperations = {
  list: { application: operations.list_environment_variables, container: operations.list_variables_of_container, job: operations.list_variables_of_job, environment: operations.list_variables_of_environment },
  secrets: { application: operations.list_secrets_of_application, container: operations.list_secrets_of_container, job: operations.list_secrets_of_job, environment: operations.list_secrets_of_environment },
  create: { application: operations.create_environment_variable, container: operations.create_variable_of_container, job: operations.create_variable_of_job, environment: operations.create_variable_of_environment },
  createSecret: { application: operations.create_secret, container: operations.create_secret_of_container, job: operations.create_secret_of_job, environment: operations.create_secret_of_environment },
  delete: { application: operations.delete_variable_of_application, container: operations.delete_variable_of_container, job: operations.delete_variable_of_job, environment: operations.delete_variable_of_environment },
  deleteSecret: { application: operations.delete_secret_of_application, container: operations.delete_secret_of_container, job: operations.delete_secret_of_job, environment: operations.delete_secret_of_environment },
} as const satisfies Readonly<Record<string, Readonly<Record<OwnerKind, AnyOperation>>>>;

/** Whether variables of an owner of this kind can be listed and deleted. */
export const isOwnerKind = (kind: string): kind is OwnerKind => (ownerKinds as readonly string[]).includes(kind);

/** Ends a call about the variables of what has none of its own, or none that can be reached. */
export const refuseKind = (kind: string, done: 'listed' | 'set' | 'deleted', context: ToolContext): never =>
  kind === 'database'
    ? context.refuse('a database has no variables: it gives its neighbours built-in ones', 'Give the service that uses it.')
    : context.refuse(`variables of a ${kind} can't be ${done} here, only those of these kinds: ${ownerKinds.join(', ')}`, `It also has those of its environment. Nothing was ${done}.`);

/** The scope of what an owner of this kind has itself. */
export const scopeOf = (kind: OwnerKind): string => kind.toUpperCase();

/** What is lacking where these lists can't be read. */
export const ownedVariableReads = (what: 'variables' | 'secrets'): readonly ReadUse[] =>
  ownerKinds.flatMap((kind) => readUses(`${what} of a service or environment of kind ${kind} are not found`, variableOperations[what === 'variables' ? 'list' : 'secrets'][kind]));

type Attempt = Pick<ToolContext, 'attempt'>;

/** What an owner sees of variables and of secrets, of every scope; a list is undefined if it can't be read. */
export interface SeenVariables {
  readonly variables: readonly JsonRecord[] | undefined;
  readonly secrets: readonly JsonRecord[] | undefined;
}

const keyed = (list: JsonRecord | undefined): readonly JsonRecord[] | undefined => list && rowsIn(list).filter((row) => textOf(row, 'key') !== undefined);

/** Reads the variables and secrets that an owner sees. @throws ApiError if the platform fails */
export async function seenBy(kind: OwnerKind, id: string, { attempt }: Attempt): Promise<SeenVariables> {
  const [list, secrets]: readonly AnyOperation[] = [variableOperations.list[kind], variableOperations.secrets[kind]];
  const input = { [`${kind}_id`]: id };
  const [variables, hidden]: (JsonRecord | undefined)[] = await Promise.all([attempt(list!, input), attempt(secrets!, input)]);
  return { variables: keyed(variables), secrets: keyed(hidden) };
}

// From the widest to the narrowest; every other scope is that of a service.
const sharedScopes: readonly string[] = ['BUILT_IN', 'PROJECT', 'ENVIRONMENT'];

const breadth = (row: JsonRecord): number => (sharedScopes.includes(String(row['scope'])) ? sharedScopes.indexOf(String(row['scope'])) : sharedScopes.length);

/** What counts of a key that is seen, without one of its rows: that of the narrowest scope, and whether it is a secret. */
export function effective({ variables = [], secrets = [] }: SeenVariables, key: string, without?: string): { readonly row: JsonRecord; readonly isSecret: boolean } | undefined {
  const found = [...variables.map((row) => ({ row, isSecret: false })), ...secrets.map((row) => ({ row, isSecret: true }))];
  return found.filter(({ row }) => row['key'] === key && row['id'] !== without).toSorted((one, other) => breadth(other.row) - breadth(one.row))[0];
}
