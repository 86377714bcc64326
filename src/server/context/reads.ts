import { parameterKind, type AnyOperation } from '../../contract/operation.ts';
import { allOperations, operations } from '../../contract/operations.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { EnvironmentMode } from '../../contract/resources/environment.ts';
import { at, isRecord, type JsonRecord } from '../json/values.ts';
import type { Reader } from './reader.ts';

/** The rows of a list's answer. */
export const rowsIn = (answer: JsonRecord | undefined): JsonRecord[] => {
  const rows = answer?.['results'];
  return Array.isArray(rows) ? (rows as unknown[]).filter(isRecord) : [];
};

/** The read whose only parameter, at the end of its path, is the id of this kind. */
const readOf = (kind: ReferenceKind): AnyOperation | undefined =>
  allOperations.find(({ method, path, params }) => method === 'GET' && params.length === 1 && path.endsWith(`{${params[0]}}`) && parameterKind(params[0]!) === kind);

/** A resource by its id; undefined where the platform doesn't offer or forbids it. */
export const readById = async (kind: ReferenceKind, id: string, reader: Pick<Reader, 'attempt'>): Promise<JsonRecord | undefined> => {
  const operation = readOf(kind);
  return operation && reader.attempt(operation, { [`${kind}_id`]: id });
};

/**
 * The rows of a list's answer where they are all there are; undefined where it wasn't answered, or shows a part of them
 * only.
 */
export function wholeListIn(answer: JsonRecord | undefined): JsonRecord[] | undefined {
  if (!Array.isArray(answer?.['results'])) return undefined;
  const rows = rowsIn(answer);
  const total = at(answer, 'pagination.total_count');
  return typeof total === 'number' && total > rows.length ? undefined : rows;
}

export const textIn = (found: JsonRecord | undefined, name: string): string | undefined => (typeof found?.[name] === 'string' ? found[name] : undefined);
export const pointerIn = (found: JsonRecord | undefined, name: string): string | undefined => (isRecord(found?.[name]) ? textIn(found[name], 'id') : undefined);

/** A mode as it was read or given; `unknown` where it is none of the contract's. */
export const asMode = (value: unknown): EnvironmentMode | 'unknown' => EnvironmentMode.safeParse(value).data ?? 'unknown';

/** A list of the caller's organization; undefined where the platform doesn't offer or forbids it. */
export async function listOfOrganization(list: AnyOperation, reader: Reader): Promise<JsonRecord | undefined> {
  const organization = textIn(await reader.attempt(operations.get_organization, {}), 'id');
  return organization === undefined ? undefined : reader.attempt(list, { organization_id: organization });
}

/** The services of an environment; undefined where not all of them can be read. */
export const servicesIn = async (environmentId: string | undefined, reader: Reader): Promise<readonly JsonRecord[] | undefined> =>
  environmentId === undefined ? undefined : wholeListIn(await reader.attempt(operations.list_services, { environment_id: environmentId }));
