import { joinPath, namesIn } from '../../src/contract/index.ts';
import { laterFirst } from '../../src/analysis/index.ts';
import {
  isRecord,
  nearestName,
  textOf,
  type JsonRecord,
  type ResolvedResource,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin, type Allowance } from './allowance.ts';
import { standsToChange, statusesIn } from './deployed-before.ts';
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
  readonly environmentId?: string;
  readonly project?: string;
  /** Of a service, where a list has told it. */
  readonly status?: JsonRecord;
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

/** Whether a row has a key, or is an alias of what has it. */
const isMeant = (row: JsonRecord, key: string): boolean => keyOf(row) === key || standsFor(row) === key;

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
const servicesSeeing = (row: JsonRecord, all: readonly Seen[]): readonly Seen[] =>
  all.filter(
    (one) => isService(one) && one.seen !== undefined && effective(one.seen, keyOf(row))?.row['id'] === row['id'],
  );

/** Services by their names below the place where a row is set. */
const namesBelow = (services: readonly Seen[], path: string): string =>
  services.length === 1 && services[0]!.path === path
    ? 'itself'
    : someNames(
        services.map((one) => below(one.path, path)),
        mostNamed,
      );

/** Of a row: all services that see it were deployed since its value was set last. */
export const noneEarlier = 'none';

/** The column of a found value for the services that were deployed before it was set. */
export const earlierColumn = 'not_deployed_since';

/** When the value of a row was set last; undefined if nothing tells it. @param others may have what it stands for */
function setAt(row: JsonRecord, others: readonly JsonRecord[]): string | undefined {
  const own = textOf(row, 'updated_at') ?? textOf(row, 'created_at');
  const { aliased_variable: aliased } = row;
  if (!isRecord(aliased) || own === undefined) return own;
  const meant = others.find(({ id }) => id === aliased['id']);
  const its = textOf(meant, 'updated_at') ?? textOf(meant, 'created_at');
  return its === undefined ? undefined : [own, its].toSorted(laterFirst)[0];
}

/**
 * Of the services that see a row, those that were deployed before it was set last; undefined where nothing tells when
 * that was, or nothing sees it.
 */
function notDeployedSince(at: string | undefined, services: readonly Seen[], path: string): string | undefined {
  if (at === undefined || services.length === 0) return undefined;
  const by = Map.groupBy(services, ({ status }) => standsToChange(status, at));
  const [before = [], unknown = []] = [by.get('before'), by.get('unknown')];
  return (
    [
      ...(before.length > 0 ? [namesBelow(before, path)] : []),
      ...(unknown.length > 0 ? [`not known of ${namesBelow(unknown, path)}`] : []),
    ].join('; ') || noneEarlier
  );
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
  const meant = rows.filter(({ row }) => isMeant(row, key));
  const distinct = new Map(
    meant.map((one) => {
      const path = pathOf(one.row, one.by);
      return [JSON.stringify([path, one.row['scope'], one.row['id'], keyOf(one.row)]), { ...one, path }] as const;
    }),
  );
  const places = [...distinct.values()];
  const allRows = rows.map(({ row }) => row);
  const found = places.map(({ row, isSecret, path }) => {
    const services = servicesSeeing(row, all);
    const ofThose = within !== undefined && !path.startsWith(within) ? `, of ${within}` : '';
    const earlier = isBuiltIn(row) ? undefined : notDeployedSince(setAt(row, allRows), services, path);
    return {
      ...row,
      path,
      is_secret: isSecret ? true : undefined,
      overridden_at: overriddenAt({ row, path }, places),
      seen_by: `${services.length === 0 ? 'no service' : namesBelow(services, path)}${ofThose}`,
      [earlierColumn]: earlier,
    };
  });
  return {
    rows: found.toSorted((one, other) => Number(isBuiltIn(one)) - Number(isBuiltIn(other))),
    nearest: found.length > 0 ? [] : nearestKeys(key, allRows),
  };
}

const statusIn = ({ status }: JsonRecord): Pick<Onlooker, 'status'> => (isRecord(status) ? { status } : {});

/** The services of an environment that see variables or, if none is known, the environment. */
function onlookersIn({ id, path, project, services }: ListedEnvironment): readonly Onlooker[] {
  const around = { environment: path, environmentId: id, project: project?.path };
  const own = (services ?? []).flatMap((row): Onlooker[] => {
    const kind = textOf(row, 'service_type')?.toLowerCase() ?? '';
    const serviceId = textOf(row, 'id');
    return isOwnerKind(kind) && serviceId !== undefined
      ? [
          {
            kind,
            id: serviceId,
            path: `${path}/${joinPath([textOf(row, 'name') ?? serviceId])}`,
            ...around,
            ...statusIn(row),
          },
        ]
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

/** The same with the statuses of services that see a key, or what is an alias of it. Takes a few requests at most. */
export async function withStatuses(context: ToolContext, key: string, within: SeenWithin): Promise<SeenWithin> {
  const isAsked = (one: Seen): boolean =>
    isService(one) && one.status === undefined && rowsSeen(one).some(({ row }) => isMeant(row, key));
  const environments = new Set(within.all.flatMap((one) => (isAsked(one) ? (one.environmentId ?? []) : [])));
  const statuses = await statusesIn([...environments], context);
  return {
    ...within,
    all: within.all.map((one) => {
      const status = one.status ?? statuses.get(one.id);
      return status ? { ...one, status } : one;
    }),
  };
}

/** What one service sees. */
export const seenByService = (context: ToolContext, { kind, id }: VariableOwner): Promise<SeenWithin> =>
  lookAt(context, [onlookerOf(context.resolved['service']!, { kind, id })], { remainingRequests: requestsEach });
