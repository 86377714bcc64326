import {
  inputShape,
  parameterKind,
  segmentsOf,
  serviceKinds,
  snakeCase,
  targetIn,
  type AnyOperation,
  type ReferenceKind,
  operations,
  isServiceKind,
  variableOwnerKinds,
  type VariableOwnerKind,
} from '../../contract/index.ts';
import {
  pointsAt,
  type ResolvedResource,
  type NameResolver,
  type ResourceKind,
  type Lookup,
  readUses,
  type ReadUse,
} from '../tool/index.ts';
import { isRecord, memoised, type JsonRecord } from '../json/index.ts';
import { findAllBelow, findByPath, newSearch, problemOf } from './find.ts';
import { createListCache, isGone } from './list-cache.ts';
import { foldCase, isId, qualifiedName } from './names.ts';
import { createResourceIndex, type IndexPersistence } from './resource-index.ts';
import { createInvalidator, type Invalidator, type CacheInvalidation } from './cache-invalidation.ts';
import { resourceRefOf, type ResourceRef } from './resource-ref.ts';
import { resolvedResourceOf, pathTo, unambiguousPaths } from './resource-path.ts';
import { environmentsInWideList, responseKinds, isOfKind, listChainsFor } from './resource-hierarchy.ts';
import { isForeignUri, isInfraUri, parseUri } from './uri.ts';
import type { ResolverContext } from './search-routes.ts';
import { CallFailure, emptyProblem, type ResolutionProblem } from '../failure/index.ts';
import { rowsIn, readVariableList } from '../context/index.ts';

const isOwnerKind = (kind: string): kind is VariableOwnerKind =>
  (variableOwnerKinds as readonly string[]).includes(kind);

/** The innermost resource that the call names and that may have variables. */
function ownerIn({
  service,
  environmentId,
  projectId,
}: NonNullable<Lookup['within']>): { readonly kind: VariableOwnerKind; readonly id: string } | undefined {
  if (service)
    return isServiceKind(service.kind) && isOwnerKind(service.kind)
      ? { kind: service.kind, id: service.id }
      : undefined;
  if (environmentId !== undefined) return { kind: 'environment', id: environmentId };
  return projectId === undefined ? undefined : { kind: 'project', id: projectId };
}

/**
 * The problem of a key that no variable has, refined by the secrets there, which have separate lists.
 * @param problem of that key
 */
async function withSecrets(problem: ResolutionProblem, { within = {}, reader }: Lookup): Promise<ResolutionProblem> {
  const owner = ownerIn(within);
  if (problem.kind !== 'environment_variable' || problem.why !== 'unknown' || !owner) return problem;
  // A failure here must not hide what is already known.
  const secrets = await readVariableList('secrets', owner, reader).catch(() => undefined);
  if (!secrets)
    return { ...problem, notes: [...problem.notes, 'It may be a secret: the secrets can not be read here.'] };
  const isOne = rowsIn(secrets).some(
    ({ key }) => typeof key === 'string' && foldCase(key) === foldCase(problem.reference),
  );
  return isOne ? { ...problem, why: 'is_secret', suggestions: [], notes: [] } : problem;
}

/** The problem of a backup's name; that of the database instead, if the call gives one by an id that nothing has. */
async function withDatabase(problem: ResolutionProblem, { within = {}, reader }: Lookup): Promise<ResolutionProblem> {
  const { service } = within;
  if (problem.kind !== 'backup' || problem.why !== 'unknown' || service?.kind !== 'database') return problem;
  const isThere = await reader.read(operations.list_database_backups, { database_id: service.id }).then(
    () => true,
    (error: unknown) => !isGone(error),
  );
  return isThere ? problem : emptyProblem('database', service.id, 'unknown');
}

/** The reads that find a resource of this kind by its name. */
export function readsToResolve(kind: ResourceKind): readonly ReadUse[] {
  const without =
    kind === 'organization'
      ? 'the organization is not filled in: its id has to be given'
      : `names of a kind ${kind} can not all be found: give ids`;
  const lists = listChainsFor(kind).flatMap((chain) => chain.map(({ listing }) => listing.operation));
  return readUses(without, ...new Set([operations.get_organization, ...lists]));
}

/** Maximum number of completions of one text: the protocol's limit. */
const mostCompletions = 100;

/** The rank of a completion by id. */
const idPrefixRank = 3;

/** How well a resource completes a text; 0 is best, undefined if it doesn't. */
function rank(
  typed: string,
  { path, name, id }: { readonly path: string; readonly name: string; readonly id: string },
): number | undefined {
  const order = [
    path.startsWith(typed),
    name.startsWith(typed),
    path.includes(typed),
    typed !== '' && id.startsWith(typed),
  ];
  const index = order.indexOf(true);
  return index === -1 ? undefined : index;
}

