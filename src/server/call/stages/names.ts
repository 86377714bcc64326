import { isServiceKind, operations } from '../../../contract/index.ts';
import { reasonUnreadable, type Target } from '../../context/index.ts';
import { CallFailure, fail, isDenied } from '../../failure/index.ts';
import {
  assertArgumentsInScope,
  assertInSameEnvironment,
  assertReadAllowed,
  needsLocation,
  readableAmong,
} from '../../guard/index.ts';
import { at, isRecord, memoised, withAt, type JsonRecord } from '../../json/index.ts';
import { isOfKind } from '../../resolve/index.ts';
import {
  lookupFor,
  type ResolvedResource,
  type ResourceKind,
  type Lookup,
  type NotFound,
  pointsAt,
  referencesInRows,
  referencesInside,
  shownName,
  type Tool,
} from '../../tool/index.ts';
import type { Call } from '../call.ts';
import type { Stage } from '../stage.ts';
import { subjectOf } from '../descriptions.ts';

/** The widest kinds first, so that narrower resources are searched inside them. */
const widestFirst: readonly ResourceKind[] = ['organization', 'project', 'environment', 'service'];

const rank = (kind: ResourceKind): number => {
  const place = widestFirst.indexOf(isServiceKind(kind) ? 'service' : kind);
  return place === -1 ? widestFirst.length : place;
};

type Within = NonNullable<Lookup['within']>;

/** Restricts the search for the next names to a resource that was just found. */
const narrowed = (within: Within, { kind, id }: ResolvedResource): Within => {
  if (kind === 'organization') return { ...within, organizationId: id };
  if (kind === 'project') return { ...within, projectId: id };
  if (kind === 'environment') return { ...within, environmentId: id };
  return isOfKind(kind, 'service') ? { ...within, service: { kind, id } } : within;
};

const organizationMember = 'organization_id';

/** Maximum number of items in one argument that refers to resources: each may need a search. */
const maximumReferences = 100;

/** The least number of places that make a list of references one to many. */
const fewestPlaces = 4;

/** What stands before the last name of references: where they lie, as far as they tell; of the others themselves. */
const placesOf = (references: readonly unknown[]): ReadonlySet<string> =>
  new Set(
    references.flatMap((one) =>
      typeof one === 'string' ? [one.includes('/') ? one.slice(0, one.lastIndexOf('/')) : one] : [],
    ),
  );

/**
 * Whether names of a kind are searched only inside the scope. Alert rules belong to the organization, and those of all
 * projects are in one list.
 */
const isSearchedInScope = (kind: ResourceKind): boolean => kind !== 'alert_rule';

/** Whether the policy prevents the caller from searching the organization. */
async function isSearchDenied(call: Call): Promise<boolean> {
  try {
    await assertReadAllowed(call, operations.get_organization, {});
    return false;
  } catch (error) {
    if (isDenied(error)) return true;
    throw error;
  }
}

/** Whether the policy lets the caller read some places only. */
const dependsOnPlace = ({ tool, deps: { policy } }: Call): boolean =>
  needsLocation(tool, operations.list_services, policy);

const restrictsReads = (call: Call): boolean => dependsOnPlace(call) || call.deps.policy.scope !== undefined;

/**
 * The error for a name that matches nothing, or several resources. If the policy restricts which places may be read, it
 * has no suggestions, and only those candidates that may be read.
 */
async function withoutHidden(call: Call, error: unknown): Promise<Error> {
  const failure = error instanceof CallFailure ? error.failure : undefined;
  if (failure?.kind !== 'bad_address') return error as Error;
  const { problem } = failure;
  if (!(dependsOnPlace(call) || (call.deps.policy.scope && !isSearchedInScope(problem.kind)))) return error as Error;
  const note = 'What else there is is not told: the policy restricts what may be read.';
  const candidates = await readableAmong(call, problem.candidates);
  const told = {
    candidates,
    suggestions: [],
    unusable: undefined,
    isSearchDenied: await isSearchDenied(call),
    notes: [...problem.notes, note],
  };
  return new CallFailure({ kind: 'bad_address', problem: { ...problem, ...told } });
}

