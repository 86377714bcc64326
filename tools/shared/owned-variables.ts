import {
  hasVariablePaths,
  isSecret as isSecretMember,
  isServiceKind,
  operations,
  reference,
  replacingSecret,
  scopeOfOwner,
  storingSecret,
  variableList,
  variableOwnerKinds,
  type AnyOperation,
  type OwnerKind,
  type VariableListing,
  type VariableOwnerKind,
} from '../../src/contract/index.ts';
import {
  anyService,
  isRecord,
  pick,
  readBothVariableLists,
  readUses,
  readVariableList,
  rowsIn,
  textOf,
  type JsonRecord,
  type PlannedOperation,
  type ReadUse,
  type Tool,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect } from './any-service.ts';

/** The operations on the variables and secrets of an owner, by its kind, for kinds with their own paths. */
const ownOperations = {
  create: {
    application: operations.create_environment_variable,
    container: operations.create_variable_of_container,
    job: operations.create_variable_of_job,
    environment: operations.create_variable_of_environment,
    project: operations.create_variable_of_project,
  },
  createSecret: {
    application: operations.create_secret,
    container: operations.create_secret_of_container,
    job: operations.create_secret_of_job,
    environment: operations.create_secret_of_environment,
    project: operations.create_secret_of_project,
  },
  updateSecret: {
    application: operations.update_secret_of_application,
    container: operations.update_secret_of_container,
    job: operations.update_secret_of_job,
    environment: operations.update_secret_of_environment,
    project: operations.update_secret_of_project,
  },
  delete: {
    application: operations.delete_variable_of_application,
    container: operations.delete_variable_of_container,
    job: operations.delete_variable_of_job,
    environment: operations.delete_variable_of_environment,
    project: operations.delete_variable_of_project,
  },
  deleteSecret: {
    application: operations.delete_secret_of_application,
    container: operations.delete_secret_of_container,
    job: operations.delete_secret_of_job,
    environment: operations.delete_secret_of_environment,
    project: operations.delete_secret_of_project,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<OwnerKind, AnyOperation>>>>;

/** The same at the path of all variables, which serves the other kinds. */
const anyOperation: Readonly<Record<keyof typeof ownOperations, AnyOperation>> = {
  create: operations.create_variable,
  createSecret: storingSecret,
  updateSecret: replacingSecret,
  delete: operations.delete_variable,
  deleteSecret: operations.delete_variable,
};

const distinct = (all: readonly AnyOperation[]) =>
  [...new Map(all.map((one) => [one.name, one])).values()] as [AnyOperation, ...AnyOperation[]];

/** Every operation that a tool may use for a purpose, for any owner. */
export const variableOperations = (
  ...purposes: readonly (keyof typeof ownOperations)[]
): readonly [AnyOperation, ...AnyOperation[]] =>
  distinct(purposes.flatMap((purpose) => [...Object.values(ownOperations[purpose]), anyOperation[purpose]]));

/** Every operation that lists variables or secrets, for any owner. */
export const variableLists = (listing: VariableListing): readonly [AnyOperation, ...AnyOperation[]] =>
  distinct(variableOwnerKinds.map((kind) => variableList(listing, kind).operation));

/** An owner of variables. */
export interface VariableOwner {
  readonly kind: VariableOwnerKind;
  readonly id: string;
}

/** Whether resources of this kind have their own variables. */
export const isOwnerKind = (kind: string): kind is VariableOwnerKind =>
  (variableOwnerKinds as readonly string[]).includes(kind);

/** Ends a call about the variables of a resource that has none. */
export const refuseKind = (kind: string, done: 'listed' | 'set' | 'deleted', context: ToolContext): never =>
  kind === 'database'
    ? context.refuse(
        'a database has no variables: it gives its neighbours built-in ones',
        'Give the service that uses it.',
      )
    : context.refuse(
        `what is of kind ${kind} has no variables`,
        `These have: ${variableOwnerKinds.join(', ')}. Nothing was ${done}.`,
      );

/** The owner that one of these arguments refers to. */
export function ownerIn(
  context: ToolContext,
  done: 'listed' | 'set' | 'deleted',
  ...members: readonly string[]
): VariableOwner & { readonly path?: string; readonly environmentId?: string } {
  const found = members.map((member) => context.resolved[member]).find((one) => one !== undefined);
  if (!found) return context.refuse('neither service, environment nor project is given', 'Give the one that is meant.');
  const { kind, id, path, environment } = found;
  return isOwnerKind(kind)
    ? { kind, id, path, environmentId: kind === 'environment' ? id : environment?.id }
    : refuseKind(kind, done, context);
}

/** The environment of an owner; for a service whose path isn't known, from its configuration. */
export async function environmentOf(
  { kind, id, environmentId }: VariableOwner & { readonly environmentId?: string },
  context: ToolContext,
): Promise<string | undefined> {
  if (environmentId !== undefined || !isServiceKind(kind)) return environmentId;
  const pointer = (await readAspect(context, { kind, id }, 'configuration'))?.['environment'];
  return isRecord(pointer) ? textOf(pointer, 'id') : undefined;
}

/** The arguments that name an owner; one of them is given. */
export const ownerInput = {
  service: anyService().optional(),
  environment: reference('environment').optional(),
  project: reference('project').optional(),
};
export const ownerMembers = ['service', 'environment', 'project'] as const;

/** The scope of an owner's own variables. */
export const scopeOf = (kind: VariableOwnerKind): string => scopeOfOwner(kind);

/** The reads of these lists, with what is missing without them. */
export const ownedVariableReads = (listing: VariableListing): readonly ReadUse[] =>
  readUses(`${listing} of some services, environments or projects are not found`, ...variableLists(listing));

/** The context needed to read variables. */
export type Reads = Pick<ToolContext, 'attempt'>;

/** The variables and secrets that an owner sees, of every scope; a list is undefined if it can't be read. */
export interface SeenVariables {
  readonly variables: readonly JsonRecord[] | undefined;
  readonly secrets: readonly JsonRecord[] | undefined;
}

const keyed = (list: JsonRecord | undefined): readonly JsonRecord[] | undefined =>
  list && rowsIn(list).filter((row) => textOf(row, 'key') !== undefined);

/** The members that name an owner at the path of all variables. */
const named = ({ kind, id }: VariableOwner) => ({ scope: scopeOfOwner(kind), parent_id: id });

/**
 * Reads the variables that an owner sees, without secrets; undefined if they can't be read.
 * @throws ApiError if the platform fails
 */
export const variablesSeenBy = async (owner: VariableOwner, reads: Reads): Promise<readonly JsonRecord[] | undefined> =>
  keyed(await readVariableList('variables', owner, reads));

/** Reads the variables and secrets that an owner sees. @throws ApiError if the platform fails */
export async function seenBy(kind: VariableOwnerKind, id: string, reads: Reads): Promise<SeenVariables> {
  const [variables, secrets] = await Promise.all([
    variablesSeenBy({ kind, id }, reads),
    readVariableList('secrets', { kind, id }, reads),
  ]);
  return { variables, secrets: keyed(secrets) };
}

/**
 * The same, in one request where the platform lists both together.
 * @throws ApiError if the platform fails
 */
export async function allSeenBy(
  kind: VariableOwnerKind,
  id: string,
  reads: Reads & Pick<ToolContext, 'whole'>,
): Promise<SeenVariables> {
  const { variables, secrets } = await readBothVariableLists({ kind, id }, reads);
  return { variables: keyed(variables), secrets: keyed(secrets) };
}

/** The request that creates an owner's variable or stores its secret. */
export function planCreation({ kind, id }: VariableOwner, variable: JsonRecord, isSecret: boolean): PlannedOperation {
  const purpose = isSecret ? 'createSecret' : 'create';
  if (hasVariablePaths(kind))
    return { operation: ownOperations[purpose][kind], input: { [`${kind}_id`]: id, ...variable } };
  return {
    operation: anyOperation[purpose],
    input: { ...variable, is_secret: isSecret, variable_scope: scopeOfOwner(kind), variable_parent_id: id },
  };
}

/** The members that a secret keeps when its value changes, if they are shown. */
const keptOfSecret = ['description', 'enable_interpolation_in_file'];

/** The request that changes the value of an owner's secret. @param row as the owner's list shows it */
export function planSecretReplacement({ kind, id }: VariableOwner, row: JsonRecord, value: string): PlannedOperation {
  const kept = pick(
    row,
    keptOfSecret.filter((name) => row[name] !== null && row[name] !== undefined),
  );
  const changed = { key: row['key'], value, ...kept };
  const ofPlatform = { unchanged: Object.keys(kept), present: row, given: { value } };
  if (!hasVariablePaths(kind))
    return {
      operation: anyOperation.updateSecret,
      input: { environment_variable_id: row['id'], ...named({ kind, id }), ...changed },
      ...ofPlatform,
    };
  return {
    operation: ownOperations.updateSecret[kind],
    input: { [`${kind}_id`]: id, secret_id: row['id'], ...changed },
    ...ofPlatform,
  };
}

/** Whether a planned operation changes the value of a secret. */
export const replacesSecret = (operation: AnyOperation): boolean =>
  operation === anyOperation.updateSecret ||
  Object.values<AnyOperation>(ownOperations.updateSecret).includes(operation);

/**
 * Whether a request sets the value of a secret rather than a variable: at the path of all variables one operation does
 * both.
 */
const setsSecret = ({ operation, input }: PlannedOperation): boolean =>
  input['is_secret'] === true || replacesSecret(operation) || isSecretMember(operation.body?.shape['value']);

/** For rules that deny a tool which sets secrets only, or variables only. */
export const matchesValueOf =
  (listing: VariableListing): NonNullable<Tool['matchesAction']> =>
  async (planned) =>
    setsSecret(planned) === (listing === 'secrets') ? 'yes' : 'no';

/** The request that deletes an owner's variable or secret. @param row as the owner's list shows it */
export function planRemoval({ kind, id }: VariableOwner, row: JsonRecord, isSecret: boolean): PlannedOperation {
  const purpose = isSecret ? 'deleteSecret' : 'delete';
  if (!hasVariablePaths(kind))
    return { operation: anyOperation[purpose], input: { environment_variable_id: row['id'], ...named({ kind, id }) } };
  return {
    operation: ownOperations[purpose][kind],
    input: { [`${kind}_id`]: id, [isSecret ? 'secret_id' : 'environment_variable_id']: row['id'] },
  };
}

/** The operation that replaces an owner's variable, and the members of its input that name the owner. */
export function replacementOf(
  { kind, id }: VariableOwner,
  environmentId: string | undefined,
): { readonly operation: AnyOperation; readonly ids: JsonRecord } {
  if (kind === 'project') return { operation: operations.update_variable_of_project, ids: { project_id: id } };
  if (!hasVariablePaths(kind)) return { operation: operations.update_variable, ids: named({ kind, id }) };
  return { operation: operations.update_environment_variable, ids: { environment_id: environmentId } };
}

// From the widest to the narrowest; every other scope is that of a service.
const sharedScopes: readonly string[] = ['BUILT_IN', 'PROJECT', 'ENVIRONMENT'];

/** How narrow the scope of a row is: the higher, the more it takes precedence. */
export const narrowness = (row: JsonRecord): number =>
  sharedScopes.includes(String(row['scope'])) ? sharedScopes.indexOf(String(row['scope'])) : sharedScopes.length;

/**
 * The effective row of a visible key, ignoring one of its rows: that of the narrowest scope, and whether it is a
 * secret.
 */
export function effective(
  { variables = [], secrets = [] }: SeenVariables,
  key: string,
  without?: string,
): { readonly row: JsonRecord; readonly isSecret: boolean } | undefined {
  const found = [
    ...variables.map((row) => ({ row, isSecret: false })),
    ...secrets.map((row) => ({ row, isSecret: true })),
  ];
  return found
    .filter(({ row }) => row['key'] === key && row['id'] !== without)
    .toSorted((one, other) => narrowness(other.row) - narrowness(one.row))[0];
}
