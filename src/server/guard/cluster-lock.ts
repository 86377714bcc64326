import { operations, serviceKinds, type AnyOperation } from '../../contract/index.ts';
import { unusableText } from '../../analysis/index.ts';
import { fail } from '../failure/index.ts';
import { lockReads, naming, notKnown, organizationOf, readUses, show, textOf, type ReadUse } from '../tool/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import { referencesIn } from './risk/find-target.ts';
import {
  environmentIn,
  lockEnd,
  lockText,
  readClusterLocks,
  rowsIn,
  targetAndTouched,
  type Reader,
} from '../context/index.ts';
import type { TargetedOperation, GuardedCall } from './guarded-call.ts';

/** Changes that a lock doesn't block: cancelling a running deployment, changing locks and windows, and watching. */
const allowedUnderLock: readonly AnyOperation[] = [
  operations.cancel_deployment,
  operations.lock_cluster,
  operations.unlock_cluster,
  operations.create_alert_rule,
  operations.create_deployment_window,
  operations.delete_deployment_window,
];

const hostedKinds: readonly string[] = ['environment', ...serviceKinds];

/** The reads that find a lock, for an operation that a lock can block. */
export function readsToFindLock(operation: AnyOperation): readonly ReadUse[] {
  const refersToCluster = Object.values(operation.roles).some(
    (role) => typeof role === 'object' && 'pointsAt' in role && role.pointsAt === 'cluster',
  );
  const isBlocked =
    operation.effect !== 'read' &&
    !allowedUnderLock.includes(operation) &&
    (refersToCluster ||
      [...hostedKinds, 'cluster'].includes(operation.target) ||
      operation.reachesEnvironments === true);
  const without = 'the plan says that nobody could look whether the cluster is locked';
  return isBlocked
    ? [
        ...readUses(without, operations.get_organization),
        ...lockReads(without),
        ...(operation.reachesEnvironments === true
          ? readUses('the plan does not say on which clusters its environments are', operations.get_environment)
          : []),
        ...(needsCluster(operation)
          ? readUses('the plan does not say that nothing can run on the cluster', operations.list_clusters)
          : []),
      ]
    : [];
}

/** Whether an operation runs something on a cluster, or makes what is meant to run there. */
const needsCluster = ({ creates, path }: AnyOperation): boolean =>
  (creates !== undefined && hostedKinds.includes(creates.kind)) || /\/(?:re)?deploy$/.test(path);

/** The clusters among these on which nothing can run, one line each. */
async function unusableLines(
  clusters: readonly string[],
  organization_id: string | undefined,
  reader: Reader,
): Promise<readonly string[]> {
  if (organization_id === undefined || clusters.length === 0) return [];
  const rows = rowsIn(await reader.attempt(operations.list_clusters, { organization_id }));
  return rows.flatMap((row) => (clusters.includes(String(row['id'])) ? (unusableText(row) ?? []) : []));
}

/** The clusters that operations change, or that host the changed resources. */
interface Hosts {
  /** Records with a `cluster_id`. */
  readonly records: readonly JsonRecord[];
  /** Whether there are others that could not be determined. */
  readonly isIncomplete: boolean;
}

/** The hosts of an operation. None for reads and for operations that a lock doesn't block. */
async function hostsOf({ operation, input, target }: TargetedOperation, reader: Reader): Promise<Hosts> {
  if (operation.effect === 'read' || allowedUnderLock.includes(operation)) return { records: [], isIncomplete: false };
  const clusters = [target, ...referencesIn(operation, input)].filter(
    ({ kind, id }) => kind === 'cluster' && id !== undefined,
  );
  // A copied environment itself stays unchanged: only the cluster of the copy has to be unlocked.
  const isCopied = operation.creates?.kind === 'environment' && target.kind === 'environment' && clusters.length > 0;
  const hosted = (isCopied ? [] : targetAndTouched(target)).filter(
    ({ kind, environment, why }) => why !== 'hosted' && hostedKinds.includes(kind) && environment !== undefined,
  );
  const environments = [...new Set(hosted.flatMap(({ environment }) => environment?.id ?? []))];
  const records = (await Promise.all(environments.map((id) => environmentIn(id, 'cluster_id', reader)))).filter(
    (record) => textOf(record, 'cluster_id') !== undefined,
  );
  // If something is created, its input refers to the cluster.
  const isUndetermined =
    clusters.length === 0 &&
    hosted.some(({ environment, why }) => why !== 'elsewhere' && environment?.id === undefined);
  return {
    records: [...records.filter((record) => record !== undefined), ...clusters.map(({ id }) => ({ cluster_id: id }))],
    isIncomplete: isUndetermined || records.length < environments.length,
  };
}