/**
 * Paths that complete the typed text, best first; ids if no path is known, or if the text is the start of an id.
 * @throws ApiError if the platform fails.
 */
async function completions(
  kind: ResourceKind,
  typed: string,
  lookup: Lookup,
  context: ResolverContext,
): Promise<readonly string[]> {
  const outerNames = segmentsOf(typed).slice(0, -1);
  const below = await findAllBelow(kind, outerNames, lookup, context);
  // The typed names needn't start at the project.
  const paths = below.length > 0 || outerNames.length === 0 ? below : await findAllBelow(kind, [], lookup, context);
  const resources = paths.map(resolvedResourceOf);
  const references = unambiguousPaths(resources);
  const prefix = foldCase(typed);
  const ranked = resources.flatMap(({ id, name = '' }, index) => {
    const path = references[index]!;
    const score = rank(prefix, { path: foldCase(path), name: foldCase(name), id });
    return score === undefined ? [] : [{ score, text: score === idPrefixRank ? id : path }];
  });
  return ranked
    .toSorted((one, other) => one.score - other.score || one.text.localeCompare(other.text))
    .map(({ text }) => text)
    .slice(0, mostCompletions);
}

/** The resource that a deletion removes: the one that a member names, or the one at the end of its path. */
const deletedBy = (operation: AnyOperation, input: JsonRecord): Pick<ResourceRef, 'kind' | 'id'> | undefined => {
  const { method, changed, path, params } = operation;
  if (method !== 'DELETE') return undefined;
  if (changed) return { kind: changed.kind, id: String(input[changed.by]).toLowerCase() };
  const param: string | undefined = path.endsWith('}') ? params.at(-1) : undefined;
  return param === undefined
    ? undefined
    : { kind: parameterKind(param), id: String(input[snakeCase(param)]).toLowerCase() };
};

/** A name resolver whose index of seen resources outlives the process. */
export interface PersistentNameResolver extends NameResolver {
  /** Writes what has not been written yet. */
  flush(): Promise<void>;
  /** The same, and stops listening to other servers. */
  close(): Promise<void>;
}

const failWith = (problem: ResolutionProblem): never => {
  throw new CallFailure({ kind: 'bad_address', problem });
};

/**
 * Parses a reference: its kind, by default the requested one, and its path, name or id.
 * @throws CallFailure for a URI that is wrong or of another kind.
 */
function parseReference(kind: ResourceKind, reference: string): { readonly kind: ResourceKind; readonly text: string } {
  const text = reference.trim();
  if (isInfraUri(text)) {
    const parsed = parseUri(text) ?? failWith(emptyProblem(kind, reference, 'bad_uri'));
    return isOfKind(parsed.kind, kind)
      ? { kind: parsed.kind, text: parsed.given }
      : failWith(emptyProblem(kind, reference, 'wrong_kind'));
  }
  if (isForeignUri(text)) failWith(emptyProblem(kind, reference, 'bad_uri'));
  const qualified = qualifiedName(text);
  return qualified && isOfKind(qualified.kind, kind) && isId(qualified.name)
    ? { kind: qualified.kind, text: qualified.name }
    : { kind, text };
}

/** The indexed resource with an id, without a request. */
const lookUpId = (
  kinds: readonly ReferenceKind[],
  id: string,
  principal: string,
  { index }: ResolverContext,
): ResourceRef | undefined =>
  kinds.map((kind) => index.get(principal, kind, id)).find((resource) => resource !== undefined);

async function resolve(
  requested: ResourceKind,
  reference: string,
  lookup: Lookup,
  context: ResolverContext,
): Promise<ResolvedResource> {
  const { kind, text } = parseReference(requested, reference);
  await context.index.loaded();
  if (isId(text)) {
    const id = text.toLowerCase();
    const resource = lookUpId(kind === 'service' ? serviceKinds : [kind], id, lookup.principal, context);
    if (resource) return resolvedResourceOf(pathTo(resource, lookup.principal, context.index));
    if (kind !== 'service') return { kind, id };
  }
  const findings = await findByPath(kind, segmentsOf(text), lookup, context);
  const [found, ...others] = findings.paths;
  return found && others.length === 0 && !findings.incomplete
    ? resolvedResourceOf(found)
    : failWith(await withDatabase(await withSecrets(problemOf(kind, text, findings), lookup), lookup));
}

