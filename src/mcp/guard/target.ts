import { ApiError } from '../../client/errors.ts';
import { parameterKind, snakeCase, type AnyOperation } from '../../contract/operation.ts';
import { allOperations, operations } from '../../contract/operations.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { EnvironmentMode } from '../../contract/resources/environment.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import { isRecord, type JsonRecord } from '../values.ts';

/** An environment or project, as far as it is known. Empty where there is one that could not be found out. */
export interface Place {
  readonly id?: string;
  readonly name?: string;
}

/** What a call acts on, as far as it could be found out. */
export interface Target {
  readonly kind: ReferenceKind;
  /** Absent while it doesn't exist yet. */
  readonly id?: string;
  readonly name?: string;
  /** The environment it is or is in; absent where it belongs to none. */
  readonly environment?: Place;
  /** The project it is or is in; absent where it belongs to none. */
  readonly project?: Place;
  /** Mode of its environment, PRODUCTION for a cluster that hosts production; `none` where it belongs to none. */
  readonly mode: EnvironmentMode | 'unknown' | 'none';
}

/** Carries out a read of the contract; fails with the client's errors. */
export type Read = (operation: AnyOperation, input: JsonRecord) => Promise<unknown>;

/** What the target could not be asked for: the platform doesn't offer the read, or forbids it. Everything else is the call's own failure. */
const cannotBeAsked = (error: unknown): boolean => error instanceof ApiError && (error.kind === 'not_offered' || error.kind === 'forbidden');

/**
 * The answer of a read, or undefined where the platform doesn't offer or forbids it.
 * @throws ApiError for every other failure.
 */
export async function attempt(read: Promise<unknown>): Promise<JsonRecord | undefined> {
  try {
    const answer = await read;
    return isRecord(answer) ? answer : undefined;
  } catch (error) {
    if (cannotBeAsked(error)) return undefined;
    throw error;
  }
}

/** The rows of a list's answer. */
export const rowsIn = (answer: JsonRecord | undefined): JsonRecord[] => {
  const rows = answer?.['results'];
  return Array.isArray(rows) ? (rows as unknown[]).filter(isRecord) : [];
};

/** The read whose only parameter, at the end of its path, is the id of this kind. */
const readerOf = (kind: ReferenceKind): AnyOperation | undefined =>
  allOperations.find(({ method, path, params }) => method === 'GET' && params.length === 1 && path.endsWith(`{${params[0]}}`) && parameterKind(params[0]!) === kind);

/** A resource by its id; undefined where the platform doesn't offer or forbids it. */
export const readById = async (kind: ReferenceKind, id: string, read: Read): Promise<JsonRecord | undefined> => {
  const reader = readerOf(kind);
  return reader && attempt(read(reader, { [`${kind}_id`]: id }));
};

const textIn = (found: JsonRecord | undefined, name: string): string | undefined => (typeof found?.[name] === 'string' ? found[name] : undefined);
const nameIn = (found: JsonRecord | undefined): string | undefined => textIn(found, 'name');
const pointerIn = (found: JsonRecord | undefined, name: string): string | undefined => (isRecord(found?.[name]) ? textIn(found[name], 'id') : undefined);

const modeIn = (found: JsonRecord | undefined): Target['mode'] => EnvironmentMode.safeParse(found?.['mode']).data ?? 'unknown';

/** The row of a list of the caller's organization with this id. */
async function inOrganization(list: AnyOperation, id: string, read: Read): Promise<JsonRecord | undefined> {
  const organization = textIn(await attempt(read(operations.get_organization, {})), 'id');
  const answer = organization === undefined ? undefined : await attempt(read(list, { organization_id: organization }));
  return rowsIn(answer).find((row) => row['id'] === id);
}

type Whereabouts = Pick<Target, 'environment' | 'project' | 'mode'>;

const nowhere: Whereabouts = { mode: 'none' };

/** Where something is whose environment has this id. */
async function whereaboutsOf(environmentId: string | undefined, read: Read): Promise<Whereabouts> {
  const found = environmentId === undefined ? undefined : await readById('environment', environmentId, read);
  return {
    environment: { id: environmentId, name: nameIn(found) },
    project: { id: pointerIn(found, 'project') },
    mode: modeIn(found),
  };
}

async function serviceTarget(kind: ReferenceKind, id: string, read: Read): Promise<Target> {
  const service = await readById(kind, id, read);
  return { kind, id, name: nameIn(service), ...(await whereaboutsOf(pointerIn(service, 'environment'), read)) };
}

async function environmentTarget(id: string, read: Read): Promise<Target> {
  const where = await whereaboutsOf(id, read);
  return { kind: 'environment', id, name: where.environment?.name, ...where };
}

/** An alert rule is where the service is that it watches. */
async function alertRuleTarget(id: string, read: Read): Promise<Target> {
  const rule = await readById('alert_rule', id, read);
  const watched = isRecord(rule?.['target']) ? rule['target']['service'] : undefined;
  const isElsewhere = rule !== undefined && watched === undefined;
  const where = isElsewhere ? nowhere : await whereaboutsOf(textIn(isRecord(watched) ? watched : undefined, 'environment_id'), read);
  return { kind: 'alert_rule', id, name: nameIn(rule), ...where };
}

async function clusterTarget(id: string, read: Read): Promise<Target> {
  const cluster = await inOrganization(operations.list_clusters, id, read);
  return { kind: 'cluster', id, name: nameIn(cluster), mode: cluster === undefined ? 'unknown' : cluster['production'] === true ? 'PRODUCTION' : 'none' };
}

/** An environment about to be created has the mode its own body asks for. */
const newEnvironment = (args: JsonRecord, project: Place): Target => ({
  kind: 'environment', name: nameIn(args), environment: { name: nameIn(args) }, project, mode: modeIn(args),
});

const isService = (kind: ReferenceKind): boolean => (serviceKinds as readonly string[]).includes(kind);

/**
 * Finds out where a thing is. Asks the platform, where it must, by reads that lie outside the document; a mode that can't
 * be determined is `unknown`.
 * @throws ApiError when the thing doesn't exist or the platform can't be reached.
 */
export async function targetAt(kind: ReferenceKind, id: string, read: Read): Promise<Target> {
  if (kind === 'project') return { kind, id, project: { id }, mode: 'none' };
  if (kind === 'organization') return { kind, id, mode: 'none' };
  if (kind === 'cluster') return clusterTarget(id, read);
  if (kind === 'environment') return environmentTarget(id, read);
  if (kind === 'alert_rule') return alertRuleTarget(id, read);
  if (isService(kind)) return serviceTarget(kind, id, read);
  return { kind, id, name: nameIn(await readById(kind, id, read)), mode: 'none' };
}

/**
 * Finds out what an operation acts on: the resource its path begins with.
 * @throws ApiError when the target doesn't exist or the platform can't be reached.
 */
export async function targetOf(operation: AnyOperation, args: JsonRecord, read: Read): Promise<Target> {
  const param = operation.params[0];
  if (param === undefined) return { kind: 'organization', mode: 'none' };
  const kind = parameterKind(param);
  const id = String(args[snakeCase(param)]);
  return kind === 'project' && 'mode' in args ? newEnvironment(args, { id }) : targetAt(kind, id, read);
}

/** The same target with the name of its project, where the platform tells. */
export async function withProjectName(target: Target, read: Read): Promise<Target> {
  const id = target.project?.id;
  if (id === undefined) return target;
  return { ...target, project: { id, name: nameIn(await inOrganization(operations.list_projects, id, read)) } };
}
