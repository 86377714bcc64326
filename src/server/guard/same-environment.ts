import { show, textOf, type PlannedOperation, type ResolvedResource, type Tool } from '../tool/index.ts';
import { isOfKind, listOperationFor } from '../resolve/index.ts';
import type { GuardedCall } from './guarded-call.ts';
import { fail } from '../failure/index.ts';
import { operations, type ReferenceKind } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { needsLocation } from './policy/policy.ts';
import { findTargetById, idsNamed } from './risk/find-target.ts';
import { rowsIn, servicesIn, type Reader, type TargetLocation } from '../context/index.ts';

/** Scopes of variables that belong to more than one environment. */
const sharedScopes: readonly (string | undefined)[] = ['BUILT_IN', 'PROJECT'];

const isLocation = ({ kind }: ResolvedResource): boolean => kind === 'environment' || isOfKind(kind, 'service');

const isInside = ({ kind, scope }: ResolvedResource): boolean =>
  isOfKind(kind, 'service') || (kind === 'environment_variable' && !sharedScopes.includes(scope));

/**
 * Whether an operation declares that an argument refers to something outside its target, such as where to copy or move
 * it.
 */
const pointsOutside = ({ operations: all }: Tool, argument: string): boolean =>
  all.some(({ roles }) => {
    const role = roles[argument.replace(/\[\d+\]$/, '')];
    return typeof role === 'object' && 'pointsAt' in role;
  });

/**
 * The environment or service that a call concerns, and the resources it names that must be in the same environment;
 * undefined if it names none.
 */
function namedIn({
  tool,
  resolved,
}: GuardedCall): { readonly location: ResolvedResource; readonly resources: readonly ResolvedResource[] } | undefined {
  const [location, ...others] = Object.entries(resolved).flatMap(([argument, resource]) =>
    pointsOutside(tool, argument) ? [] : [resource],
  );
  const resources = others.filter(isInside);
  return location && isLocation(location) && resources.length > 0 && !others.some(({ kind }) => kind === 'environment')
    ? { location, resources }
    : undefined;
}

const environmentAt = async (
  { kind, id, name, environment }: ResolvedResource,
  reader: Reader,
): Promise<TargetLocation | undefined> => {
  if (kind === 'environment') return { id, name };
  if (environment?.id !== undefined) return environment;
  return isOfKind(kind, 'service') ? (await findTargetById(kind, id, reader)).environment : undefined;
};

type Identified = Pick<ResolvedResource, 'kind' | 'id'>;

/** Whether the platform lists a resource under an environment or service. */
async function isListedAt(location: Identified, { kind, id }: Identified, reader: Reader): Promise<boolean> {
  const listing = listOperationFor(location.kind, kind);
  const rows = listing ? rowsIn(await reader.attempt(listing.operation, listing.inputFor(location.id))) : [];
  return rows.some((row) => row['id'] === id && (listing?.isListed?.(row) ?? true));
}

const kindOf = (row: JsonRecord): ReferenceKind => (textOf(row, 'service_type') ?? '').toLowerCase() as ReferenceKind;

/**
 * Whether the platform lists a resource under an environment or service or, a variable, under a service of the
 * environment.
 */
async function isListed(location: Identified, resource: Identified, reader: Reader): Promise<boolean> {
  if (await isListedAt(location, resource, reader)) return true;
  if (location.kind !== 'environment' || resource.kind !== 'environment_variable') return false;
  const services = (await servicesIn(location.id, reader)) ?? [];
  return (
    await Promise.all(services.map((row) => isListedAt({ kind: kindOf(row), id: String(row['id']) }, resource, reader)))
  ).includes(true);
}

const isSame = (one: TargetLocation | undefined, other: TargetLocation | undefined): boolean =>
  one?.id?.toLowerCase() === other?.id?.toLowerCase();

/**
 * A resource that a call names, and whether it is in the call's environment. If not, `environment` is the one it is in.
 */
interface Located {
  readonly resource: ResolvedResource;
  readonly where: 'here' | 'elsewhere' | 'unknown';
  readonly environment?: TargetLocation;
}

async function locateResource(
  location: ResolvedResource,
  resource: ResolvedResource,
  reader: Reader,
): Promise<Located> {
  const here = await environmentAt(location, reader);
  if (resource.environment?.id === undefined && (await isListed(location, resource, reader)))
    return { resource, where: 'here' };
  const environment = await environmentAt(resource, reader);
  if (environment?.id === undefined || here?.id === undefined) return { resource, where: 'unknown' };
  return isSame(here, environment) ? { resource, where: 'here' } : { resource, where: 'elsewhere', environment };
}

const locateAll = async (call: GuardedCall): Promise<readonly Located[]> => {
  const named = call.tool.spansEnvironments ? undefined : namedIn(call);
  return named
    ? Promise.all(named.resources.map((resource) => locateResource(named.location, resource, call.reader)))
    : [];
};

const resourceText = ({ id, name }: TargetLocation, kind: string): string =>
  `${kind.replaceAll('_', ' ')}${name === undefined ? '' : ` ${show(name)}`}${id === undefined ? '' : ` (id ${id})`}`;

/** An environment with its name, if the platform shows it. */
const withName = async (environment: TargetLocation | undefined, reader: Reader): Promise<TargetLocation> =>
  environment?.id === undefined || environment.name !== undefined
    ? { ...environment }
    : { id: environment.id, name: (await findTargetById('environment', environment.id, reader)).name };

/**
 * Checks that no argument refers to a resource in another environment than the call concerns, as far as the platform
 * shows. Otherwise, users would confirm a change under the name of the wrong environment.
 * @throws CallFailure `not_possible` with the resource and both environments; ApiError if the platform fails.
 */
export async function assertInSameEnvironment(call: GuardedCall): Promise<void> {
  const outsider = (await locateAll(call)).find(({ where }) => where === 'elsewhere');
  if (!outsider) return;
  const { resource, environment } = outsider;
  const { reader, tool, deps } = call;
  const isSecret = needsLocation(tool, operations.list_services, deps.policy);
  const [there, here] = isSecret
    ? []
    : await Promise.all([
        withName(environment, reader),
        withName(await environmentAt(namedIn(call)!.location, reader), reader),
      ]);
  fail({
    kind: 'not_possible',
    what: `the ${resource.kind.replaceAll('_', ' ')} ${resource.id} lies in another environment than the one that the call is about, so nobody was asked to agree`,
    next: 'Give the environment that it lies in, or what is meant of the given one: nothing is ever changed in two environments by one call.',
    ...(there &&
      here && {
        seen: `${resourceText(resource, resource.kind)} lies in ${resourceText(there, 'environment')}, not in ${resourceText(here, 'environment')}`,
      }),
  });
}

/**
 * Whether everything that an operation names inside its environment is known to be there, for tools whose calls change
 * several environments. In doubt it isn't.
 * @throws ApiError if the platform fails.
 */
export async function namesOnlyItsOwn({ operation, input }: PlannedOperation, reader: Reader): Promise<boolean> {
  const services = await servicesIn(String(input['environment_id']), reader);
  return (
    services !== undefined && idsNamed(operation, input).every((id) => services.some((service) => service['id'] === id))
  );
}

/**
 * Whether everything that a call names is known to be in the environment that the call concerns.
 * @throws ApiError if the platform fails.
 */
export const areInSameEnvironment = async (call: GuardedCall): Promise<boolean> =>
  (await locateAll(call)).every(({ where }) => where === 'here');
