import { operations } from '../../src/contract/operations.ts';
import { serviceKinds } from '../../src/contract/resources/service.ts';
import { isRecord, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

/** What can be searched for. */
export const kinds = ['project', 'environment', ...serviceKinds, 'cluster'] as const;

/** What is searched for. */
export interface Wanted {
  readonly name?: string;
  readonly kind?: (typeof kinds)[number];
  readonly state?: string;
}

/** Something there is, and where. */
export interface Found {
  readonly kind: string;
  readonly path: string;
  readonly id: string;
  readonly state?: string;
  readonly mode?: string;
}

/** What a look through the tree came upon, and what it left out. */
interface Seen {
  /** In the order of the tree. */
  readonly found: readonly Found[];
  /** The states that were read, also of services whose names were not. */
  readonly states: readonly string[];
  /** How many projects and environments were not looked into. */
  readonly unseen: number;
}

/** Most requests that one look makes below the organization: few for an overview, in which nothing is searched for. */
const mostRequests = { search: 40, overview: 12 } as const;

/** How many environments are looked into at once. */
const atOnce = 4;

/** One look through the tree. */
interface Search {
  readonly context: ToolContext;
  readonly wanted: Wanted;
  /** How many of what is searched for are enough. */
  readonly enough: number;
  /** Requests that it may still make. */
  left: number;
}

const rows = (list: { results?: unknown } | undefined): readonly JsonRecord[] => (Array.isArray(list?.results) ? list.results.filter(isRecord) : []);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isService = (kind: string): boolean => (serviceKinds as readonly string[]).includes(kind);

const holdsText = (whole: string | undefined, part: string | undefined): boolean => part === undefined || (whole ?? '').toLowerCase().includes(part.toLowerCase());

/** Whether something is what is searched for. */
export const matches = ({ name, kind, state }: Wanted) => (found: Found): boolean =>
  (kind === undefined || found.kind === kind) && holdsText(found.state, state) && holdsText(found.path, name);

/** Whether what was found is enough. Where a name is searched for, a nearer one may be yet to come. */
const isFull = ({ wanted, enough }: Search, found: readonly Found[]): boolean => wanted.name === undefined && found.filter(matches(wanted)).length >= enough;

/** Looks at a few at a time, with a request each, while any are left and more is wanted. @returns what came of each that was reached. */
async function each<One, Result>(list: readonly One[], search: Search, look: (one: One) => Promise<Result>, isDone: (results: readonly Result[]) => boolean = () => false): Promise<readonly Result[]> {
  const results: Result[] = [];
  while (results.length < list.length && search.left > 0 && !isDone(results)) {
    const batch = list.slice(results.length, results.length + Math.min(atOnce, search.left));
    search.left -= batch.length;
    results.push(...(await Promise.all(batch.map(look))));
  }
  return results;
}

/** An environment as it was found, with the states in it, by id, where they are searched for. */
interface Place {
  readonly found: Found;
  readonly states: ReadonlyMap<string, string>;
}

const placeOf = (environment: JsonRecord, project: string): Place => {
  const path = [project, text(environment['name'])].filter(Boolean).join('/');
  return { found: { kind: 'environment', path, id: text(environment['id']), mode: text(environment['mode']) }, states: new Map() };
};

async function withStates({ found }: Place, { context }: Search): Promise<Place> {
  const statuses = (await context.attempt(operations.get_environment_status, { environment_id: found.id })) as JsonRecord | undefined;
  const all = [statuses?.['environment'], ...serviceKinds.flatMap((kind) => rows({ results: statuses?.[`${kind}s`] }))].filter(isRecord);
  const states = new Map(all.map((status) => [text(status['id']), text(status['state'])]));
  return { found: { ...found, state: states.get(found.id) }, states };
}

async function servicesIn({ found: { path, id }, states }: Place, { context }: Search): Promise<readonly Found[]> {
  return rows(await context.attempt(operations.list_services, { environment_id: id })).map((row) => ({
    kind: text(row['service_type']).toLowerCase(), path: `${path}/${text(row['name'])}`, id: text(row['id']), state: states.get(text(row['id'])),
  }));
}

/** Whether a service of an environment can be what is searched for, as far as the states there tell. */
const mayHold = ({ found, states }: Place, { wanted: { kind, state } }: Search): boolean =>
  (kind === undefined || isService(kind)) && (state === undefined || [...states].some(([id, one]) => id !== found.id && holdsText(one, state)));

/** Environments with their services, an environment before what is in it, until with what was found already that is enough. */
async function lookInto(places: readonly Place[], search: Search, already: readonly Found[]): Promise<Seen & { readonly by: ReadonlyMap<string, readonly Found[]> }> {
  const looked = search.wanted.state === undefined ? places : await each(places, search, (place) => withStates(place, search));
  const promising = looked.filter((place) => mayHold(place, search));
  const outside = [...already, ...looked.map(({ found }) => found)];
  const services = await each(promising, search, (place) => servicesIn(place, search), (results) => isFull(search, [...outside, ...results.flat()]));
  const by = new Map(looked.map((place) => [place.found.id, [place.found, ...(services[promising.indexOf(place)] ?? [])]]));
  return { by, found: [...by.values()].flat(), states: looked.flatMap(({ states }) => [...states.values()]), unseen: places.length - looked.length + promising.length - services.length };
}

const inEnvironments = ({ wanted: { kind } }: Search): boolean => kind !== 'project' && kind !== 'cluster';

async function inOrganization(organization_id: string, search: Search, project: string | undefined): Promise<Seen> {
  const { context, wanted } = search;
  const searchesClusters = project === undefined && (wanted.kind === undefined || wanted.kind === 'cluster');
  const clusters = searchesClusters ? rows(await context.attempt(operations.list_clusters, { organization_id })) : [];
  const projects = wanted.kind === 'cluster' ? [] : rows(await context.read(operations.list_projects, { organization_id }));
  const outer = projects.filter(({ id }) => project === undefined || id === project).map((one): Found => ({ kind: 'project', path: text(one['name']), id: text(one['id']) }));
  const last = clusters.map((one): Found => ({ kind: 'cluster', path: text(one['name']), id: text(one['id']), state: text(one['status']) }));
  const searched = inEnvironments(search) ? outer : [];
  const inside = await each(searched, search, async ({ id, path }) => rows(await context.attempt(operations.list_environments, { project_id: id })).map((one) => placeOf(one, path)));
  const { by, states, unseen } = await lookInto(inside.flat(), search, [...outer, ...last]);
  const below = outer.flatMap((one, index) => [one, ...(inside[index] ?? []).flatMap(({ found }) => by.get(found.id) ?? [])]);
  return { found: [...below, ...last], states: [...states, ...last.flatMap(({ state }) => state ?? [])], unseen: unseen + searched.length - inside.length };
}

/** Requests that one look may make: never more than half of those that are left. */
const allowance = (context: ToolContext, kind: keyof typeof mostRequests = 'search'): number => Math.min(mostRequests[kind], Math.floor((context.budget()?.remaining ?? Number.POSITIVE_INFINITY) / 2));

/**
 * What there is, as far as it can be what is searched for: what lies further out before what lies further in, until there
 * is enough, or the requests of one look are made.
 * @param within ids of the project or environment to stay in.
 * @param enough how many of what is searched for are enough, where it is not the nearest to a name.
 */
export async function everything(context: ToolContext, wanted: Wanted, within: { readonly project?: string; readonly environment?: string }, enough: number): Promise<Seen> {
  if (within.environment !== undefined) {
    const environment = await context.read(operations.get_environment, { environment_id: within.environment });
    return lookInto([placeOf(environment, context.addresses['environment']?.project?.name ?? '')], { context, wanted, enough, left: allowance(context) }, []);
  }
  const { id } = await context.read(operations.get_organization, {});
  // What is left is known once something was answered.
  const isSearch = [within.project, wanted.name, wanted.kind, wanted.state].some((one) => one !== undefined);
  return inOrganization(id, { context, wanted, enough, left: allowance(context, isSearch ? 'search' : 'overview') }, within.project);
}