/** Thrown if names were looked up in lists that have become outdated. */
export class OutdatedNames extends Error {}

const differs = (found: string | undefined, read: string | undefined): boolean =>
  found !== undefined && read !== undefined && found !== read;

/**
 * Checks that the resources found by name still have these names. A cached list may be a minute old, and another
 * resource may have the name by now. Only names that the call has read anyway are compared: services, environments, and
 * the environments of services.
 * @throws OutdatedNames, once for a call.
 */
export function assertNamesCurrent({ resolved, withNewLists }: Call, targets: readonly Target[]): void {
  if (withNewLists) return;
  const found = Object.values(resolved).filter(({ kind }) => kind === 'environment' || isServiceKind(kind));
  const isOutdated = (one: ResolvedResource): boolean =>
    targets.some(
      (target) =>
        target.kind === one.kind &&
        target.id === one.id &&
        (differs(one.name, target.name) || differs(one.environment?.name, target.environment?.name)),
    );
  if (found.some(isOutdated))
    throw new OutdatedNames('the names of this call were looked up in lists that are out of date');
}

/**
 * How names are looked up: for reads in all that can be read, for changes only in complete lists, because otherwise a
 * resource of the same name could be meant.
 */
function lookupOf(call: Call, within: Within): Lookup {
  const { tool, reader, onResponseIssue, withNewLists } = call;
  if (tool.operation.effect !== 'read')
    return {
      ...lookupFor({ ...call, reader: reader.under({ reasonUnread: reasonUnreadable }) }, within),
      isForChange: true,
      withNewLists,
    };
  const readerInParts: Lookup['readerInParts'] = (onRowsLost) =>
    reader.under({
      reasonUnread: reasonUnreadable,
      onResponseIssue: (operation, responseIssue) => {
        if (responseIssue.rowsLost) onRowsLost();
        onResponseIssue(operation, responseIssue);
      },
    });
  return { ...lookupFor(call, within), readerInParts };
}

/** A reference to a resource: an argument, or a member of its rows or inside it. */
interface ArgumentReference {
  readonly name: string;
  readonly kind: ResourceKind;
  readonly member?: string;
  readonly path?: string;
}

/** The references in a tool's arguments, those to the widest kinds first. */
const referencesOf = memoised((tool: Tool): readonly ArgumentReference[] =>
  Object.entries(tool.input)
    .flatMap(([name, schema]): ArgumentReference[] => {
      const kind = pointsAt(schema);
      return kind === undefined
        ? [...referencesInRows(schema), ...referencesInside(schema)].map((one) => ({ name, ...one }))
        : [{ name, kind }];
    })
    // A call that says of which kind a service is doesn't change the rank of its argument.
    .toSorted((one, other) => rank(one.kind) - rank(other.kind)),
);

/**
 * A name that nothing has, if the tool looks for what had it.
 * @throws error for other failures, other tools, and where a narrower name would be searched in what is not there.
 */
function notFoundOf({ tool: { mayBeGone = [] }, args }: Call, name: string, error: unknown): NotFound {
  const failure = error instanceof CallFailure ? error.failure : undefined;
  const narrowest = mayBeGone.findLast((one) => typeof args[one] === 'string');
  if (failure?.kind !== 'bad_address' || failure.problem.why !== 'unknown' || narrowest !== name) throw error;
  const { problem } = failure;
  return {
    kind: problem.kind,
    reference: problem.reference,
    refuse: (note) => fail({ kind: 'bad_address', problem: { ...problem, notes: [...problem.notes, note] } }),
  };
}

/**
 * Replaces names by ids, and fills in the organization if it is missing.
 * @throws CallFailure if a name matches nothing or several resources; ApiError if the platform fails.
 */
