import { inputShape, parameterKind, snakeCase, type AnyOperation } from '../../contract/operation.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import { pointsAt } from '../tool/references.ts';
import { isRecord, type JsonRecord } from '../json/values.ts';
import type { ResolvedResource, NameResolver, ResourceKind, Lookup } from '../tool/name-resolver.ts';
import { findAllBelow, findByPath, newSearch, problemOf } from './find.ts';
import { createListCache } from './list-cache.ts';
import { foldCase, isId, qualifiedName, segmentsOf } from './names.ts';
import { createResourceIndex, type IndexPersistence } from './resource-index.ts';
import { resourceRefOf, type ResourceRef } from './resource-ref.ts';
import { resolvedResourceOf, pathTo, unambiguousPaths } from './resource-path.ts';
import { responseKinds, isOfKind } from './resource-hierarchy.ts';
import { isForeignUri, isInfraUri, parseUri } from './uri.ts';
import type { ResolverContext } from './search-routes.ts';
import { CallFailure, emptyProblem, type ResolutionProblem } from '../failure/failure.ts';
import { rowsIn } from '../context/reads.ts';

/** Most completions of one text: what the protocol allows. */
const mostCompletions = 100;

/** The rank of what is completed by its id. */
const idPrefixRank = 3;

/** How well an address completes a text, 0 the best; undefined when it doesn't. */
function rank(typed: string, { path, name, id }: { readonly path: string; readonly name: string; readonly id: string }): number | undefined {
  const order = [path.startsWith(typed), name.startsWith(typed), path.includes(typed), typed !== '' && id.startsWith(typed)];
  const index = order.indexOf(true);
  return index === -1 ? undefined : index;
}

/**
 * Paths that what was typed can become, best first; ids where no path is known, or where an id was begun.
 * @throws ApiError as the platform fails.
 */
async function completions(kind: ResourceKind, typed: string, look: Lookup, ground: ResolverContext): Promise<readonly string[]> {
  const outer = segmentsOf(typed).slice(0, -1);
  const along = await findAllBelow(kind, outer, look, ground);
  // The names typed so far need not begin at the top.
  const trails = along.length > 0 || outer.length === 0 ? along : await findAllBelow(kind, [], look, ground);
  const addresses = trails.map(resolvedResourceOf);
  const texts = unambiguousPaths(addresses);
  const wanted = foldCase(typed);
  const ranked = addresses.flatMap(({ id, name = '' }, index) => {
    const path = texts[index]!;
    const at = rank(wanted, { path: foldCase(path), name: foldCase(name), id });
    return at === undefined ? [] : [{ at, text: at === idPrefixRank ? id : path }];
  });
  return ranked.toSorted((one, other) => one.at - other.at || one.text.localeCompare(other.text)).map(({ text }) => text).slice(0, mostCompletions);
}

/** Addresses that remember what was seen. */
export interface PersistentNameResolver extends NameResolver {
  /** Writes down what was seen and is not written yet. */
  flush(): Promise<void>;
}

const failWith = (problem: ResolutionProblem): never => {
  throw new CallFailure({ kind: 'bad_address', problem });
};

/** What a text says of what it means: the kind where it tells one, and the path, name or id. */
function parseReference(kind: ResourceKind, given: string): { readonly kind: ResourceKind; readonly text: string } {
  const text = given.trim();
  if (isInfraUri(text)) {
    const pointed = parseUri(text) ?? failWith(emptyProblem(kind, given, 'bad_uri'));
    return isOfKind(pointed.kind, kind) ? { kind: pointed.kind, text: pointed.given } : failWith(emptyProblem(kind, given, 'wrong_kind'));
  }
  if (isForeignUri(text)) failWith(emptyProblem(kind, given, 'bad_uri'));
  const precise = qualifiedName(text);
  return precise && isOfKind(precise.kind, kind) && isId(precise.name) ? { kind: precise.kind, text: precise.name } : { kind, text };
}

/** What an id is known as, without asking anybody. */
const lookUpId = (kinds: readonly ReferenceKind[], id: string, principal: string, { index: seen }: ResolverContext): ResourceRef | undefined =>
  kinds.map((kind) => seen.get(principal, kind, id)).find((thing) => thing !== undefined);

async function resolve(asked: ResourceKind, given: string, look: Lookup, ground: ResolverContext): Promise<ResolvedResource> {
  const { kind, text } = parseReference(asked, given);
  await ground.index.loaded();
  if (isId(text)) {
    const id = text.toLowerCase();
    const thing = lookUpId(kind === 'service' ? serviceKinds : [kind], id, look.principal, ground);
    if (thing) return resolvedResourceOf(pathTo(thing, look.principal, ground.index));
    if (kind !== 'service') return { kind, id };
  }
  const findings = await findByPath(kind, segmentsOf(text), look, ground);
  const [found, ...others] = findings.paths;
  return found && others.length === 0 && !findings.incomplete ? resolvedResourceOf(found) : failWith(problemOf(kind, text, findings));
}

/** What an operation answered, as things. */
function resourcesIn(operation: AnyOperation, input: JsonRecord, answer: unknown): readonly ResourceRef[] {
  const { kinds, list } = responseKinds(operation);
  const [param, ...others]: readonly string[] = operation.params;
  const holds = param !== undefined && others.length === 0 && (list || operation.status === 201);
  const parent = holds ? { kind: parameterKind(param), id: String(input[snakeCase(param)]) } : undefined;
  const rows = list ? rowsIn(isRecord(answer) ? answer : undefined) : [answer];
  return kinds.length === 0 ? [] : rows.flatMap((row) => resourceRefOf(row, kinds, parent) ?? []);
}

/** The services whose ids an operation was given: once it was carried out, they are known to be of its kinds. */
const servicesInInput = (operation: AnyOperation, input: JsonRecord): readonly ResourceRef[] =>
  Object.entries(inputShape(operation)).flatMap(([name, schema]) => {
    const kind = pointsAt(schema);
    const ids = [input[name]].flat().filter((id) => typeof id === 'string' && isId(id)) as readonly string[];
    return kind === undefined || kind === 'service' || !isOfKind(kind, 'service') ? [] : ids.map((id) => ({ kind, id: id.toLowerCase() }));
  });

/**
 * Finds what names, paths, URIs and ids stand for.
 * @param shelf where what was seen outlives the process; without one it doesn't.
 */
export function createNameResolver(shelf?: IndexPersistence): PersistentNameResolver {
  const ground: ResolverContext = { lists: createListCache(), index: createResourceIndex(shelf) };
  return {
    resolve: (kind, given, look) => resolve(kind, given, look, ground),
    complete: (kind, typed, look) => completions(kind, typed, look, ground),
    organization: async (look) => {
      const [organization] = await ground.lists.organization(newSearch(look, 0));
      return organization?.id ?? '';
    },
    learn: (operation, input, answer, principal) => {
      if (operation.method !== 'GET') ground.lists.invalidate(principal, responseKinds(operation).kinds);
      for (const thing of [...servicesInInput(operation, input), ...resourcesIn(operation, input, answer)]) ground.index.add(principal, thing);
    },
    flush: () => ground.index.flush(),
  };
}
