import { ApiError, type ApiErrorKind } from '../../client/index.ts';
import { isoAt, isoTime, operations, timeOf, unknownTime, type AnyOperation } from '../../contract/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { Reader } from './reader.ts';
import { wholeListIn } from './reads.ts';

/** The operations that list locks. Platforms have one of them. */
export const lockLists = [operations.list_cluster_locks, operations.list_locks] as const;

/** How a platform responds to a path that it confuses with another one, or in a form that can't be read. */
const otherPath: readonly ApiErrorKind[] = ['not_found', 'invalid_input', 'bad_answer'];

/** The failures after which another source can show whether a cluster is locked. */
export const lockReplaceable: readonly ApiErrorKind[] = [...otherPath, 'not_offered', 'forbidden'];

const tryRead = (
  operation: AnyOperation,
  input: JsonRecord,
  reader: Pick<Reader, 'attempt'>,
): Promise<JsonRecord | undefined> =>
  reader
    .attempt(operation, input)
    .catch((error: unknown) =>
      error instanceof ApiError && otherPath.includes(error.kind) ? undefined : Promise.reject(error as Error),
    );

/** The locks of an organization from the first list that can be read; undefined if there is none. */
async function listLocks(
  organization_id: string,
  reader: Pick<Reader, 'attempt'>,
): Promise<readonly JsonRecord[] | undefined> {
  for (const list of lockLists) {
    // The second list is only needed if the first can't be read.
    const rows = wholeListIn(await tryRead(list, { organization_id }, reader));
    if (rows) return rows;
  }
  return undefined;
}

/** The lock in a cluster's status; null if it has none, undefined if the status doesn't say. */
function lockIn(status: JsonRecord | undefined): JsonRecord | null | undefined {
  const lock = status?.['cluster_lock'];
  return isRecord(lock) ? lock : lock === null ? null : undefined;
}

/**
 * The locks of clusters, by cluster: null for one that isn't locked. Clusters whose lock no path reports are left out.
 * Costs one request on platforms that list locks, otherwise one per cluster.
 * @throws ApiError if the platform fails.
 */
export async function readClusterLocks(
  organization_id: string,
  clusters: readonly string[],
  reader: Pick<Reader, 'attempt'>,
): Promise<ReadonlyMap<string, JsonRecord | null>> {
  const listed = await listLocks(organization_id, reader);
  if (listed)
    return new Map(clusters.map((cluster) => [cluster, listed.find((lock) => lock['cluster_id'] === cluster) ?? null]));
  const locks = await Promise.all(
    clusters.map(
      async (cluster_id) =>
        [
          cluster_id,
          lockIn(await tryRead(operations.get_cluster_status, { organization_id, cluster_id }, reader)),
        ] as const,
    ),
  );
  return new Map(
    locks.flatMap(([cluster, lock]) =>
      lock === undefined ? [] : [[cluster, lock && { cluster_id: cluster, ...lock }] as const],
    ),
  );
}

const day = 86_400_000;

/** When a lock ends, in milliseconds since 1970; NaN if the record doesn't say. */
export const lockEnd = ({ locked_at: from, ttl_in_days: days }: JsonRecord): number =>
  (timeOf(from) ?? Number.NaN) + (typeof days === 'number' ? days : Number.NaN) * day;

/** The owner, times and reason of a cluster's lock, as far as the lock has them. */
export function lockFacts(lock: JsonRecord, show: (value: unknown) => string, until = ''): string {
  const said = (before: string, value: unknown): string =>
    value === undefined || value === null || value === '' ? '' : `${before}${show(value)}`;
  return `${said(' by ', lock['owner_name'])}${said(' since ', isoTime(lock['locked_at']) ?? lock['locked_at'])}${until}${said(': ', lock['reason'])}`;
}

/**
 * A sentence about a cluster's lock: by whom, since and until when, and why.
 * @param cluster its name, if it is known; default: its id
 */
export function lockText(
  lock: JsonRecord,
  show: (value: unknown) => string,
  cluster: unknown = lock['cluster_id'],
): string {
  const end = lockEnd(lock);
  const until = Number.isFinite(end) ? ` until ${isoAt(end) ?? `an ${unknownTime}`}` : '';
  return `Cluster ${show(cluster)} is locked${lockFacts(lock, show, until)}`;
}