async function resolveAll(call: Call): Promise<Call> {
  const { tool, deps } = call;
  const args: JsonRecord = { ...call.args };
  const resolved: Record<string, ResolvedResource> = {};
  const notFound: Record<string, NotFound> = {};
  let within: Within = {};
  const lookup = (): Lookup => lookupOf(call, within);

  const readsWidely = !restrictsReads(call);

  const find = (kind: ResourceKind, given: string, isOneOfMany = false): Promise<ResolvedResource> =>
    deps.resolver
      .resolve(kind, given, { ...lookup(), ...(readsWidely && { readsAtOnce: isOneOfMany ? 'always' : 'if many' }) })
      .catch(async (error: unknown) => Promise.reject(await withoutHidden(call, error)));

  for (const { name, kind: declared, member, path } of referencesOf(tool)) {
    const value = args[name];
    const kind = (member === undefined && path === undefined ? call.kinds[name] : undefined) ?? declared;
    if (name === organizationMember && value === undefined) args[name] = await deps.resolver.organization(lookup());
    else if (Array.isArray(value)) {
      if (value.length > maximumReferences)
        fail({
          kind: 'bad_arguments',
          issues: [`"${shownName(tool, name)}" has ${value.length} items; give at most ${maximumReferences}`],
        });
      const rows = value as readonly unknown[];
      const givenIn = (one: unknown): unknown => (member !== undefined && isRecord(one) ? one[member] : one);
      const isOneOfMany = placesOf(rows.map(givenIn)).size >= fewestPlaces;
      const found = await Promise.all(
        rows.map(async (one) => {
          const given = givenIn(one);
          return typeof given === 'string' ? find(kind, given, isOneOfMany) : undefined;
        }),
      );
      args[name] = found.map((resource, index) => {
        if (!resource) return rows[index];
        return member === undefined ? resource.id : { ...(rows[index] as JsonRecord), [member]: resource.id };
      });
      for (const [index, resource] of found.entries())
        if (resource) resolved[`${name}[${index}]${member === undefined ? '' : `.${member}`}`] = resource;
    } else if (path !== undefined) {
      const given = at(value, path);
      if (!isRecord(value) || typeof given !== 'string') continue;
      const resource = await find(kind, given);
      args[name] = withAt(value, path, resource.id);
      resolved[`${name}.${path}`] = resource;
    } else if (typeof value === 'string') {
      const found = await find(kind, value).catch((error: unknown) => notFoundOf(call, name, error));
      if ('refuse' in found) {
        notFound[name] = found;
        // A tool gets ids only.
        delete args[name];
        continue;
      }
      args[name] = found.id;
      resolved[name] = found;
      within = narrowed(within, found);
    }
  }
  return { ...call, args, resolved, notFound };
}

/** Replaces names, paths and URIs by ids. */
export const resolveNames: Stage<Call, Call> = {
  name: 'resolve names',
  does: 'Replaces names, paths and URIs by ids, and fills in the organization. Where a tool looks for what is gone, a name that nothing has is left to it.',
  refuses: ['bad_address', 'bad_arguments', 'not_possible'],
  reads: true,
  run: async (call) => {
    const result = await resolveAll(call);
    call.note({ subject: subjectOf(result) });
    return result;
  },
};

/** Refuses arguments that refer to resources outside the scope. */
export const assertInScope: Stage<Call, Call> = {
  name: 'assert in scope',
  does: 'Refuses arguments that point outside the project or environment that calls are kept to.',
  refuses: ['denied', 'not_possible'],
  reads: true,
  run: async (call) => {
    await assertArgumentsInScope(call);
    return call;
  },
};

/** Refuses arguments that refer to different environments. */
export const assertSameEnvironment: Stage<Call, Call> = {
  name: 'assert same environment',
  does: 'Refuses arguments that lie in another environment than the one the call is about.',
  refuses: ['not_possible'],
  reads: true,
  run: async (call) => {
    await assertInSameEnvironment(call);
    return call;
  },
};
