import { parameterKind, snakeCase, type AnyOperation } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import type { ReferenceKind } from '../../../contract/primitives.ts';
import { serviceKinds } from '../../../contract/resources/service.ts';
import { isRecord, type JsonRecord } from '../../json/values.ts';
import { unknownEnvironment, type Target } from '../../context/target.ts';
import { hostedModeOf, findHostedEnvironments, type HostedEnvironment, type SearchLimit } from './hosted-environments.ts';
import type { Reader } from '../../context/reader.ts';
import { asMode, listOfOrganization, pointerIn, readById, rowsIn, textIn } from '../../context/reads.ts';

const nameIn = (found: JsonRecord | undefined): string | undefined => textIn(found, 'name');

/** The row of a list of the caller's organization with this id. */
const inOrganization = async (list: AnyOperation, id: string, reader: Reader): Promise<JsonRecord | undefined> =>
  rowsIn(await listOfOrganization(list, reader)).find((row) => row['id'] === id);

type Location = Pick<Target, 'environment' | 'project' | 'mode'>;

const noLocation: Location = { mode: 'none' };

/** Where something is whose environment has this id. */
async function locationOf(environmentId: string | undefined, reader: Reader): Promise<Location> {
  const found = environmentId === undefined ? undefined : await readById('environment', environmentId, reader);
  return {
    environment: { id: environmentId, name: nameIn(found) },
    project: { id: pointerIn(found, 'project') },
    mode: asMode(found?.['mode']),
  };
}

async function serviceTarget(kind: ReferenceKind, id: string, reader: Reader): Promise<Target> {
  const service = await readById(kind, id, reader);
  return { kind, id, name: nameIn(service), ...(await locationOf(pointerIn(service, 'environment'), reader)) };
}

async function environmentTarget(id: string, reader: Reader): Promise<Target> {
  const where = await locationOf(id, reader);
  return { kind: 'environment', id, name: where.environment?.name, ...where };
}

/** An alert rule is where the service is that it watches. */
async function alertRuleTarget(id: string, reader: Reader): Promise<Target> {
  const rule = await readById('alert_rule', id, reader);
  const watched = isRecord(rule?.['target']) ? rule['target']['service'] : undefined;
  const isElsewhere = rule !== undefined && watched === undefined;
  const where = isElsewhere ? noLocation : await locationOf(textIn(isRecord(watched) ? watched : undefined, 'environment_id'), reader);
  return { kind: 'alert_rule', id, name: nameIn(rule), ...where };
}

/** A cluster is production where it says so, or hosts production. */
async function clusterTarget(id: string, reader: Reader, patience: SearchLimit): Promise<Target> {
  const cluster = await inOrganization(operations.list_clusters, id, reader);
  const mode = cluster === undefined ? 'unknown' : cluster['production'] === true ? 'PRODUCTION' : await hostedModeOf(id, reader, patience);
  return { kind: 'cluster', id, name: nameIn(cluster), mode };
}

const hostedTarget = ({ id, name, project, mode }: HostedEnvironment): Target => ({ kind: 'environment', id, name, environment: { id, name }, project, mode, why: 'hosted' });

/**
 * What a cluster hosts, as far as it can be found out: an environment that nobody knows stands for the rest.
 * @throws ApiError as the platform fails.
 */
async function hostedBy(cluster: Target, reader: Reader, patience: SearchLimit): Promise<readonly Target[]> {
  const { environments, isComplete: isWhole } = await findHostedEnvironments(cluster.id!, reader, patience);
  // A cluster that isn't shown may be known by another spelling of its id.
  return [...environments.map(hostedTarget), ...(isWhole && cluster.name !== undefined ? [] : [unknownEnvironment('hosted')])];
}

const isService = (kind: ReferenceKind): boolean => (serviceKinds as readonly string[]).includes(kind);

const noLimit: SearchLimit = { isOver: () => false };

/**
 * Finds out where a thing is. Asks the platform, where it must, by reads that lie outside the document; a mode that can't
 * be determined is `unknown`.
 * @param patience how long may be looked for what a cluster hosts.
 * @throws ApiError when the thing doesn't exist or the platform can't be reached.
 */
export async function findTargetById(kind: ReferenceKind, id: string, reader: Reader, patience = noLimit): Promise<Target> {
  if (kind === 'project') return { kind, id, project: { id }, mode: 'none' };
  if (kind === 'organization') return { kind, id, mode: 'none' };
  if (kind === 'cluster') return clusterTarget(id, reader, patience);
  if (kind === 'environment') return environmentTarget(id, reader);
  if (kind === 'alert_rule') return alertRuleTarget(id, reader);
  if (isService(kind)) return serviceTarget(kind, id, reader);
  return { kind, id, name: nameIn(await readById(kind, id, reader)), mode: 'none' };
}

