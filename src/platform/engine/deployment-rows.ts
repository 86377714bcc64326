import type { ExpressionBuilder, Selectable } from 'kysely';
import { type ServiceKind, ServiceType } from '../../contract/index.ts';
import { compiled, type DatabaseSchema, type Db } from '../store/index.ts';

/** Thrown if a row has changed since it was read, or the lease is lost. Nothing of the change is written. */
export class Superseded extends Error {
  constructor(deploymentId: string) {
    super(`Deployment ${deploymentId} has moved on.`);
    this.name = 'Superseded';
  }
}

export type DeploymentRow = Selectable<DatabaseSchema['deployment']>;
export type DeploymentServiceRow = Selectable<DatabaseSchema['deployment_service']>;

/**
 * Whether a deployment has a separate queue: a run of a job by the clock or on request, or a plan. Such runs count
 * neither in the environment's queue nor in its state.
 */
export const isAside = (deployment: Pick<DeploymentRow, 'queue' | 'environment_id'>): boolean =>
  deployment.queue !== deployment.environment_id;

const planPrefix = 'plan/';

/** The queue of the plans of a Terraform service. */
export const planQueue = (serviceId: string): string => `${planPrefix}${serviceId}`;

/** The pattern of the queues whose deployments only plan. */
export const anyPlanQueue = `${planPrefix}%`;

/** Whether a deployment only plans what another one would change. */
export const isPlan = ({ queue }: Pick<DeploymentRow, 'queue'>): boolean => queue.startsWith(planPrefix);

/**
 * Finds a deployment by id, to change it: until the transaction ends, no worker claims or releases it.
 * @throws if there is none
 */
export const holdDeployment = (db: Db, id: string): Promise<DeploymentRow> =>
  db.selectFrom('deployment').selectAll().where('id', '=', id).$call(db.sql.held).executeTakeFirstOrThrow();

/** The columns that show whether a worker still holds a deployment. */
type Held = Pick<DeploymentRow, 'id' | 'owner' | 'fencing_token'>;

/** The values with which a query finds a deployment as it was read. */
export const asRead = ({ id, owner, fencing_token }: Held): Held => ({ id, owner, fencing_token });

/**
 * Restricts a query of deployments to one that a worker still holds as it was read: neither released nor claimed since
 * then.
 */
export const heldAsRead =
  ({ id, owner, fencing_token: token }: Held) =>
  (eb: ExpressionBuilder<DatabaseSchema, 'deployment'>) =>
    eb.and([eb('id', '=', id), eb('owner', 'is not distinct from', owner), eb('fencing_token', '=', token)]);

const held = compiled((db, deployment: Held) =>
  db.selectFrom('deployment').select('id').where(heldAsRead(deployment)).$call(db.sql.held),
);

/**
 * Throws `Superseded` unless the worker still owns the deployment as it read it; waits for a concurrent takeover first.
 * Within a transaction, no other worker can take it over until the end.
 * @throws Superseded otherwise
 */
export async function requireHeld(db: Db, deployment: Held): Promise<void> {
  if ((await held(db, asRead(deployment))).length === 0) throw new Superseded(deployment.id);
}

const servicesOfDeployment = compiled((db, { id }: { readonly id: string }) =>
  db.selectFrom('deployment_service').selectAll().where('deployment_id', '=', id).orderBy('stage').orderBy('name'),
);

/** The services of a deployment, in the order of their stages. */
export const servicesOf = (db: Db, deploymentId: string): Promise<readonly DeploymentServiceRow[]> =>
  servicesOfDeployment(db, { id: deploymentId });

/** A service's kind in the form that responses use. */
export const serviceType = (kind: ServiceKind): ServiceType => ServiceType.parse(kind.toUpperCase());
