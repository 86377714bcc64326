import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { createNameResolver } from '../../server/resolve/name-resolver.ts';
import type { NameResolver, Lookup } from '../../server/tool/name-resolver.ts';
import type { PolicyResource } from './policy-resources.ts';
import type { ResolutionProblem } from '../../server/failure/failure.ts';
import { CallFailure } from '../../server/failure/failure.ts';
import { createReader } from '../../server/context/reader.ts';

/** Longest that one request waits, in milliseconds. */
const requestTimeout = 10_000;

/** Reads that fail where there is nothing with an id: finding what an id stands for asks nobody. */
const existenceReads = { project: operations.list_environments, environment: operations.get_environment } as const;

/** Whether a name that stands for nothing was looked for everywhere: what was left out is noted. */
const isSearchComplete = ({ why, notes }: ResolutionProblem): boolean => why === 'unknown' && notes.length === 0;

/** Whether the platform is seen not to have a place. What can't be seen, or could be several, counts as there. @throws ApiError as the platform fails otherwise. */
async function isMissing({ kind, name }: PolicyResource, look: Lookup, addresses: NameResolver): Promise<boolean> {
  try {
    const { id } = await addresses.resolve(kind, name, look);
    await look.reader.attempt(existenceReads[kind] as AnyOperation, { [`${kind}_id`]: id });
    return false;
  } catch (error) {
    if (error instanceof CallFailure && error.failure.kind === 'bad_address') return isSearchComplete(error.failure.problem);
    if (error instanceof ApiError && error.kind === 'not_found') return true;
    throw error;
  }
}

/** Which of some places the platform doesn't have. @throws ApiError where it can't be asked. */
export async function missingResources(places: readonly PolicyResource[], client: Client): Promise<readonly PolicyResource[]> {
  const reader = createReader((operation, input) => client.call(operation, input, { attempts: 1, deadline: Date.now() + requestTimeout }));
  const look: Lookup = { principal: 'operator', reader, now: Date.now };
  const addresses = createNameResolver();
  const missing: PolicyResource[] = [];
  // One after the other: what is listed for one is not asked for again for the next.
  // oxlint-disable-next-line no-await-in-loop
  for (const place of places) if (await isMissing(place, look, addresses)) missing.push(place);
  return missing;
}
