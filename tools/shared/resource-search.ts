import {
  isPartOfState,
  isServiceKind,
  joinPath,
  namesIn,
  operations,
  segmentOf,
  serviceKinds,
  unescaped,
} from '../../src/contract/index.ts';
import { isRecord, recordsIn, rowsIn, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin, type Allowance } from './allowance.ts';
import { environmentsByProject, servicesByEnvironment, stateInRow, type RowsByPlace } from './wide-lists.ts';

/** Kinds of resources that can be searched for. */
export const kinds = ['project', 'environment', ...serviceKinds, 'cluster'] as const;

/** Search criteria. */
export interface SearchedResource {
  readonly name?: string;
  readonly kind?: (typeof kinds)[number];
  readonly state?: string;
}

/** A resource and its path. */
export interface FoundResource {
  readonly kind: string;
  readonly path: string;
  readonly id: string;
  readonly state?: string;
  readonly mode?: string;
  /** When the platform deletes it, for an environment with an end. */
  readonly ends_at?: string;
  /** Id of the environment: itself, or the one that contains it. */
  readonly environment?: string;
}

/** The result of a search of the tree. */
interface SearchResult {
  /** Resources, in the order of the tree. */
  readonly found: readonly FoundResource[];
  /** All states that were read, including those of services whose names weren't. */
  readonly states: readonly string[];
  /** Paths of the projects and environments that weren't searched. */
  readonly notSearched: readonly string[];
  /** Number of requests that it might still make. */
  readonly left: number;
}

/** The least number of environments whose services are read in one list: of fewer, their own lists are shorter. */
const fewestAtOnce = 8;

/** Number of requests reserved for the states of found resources. */
const keptForStates = 3;

