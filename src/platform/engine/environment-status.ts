import { notFound } from '../common/index.ts';
import { compiled, type Db } from '../store/index.ts';
import type { EnvironmentState } from './engine.ts';
import { aggregate } from './lifecycle.ts';
import { type Freshness, shownFreshness } from './running-facts.ts';
import type { StepRow } from './service-status.ts';
import type { DeploymentRow, DeploymentServiceRow } from './deployment-rows.ts';

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);

/** The duration of a deployment, in milliseconds; null until it has finished. */
export const elapsedMilliseconds = (deployment: Pick<DeploymentRow, 'created_at' | 'ended_at'>): number | null =>
  deployment.ended_at === null ? null : Date.parse(deployment.ended_at) - Date.parse(deployment.created_at);

/** The first status other than SUCCESS, or SUCCESS. */
const worst = (steps: readonly { status: string }[]): string =>
  steps.find((step) => step.status !== 'SUCCESS')?.status ?? 'SUCCESS';

/** The duration of each stage with finished steps: one entry per step in addition to the stage's total. */
const metricsOf = (
  services: readonly Pick<DeploymentServiceRow, 'service_id' | 'stage_id'>[],
  steps: readonly Omit<StepRow, 'deployment_id' | 'position'>[],
): EnvironmentState['metrics'] => {
  const stageIds = [...new Set(services.map((service) => service.stage_id))];
  return stageIds.flatMap((stage_id) => {
    const members = new Set(
      services.filter((service) => service.stage_id === stage_id).map((service) => service.service_id),
    );
    const own = steps.filter((step) => members.has(step.service_id) && step.step !== 'DEPLOYMENT_QUEUEING');
    if (own.length === 0) return [];
    const total = seconds(
      Math.max(...own.map((step) => step.ended_ms)) - Math.min(...own.map((step) => step.began_ms)),
    );
    const byStep = Map.groupBy(own, (step) => step.step);
    return [
      {
        stage_id,
        total_duration_sec: total,
        details: [
          { stage_id, step_name: 'TOTAL', status: worst(own), duration_sec: total },
          ...[...byStep].map(([step_name, all]) => ({
            stage_id,
            step_name,
            status: worst(all),
            duration_sec: seconds(Math.max(...all.map((step) => step.ended_ms - step.began_ms))),
          })),
        ],
      },
    ];
  });
};

/** Compares the running versions of an environment's services with their configuration. */
const deploymentStatus = (statuses: readonly Freshness[]): EnvironmentState['deployment_status'] => {
  if (statuses.every((status) => status === 'NEVER_DEPLOYED')) return 'NEVER_DEPLOYED';
  return statuses.every((status) => status === 'UP_TO_DATE') ? 'UP_TO_DATE' : 'OUT_OF_DATE';
};

type Id = { readonly id: string };

const stateOf = compiled((db, { id }: Id) => db.selectFrom('environment').select('state').where('id', '=', id));

const lastDeployment = compiled((db, { id }: Id) =>
  db
    .selectFrom('deployment')
    .select(['id', 'origin', 'triggered_by', 'created_at', 'ended_at'])
    .where('queue', '=', id)
    .orderBy('seq', 'desc')
    .limit(1),
);

// Not their configurations, which are long.
const statesOf = compiled((db, { id }: Id) =>
  db
    .selectFrom('deployment_service')
    .select(['service_id', 'stage_id', 'state'])
    .where('deployment_id', '=', id)
    .orderBy('stage')
    .orderBy('name'),
);

const stepsOf = compiled((db, { id }: Id) =>
  db
    .selectFrom('deployment_step')
    .select(['service_id', 'step', 'status', 'began_ms', 'ended_ms'])
    .where('deployment_id', '=', id)
    .orderBy('position'),
);

/**
 * The status of an environment: the aggregate of its services, and its latest deployment.
 * @throws ApiProblem 404 for an unknown id
 */
export async function environmentStatus(db: Db, environmentId: string): Promise<EnvironmentState> {
  const [[environment], services, [last]] = await Promise.all([
    stateOf(db, { id: environmentId }),
    shownFreshness(db, environmentId),
    lastDeployment(db, { id: environmentId }),
  ]);
  if (environment === undefined) throw notFound('environment', environmentId);
  const [lastServices, steps] = last
    ? await Promise.all([statesOf(db, { id: last.id }), stepsOf(db, { id: last.id })])
    : [[], []];
  const elapsed = last ? elapsedMilliseconds(last) : null;
  return {
    id: environmentId,
    state: environment.state,
    last_deployment_state:
      lastServices.length > 0 ? aggregate(lastServices.map((service) => service.state)) : environment.state,
    last_deployment_date: last?.created_at ?? null,
    last_deployment_id: last?.id ?? null,
    total_deployment_duration_in_seconds: elapsed === null ? null : seconds(elapsed),
    origin: last?.origin ?? null,
    triggered_by: last?.triggered_by ?? null,
    deployment_status: deploymentStatus(services),
    deployment_request_id: last?.id ?? null,
    metrics: last ? metricsOf(lastServices, steps) : null,
  };
}
