import type { Selectable } from 'kysely';
import type { DeploymentState } from '../../contract/index.ts';
import { notFound, type DeployedCommit } from '../common/index.ts';
import type { RunningVersion } from '../runtime/index.ts';
import type { Db, ServiceTable } from '../store/index.ts';
import { iso } from './context.ts';
import { failedStates, isSettled } from './lifecycle.ts';
import { runningStates } from './running-facts.ts';

/** The version of a service that was last deployed; undefined if none was. */
export function deployedVersion(service: Selectable<ServiceTable>): RunningVersion | undefined {
  const { deployed_spec, deployed_commit, last_deployment_id, last_deployment_at } = service;
  if (deployed_spec === null || last_deployment_id === null || last_deployment_at === null) return undefined;
  const commitId = deployed_commit === null ? undefined : (JSON.parse(deployed_commit) as DeployedCommit).git_commit_id;
  return {
    deploymentId: last_deployment_id,
    service: {
      id: service.id,
      name: service.name,
      environmentId: service.environment_id,
      kind: service.kind,
      spec: JSON.parse(deployed_spec),
    } as RunningVersion['service'],
    ...(commitId !== undefined && { commitId }),
    ...(service.deployed_record !== null && { record: service.deployed_record }),
    runningSince: Date.parse(last_deployment_at),
  };
}

/**
 * The states after an unsuccessful deployment: the version before it continues to serve, unless it was to be deleted.
 */
const unsuccessfulStates: readonly DeploymentState[] = [
  ...failedStates.filter((state) => state !== 'DELETE_ERROR'),
  'CANCELED',
];

/**
 * The deployment of a service's running version: the last one that started instances. Undefined if the service was
 * stopped since then.
 */
const servingDeployment = async (db: Db, serviceId: string) => {
  const last = await db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select(['deployment.id', 'deployment.action', 'deployment_service.ended_at'])
    .where('deployment_service.service_id', '=', serviceId)
    .where('deployment_service.ended_at', 'is not', null)
    .where('deployment_service.reason', 'is', null)
    .orderBy('deployment.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.action === 'DEPLOY' || last?.action === 'RESTART' ? last : undefined;
};

/** The serving version of a service, and whether a later deployment is under way or has failed. */
interface Serving {
  readonly version: RunningVersion;
  readonly later?: 'under way' | 'failed';
}

const servingVersion = async (
  db: Db,
  service: Selectable<ServiceTable>,
  version: RunningVersion,
): Promise<Serving | undefined> => {
  if (runningStates.includes(service.deployed_state)) return { version };
  // Without a record, nothing really runs.
  const later = !isSettled(service.deployed_state)
    ? 'under way'
    : unsuccessfulStates.includes(service.deployed_state)
      ? 'failed'
      : undefined;
  if (service.deployed_record === null || later === undefined) return undefined;
  const serving = await servingDeployment(db, service.id);
  return (
    serving && { version: { ...version, deploymentId: serving.id, runningSince: Date.parse(serving.ended_at!) }, later }
  );
};

/** The version of a service that was last deployed, and the serving one. */
export const versionsOf = async (db: Db, serviceId: string) => {
  const service = await db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirst();
  if (service === undefined) throw notFound('service', serviceId);
  const deployed = deployedVersion(service);
  return deployed ? { deployed, serving: await servingVersion(db, service, deployed) } : {};
};

/**
 * Since when nothing is lost that instances of a service logged, where those of replaced instances are lost: since the
 * serving ones run; since their deployment was requested, if no earlier one started any. A failed deployment has stored
 * its lines.
 * @returns an ISO timestamp
 */
export async function keptSince(
  db: Db,
  { service, deploymentId, runningSince }: Pick<RunningVersion, 'service' | 'deploymentId' | 'runningSince'>,
): Promise<string> {
  const own = await db
    .selectFrom('deployment')
    .select(['seq', 'created_at'])
    .where('id', '=', deploymentId)
    .executeTakeFirst();
  const earlier =
    own &&
    (await db
      .selectFrom('deployment_service')
      .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
      .select('deployment.id')
      .where('deployment_service.service_id', '=', service.id)
      .where('deployment_service.reason', 'is', null)
      .where('deployment.action', 'in', ['DEPLOY', 'RESTART'])
      .where('deployment.seq', '<', own.seq)
      .limit(1)
      .executeTakeFirst());
  return own && !earlier ? own.created_at : iso(runningSince);
}
