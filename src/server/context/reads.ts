import { ApiError } from '../../client/index.ts';
import {
  allOperations,
  EnvironmentMode,
  everyOrganization,
  operations,
  parameterKind,
  scopeOfOwner,
  type AnyOperation,
  type ReferenceKind,
  variableList,
  type VariableListing,
  type VariableOwnerKind,
} from '../../contract/index.ts';
import { at, isRecord, type JsonRecord } from '../json/index.ts';
import type { Reader } from './reader.ts';

/**
 * Reads the variables or secrets that an owner sees, of every scope; undefined if the platform doesn't offer the list,
 * or forbids it.
 * @throws ApiError if the platform fails.
 */
export async function readVariableList(
  listing: VariableListing,
  { kind, id }: { readonly kind: VariableOwnerKind; readonly id: string },
  { attempt }: Pick<Reader, 'attempt'>,
): Promise<JsonRecord | undefined> {
  const { operation, inputFor, isListed } = variableList(listing, kind);
  const answer: JsonRecord | undefined = await attempt(operation, inputFor(id));
  return answer && isListed ? { ...answer, results: rowsIn(answer).filter(isListed) } : answer;
}

const saysWhichOfBoth = (row: JsonRecord): boolean =>
  typeof row['is_secret'] === 'boolean' && textIn(row, 'key') !== undefined && textIn(row, 'id') !== undefined;

/**
 * Reads both lists at once, in one request where the platform lists variables and secrets together. That list counts if
 * it is whole and each row says which of the two it is. Without any secret it says nothing of secrets, since a platform
 * may leave out those that the token may not see: only the list of secrets tells that there are none.
 * @throws ApiError if the platform fails.
 */
export async function readBothVariableLists(
  owner: { readonly kind: VariableOwnerKind; readonly id: string },
  reader: Pick<Reader, 'attempt' | 'whole'>,
): Promise<Readonly<Record<VariableListing, JsonRecord | undefined>>> {
  const input = { scope: scopeOfOwner(owner.kind), parent_id: owner.id };
  const rows = wholeListIn(await reader.whole(operations.list_variables, input));
  if (!rows?.every(saysWhichOfBoth)) {
    const [variables, secrets] = await Promise.all([
      readVariableList('variables', owner, reader),
      readVariableList('secrets', owner, reader),
    ]);
    return { variables, secrets };
  }
  const [secrets, variables] = [true, false].map((isSecret) => rows.filter((row) => row['is_secret'] === isSecret));
  return {
    variables: { results: variables },
    secrets: secrets!.length > 0 ? { results: secrets } : await readVariableList('secrets', owner, reader),
  };
}

/** The rows in the answer of a list; empty if there are none. */
export const rowsIn = (answer: JsonRecord | undefined): JsonRecord[] => {
  const rows = answer?.['results'];
  return Array.isArray(rows) ? (rows as unknown[]).filter(isRecord) : [];
};

/** The read operation whose only parameter, at the end of its path, is the id of this kind. */
export const readOperationOf = (kind: ReferenceKind): AnyOperation | undefined =>
  allOperations.find(
    ({ method, path, params }) =>
      method === 'GET' && params.length === 1 && path.endsWith(`{${params[0]}}`) && parameterKind(params[0]!) === kind,
  );

/** Reads a resource by its id; undefined if the platform doesn't offer or forbids it. */
export const readById = async (
  kind: ReferenceKind,
  id: string,
  reader: Pick<Reader, 'attempt'>,
): Promise<JsonRecord | undefined> => {
  const operation = readOperationOf(kind);
  return operation && reader.attempt(operation, { [`${kind}_id`]: id });
};

const isLess = (one: unknown, other: unknown): boolean =>
  typeof one === 'number' && typeof other === 'number' && one < other;

/**
 * The rows in the answer of a list, if it is complete; undefined if there is no answer, or it contains only some of the
 * rows.
 */
export function wholeListIn(answer: JsonRecord | undefined): JsonRecord[] | undefined {
  if (!Array.isArray(answer?.['results'])) return undefined;
  const rows = rowsIn(answer);
  const isPart =
    isLess(rows.length, at(answer, 'pagination.total_count')) ||
    isLess(at(answer, 'pagination.page'), at(answer, 'pagination.total_pages'));
  return isPart ? undefined : rows;
}

export const textIn = (record: JsonRecord | undefined, name: string): string | undefined =>
  typeof record?.[name] === 'string' ? record[name] : undefined;
export const pointerIn = (record: JsonRecord | undefined, name: string): string | undefined =>
  isRecord(record?.[name]) ? textIn(record[name], 'id') : undefined;

/** The name of an environment's project, if the platform tells it with the environment. */
export const nameOfProject = (environment: JsonRecord | undefined): { readonly name?: string } => {
  const project = environment?.['project'];
  const name = isRecord(project) ? textIn(project, 'name') : undefined;
  return name === undefined ? {} : { name };
};