/** A search of the tree. */
interface Search extends Allowance {
  readonly context: ToolContext;
  readonly wanted: SearchedResource;
  /** Number of matches after which the search may stop. */
  readonly enough: number;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const holdsText = (whole: string | undefined, part: string | undefined): boolean =>
  part === undefined || (whole ?? '').toLowerCase().includes(part.toLowerCase());

/** Whether a part of a path is this text, as paths write it or with the slashes that names have. */
const isCalled = (path: string, part: string | undefined): boolean =>
  holdsText(path, part) || holdsText(namesIn(path).join('/'), part);

const runs = ['DEPLOYED', 'RESTARTED'] as const;

/** Search words for states, in addition to the platform's own, each with the states that it also covers. */
const statesBy: Readonly<Record<string, readonly string[]>> = {
  NEVER_DEPLOYED: ['READY'],
  ERROR: ['UNAVAILABLE', 'INVALID_CREDENTIALS'],
  FAILED: ['ERROR', 'UNAVAILABLE', 'INVALID_CREDENTIALS'],
  RUNNING: runs,
  DEPLOYED: runs,
};

/** Whether a word is a state or a part of one, or covers some, by the document and by the states that were read. */
export const isStateWord = (word: string, read: readonly string[]): boolean =>
  statesBy[word.toUpperCase()] !== undefined || isPartOfState(word) || read.some((state) => holdsText(state, word));

const hasState = (state: string | undefined, wanted: string | undefined): boolean =>
  holdsText(state, wanted) || (statesBy[wanted?.toUpperCase() ?? ''] ?? []).some((one) => holdsText(state, one));

/** Whether a resource meets the criteria. */
export const matches =
  ({ name, kind, state }: SearchedResource) =>
  (found: FoundResource): boolean =>
    (kind === undefined || found.kind === kind) && hasState(found.state, state) && isCalled(found.path, name);

/** Whether there are enough matches. A search for a name never has enough, because a better match may follow. */
const isFull = ({ wanted, enough }: Search, found: readonly FoundResource[]): boolean =>
  wanted.name === undefined && found.filter(matches(wanted)).length >= enough;

/** An environment that was found, with the states in it by id, if the search is for a state. */
interface EnvironmentNode {
  readonly found: FoundResource;
  readonly states: ReadonlyMap<string, string>;
}

const nodeOf = (environment: JsonRecord, project: string): EnvironmentNode => {
  const path = joinPath([project, text(environment['name'])]);
  const id = text(environment['id']);
  return {
    found: {
      kind: 'environment',
      path,
      id,
      mode: text(environment['mode']),
      ends_at: textOf(environment, 'ends_at'),
      environment: id,
    },
    states: new Map(),
  };
};

/** The environments of a project. */
const nodesIn = ({ path }: FoundResource, rows: readonly JsonRecord[]): readonly EnvironmentNode[] =>
  rows.map((one) => nodeOf(one, unescaped(path)));

/** The states in an environment by id, including its own. */
async function statesIn(context: ToolContext, environment_id: string): Promise<ReadonlyMap<string, string>> {
  if (environment_id === '') return new Map();
  const statuses = (await context.attempt(operations.get_environment_status, { environment_id })) as
    | JsonRecord
    | undefined;
  const all = [statuses?.['environment'], ...Object.values(statuses ?? {}).flatMap(recordsIn)].filter(isRecord);
  return new Map(
    all.flatMap((status) => (text(status['state']) === '' ? [] : [[text(status['id']), text(status['state'])]])),
  );
}

async function withStates({ found }: EnvironmentNode, { context }: Search): Promise<EnvironmentNode> {
  const states = await statesIn(context, found.id);
  return { found: { ...found, state: states.get(found.id) }, states };
}

/** The state of a resource that shows none: projects have none. */
const stateless = ({ kind }: FoundResource): string | undefined => (kind === 'project' ? undefined : 'not known');

/**
 * Adds the states that a search didn't need, and says which are not known.
 * @param left number of requests that the search left; a few are sent in any case
 * @returns the resources, and the number of environments whose states weren't read
 */
export async function addStates(
  context: ToolContext,
  found: readonly FoundResource[],
  left: number,
): Promise<{ readonly found: readonly FoundResource[]; readonly stateless: number }> {
  const lacking = [
    ...new Set(found.flatMap(({ state, environment }) => (state === undefined && environment ? [environment] : []))),
  ];
  const most = Math.max(left, keptForStates);
  const unread = new Set(lacking.slice(most));
  const states = new Map(
    (await eachWithin(lacking, { remainingRequests: most }, (environment) => statesIn(context, environment))).flatMap(
      (one) => [...one],
    ),
  );
  return {
    found: found.map((one) => ({
      ...one,
      state: one.state ?? states.get(one.id) ?? (unread.has(one.environment ?? '') ? 'not read' : stateless(one)),
    })),
    stateless: unread.size,
  };
}

/** A service from a row of any list. */
const serviceFrom = ({ found: { path, id }, states }: EnvironmentNode, row: JsonRecord): FoundResource => ({
  kind: text(row['service_type']).toLowerCase(),
  path: `${path}/${segmentOf(text(row['name']))}`,
  id: text(row['id']),
  state: states.get(text(row['id'])) ?? stateInRow(row),
  environment: id,
});

async function servicesIn(node: EnvironmentNode, { context }: Search): Promise<readonly FoundResource[]> {
  const { id } = node.found;
  return rowsIn(id === '' ? undefined : await context.attempt(operations.list_services, { environment_id: id })).map(
    (row) => serviceFrom(node, row),
  );
}

/** Whether a service of an environment may match, according to the states in it. */
const mayContainMatch = ({ found, states }: EnvironmentNode, { wanted: { kind, state } }: Search): boolean =>
  (kind === undefined || isServiceKind(kind)) &&
  (state === undefined || [...states].some(([id, one]) => id !== found.id && hasState(one, state)));

/**
 * The services of many environments, from one list of the organization; undefined if there are few, or nothing says that
 * the list has everything: each environment is asked by itself then. Only for a name, which has to be looked for
 * everywhere: other searches need states, or end early.
 */
async function allAtOnce(
  environments: readonly EnvironmentNode[],
  organizationId: string | undefined,
  search: Search,
): Promise<RowsByPlace | undefined> {
  const { name, state } = search.wanted;
  const isMeant = name !== undefined && state === undefined && environments.length >= fewestAtOnce;
  if (!isMeant || organizationId === undefined || search.remainingRequests < 1) return undefined;
  search.remainingRequests -= 1;
  return servicesByEnvironment(organizationId, search.context);
}

/**
 * Searches environments and their services until there are enough matches, counting those in `foundSoFar`. An
 * environment precedes its services.
 */
async function searchEnvironments(
  environments: readonly EnvironmentNode[],
  search: Search,
  foundSoFar: readonly FoundResource[],
  organizationId?: string,
): Promise<SearchResult & { readonly by: ReadonlyMap<string, readonly FoundResource[]> }> {
  const visited =
    search.wanted.state === undefined
      ? environments
      : await eachWithin(environments, search, (node) => withStates(node, search));
  const promising = visited.filter((node) => mayContainMatch(node, search));
  const outside = [...foundSoFar, ...visited.map(({ found }) => found)];
  const all = await allAtOnce(promising, organizationId, search);
  const services = all
    ? promising.map((node) => (all.get(node.found.id) ?? []).map((row) => serviceFrom(node, row)))
    : await eachWithin(promising, search, (node) => servicesIn(node, search), {
        isDone: (results) => isFull(search, [...outside, ...results.flat()]),
      });
  const by = new Map(
    visited.map((node) => [node.found.id, [node.found, ...(services[promising.indexOf(node)] ?? [])]]),
  );
  return {
    by,
    found: [...by.values()].flat(),
    states: visited.flatMap(({ states }) => [...states.values()]),
    notSearched: [...environments.slice(visited.length), ...promising.slice(services.length)].map(
      ({ found }) => found.path,
    ),
    left: search.remainingRequests,
  };
}

const inEnvironments = ({ wanted: { kind } }: Search): boolean => kind !== 'project' && kind !== 'cluster';

async function inOrganization(
  organization_id: string,
  search: Search,
  project: string | undefined,
): Promise<SearchResult> {
  const { context, wanted } = search;
  const searchesClusters = project === undefined && (wanted.kind === undefined || wanted.kind === 'cluster');
  const listsAll = project === undefined && inEnvironments(search);
  if (listsAll) search.remainingRequests -= 1;
  const [clusters, projects, all] = await Promise.all([
    searchesClusters ? context.attempt(operations.list_clusters, { organization_id }).then(rowsIn) : [],
    wanted.kind === 'cluster' ? [] : context.read(operations.list_projects, { organization_id }).then(rowsIn),
    listsAll ? environmentsByProject(organization_id, context) : undefined,
  ]);
  const outer = projects
    .filter(({ id }) => project === undefined || id === project)
    .map((one): FoundResource => ({ kind: 'project', path: segmentOf(text(one['name'])), id: text(one['id']) }));
  const clusterNodes = clusters.map((one): FoundResource => ({
    kind: 'cluster',
    path: segmentOf(text(one['name'])),
    id: text(one['id']),
    state: text(one['status']) || undefined,
  }));
  const searched = inEnvironments(search) ? outer : [];
  const inside = all
    ? searched.map((one) => nodesIn(one, all.get(one.id) ?? []))
    : await eachWithin(searched, search, async (one) =>
        nodesIn(
          one,
          rowsIn(
            one.id === '' ? undefined : await context.attempt(operations.list_environments, { project_id: one.id }),
          ),
        ),
      );
  const { by, states, notSearched } = await searchEnvironments(
    inside.flat(),
    search,
    [...outer, ...clusterNodes],
    organization_id,
  );
  const below = outer.flatMap((one, index) => [
    one,
    ...(inside[index] ?? []).flatMap(({ found }) => by.get(found.id) ?? []),
  ]);
  return {
    found: [...below, ...clusterNodes],
    states: [...states, ...clusterNodes.flatMap(({ state }) => state ?? [])],
    notSearched: [...notSearched, ...searched.slice(inside.length).map(({ path }) => path)],
    left: search.remainingRequests,
  };
}

/**
 * Searches the tree of resources from the top down, until there are enough matches or no requests are left. The result
 * may include resources that don't match.
 * @param within ids of the project or environment to search in
 * @param enough number of matches after which the search may stop, unless it is for a name
 */
export async function searchTree(
  context: ToolContext,
  wanted: SearchedResource,
  within: { readonly project?: string; readonly environment?: string },
  enough: number,
): Promise<SearchResult> {
  if (within.environment !== undefined) {
    const environment = await context.read(operations.get_environment, { environment_id: within.environment });
    return searchEnvironments(
      [nodeOf(environment, context.resolved['environment']?.project?.name ?? '')],
      { context, wanted, enough, remainingRequests: allowedRequests(context) },
      [],
    );
  }
  const { id } = await context.read(operations.get_organization, {});
  if (!id)
    return context.refuse(
      'the platform does not say the id of the organization, and everything is listed by it',
      'Name what to search in: a project or an environment.',
    );
  // The budget is known only after the first response.
  const isSearch = [within.project, wanted.name, wanted.kind, wanted.state].some((one) => one !== undefined);
  return inOrganization(
    id,
    { context, wanted, enough, remainingRequests: allowedRequests(context, isSearch ? 'search' : 'overview') },
    within.project,
  );
}
