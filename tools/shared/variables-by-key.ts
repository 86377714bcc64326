import { joinPath, namesIn } from '../../src/contract/index.ts';
import {
  isRecord,
  nearestName,
  textOf,
  type JsonRecord,
  type ResolvedResource,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin, type Allowance } from './allowance.ts';
import { mostAtOnce } from './few-at-once.ts';
import {
  allSeenBy,
  effective,
  isOwnerKind,
  narrowness,
  type SeenVariables,
  type VariableOwner,
} from './owned-variables.ts';
import { someNames, placesWithin, unlessFailing, type ListedEnvironment, type Places, type Within } from './places.ts';

/** Who sees variables, with its path and those of what it lies in. */
export interface Onlooker extends VariableOwner {
  readonly path: string;
  readonly environment?: string;
  readonly project?: string;
}

/** What one of them sees; undefined if that can't be read. */
export interface Seen extends Onlooker {
  readonly seen: SeenVariables | undefined;
}

/** What was found of a key. */
export interface FoundByKey {
  /** The variables and secrets with their paths and who sees them, those that the platform gives last. */
  readonly rows: readonly JsonRecord[];
  /** The keys that are most like it, if it was not found. */
  readonly nearest: readonly string[];
}

/** The most requests for what one of them sees: its variables and its secrets. */
const requestsEach = 2;

const mostNearest = 5;
const mostNamed = 20;

const rowsSeen = ({ seen }: Seen): readonly { readonly row: JsonRecord; readonly isSecret: boolean }[] => [
  ...(seen?.variables ?? []).map((row) => ({ row, isSecret: row['is_secret'] === true })),
  ...(seen?.secrets ?? []).map((row) => ({ row, isSecret: true })),
];

const keyOf = (row: JsonRecord): string => textOf(row, 'key') ?? '';

const standsFor = (row: JsonRecord): unknown =>
  isRecord(row['aliased_variable']) ? row['aliased_variable']['key'] : undefined;

/** Where a row that somebody sees is set. */
export function pathOf(row: JsonRecord, { path, environment, project }: Onlooker): string {
  const scope = textOf(row, 'scope');
  if (scope === 'PROJECT') return project ?? path;
  return scope === 'ENVIRONMENT' || scope === 'BUILT_IN' ? (environment ?? path) : path;
}

/** The part of a path below another. */
const below = (path: string, place: string): string =>
  path.startsWith(`${place}/`) ? path.slice(place.length + 1) : (namesIn(path).at(-1) ?? path);

const isBuiltIn = (row: JsonRecord): boolean => row['scope'] === 'BUILT_IN';

const isService = ({ kind }: Seen): boolean => kind !== 'environment' && kind !== 'project';

/** The services for which a row is the one in force. */
function seenByText(row: JsonRecord, path: string, all: readonly Seen[]): string {
  const services = all.filter(
    (one) => isService(one) && one.seen !== undefined && effective(one.seen, keyOf(row))?.row['id'] === row['id'],
  );
  if (services.length === 1 && services[0]!.path === path) return 'itself';
  const names = services.map((one) => below(one.path, path));
  return names.length === 0 ? 'no service' : someNames(names, mostNamed);
}

/** Whether a place is another one or lies in it. */
const isIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** Where other rows of the key take precedence over one: their paths. */
const overriddenAt = (
  one: { readonly row: JsonRecord; readonly path: string },
  others: readonly { readonly row: JsonRecord; readonly path: string }[],
): string | undefined =>
  someNames(
    others
      .filter(
        ({ row, path }) =>
          keyOf(row) === keyOf(one.row) && narrowness(row) > narrowness(one.row) && isIn(path, one.path),
      )
      .map(({ path }) => path),
  ) || undefined;

/** The key that is most like another, whatever the case of its letters. */
const nearestTo = (wanted: string, keys: readonly string[]): string | undefined => {
  const near = nearestName(
    wanted,
    keys.map((one) => one.toLowerCase()),
  );
  return keys.find((one) => one.toLowerCase() === near);
};

const keysOf = (rows: readonly JsonRecord[]): readonly string[] => [...new Set(rows.map(keyOf))];

/** The first word of a key, with its end: `database_` of what a database gives, whose keys contain its id. */
const firstWord = (key: string): string => `${key.toLowerCase().split('_', 1)[0]}_`;

/**
 * Keys that may be meant by one that is not there: in other letters, misspelled, only a part of it, or else beginning
 * with the same word.
 */
function nearestKeys(key: string, rows: readonly JsonRecord[]): readonly string[] {
  const [own, given] = [keysOf(rows.filter((row) => !isBuiltIn(row))), keysOf(rows.filter(isBuiltIn))];
  const wanted = key.toLowerCase();
  const near = nearestTo(wanted, own) ?? nearestTo(wanted, given);
  if (near !== undefined) return [near];
  const holding = [...own, ...given].filter((one) => one.toLowerCase().includes(wanted));
  const alike = holding.length > 0 ? holding : [...own, ...given].filter((one) => firstWord(one) === firstWord(key));
  return alike.slice(0, mostNearest);
}

/**
 * Finds a key, and what is an alias of it, in what was read.
 * @param within the path of the environment that was searched, if it was one: services elsewhere see what is wider, too
 */
