import { ApiError } from '../../client/index.ts';
import { allOperations, EnvironmentMode, everyOrganization, operations, parameterKind, type AnyOperation, type ReferenceKind } from '../../contract/index.ts';
import { at, isRecord, type JsonRecord } from '../json/index.ts';
import type { Reader } from './reader.ts';

/** The rows in the answer of a list; empty if there are none. */
export const rowsIn = (answer: JsonRecord | undefined): JsonRecord[] => {
  const rows = answer?.['results'];
  return Array.isArray(rows) ? (rows as unknown[]).filter(isRecord) : [];
};

/** The read operation whose only parameter, at the end of its path, is the id of this kind. */
export const readOperationOf = (kind: ReferenceKind): AnyOperation | undefined =>
  allOperations.find(({ method, path, params }) => method === 'GET' && params.length === 1 && path.endsWith(`{${params[0]}}`) && parameterKind(params[0]!) === kind);

/** Reads a resource by its id; undefined if the platform doesn't offer or forbids it. */
export const readById = async (kind: ReferenceKind, id: string, reader: Pick<Reader, 'attempt'>): Promise<JsonRecord | undefined> => {
  const operation = readOperationOf(kind);
  return operation && reader.attempt(operation, { [`${kind}_id`]: id });
};

/**
 * The rows in the answer of a list, if it is complete; undefined if there is no answer, or it contains only a part of the
 * rows.
 */
export function wholeListIn(answer: JsonRecord | undefined): JsonRecord[] | undefined {
  if (!Array.isArray(answer?.['results'])) return undefined;
  const rows = rowsIn(answer);
  const total = at(answer, 'pagination.total_count');
  return typeof total === 'number' && total > rows.length ? undefined : rows;
}

export const textIn = (record: JsonRecord | undefined, name: string): string | undefined => (typeof record?.[name] === 'string' ? record[name] : undefined);
export const pointerIn = (record: JsonRecord | undefined, name: string): string | undefined => (isRecord(record?.[name]) ? textIn(record[name], 'id') : undefined);

/** Parses a mode; `unknown` if it is not one of the contract's. */
export const asMode = (value: unknown): EnvironmentMode | 'unknown' => EnvironmentMode.safeParse(value).data ?? 'unknown';

/** Reads a list of the caller's organization; undefined if the platform doesn't offer or forbids it. */
export async function listOfOrganization(list: AnyOperation, reader: Reader): Promise<JsonRecord | undefined> {
  const organization = textIn(await reader.attempt(operations.get_organization, {}), 'id');
  return organization === undefined ? undefined : reader.attempt(list, { organization_id: organization });
}

const isUnclear = (error: unknown): boolean => error instanceof ApiError && error.kind === 'unclear_organization';

/** Reads an organization by its id, by default the token's own; undefined if the platform doesn't show it. */
export async function organizationWith(id: string | undefined, reader: Reader): Promise<JsonRecord | undefined> {
  const own = await reader.attempt(operations.get_organization, {}).catch((error: unknown) => (isUnclear(error) ? undefined : Promise.reject(error as Error)));
  if (id === undefined || own?.id === id) return own;
  return rowsIn(await reader.attempt(everyOrganization, {})).find((row) => row['id'] === id);
}

/** Reads the services of an environment; undefined if not all of them can be read. */
export const servicesIn = async (environmentId: string | undefined, reader: Reader): Promise<readonly JsonRecord[] | undefined> =>
  environmentId === undefined ? undefined : wholeListIn(await reader.attempt(operations.list_services, { environment_id: environmentId }));
