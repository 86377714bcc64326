import {
  isServiceKind,
  operations,
  productionMode,
  targetIn,
  type AnyOperation,
  type ReferenceKind,
} from '../../../contract/index.ts';
import { isRecord, omit, type JsonRecord } from '../../json/index.ts';
import {
  asMode,
  environmentIn,
  listOfOrganization,
  nameOfProject,
  pointerIn,
  readById,
  rowsIn,
  textIn,
  unknownEnvironment,
  wholeListIn,
  type Reader,
  type Target,
} from '../../context/index.ts';
import { placeOfRow } from '../row-places.ts';
import {
  hostedModeOf,
  findHostedEnvironments,
  type HostedEnvironment,
  type SearchLimit,
} from './hosted-environments.ts';

const nameIn = (record: JsonRecord | undefined): string | undefined => textIn(record, 'name');

/** The row with this id in a list of the caller's organization. */
const inOrganization = async (list: AnyOperation, id: string, reader: Reader): Promise<JsonRecord | undefined> =>
  rowsIn(await listOfOrganization(list, reader)).find((row) => row['id'] === id);

type Location = Pick<Target, 'environment' | 'project' | 'mode'>;

const noLocation: Location = { mode: 'none' };

/** The location of a resource in the environment with this id. */
async function locationOf(environmentId: string | undefined, reader: Reader): Promise<Location> {
  const environment = environmentId === undefined ? undefined : await environmentIn(environmentId, 'mode', reader);
  return {
    environment: { id: environmentId, name: nameIn(environment) },
    project: { id: pointerIn(environment, 'project'), ...nameOfProject(environment) },
    mode: asMode(environment?.['mode']),
  };
}

async function serviceTarget(kind: ReferenceKind, id: string, reader: Reader): Promise<Target> {
  const service = await readById(kind, id, reader);
  return { kind, id, name: nameIn(service), ...(await locationOf(pointerIn(service, 'environment'), reader)) };
}

async function environmentTarget(id: string, reader: Reader): Promise<Target> {
  const location = await locationOf(id, reader);
  return { kind: 'environment', id, name: location.environment?.name, ...location };
}

/** The location of an alert rule is that of the resource it watches. */
async function alertRuleTarget(id: string, reader: Reader): Promise<Target> {
  const rule = await readById('alert_rule', id, reader);
  const { environment, project, isInEnvironment } = rule
    ? placeOfRow(rule, 'alert rules', {})
    : { isInEnvironment: true };
  const outside = { ...noLocation, ...(project !== undefined && { project: { id: project } }) };
  return {
    kind: 'alert_rule',
    id,
    name: nameIn(rule),
    ...(environment === undefined && !isInEnvironment ? outside : await locationOf(environment, reader)),
  };
}

/** A cluster is production if its flag says so or it hosts a production environment. */
async function clusterTarget(id: string, reader: Reader, searchLimit: SearchLimit): Promise<Target> {
  const cluster = await inOrganization(operations.list_clusters, id, reader);
  const mode =
    cluster === undefined
      ? 'unknown'
      : cluster['production'] === true
        ? productionMode
        : await hostedModeOf(id, reader, searchLimit);
  return { kind: 'cluster', id, name: nameIn(cluster), mode };
}

const hostedTarget = ({ id, name, project, mode }: HostedEnvironment): Target => ({
  kind: 'environment',
  id,
  name,
  environment: { id, name },
  project,
  mode,
  why: 'hosted',
});

/**
 * The environments that a cluster hosts. If some may be missing, an unknown environment is added for them.
 * @throws ApiError if the platform fails.
 */
async function hostedBy(cluster: Target, reader: Reader, searchLimit: SearchLimit): Promise<readonly Target[]> {
  const { environments, isComplete } = await findHostedEnvironments(cluster.id!, reader, searchLimit);
  // A cluster without a name was not in the list: environments may spell its id differently.
  return [
    ...environments.map(hostedTarget),
    ...(isComplete && cluster.name !== undefined ? [] : [unknownEnvironment('hosted')]),
  ];
}

/**
 * The environments of a project, all of which inherit from it. If they can't all be read, an unknown one is included.
 * @throws ApiError if the platform fails.
 */
async function inheritingFrom(projectId: string, reader: Reader): Promise<readonly Target[]> {
  const environments = wholeListIn(await reader.attempt(operations.list_environments, { project_id: projectId }));
  const project = { id: projectId };
  if (!environments) return [{ ...unknownEnvironment('inherits'), project }];
  return environments.map((row) => {
    const [id, name] = [textIn(row, 'id'), nameIn(row)];
    return {
      kind: 'environment',
      id,
      name,
      environment: { id, name },
      project,
      mode: asMode(row['mode']),
      why: 'inherits',
    };
  });
}

const noLimit: SearchLimit = { isOver: () => false };

/**
 * Finds the location and mode of a resource. Some of the reads it may need are outside the API document; a mode that
 * can't be determined is `unknown`.
 * @param searchLimit the time limit of the search for a cluster's environments.
 * @throws ApiError if the resource doesn't exist or the platform can't be reached.
 */
export async function findTargetById(
  kind: ReferenceKind,
  id: string,
  reader: Reader,
  searchLimit = noLimit,
): Promise<Target> {
  if (kind === 'project') return { kind, id, project: { id }, mode: 'none' };
  if (kind === 'organization') return { kind, id, mode: 'none' };
  if (kind === 'cluster') return clusterTarget(id, reader, searchLimit);
  if (kind === 'environment') return environmentTarget(id, reader);
  if (kind === 'alert_rule') return alertRuleTarget(id, reader);
  if (isServiceKind(kind)) return serviceTarget(kind, id, reader);
  return { kind, id, name: nameIn(await readById(kind, id, reader)), mode: 'none' };
}

