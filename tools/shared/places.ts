import { joinPath, operations, type AnyOperation } from '../../src/contract/index.ts';
import {
  isPlatformFailure,
  readUses,
  rowsIn,
  textAt,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { eachWithin, type Allowance } from './allowance.ts';
import { unlessMissing } from './if-possible.ts';

/** The reads that find the environments of an organization or a part of it. */
export const readsOfEnvironments: readonly ReadUse[] = [
  ...readUses('each project is listed by itself', operations.list_environments_of_organization),
  ...readUses('nothing is found but in the project or environment that is named', operations.get_organization),
  ...readUses('what lies in a project is not found', operations.list_projects, operations.list_environments),
];

/** The reads that find environments with their services. */
export const readsOfPlaces: readonly ReadUse[] = [
  ...readsOfEnvironments,
  ...readUses('each environment is listed by itself', operations.list_services_of_organization),
  ...readUses('what lies in an environment is not found', operations.list_services),
];

/** A project or environment by its id and path. */
export interface NamedPlace {
  readonly id: string;
  readonly path: string;
}

/** An environment with its services. */
export interface ListedEnvironment extends NamedPlace {
  readonly project?: NamedPlace;
  readonly mode?: string;
  readonly clusterId?: string;
  /** Its services as the platform lists them; undefined if they can't be listed. */
  readonly services: readonly JsonRecord[] | undefined;
}

/** The environments and services of an organization, a project or an environment. */
export interface Places {
  /** Empty if only an environment was asked for. */
  readonly projects: readonly NamedPlace[];
  readonly environments: readonly ListedEnvironment[];
  /** Paths of what could not be listed. */
  readonly unread: readonly string[];
  /** Paths of what was not listed, to spare requests. */
  readonly notReached: readonly string[];
}

/** The ids of the project or environment to keep to; everything without one. */
export interface Within {
  readonly project?: string;
  readonly environment?: string;
}

/** Failures that concern one place, and not the whole call. */
const ofOnePlace: readonly string[] = ['not_found', 'server_error', 'bad_answer', 'timeout'];

/** A read of one of many places: undefined if it fails there. @throws ApiError if every read would fail */
export const unlessFailing = <Answer>(read: Promise<Answer>): Promise<Answer | undefined> =>
  read.catch((error: unknown) =>
    isPlatformFailure(error) && ofOnePlace.includes(error.kind) ? undefined : Promise.reject(error as Error),
  );

const named = (row: JsonRecord, ...before: readonly (string | undefined)[]): NamedPlace => {
  const id = textAt(row, 'id') ?? '';
  return { id, path: joinPath([...before, textAt(row, 'name') ?? id]) };
};

const environmentFrom = (row: JsonRecord, project: NamedPlace | undefined, projectName?: string) => ({
  ...named(row, projectName),
  project,
  mode: textAt(row, 'mode'),
  clusterId: textAt(row, 'cluster_id') ?? textAt(row, 'cluster.id'),
  services: undefined,
});

/** The answer of a list of everything; undefined if the platform has none, or it fails. */
const wideList = (context: ToolContext, operation: AnyOperation, input: JsonRecord): Promise<JsonRecord | undefined> =>
  unlessFailing(unlessMissing(context, operation, input));

/**
 * The environments of these projects: in one list if there is one, or else project by project.
 * @param wide that list
 */
async function environmentsOf(
  context: ToolContext,
  projects: readonly JsonRecord[],
  wide: JsonRecord | undefined,
  allowance: Allowance,
): Promise<Omit<Places, 'projects'>> {
  if (wide) {
    const by = new Map(projects.map((row) => [row['id'], row]));
    const rows = rowsIn(wide);
    return {
      environments: rows.map((row) => {
        const id = textAt(row, 'project.id');
        const project = by.get(id);
        const name = textAt(row, 'project.name') ?? (project && textAt(project, 'name')) ?? id;
        return environmentFrom(row, id === undefined ? undefined : { id, path: joinPath([name]) }, name);
      }),
      unread: [],
      notReached: [],
    };
  }
  const lists = await eachWithin(projects, allowance, async (row) => ({
    row,
    list: await unlessFailing(context.attempt(operations.list_environments, { project_id: String(row['id']) })),
  }));
  return {
    environments: lists.flatMap(({ row, list }) =>
      rowsIn(list).map((one) => environmentFrom(one, named(row), textAt(row, 'name') ?? String(row['id']))),
    ),
    unread: lists.flatMap(({ row, list }) => (list ? [] : [named(row).path])),
    notReached: projects.slice(lists.length).map((row) => named(row).path),
  };
}

/** Lists the services of environments one by one. */
async function withServices(
  context: ToolContext,
  places: Places,
  allowance: Allowance,
  known: readonly JsonRecord[] | undefined,
): Promise<Places> {
  if (known) {
    const by = Map.groupBy(known, (row) => row['environment_id']);
    return { ...places, environments: places.environments.map((one) => ({ ...one, services: by.get(one.id) ?? [] })) };
  }
  const listed = await eachWithin(places.environments, allowance, async (one) => {
    const list = await unlessFailing(context.attempt(operations.list_services, { environment_id: one.id }));
    return { ...one, services: list && rowsIn(list) };
  });
  const others = places.environments.slice(listed.length);
  return {
    ...places,
    environments: [...listed, ...others],
    unread: [...places.unread, ...listed.flatMap(({ services, path }) => (services ? [] : [path]))],
    notReached: [...places.notReached, ...others.map(({ path }) => path)],
  };
}

/** What was found, and what that took. */
interface Found {
  readonly places: Places;
  readonly allowance: Allowance;
}

/** The environment that a call names, without its services. */
function environmentNamed(context: ToolContext, id: string): ListedEnvironment {
  const { path, name, project } = context.resolved['environment'] ?? context.resolved['environment_id'] ?? {};
  return {
    id,
    path: path ?? joinPath([name ?? id]),
    project: project && { id: project.id ?? '', path: joinPath([project.name ?? project.id ?? '']) },
    services: undefined,
  };
}

/**
 * Finds the environments of an organization or a part of it, without their services: with the list of everything where
 * the platform has it, or else project by project.
 * @throws ApiError if the platform fails as a whole
 */
export async function environmentsWithin(
  context: ToolContext,
  { project, environment }: Within,
  allowanceFor: () => Allowance,
): Promise<Found> {
  if (environment !== undefined) {
    const environments = [environmentNamed(context, environment)];
    return { places: { projects: [], environments, unread: [], notReached: [] }, allowance: allowanceFor() };
  }
  const organizationId = (await context.attempt(operations.get_organization, {}))?.id ?? undefined;
  if (organizationId === undefined && project === undefined)
    return context.refuse(
      'the platform does not say the id of the organization, and everything is listed by it',
      'Name where to look: a project or an environment.',
    );
  const [rows, wide] =
    project === undefined
      ? await Promise.all([
          context.read(operations.list_projects, { organization_id: organizationId! }).then(rowsIn),
          wideList(context, operations.list_environments_of_organization, { organization_id: organizationId! }),
        ])
      : [[{ id: project, name: context.resolved['project']?.name ?? project }], undefined];
  const allowance = allowanceFor();
  const found = await environmentsOf(context, rows, wide, allowance);
  return { places: { projects: rows.map((row) => named(row)), ...found }, allowance };
}

/**
 * Finds the environments and services of an organization or a part of it: with the lists of everything where the
 * platform has them, or else place by place.
 * @throws ApiError if the platform fails as a whole
 */
export async function placesWithin(
  context: ToolContext,
  within: Within,
  allowanceFor: () => Allowance,
): Promise<Found> {
  const organizationId =
    within.environment === undefined ? (await context.attempt(operations.get_organization, {}))?.id : undefined;
  const [{ places, allowance }, wide] = await Promise.all([
    environmentsWithin(context, within, allowanceFor),
    organizationId
      ? wideList(context, operations.list_services_of_organization, {
          organization_id: organizationId,
          ...(within.project !== undefined && { project_id: within.project }),
        })
      : undefined,
  ]);
  // The services of the one environment that is named are listed in any case.
  const allowed = within.environment === undefined ? allowance : { remainingRequests: 1 };
  return { places: await withServices(context, places, allowed, wide && rowsIn(wide)), allowance };
}

const mostNames = 10;

/** The first of some names or paths, and how many more there are. @param most how many are named */
export const someNames = (names: readonly string[], most = mostNames): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;

/** How many environments were looked at, and in which project, if it was one. */
export function lookedAtText(environments: number, project: string | undefined, { resolved }: ToolContext): string {
  const { path, name } = resolved['project'] ?? {};
  const within = project === undefined ? '' : ` of ${path ?? name ?? project}`;
  return `${environments} environment${environments === 1 ? '' : 's'}${within}`;
}

/** What an answer about many places has to say of those that it lacks; undefined where it lacks none. */
export const lackingPlaces = ({ unread, notReached }: Pick<Places, 'unread' | 'notReached'>): JsonRecord => ({
  ...(unread.length > 0 && { unread: someNames(unread) }),
  ...(notReached.length > 0 && { not_looked_into: someNames(notReached) }),
});

/** The same in sentences. */
export const lackingText = ({ unread, not_looked_into: left }: JsonRecord): readonly string[] => [
  ...(typeof unread === 'string' ? [`Could not be read, and are missing here: ${unread}.`] : []),
  ...(typeof left === 'string'
    ? [`Not looked into, to spare requests: ${left}. Give the project or environment to look there.`]
    : []),
];