/** Parses a mode; `unknown` if it is not one of the contract's. */
export const asMode = (value: unknown): EnvironmentMode | 'unknown' =>
  EnvironmentMode.safeParse(value).data ?? 'unknown';

/**
 * The id of the caller's organization: the one that every environment lies in that the call has read, or that of the
 * token; undefined if the platform doesn't show it.
 */
export async function organizationIdOf(reader: Reader): Promise<string | undefined> {
  const environments = await reader.answered(operations.get_environment);
  const [id, ...others] = new Set(environments.map((one) => pointerIn(one, 'organization')));
  return id !== undefined && others.length === 0
    ? id
    : textIn(await reader.attempt(operations.get_organization, {}), 'id');
}

/** Reads a list of the caller's organization; undefined if the platform doesn't offer or forbids it. */
export async function listOfOrganization(list: AnyOperation, reader: Reader): Promise<JsonRecord | undefined> {
  const organization = await organizationIdOf(reader);
  return organization === undefined ? undefined : reader.attempt(list, { organization_id: organization });
}

/**
 * All rows of a list of the caller's organization; undefined if the platform doesn't give them all, or a row or a part
 * of one can't be read. It stands for other lists, which are read then.
 */
export async function wholeListOfOrganization(
  list: AnyOperation,
  reader: Reader,
): Promise<readonly JsonRecord[] | undefined> {
  const organization = await organizationIdOf(reader);
  return organization === undefined
    ? undefined
    : wholeListIn(await reader.whole(list, { organization_id: organization }));
}

const isUnclear = (error: unknown): boolean => error instanceof ApiError && error.kind === 'unclear_organization';

/** Reads an organization by its id, by default that of the token; undefined if the platform doesn't show it. */
export async function organizationWith(id: string | undefined, reader: Reader): Promise<JsonRecord | undefined> {
  const own = await reader
    .attempt(operations.get_organization, {})
    .catch((error: unknown) => (isUnclear(error) ? undefined : Promise.reject(error as Error)));
  if (id === undefined || own?.id === id) return own;
  return rowsIn(await reader.attempt(everyOrganization, {})).find((row) => row['id'] === id);
}

/**
 * The row of an environment in a list that the call has read, if it has a member: that of its organization or, for its
 * cluster, that of its project. If the row lacks the member, a row of one of its services may provide it.
 */
async function environmentRow(
  id: string,
  member: 'mode' | 'cluster_id',
  reader: Reader,
): Promise<JsonRecord | undefined> {
  if (member === 'cluster_id') {
    const own = (await reader.answered(operations.list_environments)).flatMap((answer) => rowsIn(answer));
    const listed = own.find((one) => one['id'] === id && textIn(one, member) !== undefined);
    if (listed) return listed;
  }
  const lists = await reader.answered(operations.list_environments_of_organization);
  const row = lists.flatMap((answer) => rowsIn(answer)).find((one) => one['id'] === id);
  if (row === undefined || textIn(row, member) !== undefined) return row;
  const services = (await reader.answered(operations.list_services_of_organization)).flatMap((answer) =>
    rowsIn(answer),
  );
  const inside = services.find((service) => service['environment_id'] === id && textIn(service, member) !== undefined);
  return inside && { ...row, [member]: inside[member] };
}

/**
 * The record of an environment, from earlier reads of the call if they have a member, so that a call for many
 * environments doesn't read each of them; undefined if it can't be read.
 */
export const environmentIn = async (
  id: string,
  member: 'mode' | 'cluster_id',
  reader: Reader,
): Promise<JsonRecord | undefined> => (await environmentRow(id, member, reader)) ?? readById('environment', id, reader);

/**
 * The services of an environment in a list that the call has read: that of the environment or a wider one. If the wider
 * list has one of them, it has them all.
 */
async function servicesRead(environment_id: string, reader: Reader): Promise<readonly JsonRecord[] | undefined> {
  const [list] = await reader.answered(operations.list_services, { environment_id });
  const own = wholeListIn(list);
  if (own) return own;
  const wide = (await reader.answered(operations.list_services_of_organization)).map((answer) =>
    rowsIn(answer).filter((row) => row['environment_id'] === environment_id),
  );
  return wide.find((rows) => rows.length > 0);
}

/**
 * The services of an environment, from earlier reads of the call or by a new read; undefined if not all of them can be
 * read.
 */
export const servicesIn = async (
  environmentId: string | undefined,
  reader: Reader,
): Promise<readonly JsonRecord[] | undefined> =>
  environmentId === undefined
    ? undefined
    : ((await servicesRead(environmentId, reader)) ??
      wholeListIn(await reader.attempt(operations.list_services, { environment_id: environmentId })));