export function findKey(key: string, all: readonly Seen[], within?: string): FoundByKey {
  const rows = all.flatMap((one) => rowsSeen(one).map(({ row, isSecret }) => ({ row, isSecret, by: one })));
  const meant = rows.filter(({ row }) => keyOf(row) === key || standsFor(row) === key);
  const distinct = new Map(
    meant.map((one) => {
      const path = pathOf(one.row, one.by);
      return [JSON.stringify([path, one.row['scope'], one.row['id'], keyOf(one.row)]), { ...one, path }] as const;
    }),
  );
  const places = [...distinct.values()];
  const found = places.map(({ row, isSecret, path }) => ({
    ...row,
    path,
    is_secret: isSecret ? true : undefined,
    overridden_at: overriddenAt({ row, path }, places),
    seen_by: `${seenByText(row, path, all)}${within !== undefined && !path.startsWith(within) ? `, of ${within}` : ''}`,
  }));
  const allRows = rows.map(({ row }) => row);
  return {
    rows: found.toSorted((one, other) => Number(isBuiltIn(one)) - Number(isBuiltIn(other))),
    nearest: found.length > 0 ? [] : nearestKeys(key, allRows),
  };
}

/** The services of an environment that see variables or, if none is known, the environment. */
function onlookersIn({ id, path, project, services }: ListedEnvironment): readonly Onlooker[] {
  const around = { environment: path, project: project?.path };
  const own = (services ?? []).flatMap((row): Onlooker[] => {
    const kind = textOf(row, 'service_type')?.toLowerCase() ?? '';
    const serviceId = textOf(row, 'id');
    return isOwnerKind(kind) && serviceId !== undefined
      ? [{ kind, id: serviceId, path: `${path}/${joinPath([textOf(row, 'name') ?? serviceId])}`, ...around }]
      : [];
  });
  return own.length > 0 ? own : [{ kind: 'environment', id, path, ...around }];
}

/** Services that may have variables and are of a kind that no tool knows. */
const unknownIn = ({ path, services }: ListedEnvironment): readonly string[] =>
  (services ?? []).flatMap((row) => {
    const kind = textOf(row, 'service_type')?.toLowerCase() ?? '';
    return kind === 'database' || isOwnerKind(kind)
      ? []
      : [`${path}/${joinPath([textOf(row, 'name') ?? textOf(row, 'id')])}`];
  });

const look = async (context: ToolContext, onlooker: Onlooker): Promise<Seen> => {
  const seen = await unlessFailing(allSeenBy(onlooker.kind, onlooker.id, context));
  return { ...onlooker, seen: seen?.variables && seen };
};

/** What was seen, and what wasn't. */
export interface SeenWithin extends Pick<Places, 'unread' | 'notReached'> {
  readonly all: readonly Seen[];
  /** Paths of what sees secrets that can't be listed. */
  readonly secretsUnread: readonly string[];
}

/** What services see, and where these can't be read, their environments. */
async function lookAt(context: ToolContext, onlookers: readonly Onlooker[], allowance: Allowance): Promise<SeenWithin> {
  const all = await eachWithin(onlookers, allowance, (one) => look(context, one), {
    cost: requestsEach,
    atOnce: mostAtOnce,
  });
  return {
    all,
    unread: all.flatMap(({ seen, path }) => (seen ? [] : [path])),
    secretsUnread: all.flatMap(({ seen, path }) => (seen && seen.secrets === undefined ? [path] : [])),
    notReached: onlookers.slice(all.length).map(({ path }) => path),
  };
}

/** Reads the variables and secrets that are seen in an organization, a project or an environment. */
export async function seenWithin(context: ToolContext, within: Within): Promise<SeenWithin> {
  const { places, allowance } = await placesWithin(context, within, () => ({
    remainingRequests: allowedRequests(context),
  }));
  const { projects, environments, unread, notReached } = places;
  const filled = new Set(environments.map(({ project }) => project?.id));
  const first = await lookAt(
    context,
    [
      ...environments.flatMap(onlookersIn),
      ...projects
        .filter(({ id }) => !filled.has(id))
        .map(({ id, path }): Onlooker => ({ kind: 'project', id, path, project: path })),
    ],
    allowance,
  );
  const known = new Set(first.all.flatMap(({ seen, environment }) => (seen && environment ? [environment] : [])));
  const unseen = environments.filter(
    ({ path }) => !known.has(path) && first.all.some((one) => one.environment === path && one.kind !== 'environment'),
  );
  const second = await lookAt(
    context,
    unseen.map(({ id, path, project }) => ({
      kind: 'environment' as const,
      id,
      path,
      environment: path,
      project: project?.path,
    })),
    allowance,
  );
  const both = [first, second];
  return {
    all: both.flatMap(({ all }) => all),
    unread: [...unread, ...environments.flatMap(unknownIn), ...both.flatMap((one) => one.unread)],
    secretsUnread: both.flatMap((one) => one.secretsUnread),
    notReached: [...notReached, ...both.flatMap((one) => one.notReached)],
  };
}

/** A service, environment or project that a call names, as one that sees variables. */
export function onlookerOf({ path, name, id, environment, project }: ResolvedResource, owner: VariableOwner): Onlooker {
  const own = path ?? joinPath([name ?? id]);
  if (owner.kind === 'project') return { ...owner, path: own, project: own };
  const projectPath = project?.name === undefined ? undefined : joinPath([project.name]);
  if (owner.kind === 'environment') return { ...owner, path: own, environment: own, project: projectPath };
  const environmentPath = environment?.name === undefined ? undefined : joinPath([project?.name, environment.name]);
  return { ...owner, path: own, environment: environmentPath, project: projectPath };
}

/** What one service sees. */
export const seenByService = (context: ToolContext, { kind, id }: VariableOwner): Promise<SeenWithin> =>
  lookAt(context, [onlookerOf(context.resolved['service']!, { kind, id })], { remainingRequests: requestsEach });
