import { operations, type AnyOperation } from '../../src/contract/index.ts';
import {
  isPlatformFailure,
  isRecord,
  lockEnd,
  lockReads,
  lockText,
  readClusterLocks,
  readUses,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/**
 * The current locks by cluster: null for a cluster that isn't locked, or whose lock has expired. Clusters without
 * information are left out.
 * @throws ApiError if the platform fails
 */
export async function locksInForce(
  organization_id: string,
  clusters: readonly string[],
  context: Pick<ToolContext, 'attempt' | 'now'>,
): Promise<ReadonlyMap<string, JsonRecord | null>> {
  const locks = await readClusterLocks(organization_id, clusters, context);
  return new Map(
    [...locks].map(([cluster, lock]) => [cluster, lock && !(lockEnd(lock) <= context.now()) ? lock : null]),
  );
}

/** The cluster of an environment, with its lock: null if it isn't locked, undefined if that isn't known. */
export interface EnvironmentCluster {
  readonly id?: string;
  readonly name?: string;
  readonly lock?: JsonRecord | null;
}

/** The reads for the lock of an environment's cluster. */
export const readsOfLock = (without: string): readonly ReadUse[] => [
  ...readUses(without, operations.get_organization, operations.list_environments, operations.get_environment),
  ...lockReads(without),
];

/**
 * An environment, from a list that the call has read already, or from that of its project if possible: resolving a path
 * reads one of these.
 */
export async function environmentAt(
  context: ToolContext,
  environmentId: string,
  projectId: string | undefined,
): Promise<JsonRecord | undefined> {
  const known = (await context.answered(operations.list_environments_of_organization))
    .flatMap((answer) => rowsIn(answer))
    .find((row) => row['id'] === environmentId && textOf(row, 'cluster_id') !== undefined);
  if (known) return known;
  const list =
    projectId === undefined
      ? undefined
      : await context.read(operations.list_environments, { project_id: projectId }).catch(() => undefined);
  return (
    rowsIn(list).find(({ id }) => id === environmentId) ??
    context.attempt<AnyOperation>(operations.get_environment, { environment_id: environmentId })
  );
}

/** Whether the list of locks is empty, which saves reading the environment. */
const haveNoLocks = async (context: ToolContext, organization_id: string): Promise<boolean> =>
  (await context.attempt(operations.list_cluster_locks, { organization_id }).catch(() => undefined))?.results
    ?.length === 0;

/**
 * The cluster of an environment with its lock. If no cluster is locked, the environment isn't read.
 * @throws ApiError if the platform fails
 */
export async function clusterHosting(
  context: ToolContext,
  environmentId: string,
  projectId: string | undefined,
): Promise<EnvironmentCluster> {
  const organization = await context.attempt(operations.get_organization, {});
  if (!organization?.id) return {};
  if (await haveNoLocks(context, organization.id)) return { lock: null };
  const environment = await environmentAt(context, environmentId, projectId);
  const id = textOf(environment, 'cluster_id');
  if (id === undefined) return {};
  return {
    id,
    name: textOf(environment, 'cluster_name'),
    lock: (await locksInForce(organization.id, [id], context)).get(id),
  };
}

/**
 * The lock of an environment's cluster: by whom, why and until when; undefined if it isn't locked. The answer says if
 * that could not be read.
 */
export async function lockOn(
  context: ToolContext,
  environmentId: string,
  projectId: string | undefined,
): Promise<string | undefined> {
  const { name, lock } = await clusterHosting(context, environmentId, projectId).catch(
    (error: unknown): EnvironmentCluster => {
      if (!isPlatformFailure(error)) throw error;
      return {};
    },
  );
  if (lock === undefined) context.leftOut('Whether its cluster is locked could not be read.');
  return isRecord(lock) ? lockText(lock, show, name) : undefined;
}
