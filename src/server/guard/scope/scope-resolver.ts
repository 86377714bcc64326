import { LRUCache } from 'lru-cache';
import { lookupFor, type NameResolver, type Lookup } from '../../tool/name-resolver.ts';
import type { GuardedCall } from '../guarded-call.ts';
import { isRecord, type JsonRecord } from '../../json/values.ts';
import { argumentsFilledInCall, outsideScopeText, type ScopeOption, type Scope, type ResolvedScope, type ScopeResolver } from './scope.ts';
import { CallFailure } from '../../failure/failure.ts';
import { readById } from '../../context/reads.ts';

/** Most principals whose place is remembered. */
const maximumPrincipals = 1_000;

const misconfigured = (what: string): CallFailure =>
  new CallFailure({ kind: 'not_possible', what, next: 'Whoever runs this server has to correct it; nothing can be called until then.' });

async function findScoped(kind: 'project' | 'environment', { name, setBy }: ScopeOption, look: Lookup, addresses: NameResolver) {
  try {
    return await addresses.resolve(kind, name, look);
  } catch (error) {
    if (!(error instanceof CallFailure) || error.failure.kind !== 'bad_address') throw error;
    const why = error.failure.problem.why === 'ambiguous' ? 'which can be several' : 'which could not be found';
    throw misconfigured(`this server is kept to the ${kind} "${name}" (${setBy}), ${why}`);
  }
}

async function projectOf(environmentId: string, look: Lookup): Promise<string | undefined> {
  const project = (await readById('environment', environmentId, look.reader))?.['project'];
  return isRecord(project) && typeof project['id'] === 'string' ? project['id'].toLowerCase() : undefined;
}

async function resolveScope({ project, environment }: Scope, look: Lookup, addresses: NameResolver): Promise<ResolvedScope> {
  const projectId = project && (await findScoped('project', project, look, addresses)).id;
  if (!environment) return { projectId };
  const found = await findScoped('environment', environment, { ...look, within: { projectId } }, addresses);
  const around = found.project?.id ?? (await projectOf(found.id, look));
  if (project && around !== undefined && around !== projectId) {
    throw misconfigured(`this server is kept to the project "${project.name}" (${project.setBy}) and to the environment "${environment.name}" (${environment.setBy}), which lies in another one`);
  }
  return { projectId: around ?? projectId, environmentId: found.id };
}

export function createScopeResolver(pin: Scope, addresses: NameResolver): ScopeResolver {
  const known = new LRUCache<string, ResolvedScope>({ max: maximumPrincipals });
  return {
    resolve: async (look) => {
      const before = known.get(look.principal);
      if (before) return before;
      const found = await resolveScope(pin, look, addresses);
      known.set(look.principal, found);
      return found;
    },
  };
}

/** The arguments of a call with those that its place answers. @throws as the place does. */
export async function fillInScope(call: Pick<GuardedCall, 'tool' | 'args' | 'deps' | 'context' | 'reader'>): Promise<JsonRecord> {
  const { tool, args, deps } = call;
  if (!deps.scopeResolver || !isRecord(args)) return args;
  const members = argumentsFilledInCall(tool, args, deps.policy.scope);
  if (members.size === 0) return args;
  const { projectId, environmentId } = await deps.scopeResolver.resolve(lookupFor(call));
  const ids = { project: projectId, environment: environmentId };
  const answered = [...members].flatMap(([name, kind]) => (ids[kind] === undefined ? [] : [[name, ids[kind]] as const]));
  return { ...Object.fromEntries(answered), ...args };
}

/** The same addresses, with names looked for inside the place and nowhere else. */
export const resolverWithin = (addresses: NameResolver, places: ScopeResolver, pin: Scope): NameResolver => {
  const inside = async (look: Lookup): Promise<Lookup> => {
    const kept = await places.resolve(look);
    return { ...look, within: { ...kept, ...look.within }, only: { ...kept, note: outsideScopeText(pin) } };
  };
  return {
    ...addresses,
    resolve: async (kind, given, look) => addresses.resolve(kind, given, await inside(look)),
    complete: async (kind, typed, look) => addresses.complete(kind, typed, await inside(look)),
  };
};
