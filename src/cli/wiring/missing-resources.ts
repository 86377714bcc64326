import { ApiError, type Client } from '../../client/index.ts';
import { operations, type AnyOperation } from '../../contract/index.ts';
import { createNameResolver } from '../../server/resolve/index.ts';
import type { NameResolver, Lookup } from '../../server/tool/index.ts';
import { CallFailure, type ResolutionProblem } from '../../server/failure/index.ts';
import { createReader } from '../../server/context/index.ts';

/** A project or environment as named in a policy, and the source of the first rule that names it. */
export interface PolicyResource {
  readonly kind: 'project' | 'environment';
  readonly name: string;
  readonly setBy: string;
}

/** Request timeout in milliseconds. */
const requestTimeout = 10_000;

/** Requests that fail for an unknown id. Needed because resolving an id makes no request. */
const existenceReads = { project: operations.list_environments, environment: operations.get_environment } as const;

/** Whether an unknown name was searched everywhere. Places that were not searched are in the notes. */
const isSearchComplete = ({ why, notes }: ResolutionProblem): boolean => why === 'unknown' && notes.length === 0;

/**
 * Whether the platform certainly lacks a resource. An invisible or ambiguous one counts as existing.
 * @throws ApiError for other failures of the platform.
 */
async function isMissing({ kind, name }: PolicyResource, lookup: Lookup, resolver: NameResolver): Promise<boolean> {
  try {
    const { id } = await resolver.resolve(kind, name, lookup);
    await lookup.reader.attempt(existenceReads[kind] as AnyOperation, { [`${kind}_id`]: id });
    return false;
  } catch (error) {
    if (error instanceof CallFailure && error.failure.kind === 'bad_address')
      return isSearchComplete(error.failure.problem);
    if (error instanceof ApiError && error.kind === 'not_found') return true;
    throw error;
  }
}

/** Those of the given resources that the platform lacks. @throws ApiError if the platform can't be queried. */
export async function missingResources(
  resources: readonly PolicyResource[],
  client: Client,
): Promise<readonly PolicyResource[]> {
  const reader = createReader((operation, input) =>
    client.call(operation, input, { attempts: 1, deadline: Date.now() + requestTimeout }),
  );
  const lookup: Lookup = { principal: 'operator', reader, now: Date.now };
  const resolver = createNameResolver();
  const missing: PolicyResource[] = [];
  // Sequential, so that later resources reuse the lists fetched for earlier ones.
  for (const resource of resources) if (await isMissing(resource, lookup, resolver)) missing.push(resource);
  return missing;
}