/** The resources in an operation's answer. */
function resourcesIn(operation: AnyOperation, input: JsonRecord, answer: unknown): readonly ResourceRef[] {
  const { kinds, list } = responseKinds(operation);
  const [param, ...others]: readonly string[] = operation.params;
  const hasParent = param !== undefined && others.length === 0 && (list || operation.status === 201);
  const parent = hasParent
    ? { kind: parameterKind(param), id: String(input[snakeCase(param)]) }
    : operation.targetBy && operation.effect === 'read'
      ? targetIn(operation, input)
      : undefined;
  if (kinds.length === 0) return environmentsInWideList(operation, rowsIn(isRecord(answer) ? answer : undefined));
  const rows = list ? rowsIn(isRecord(answer) ? answer : undefined) : [answer];
  return rows.flatMap((row) => resourceRefOf(row, kinds, parent) ?? []);
}

/**
 * The kinds of resources that a change may have added to or removed from lists: those in its answer, the one that it
 * deletes, or the one that a member names.
 */
function kindsChanged(operation: AnyOperation): readonly ReferenceKind[] {
  if (operation.method === 'GET') return [];
  if (operation.changed) return [operation.changed.kind];
  const deleted: string | undefined = operation.method === 'DELETE' ? operation.params.at(-1) : undefined;
  return deleted === undefined ? responseKinds(operation).kinds : [parameterKind(deleted)];
}

/** The members of an operation's input that refer to services of one kind. */
const serviceMembers = memoised((operation: AnyOperation) =>
  Object.entries(inputShape(operation)).flatMap(([name, schema]) => {
    const kind = pointsAt(schema);
    return kind === undefined || kind === 'service' || !isOfKind(kind, 'service') ? [] : [{ name, kind }];
  }),
);

/**
 * The services in an operation's input: once it has succeeded, their ids are known to be of the kinds that it accepts.
 */
const servicesInInput = (operation: AnyOperation, input: JsonRecord): readonly ResourceRef[] =>
  serviceMembers(operation).flatMap(({ name, kind }) =>
    [input[name]].flat().flatMap((id) => (typeof id === 'string' && isId(id) ? [{ kind, id: id.toLowerCase() }] : [])),
  );

/** A resolver's connection to other servers: the invalidator, and a function that disconnects. */
interface SharedState {
  readonly invalidator: Invalidator;
  readonly stop: () => Promise<void>;
}

/**
 * Keeps a resolver's data up to date with changes by other servers. While they can't be received, no list is cached.
 */
function follow(
  invalidation: CacheInvalidation,
  invalidator: Invalidator,
  { lists, index }: ResolverContext,
): SharedState {
  lists.use(false);
  const stop = invalidation.listen(
    ({ learned, changed, deleted }) => {
      lists.invalidate(undefined, changed);
      index.forget(deleted);
      index.take(learned);
    },
    (isHearing) => {
      lists.use(isHearing);
      if (isHearing) void index.reload();
    },
  );
  return { invalidator, stop };
}

/** Where a resolver stores its index: in a separate file, or together with other servers. */
type ResolverPlace = IndexPersistence | { readonly platform: string; readonly invalidation: CacheInvalidation };

const openContext = (place?: ResolverPlace): { readonly context: ResolverContext; readonly shared?: SharedState } => {
  const lists = createListCache();
  if (!place || !('invalidation' in place)) return { context: { lists, index: createResourceIndex(place) } };
  const { platform, invalidation } = place;
  const invalidator = createInvalidator(invalidation);
  const context = {
    lists,
    index: createResourceIndex(undefined, {
      platform,
      all: () => invalidation.all(),
      learned: (seen) => invalidator.learned(seen),
    }),
  };
  return { context, shared: follow(invalidation, invalidator, context) };
};

/**
 * Resolves names, paths, URIs and ids to resources.
 * @param place where the index is stored; without it the index lasts as long as the process.
 */
export function createNameResolver(place?: ResolverPlace): PersistentNameResolver {
  const { context, shared } = openContext(place);
  const { lists, index } = context;
  const flush = async (): Promise<void> => {
    await index.flush();
    await shared?.invalidator.flush();
  };
  return {
    resolve: (kind, reference, lookup) => resolve(kind, reference, lookup, context),
    complete: (kind, typed, lookup) => completions(kind, typed, lookup, context),
    organization: async (lookup) => (await lists.organization(newSearch(lookup, 0, lists.count())))?.id ?? '',
    learn: (operation, input, answer, principal) => {
      const deleted = deletedBy(operation, input);
      const changed = kindsChanged(operation);
      lists.invalidate(principal, changed);
      const seen = [...servicesInInput(operation, input), ...resourcesIn(operation, input, answer)];
      const renamed = seen.filter((resource) => index.add(principal, resource)).map(({ kind }) => kind);
      const outOfDate = [...new Set([...changed, ...renamed])];
      if (!shared || outOfDate.length === 0) return;
      const gone = deleted ? [deleted] : [];
      lists.invalidate(undefined, outOfDate);
      index.forget(gone);
      shared.invalidator.changed(outOfDate, gone);
    },
    flush,
    close: async () => {
      await flush();
      await shared?.stop();
    },
  };
}