/** The argument for a member, under the member's name or one of its aliases. */
const argumentFor = ({ aliases }: AnyOperation, args: JsonRecord, name: string): unknown =>
  args[name] ??
  Object.entries(aliases)
    .flatMap(([alias, member]) => (member === name ? [args[alias]] : []))
    .find((value) => value !== undefined);

interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
}

/** The resources that a call's members refer to, in addition to its target. */
export const referencesIn = (operation: AnyOperation, args: JsonRecord): Reference[] =>
  Object.entries(operation.roles).flatMap(([name, role]) => {
    if (typeof role === 'string' || !('pointsAt' in role)) return [];
    const value = argumentFor(operation, args, name);
    return [value].flat().flatMap((id) => (typeof id === 'string' ? [{ kind: role.pointsAt, id }] : []));
  });

/**
 * The environment that a call creates, moves or changes the mode of, with its future project and mode. Undefined if it
 * does none of these.
 */
function environmentAfter(operation: AnyOperation, args: JsonRecord, target: Target): Target | undefined {
  const { creates, moves, roles } = operation;
  const modeMember = Object.entries(roles).find(([, role]) => role === 'mode')?.[0];
  const outcome = creates ?? moves;
  if (outcome?.kind !== 'environment' && modeMember === undefined) return undefined;
  const isNew = creates?.kind === 'environment';
  const name = nameIn(args) ?? (isNew ? undefined : target.name);
  const newProject =
    outcome && referencesIn(operation, args).find(({ kind }) => kind === outcome.in && kind === 'project');
  const mode =
    modeMember === undefined ? (isNew ? 'unknown' : target.mode) : asMode(argumentFor(operation, args, modeMember));
  const known = isNew ? {} : { id: target.id };
  return {
    kind: 'environment',
    ...known,
    name,
    environment: { ...known, name },
    project: newProject ? { id: newProject.id } : target.project,
    mode,
  };
}

/** The values at a dotted path, in each item of the lists on the path. */
const valuesAt = (value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] => {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return value === undefined ? [] : [value];
  return isRecord(value) ? valuesAt(value[name], rest) : [];
};

/** A resource inside the target that a call names, with the call's other members about it. */
export interface NamedResource {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly details: JsonRecord;
}

/** The resources inside its target that a call names. */
export const resourcesNamed = (operation: AnyOperation, args: JsonRecord): readonly NamedResource[] =>
  Object.entries(operation.roles).flatMap(([name, role]) => {
    if (typeof role !== 'object' || !('within' in role)) return [];
    const [owner, ...rest] = name.split('.') as [string, ...string[]];
    const given = [argumentFor(operation, args, owner) ?? []].flat() as readonly unknown[];
    return given.flatMap((item) =>
      valuesAt(item, rest).map((id) => ({
        kind: role.within,
        id: String(id),
        details: rest.length === 1 && isRecord(item) ? omit(item, [rest[0]!]) : {},
      })),
    );
  });

/** The ids of the resources inside its target that a call names. */
export const idsNamed = (operation: AnyOperation, args: JsonRecord): readonly string[] => [
  ...new Set(resourcesNamed(operation, args).map(({ id }) => id)),
];

/** The number of resources inside its target that a call names; it changes each of them. */
export const countNamed = (operation: AnyOperation, args: JsonRecord): number => idsNamed(operation, args).length;

const isLocated = ({ kind }: Reference): boolean =>
  ['environment', 'project', 'cluster'].includes(kind) || isServiceKind(kind);

/**
 * Finds the target of an operation, as the contract declares it, with everything else that it touches. If the operation
 * creates an environment in a project, the target is that environment, because a project has no mode.
 * @param searchLimit the time limit of the search for a cluster's environments.
 * @param includesHosted whether the environments that a target cluster hosts count as touched; finding them costs more
 *   reads.
 * @throws ApiError if the target doesn't exist or the platform can't be reached.
 */
export async function findTarget(
  operation: AnyOperation,
  args: JsonRecord,
  reader: Reader,
  searchLimit = noLimit,
  includesHosted = false,
): Promise<Target> {
  const named = targetIn(operation, args);
  if (!named) return operation.targetBy ? unknownEnvironment('elsewhere') : { kind: 'organization', mode: 'none' };
  const target = await findTargetById(named.kind, named.id, reader, searchLimit);
  const inheriting =
    operation.reachesEnvironments && target.kind === 'project' ? await inheritingFrom(named.id, reader) : [];
  const hosted = includesHosted && target.kind === 'cluster' ? await hostedBy(target, reader, searchLimit) : [];
  const after = environmentAfter(operation, args, target);
  const referenced = await Promise.all(
    referencesIn(operation, args)
      .filter(isLocated)
      .map(({ kind, id }) => findTargetById(kind, id, reader, searchLimit)),
  );
  const [main, results] = after && target.kind === 'project' ? [after, []] : [target, after ? [after] : []];
  // A resource without project and mode affects neither rules nor risk.
  const touched = [...results, ...referenced, ...inheriting, ...hosted].filter(
    ({ mode, project }) => mode !== 'none' || project !== undefined,
  );
  return touched.length > 0 ? { ...main, touched } : main;
}

/** Adds the project names to a target and the resources it touches, if the platform shows them. */
export async function withProjectName(target: Target, reader: Reader): Promise<Target> {
  const { touched, project } = target;
  const named =
    project?.id === undefined || project.name !== undefined
      ? target
      : {
          ...target,
          project: { id: project.id, name: nameIn(await inOrganization(operations.list_projects, project.id, reader)) },
        };
  return touched ? { ...named, touched: await Promise.all(touched.map((one) => withProjectName(one, reader))) } : named;
}
