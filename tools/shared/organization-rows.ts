import { deploymentIdsIn, isStatusOf, type WatchedEnvironment, type WatchedService } from '../../src/analysis/index.ts';
import { isRecord, textAt, type JsonRecord } from '../../src/server/tool/index.ts';

/** An environment while it is being read. */
export interface Place extends WatchedEnvironment {
  readonly projectId?: string;
  readonly clusterName?: string;
}

/**
 * A service with its status, and who asked for its last deployment.
 * @param whole the status of its environment, which says that of the environment's last deployment
 */
export function serviceOf(row: JsonRecord, status: unknown, whole: unknown): WatchedService {
  const own = isRecord(status) ? status : undefined;
  const ofEnvironment = isRecord(whole) ? whole : undefined;
  const isSameDeployment = deploymentIdsIn(ofEnvironment).some((id) => isStatusOf(own, id));
  const by =
    textAt(row, 'last_deployment_by') ?? (isSameDeployment ? textAt(ofEnvironment, 'triggered_by') : undefined);
  return {
    id: textAt(row, 'id') ?? '',
    name: textAt(row, 'name') ?? textAt(row, 'id') ?? '',
    kind: (textAt(row, 'service_type') ?? 'service').toLowerCase(),
    jobType: textAt(row, 'job_type'),
    status: own,
    ...(by !== undefined && { by }),
  };
}

/** An environment from a row of any list. */
export const placeOf = (row: JsonRecord, project: string, projectId?: string): Place => ({
  id: textAt(row, 'id') ?? '',
  name: textAt(row, 'name') ?? textAt(row, 'id') ?? '',
  project,
  projectId,
  mode: textAt(row, 'mode'),
  clusterId: textAt(row, 'cluster_id') ?? textAt(row, 'cluster.id'),
  clusterName: textAt(row, 'cluster_name') ?? textAt(row, 'cluster.name'),
  ...(isRecord(row['deployment_status']) && { status: row['deployment_status'] }),
  outlook: {
    isStoppedByTimetable: row['stopped_by_timetable'] === true,
    startsAt: textAt(row, 'starts_at'),
    refusedUntil: textAt(row, 'refused_until'),
    refusedBy: textAt(row, 'refused_by'),
    endsAt: textAt(row, 'ends_at'),
  },
});
