import { LRUCache } from 'lru-cache';
import { lookupFor, type NameResolver, type Lookup } from '../../tool/index.ts';
import type { GuardedCall } from '../guarded-call.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import {
  argumentsFilledInCall,
  outsideScopeText,
  type ScopeOption,
  type Scope,
  type ResolvedScope,
  type ScopeResolver,
} from './scope.ts';
import { CallFailure } from '../../failure/index.ts';
import { readById } from '../../context/index.ts';

/** Maximum number of principals whose resolved scope is cached. */
const maximumPrincipals = 1_000;

const misconfigured = (what: string): CallFailure =>
  new CallFailure({
    kind: 'not_possible',
    what,
    next: 'Whoever runs this server has to correct it; nothing can be called until then.',
  });

async function findScoped(
  kind: 'project' | 'environment',
  { name, setBy }: ScopeOption,
  lookup: Lookup,
  resolver: NameResolver,
) {
  try {
    return await resolver.resolve(kind, name, lookup);
  } catch (error) {
    if (!(error instanceof CallFailure) || error.failure.kind !== 'bad_address') throw error;
    const why = error.failure.problem.why === 'ambiguous' ? 'which can be several' : 'which could not be found';
    throw misconfigured(`this server is kept to the ${kind} "${name}" (${setBy}), ${why}`);
  }
}

async function projectOf(environmentId: string, lookup: Lookup): Promise<string | undefined> {
  const project = (await readById('environment', environmentId, lookup.reader))?.['project'];
  return isRecord(project) && typeof project['id'] === 'string' ? project['id'].toLowerCase() : undefined;
}

async function resolveScope(
  { project, environment }: Scope,
  lookup: Lookup,
  resolver: NameResolver,
): Promise<ResolvedScope> {
  const projectId = project && (await findScoped('project', project, lookup, resolver)).id;
  if (!environment) return { projectId };
  const found = await findScoped('environment', environment, { ...lookup, within: { projectId } }, resolver);
  const ownProject = found.project?.id ?? (await projectOf(found.id, lookup));
  if (project && ownProject !== undefined && ownProject !== projectId) {
    throw misconfigured(
      `this server is kept to the project "${project.name}" (${project.setBy}) and to the environment "${environment.name}" (${environment.setBy}), which lies in another one`,
    );
  }
  return { projectId: ownProject ?? projectId, environmentId: found.id };
}

/** Resolves a scope once for each principal and caches the result. */
export function createScopeResolver(scope: Scope, resolver: NameResolver): ScopeResolver {
  const cache = new LRUCache<string, ResolvedScope>({ max: maximumPrincipals });
  return {
    resolve: async (lookup) => {
      const cached = cache.get(lookup.principal);
      if (cached) return cached;
      const resolved = await resolveScope(scope, lookup, resolver);
      cache.set(lookup.principal, resolved);
      return resolved;
    },
  };
}

/** Fills in the arguments of a call that follow from the scope. @throws what the scope resolver throws. */
export async function fillInScope(
  call: Pick<GuardedCall, 'tool' | 'args' | 'deps' | 'context' | 'reader'>,
): Promise<JsonRecord> {
  const { tool, args, deps } = call;
  if (!deps.scopeResolver || !isRecord(args)) return args;
  const members = argumentsFilledInCall(tool, args, deps.policy.scope);
  if (members.size === 0) return args;
  const { projectId, environmentId } = await deps.scopeResolver.resolve(lookupFor(call));
  const ids = { project: projectId, environment: environmentId };
  const filled = [...members].flatMap(([name, kind]) => (ids[kind] === undefined ? [] : [[name, ids[kind]] as const]));
  return { ...Object.fromEntries(filled), ...args };
}

/** A name resolver that searches only inside a scope. */
export const resolverWithin = (resolver: NameResolver, scopeResolver: ScopeResolver, scope: Scope): NameResolver => {
  const inScope = async (lookup: Lookup): Promise<Lookup> => {
    const ids = await scopeResolver.resolve(lookup);
    return { ...lookup, within: { ...ids, ...lookup.within }, only: { ...ids, note: outsideScopeText(scope) } };
  };
  return {
    ...resolver,
    resolve: async (kind, reference, lookup) => resolver.resolve(kind, reference, await inScope(lookup)),
    complete: async (kind, typed, lookup) => resolver.complete(kind, typed, await inScope(lookup)),
  };
};