/** What is given for a member, under whichever of its spellings. */
const argumentFor = ({ aliases }: AnyOperation, args: JsonRecord, name: string): unknown =>
  args[name] ?? Object.entries(aliases).flatMap(([alias, member]) => (member === name ? [args[alias]] : [])).find((value) => value !== undefined);

interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
}

/** What the members of a call point at beside its target. */
export const referencesIn = (operation: AnyOperation, args: JsonRecord): Reference[] =>
  Object.entries(operation.roles).flatMap(([name, role]) => {
    if (typeof role === 'string' || !('pointsAt' in role)) return [];
    const value = argumentFor(operation, args, name);
    return [value].flat().flatMap((id) => (typeof id === 'string' ? [{ kind: role.pointsAt, id }] : []));
  });

/** The environment that comes of a call: its own mode and project to be, whatever its target's are now. Undefined where none does. */
function environmentAfter(operation: AnyOperation, args: JsonRecord, target: Target): Target | undefined {
  const { creates, moves, roles } = operation;
  const deciding = Object.entries(roles).find(([, role]) => role === 'mode')?.[0];
  const outcome = creates ?? moves;
  if (outcome?.kind !== 'environment' && deciding === undefined) return undefined;
  const isNew = creates?.kind === 'environment';
  const name = nameIn(args) ?? (isNew ? undefined : target.name);
  const elsewhere = outcome && referencesIn(operation, args).find(({ kind }) => kind === outcome.in && kind === 'project');
  const mode = deciding === undefined ? (isNew ? 'unknown' : target.mode) : asMode(argumentFor(operation, args, deciding));
  const known = isNew ? {} : { id: target.id };
  return { kind: 'environment', ...known, name, environment: { ...known, name }, project: elsewhere ? { id: elsewhere.id } : target.project, mode };
}

/** How many things in its target a call names: each of them is changed. */
export const countNamed = (operation: AnyOperation, args: JsonRecord): number => {
  const ids = Object.entries(operation.roles).flatMap(([name, role]) => (typeof role === 'object' && 'within' in role ? [argumentFor(operation, args, name) ?? []].flat() : []));
  return new Set(ids).size;
};

const isLocated = ({ kind }: Reference): boolean => ['environment', 'project', 'cluster'].includes(kind) || isService(kind);

/**
 * Finds out what an operation acts on, as it declares: its target, with everything else that it touches. Of what it
 * makes of a project the target is what is made: a project has no mode.
 * @param patience how long may be looked for what a cluster hosts.
 * @param tellsHosted whether the environments that a target cluster hosts count as touched: it takes more reads.
 * @throws ApiError when the target doesn't exist or the platform can't be reached.
 */
export async function findTarget(operation: AnyOperation, args: JsonRecord, reader: Reader, patience = noLimit, tellsHosted = false): Promise<Target> {
  const param = operation.params.find((one: string) => parameterKind(one) === operation.target);
  if (param === undefined) return { kind: 'organization', mode: 'none' };
  const target = await findTargetById(operation.target, String(args[snakeCase(param)]), reader, patience);
  const hosted = tellsHosted && target.kind === 'cluster' ? await hostedBy(target, reader, patience) : [];
  const after = environmentAfter(operation, args, target);
  const pointed = await Promise.all(referencesIn(operation, args).filter(isLocated).map(({ kind, id }) => findTargetById(kind, id, reader, patience)));
  const [main, results] = after && target.kind === 'project' ? [after, []] : [target, after ? [after] : []];
  // What belongs nowhere and isn't production changes no judgement.
  const touched = [...results, ...pointed, ...hosted].filter(({ mode, project }) => mode !== 'none' || project !== undefined);
  return touched.length > 0 ? { ...main, touched } : main;
}

/** The same target with the names of the projects that it and what else is touched are in, where the platform tells. */
export async function withProjectName(target: Target, reader: Reader): Promise<Target> {
  const { touched, project } = target;
  const named = project?.id === undefined ? target : { ...target, project: { id: project.id, name: nameIn(await inOrganization(operations.list_projects, project.id, reader)) } };
  return touched ? { ...named, touched: await Promise.all(touched.map((one) => withProjectName(one, reader))) } : named;
}
