import { ApiError } from '../../client/errors.ts';
import { parameterKind, snakeCase, type AnyOperation } from '../../contract/operation.ts';
import { allOperations, operations } from '../../contract/operations.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { EnvironmentMode } from '../../contract/resources/environment.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import { isRecord, type JsonRecord } from '../values.ts';

/** What a call acts on, as far as it could be found out. */
export interface Target {
  readonly kind: ReferenceKind;
  /** Absent while it doesn't exist yet. */
  readonly id?: string;
  readonly name?: string;
  /** Name of the environment a service is in. */
  readonly environment?: string;
  /** Mode of the environment it belongs to; `none` where it belongs to none. */
  readonly mode: EnvironmentMode | 'unknown' | 'none';
}

/** Carries out a read of the contract; fails with the client's errors. */
export type Read = (operation: AnyOperation, input: JsonRecord) => Promise<unknown>;

/** What the target could not be asked for: the platform doesn't offer the read, or forbids it. Everything else is the call's own failure. */
const cannotBeAsked = (error: unknown): boolean => error instanceof ApiError && (error.kind === 'not_offered' || error.kind === 'forbidden');

async function attempt(read: Promise<unknown>): Promise<JsonRecord | undefined> {
  try {
    const answer = await read;
    return isRecord(answer) ? answer : undefined;
  } catch (error) {
    if (cannotBeAsked(error)) return undefined;
    throw error;
  }
}

/** The read whose only parameter, at the end of its path, is the id of this kind. */
const readerOf = (kind: ReferenceKind): AnyOperation | undefined =>
  allOperations.find(({ method, path, params }) => method === 'GET' && params.length === 1 && path.endsWith(`{${params[0]}}`) && parameterKind(params[0]!) === kind);

const readById = async (kind: ReferenceKind, id: string, read: Read): Promise<JsonRecord | undefined> => {
  const reader = readerOf(kind);
  return reader && attempt(read(reader, { [`${kind}_id`]: id }));
};

const idIn = (pointer: unknown): string | undefined => (isRecord(pointer) && typeof pointer['id'] === 'string' ? pointer['id'] : undefined);
const nameIn = (found: JsonRecord | undefined): string | undefined => (typeof found?.['name'] === 'string' ? found['name'] : undefined);

const modeIn = (found: JsonRecord | undefined): Target['mode'] => EnvironmentMode.safeParse(found?.['mode']).data ?? 'unknown';

async function clusterName(id: string, read: Read): Promise<string | undefined> {
  const organization = idIn(await attempt(read(operations.get_organization, {})));
  const list = organization === undefined ? undefined : await attempt(read(operations.list_clusters, { organization_id: organization }));
  const rows = Array.isArray(list?.['results']) ? (list['results'] as unknown[]) : [];
  return nameIn(rows.filter(isRecord).find((row) => row['id'] === id));
}

const serviceTarget = async (kind: ReferenceKind, id: string, read: Read): Promise<Target> => {
  const service = await readById(kind, id, read);
  const environmentId = idIn(service?.['environment']);
  const environment = environmentId === undefined ? undefined : await readById('environment', environmentId, read);
  return { kind, id, name: nameIn(service), environment: nameIn(environment), mode: modeIn(environment) };
};

const isService = (kind: ReferenceKind): boolean => (serviceKinds as readonly string[]).includes(kind);

/** An environment about to be created has the mode its own body asks for. */
const newEnvironment = (args: JsonRecord): Target => ({ kind: 'environment', name: nameIn(args), mode: modeIn(args) });

/**
 * Finds out what a changing call acts on: the resource its path begins with. Asks the platform, where it must, by
 * reads that lie outside the document; a mode that can't be determined is `unknown`.
 * @throws ApiError when the target doesn't exist or the platform can't be reached.
 */
export async function targetOf(operation: AnyOperation, args: JsonRecord, read: Read): Promise<Target> {
  const param = operation.params[0];
  if (param === undefined) return { kind: 'organization', mode: 'none' };
  const kind = parameterKind(param);
  const id = String(args[snakeCase(param)]);
  if (kind === 'project') return 'mode' in args ? newEnvironment(args) : { kind, id, mode: 'none' };
  if (kind === 'organization') return { kind, id, mode: 'none' };
  if (kind === 'cluster') return { kind, id, name: await clusterName(id, read), mode: 'none' };
  if (kind === 'environment') {
    const environment = await readById(kind, id, read);
    return { kind, id, name: nameIn(environment), mode: modeIn(environment) };
  }
  if (isService(kind)) return serviceTarget(kind, id, read);
  return { kind, id, name: nameIn(await readById(kind, id, read)), mode: 'none' };
}
