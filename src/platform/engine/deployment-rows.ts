import type { ExpressionBuilder, Selectable } from 'kysely';
import { type ServiceKind, ServiceType } from '../../contract/index.ts';
import type { DatabaseSchema, Db } from '../store/index.ts';

export type DeploymentRow = Selectable<DatabaseSchema['deployment']>;
export type DeploymentServiceRow = Selectable<DatabaseSchema['deployment_service']>;

/** Whether a deployment is a scheduled run of a job. Such runs are in neither the environment's queue nor its states. */
export const isScheduledRun = (deployment: Pick<DeploymentRow, 'queue' | 'environment_id'>): boolean => deployment.queue !== deployment.environment_id;

/** Finds a deployment by id. @throws if there is none */
export const findDeployment = (db: Db, id: string): Promise<DeploymentRow> =>
  db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Restricts a query of deployments to one that a worker still holds as it was read: neither released nor claimed since. */
export const heldAsRead = ({ id, owner, fencing_token: token }: Pick<DeploymentRow, 'id' | 'owner' | 'fencing_token'>) =>
  (eb: ExpressionBuilder<DatabaseSchema, 'deployment'>) => eb.and([eb('id', '=', id), eb('owner', 'is not distinct from', owner), eb('fencing_token', '=', token)]);

/** The services of a deployment, in the order of their stages. */
export const servicesOf = (db: Db, deploymentId: string): Promise<DeploymentServiceRow[]> =>
  db.selectFrom('deployment_service').selectAll().where('deployment_id', '=', deploymentId).orderBy('stage').orderBy('name').execute();

/** A service's kind in the form that responses use. */
export const serviceType = (kind: ServiceKind): ServiceType => ServiceType.parse(kind.toUpperCase());
