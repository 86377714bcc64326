import type { ResolvedResource } from '../tool/name-resolver.ts';
import { isOfKind, listOperationFor } from '../resolve/resource-hierarchy.ts';
import type { GuardedCall } from './guarded-call.ts';
import { fail } from '../failure/failure.ts';
import { operations } from '../../contract/operations.ts';
import type { Tool } from '../tool/tool.ts';
import { show } from '../tool/preview/preview.ts';
import { needsLocation } from './policy/policy.ts';
import { findTargetById } from './risk/find-target.ts';
import type { TargetLocation } from '../context/target.ts';
import type { Reader } from '../context/reader.ts';
import { rowsIn } from '../context/reads.ts';

/** Scopes of variables that several environments share. */
const sharedScopes: readonly (string | undefined)[] = ['BUILT_IN', 'PROJECT'];

const isLocation = ({ kind }: ResolvedResource): boolean => kind === 'environment' || isOfKind(kind, 'service');

const isInside = ({ kind, scope }: ResolvedResource): boolean => isOfKind(kind, 'service') || (kind === 'environment_variable' && !sharedScopes.includes(scope));

/** Whether an argument points outside what the call is about, as its operation declares: what is moved or copied lies elsewhere for sure. */
const pointsOutside = ({ operations: all }: Tool, argument: string): boolean =>
  all.some(({ roles }) => {
    const role = roles[argument.replace(/\[\d+\]$/, '')];
    return typeof role === 'object' && 'pointsAt' in role;
  });

/** The place that a call is about, and what else it names that has to lie in the same environment; undefined where it names no such things. */
function namedIn({ tool, resolved: addresses }: GuardedCall): { readonly place: ResolvedResource; readonly things: readonly ResolvedResource[] } | undefined {
  const [place, ...others] = Object.entries(addresses).flatMap(([argument, address]) => (pointsOutside(tool, argument) ? [] : [address]));
  const things = others.filter(isInside);
  return place && isLocation(place) && things.length > 0 && !others.some(({ kind }) => kind === 'environment') ? { place, things } : undefined;
}

const environmentAt = async ({ kind, id, name, environment }: ResolvedResource, reader: Reader): Promise<TargetLocation | undefined> => {
  if (kind === 'environment') return { id, name };
  if (environment?.id !== undefined) return environment;
  return isOfKind(kind, 'service') ? (await findTargetById(kind, id, reader)).environment : undefined;
};

/** Whether a place itself lists a thing. */
async function isListed(place: ResolvedResource, { kind, id }: ResolvedResource, reader: Reader): Promise<boolean> {
  const listing = listOperationFor(place.kind, kind);
  const rows = listing ? rowsIn(await reader.attempt(listing.operation, { [`${place.kind}_id`]: place.id })) : [];
  return rows.some((row) => row['id'] === id);
}

const isSame = (one: TargetLocation | undefined, other: TargetLocation | undefined): boolean => one?.id?.toLowerCase() === other?.id?.toLowerCase();

/** A thing that a call names, with its environment where that is another one than it should be. */
interface Located {
  readonly resource: ResolvedResource;
  readonly where: 'here' | 'elsewhere' | 'unknown';
  readonly environment?: TargetLocation;
}

async function locateResource(place: ResolvedResource, thing: ResolvedResource, reader: Reader): Promise<Located> {
  const here = await environmentAt(place, reader);
  if (thing.environment?.id === undefined && (await isListed(place, thing, reader))) return { resource: thing, where: 'here' };
  const environment = await environmentAt(thing, reader);
  if (environment?.id === undefined || here?.id === undefined) return { resource: thing, where: 'unknown' };
  return isSame(here, environment) ? { resource: thing, where: 'here' } : { resource: thing, where: 'elsewhere', environment };
}

const locateAll = async (call: GuardedCall): Promise<readonly Located[]> => {
  const named = namedIn(call);
  return named ? Promise.all(named.things.map((thing) => locateResource(named.place, thing, call.reader))) : [];
};

const resourceText = ({ id, name }: TargetLocation, kind: string): string => `${kind.replaceAll('_', ' ')}${name === undefined ? '' : ` ${show(name)}`}${id === undefined ? '' : ` (id ${id})`}`;

/** Places are told by their names where the platform tells them. */
const withName = async (place: TargetLocation | undefined, reader: Reader): Promise<TargetLocation> =>
  place?.id === undefined || place.name !== undefined ? { ...place } : { id: place.id, name: (await findTargetById('environment', place.id, reader)).name };

/**
 * Lets pass a call whose arguments lie in one environment, as far as the platform tells: of what lies in another one,
 * nobody is to be asked under the name of this one.
 * @throws CallFailure `not_possible`, which names the thing and both environments; ApiError as the platform fails.
 */
export async function assertInSameEnvironment(call: GuardedCall): Promise<void> {
  const stranger = (await locateAll(call)).find(({ where }) => where === 'elsewhere');
  if (!stranger) return;
  const { resource: thing, environment } = stranger;
  const { reader, tool, deps } = call;
  const isSecret = needsLocation(tool, operations.list_services, deps.policy);
  const [there, here] = isSecret ? [] : await Promise.all([withName(environment, reader), withName(await environmentAt(namedIn(call)!.place, reader), reader)]);
  fail({
    kind: 'not_possible',
    what: `the ${thing.kind.replaceAll('_', ' ')} ${thing.id} lies in another environment than the one that the call is about, so nobody was asked to agree`,
    next: 'Give the environment that it lies in, or what is meant of the given one: nothing is ever changed in two environments by one call.',
    ...(there && here && { seen: `${resourceText(thing, thing.kind)} lies in ${resourceText(there, 'environment')}, not in ${resourceText(here, 'environment')}` }),
  });
}

/** Whether everything that a call names is known to lie where it says. @throws ApiError as the platform fails. */
export const areInSameEnvironment = async (call: GuardedCall): Promise<boolean> => (await locateAll(call)).every(({ where }) => where === 'here');
