import type { Selectable } from 'kysely';
import type * as z from 'zod';
import {
  type Condition,
  terminalOutcome,
  type DeploymentAction,
  type DeploymentState,
  type FinishedStep,
  type ServiceKind,
  type StatusDetails,
} from '../../contract/index.ts';
import { notFound } from '../common/index.ts';
import { compiled, inBatches, type DatabaseSchema, type Db } from '../store/index.ts';
import { backupNotes } from './backups/backup-notes.ts';
import type { ServiceStatusAnswer } from './engine.ts';
import { isSettled } from './lifecycle.ts';
import { unmeasured, usageOf } from './measurements/usage.ts';
import { conditionsOf, freshnessOf, type RunningFacts, runningFacts, shownState } from './running-facts.ts';

/** A finished step of a service's deployment, as it is stored. */
export type StepRow = Selectable<DatabaseSchema['deployment_step']>;

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);

/** The action and progress of a deployment of one service. */
export function statusDetails(
  action: DeploymentAction,
  state: DeploymentState,
  kind?: ServiceKind,
): z.output<typeof StatusDetails> {
  const sub_action = kind === 'terraform' && action === 'DEPLOY' ? 'TERRAFORM_PLAN_AND_APPLY' : 'NONE';
  const status = (): z.output<typeof StatusDetails>['status'] => {
    if (state === 'CANCELED') return 'CANCELED';
    const end = terminalOutcome(action, state);
    if (end !== undefined) return end === 'good' ? 'SUCCESS' : 'ERROR';
    return state.endsWith('QUEUED') || state.startsWith('WAITING') ? 'QUEUED' : 'ONGOING';
  };
  return { action, status: status(), sub_action };
}

/** The details of a service that was never deployed. */
const neverDeployed: z.output<typeof StatusDetails> = { action: 'UNKNOWN', status: 'NEVER', sub_action: 'NONE' };

/** A finished step in responses, with its duration in whole seconds. */
export const finishedStep = (row: StepRow): z.output<typeof FinishedStep> => ({
  step_name: row.step,
  status: row.status,
  duration_sec: seconds(row.ended_ms - row.began_ms),
});

/** The finished steps, with durations in whole seconds. The totals are 0 until the deployment has finished. */
const stepsOf = (rows: readonly StepRow[], ended: boolean): NonNullable<ServiceStatusAnswer['steps']> => {
  const secondsIn = (steps: readonly StepRow[]) =>
    seconds(steps.reduce((sum, step) => sum + step.ended_ms - step.began_ms, 0));
  return {
    total_duration_sec: ended ? secondsIn(rows) : 0,
    total_computing_duration_sec: ended ? secondsIn(rows.filter((row) => row.step !== 'DEPLOYMENT_QUEUEING')) : 0,
    details: rows.map(finishedStep),
  };
};

/** The running instances of a service in responses. @param note another condition that users should know */
function runningOf(facts: RunningFacts, note: Condition | undefined): NonNullable<ServiceStatusAnswer['running']> {
  const conditions = [...conditionsOf(facts), ...(note === undefined ? [] : [note])];
  return {
    ...(facts.seen && { instances: facts.seen.running, wanted_instances: facts.seen.wanted }),
    restarts: facts.restarts,
    warnings: conditions.map(({ message }) => message),
    conditions,
    ...(facts.seen &&
      facts.seen.running > 0 && { usage: facts.used ? usageOf(facts.used.figures, facts.used.at) : unmeasured }),
  };
}

interface LatestDeployment {
  id: string;
  action: DeploymentAction;
  ended_at: string | null;
  state: DeploymentState;
}

type Ids = { readonly ids: readonly string[] };

// Not what is deployed, which is long.
const servicesOfIds = compiled((db, { ids }: Ids) =>
  db
    .selectFrom('service')
    .select(['id', 'environment_id', 'kind', 'spec', 'deployed_state', 'deployment_status', 'last_deployment_at'])
    .where('id', 'in', ids),
);

const deploymentsOfServices = compiled((db, { ids }: Ids) =>
  db
    .selectFrom('service')
    .innerJoin('deployment_service', (join) =>
      join
        .onRef('deployment_service.service_id', '=', 'service.id')
        .onRef('deployment_service.deployment_id', '=', 'service.last_deployment_id'),
    )
    .innerJoin('deployment', 'deployment.id', 'service.last_deployment_id')
    .select([
      'service.id as service_id',
      'deployment.id',
      'deployment.action',
      'deployment_service.ended_at',
      'deployment_service.state',
    ])
    .where('service.id', 'in', ids),
);