/** The organization's id, if an environment's record includes it. */
const organizationIn = ({ organization }: JsonRecord): string | undefined =>
  isRecord(organization) ? textOf(organization, 'id') : undefined;

/** A sentence about the deployment window that an environment's record says is in force; undefined if there is none. */
function windowText(environment: JsonRecord): string | undefined {
  const { refused_until: until, refused_by: by, refused_because: why } = environment;
  return typeof until === 'string'
    ? `The deployment window ${show(by)} of the platform is in force until ${until}${why === undefined ? '' : ` (${show(why)})`}.`
    : undefined;
}

/** The known facts about locks that would make the platform refuse operations. */
interface FoundLock {
  readonly lock?: JsonRecord;
  /** The deployment window that does, as a sentence. */
  readonly window?: string;
  /** Facts that could not be determined, and clusters on which nothing can run, one line each. */
  readonly notes: readonly string[];
}

const refusal = 'if it is, the platform refuses this';

const unknownOf = (clusters: readonly string[], isIncomplete: boolean): readonly string[] => [
  ...clusters.map((cluster) =>
    notKnown(`whether cluster ${cluster} is locked, because neither the locks nor its status can be read; ${refusal}`),
  ),
  ...(isIncomplete
    ? [notKnown(`whether the cluster of this is locked, because nothing tells which cluster that is; ${refusal}`)]
    : []),
];

/** The lock that would make the platform refuse one of the operations. */
async function findLock(
  targetedOperations: readonly TargetedOperation[],
  reader: Reader,
  now: number,
): Promise<FoundLock> {
  const hosts = await Promise.all(targetedOperations.map((one) => hostsOf(one, reader)));
  const records = hosts.flatMap((one) => one.records);
  const isIncomplete = hosts.some((one) => one.isIncomplete);
  const clusters = [...new Set(records.map((host) => String(host['cluster_id'])))];
  const needed = hosts.flatMap((one, index) =>
    needsCluster(targetedOperations[index]!.operation) ? one.records.map((host) => String(host['cluster_id'])) : [],
  );
  const [first] = records;
  const organization_id = first && (organizationIn(first) ?? (await organizationOf(reader)));
  const [locks, unusable] = await Promise.all([
    organization_id === undefined
      ? new Map<string, JsonRecord | null>()
      : readClusterLocks(organization_id, clusters, reader),
    unusableLines(needed, organization_id, reader),
  ]);
  const lock = [...locks.values()].find((one) => one !== null && !(lockEnd(one) <= now)) ?? undefined;
  const windows = hosts.flatMap((one, index) =>
    targetedOperations[index]!.operation.changesWhatRuns ? one.records.flatMap((row) => windowText(row) ?? []) : [],
  );
  return {
    lock,
    window: windows[0],
    notes: [
      ...unusable,
      ...unknownOf(
        clusters.filter((cluster) => !locks.has(cluster)),
        isIncomplete,
      ),
    ],
  };
}

/**
 * Checks that no cluster lock and no deployment window blocks the operations, so that users aren't asked to confirm a
 * call that the platform will refuse. Costs one or two reads on platforms that list locks.
 * @param isRefused whether the platform has refused the operations already, and this is to tell why.
 * @returns what could not be determined, and clusters on which nothing can run: lines for the plan, for those who
 *   confirm it.
 * @throws CallFailure `not_possible` with the owner and reason of the lock or window; ApiError if the platform fails.
 */
export async function assertNotLocked(
  { reader, context }: GuardedCall,
  targetedOperations: readonly TargetedOperation[],
  { isRefused = false } = {},
): Promise<readonly string[]> {
  const { lock, window, notes } = await findLock(targetedOperations, reader, context.clock.now());
  const soFar = isRefused ? '' : ', so nobody was asked to agree';
  if (!lock && window !== undefined)
    return fail({
      kind: 'not_possible',
      what: `a deployment window is in force, and the platform refuses to change what runs until it ends${soFar}`,
      next: [
        'Tell the user: the end of the window can be waited for.',
        naming`In an emergency, ${'delete_deployment_window'} removes it, which somebody always has to agree to; the call works then.`,
      ],
      seen: window,
    });
  if (!lock) return notes;
  return fail({
    kind: 'not_possible',
    what: `its cluster is locked, and the platform refuses every change to what a locked cluster hosts${soFar}`,
    next: [
      'Tell the user who locked it and why: that person can be asked, or the end of the lock be waited for.',
      naming`${'unlock_cluster'} lifts it; only with the consent of whoever locked it.`,
    ],
    seen: lockText(lock, show),
  });
}
