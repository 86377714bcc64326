import { operations } from '../../src/contract/index.ts';
import {
  readUses,
  statusRowsIn,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { fewAtOnce } from './few-at-once.ts';
import { unlessFailing } from './places.ts';

/** The reads of `statusesIn`. */
export const readsOfStatuses: readonly ReadUse[] = readUses(
  'which services were deployed before a value was set is not known',
  operations.get_environment_status,
);

/** Most environments whose statuses are read, where no list of services has them: each takes a request. */
const mostEnvironments = 5;

/** The statuses of the services of some environments, by their ids: as many as could be read. */
export async function statusesIn(
  environments: readonly string[],
  { attempt }: Pick<ToolContext, 'attempt'>,
): Promise<ReadonlyMap<unknown, JsonRecord>> {
  const read = await fewAtOnce(environments.slice(0, mostEnvironments), (environment_id) =>
    unlessFailing(attempt(operations.get_environment_status, { environment_id })),
  );
  return new Map(read.flatMap((statuses) => statusRowsIn(statuses).map((row) => [row['id'], row] as const)));
}

/** What is told of a service that has what is set, or has nothing yet. */
const withoutEarlier: readonly unknown[] = ['UP_TO_DATE', 'NEVER_DEPLOYED'];

/**
 * Whether a service was deployed before a change that it differs by: it runs with what was before, unless the value was
 * set back.
 * @param at when something was changed, an ISO timestamp
 */
export function standsToChange(status: JsonRecord | undefined, at: string): 'before' | 'since' | 'unknown' {
  if (withoutEarlier.includes(status?.['service_deployment_status'])) return 'since';
  const deployed = textOf(status, 'last_deployment_date');
  if (deployed === undefined) return 'unknown';
  return Date.parse(deployed) < Date.parse(at) ? 'before' : 'since';
}