const latestDeployments = async (db: Db, ids: readonly string[]): Promise<Map<string, LatestDeployment>> =>
  new Map((await deploymentsOfServices(db, { ids })).map((row) => [row.service_id, row]));

const stepsOfServices = compiled((db, { ids }: Ids) =>
  db
    .selectFrom('deployment_step')
    .innerJoin('service', (join) =>
      join
        .onRef('service.id', '=', 'deployment_step.service_id')
        .onRef('service.last_deployment_id', '=', 'deployment_step.deployment_id'),
    )
    .selectAll('deployment_step')
    .where('service.id', 'in', ids)
    .orderBy('deployment_step.position'),
);

const stepsByService = async (db: Db, ids: readonly string[]): Promise<Map<string, StepRow[]>> =>
  Map.groupBy(await stepsOfServices(db, { ids }), (row) => row.service_id);

const openOfServices = compiled((db, { ids }: Ids) =>
  db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select(({ fn }) => ['service_id', fn.countAll<number>().as('open')])
    .where('service_id', 'in', ids)
    .where('deployment_service.ended_at', 'is', null)
    .whereRef('deployment.queue', '=', 'deployment.environment_id')
    .groupBy('service_id'),
);

/** The number of pending deployments of each service, including queued ones. */
const openRequests = async (db: Db, ids: readonly string[]): Promise<Map<string, number>> =>
  new Map((await openOfServices(db, { ids })).map((row) => [row.service_id, row.open]));

const lastOfEnvironments = compiled((db, { ids }: Ids) =>
  db
    .selectFrom('environment')
    .select((environment) =>
      environment
        .selectFrom('deployment')
        .select('deployment.id')
        .whereRef('queue', '=', 'environment.id')
        .orderBy('seq', 'desc')
        .limit(1)
        .as('last'),
    )
    .where('environment.id', 'in', ids),
);

/** The ids of the latest deployments of environments. */
const lastOfEnvironment = async (db: Db, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await lastOfEnvironments(db, { ids })).flatMap(({ last }) => last ?? []));

/**
 * The statuses of services, in the order of their ids. Both the state and the deployment are those of the latest
 * request.
 * @throws ApiProblem 404 for an unknown id
 */
export async function serviceStatuses(db: Db, serviceIds: readonly string[]): Promise<ServiceStatusAnswer[]> {
  const statuses: ServiceStatusAnswer[] = [];
  for (const some of inBatches(serviceIds)) statuses.push(...(await statusesOf(db, some)));
  return statuses;
}

async function statusesOf(db: Db, serviceIds: readonly string[]): Promise<ServiceStatusAnswer[]> {
  const [rows, latest, steps, open, running] = await Promise.all([
    servicesOfIds(db, { ids: serviceIds }),
    latestDeployments(db, serviceIds),
    stepsByService(db, serviceIds),
    openRequests(db, serviceIds),
    runningFacts(db, serviceIds),
  ]);
  const services = new Map(rows.map((row) => [row.id, row]));
  const notes = await backupNotes(db, rows, running);
  const lastIds = await lastOfEnvironment(db, [...new Set(rows.map((row) => row.environment_id))]);
  return serviceIds.map((id) => {
    const service = services.get(id);
    if (service === undefined) throw notFound('service', id);
    const deployment = latest.get(id);
    const facts = running.get(id);
    return {
      id,
      state: shownState(service, facts),
      service_deployment_status: freshnessOf(service, facts),
      is_part_last_deployment: deployment !== undefined && lastIds.has(deployment.id),
      status_details: deployment ? statusDetails(deployment.action, deployment.state, service.kind) : neverDeployed,
      deployment_requests_count: open.get(id) ?? 0,
      ...(service.last_deployment_at !== null && { last_deployment_date: service.last_deployment_at }),
      ...(deployment && {
        deployment_request_id: deployment.id,
        execution_id: deployment.id,
        steps: stepsOf(steps.get(id) ?? [], deployment.ended_at !== null),
      }),
      ...(facts && isSettled(service.deployed_state) && { running: runningOf(facts, notes.get(id)) }),
    };
  });
}
