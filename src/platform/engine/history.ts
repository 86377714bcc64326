import type * as z from 'zod';
import type { DeploymentHistoryItem } from '../../contract/index.ts';
import { defaultIcon, notFound, type DeployedCommit } from '../common/index.ts';
import { buildPod } from '../runtime/index.ts';
import type { Db } from '../store/index.ts';
import type { History, HistoryQuery } from './engine.ts';
import { aggregate } from './lifecycle.ts';
import { anyPlanQueue, type DeploymentRow, type DeploymentServiceRow, serviceType } from './deployment-rows.ts';
import { finishedStep, statusDetails, type StepRow } from './service-status.ts';

type Item = z.output<typeof DeploymentHistoryItem>;

/** Formats a duration as ISO 8601 in whole seconds, such as PT1M5S. */
const isoDuration = (milliseconds: number): string => {
  const total = Math.round(milliseconds / 1000);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor((total % 3600) / 60), total % 60];
  const time = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${seconds > 0 ? `${seconds}S` : ''}`;
  return `PT${time || '0S'}`;
};

/** The configuration members that a history shows, for any kind of service. */
interface ShownSpec {
  icon_uri?: string;
  image_name?: string;
  tag?: string;
  source?: {
    image?: { image_name: string; tag: string };
    repository?: { chart_name: string; chart_version: string };
    git?: { git_repository: { url: string } };
    docker?: { git_repository: { url: string } };
  };
  git_repository?: { url: string };
  terraform_files_source?: { git: { git_repository: { url: string } } };
  /** The arguments of one run of a job, in place of those of its schedule. */
  run_arguments?: readonly string[];
  schedule?: { cronjob?: { scheduled_at: string; timezone: string } };
}

export const gitUrl = (spec: ShownSpec): string | undefined =>
  (
    spec.git_repository ??
    spec.source?.git?.git_repository ??
    spec.source?.docker?.git_repository ??
    spec.terraform_files_source?.git.git_repository
  )?.url;

export const commitPage = (url: string | undefined, commitId: string): { commit_page_url?: string } => {
  const page = `${(url ?? '').replace(/(\.git)?\/?$/, '')}/commit/${commitId}`;
  return page.startsWith('http') && URL.canParse(page) ? { commit_page_url: page } : {};
};

const commitOf = (row: DeploymentServiceRow, spec: ShownSpec): Item['details']['commit'] => {
  if (row.commit === null) return undefined;
  const commit = JSON.parse(row.commit) as DeployedCommit;
  return { ...commit, ...commitPage(gitUrl(spec), commit.git_commit_id) };
};

const imageOf = (spec: ShownSpec): Item['details']['image'] => {
  if (spec.image_name !== undefined && spec.tag !== undefined) return { image_name: spec.image_name, tag: spec.tag };
  return spec.source?.image && { image_name: spec.source.image.image_name, tag: spec.source.image.tag };
};

const chartOf = ({ source }: ShownSpec): Item['details']['repository'] =>
  source?.repository && { chart_name: source.repository.chart_name, chart_version: source.repository.chart_version };

/** The arguments of one run of a job. */
const argumentsOf = ({ run_arguments: given }: ShownSpec): Pick<Item['details'], 'arguments'> =>
  given === undefined ? {} : { arguments: [...given] };

/** When a cron job of this version runs, without what it runs. */
const scheduleOf = ({ schedule: { cronjob } = {} }: ShownSpec): Pick<Item['details'], 'schedule'> =>
  cronjob === undefined
    ? {}
    : { schedule: { cronjob: { scheduled_at: cronjob.scheduled_at, timezone: cronjob.timezone } } };

const auditingData = (deployment: DeploymentRow, endedAt: string | null): Item['auditing_data'] => ({
  created_at: deployment.created_at,
  updated_at: endedAt ?? deployment.started_at ?? deployment.created_at,
  triggered_by: deployment.triggered_by,
  origin: deployment.origin,
});

/** The time from the request to the end of the deployment, or to now while it is under way. */
const totalDuration = (deployment: DeploymentRow, endedAt: string | null, now: number): string =>
  isoDuration((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(deployment.created_at));

/** The version that a deployment brought of one service. */
function versionIn(
  row: DeploymentServiceRow,
  spec: ShownSpec,
): Pick<Item['details'], 'commit' | 'image' | 'repository'> {
  const [commit, image, repository] = [commitOf(row, spec), imageOf(spec), chartOf(spec)];
  return { ...(commit && { commit }), ...(image && { image }), ...(repository && { repository }) };
}

const specOf = ({ spec }: DeploymentServiceRow): ShownSpec => JSON.parse(spec ?? '{}') as ShownSpec;

const serviceItem = (
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  steps: readonly StepRow[],
  now: number,
): Item => {
  const spec = specOf(row);
  return {
    identifier: {
      name: row.name,
      service_id: row.service_id,
      service_type: serviceType(row.kind),
      execution_id: deployment.id,
    },
    status: row.state,
    auditing_data: auditingData(deployment, row.ended_at),
    details: {
      ...versionIn(row, spec),
      ...argumentsOf(spec),
      ...scheduleOf(spec),
      ...(row.kind === 'application' && { build_pod_name: buildPod(deployment.id) }),
    },
    status_details: statusDetails(deployment.action, row.state, row.kind),
    icon_uri: spec.icon_uri ?? defaultIcon(row.kind),
    total_duration: totalDuration(deployment, row.ended_at, now),
    steps: steps.map(finishedStep),
  };
};

/** The finished steps of a service's deployments, in their order, by deployment. */
const stepsByDeployment = async (
  db: Db,
  serviceId: string,
  deployments: readonly DeploymentRow[],
): Promise<Map<string, StepRow[]>> => {
  if (deployments.length === 0) return new Map();
  const rows = await db
    .selectFrom('deployment_step')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where(
      'deployment_id',
      'in',
      deployments.map(({ id }) => id),
    )
    .orderBy('position')
    .execute();
  return Map.groupBy(rows, (row) => row.deployment_id);
};

/**
 * Lists the deployments of one service, newest first, without plans.
 * @param now end of the elapsed time of deployments under way, in milliseconds since the epoch
 */
export async function serviceHistory(
  db: Db,
  serviceId: string,
  { page, pageSize }: HistoryQuery,
  now: number,
): Promise<History> {
  const deployments = await db
    .selectFrom('deployment')
    .selectAll('deployment')
    .innerJoin('deployment_service', 'deployment_service.deployment_id', 'deployment.id')
    .where('deployment_service.service_id', '=', serviceId)
    .where('deployment.queue', 'not like', anyPlanQueue)
    .orderBy('deployment.seq', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  const rows = await servicesByDeployment(db, deployments);
  const steps = await stepsByDeployment(db, serviceId, deployments);
  const results = deployments.flatMap((deployment) =>
    (rows.get(deployment.id) ?? [])
      .filter((row) => row.service_id === serviceId)
      .map((row) => serviceItem(deployment, row, steps.get(deployment.id) ?? [], now)),
  );
  return { page, page_size: pageSize, results };
}

const servicesByDeployment = async (
  db: Db,
  deployments: readonly DeploymentRow[],
): Promise<Map<string, DeploymentServiceRow[]>> => {
  if (deployments.length === 0) return new Map();
  const rows = await db
    .selectFrom('deployment_service')
    .selectAll()
    .where(
      'deployment_id',
      'in',
      deployments.map(({ id }) => id),
    )
    .orderBy('stage')
    .orderBy('name')
    .execute();
  return Map.groupBy(rows, (row) => row.deployment_id);
};

const environmentItem = (
  deployment: DeploymentRow,
  services: readonly DeploymentServiceRow[],
  name: string,
  now: number,
): Item => {
  const state = aggregate(services.map((service) => service.state));
  return {
    identifier: { name, environment_id: deployment.environment_id, execution_id: deployment.id },
    status: state,
    auditing_data: auditingData(deployment, deployment.ended_at),
    details: {},
    status_details: statusDetails(deployment.action, state),
    icon_uri: defaultIcon('environment'),
    total_duration: totalDuration(deployment, deployment.ended_at, now),
    services: services.map((service) => ({
      service_id: service.service_id,
      name: service.name,
      service_type: serviceType(service.kind),
      status: service.state,
      details: versionIn(service, specOf(service)),
    })),
  };
};

/**
 * Lists the deployments of an environment with their services, newest first.
 * @param now end of the elapsed time of deployments under way, in milliseconds since the epoch
 * @throws ApiProblem 404 for an unknown id
 */
export async function environmentHistory(
  db: Db,
  environmentId: string,
  { page, pageSize }: HistoryQuery,
  now: number,
): Promise<History> {
  const environment = await db
    .selectFrom('environment')
    .select('name')
    .where('id', '=', environmentId)
    .executeTakeFirst();
  if (environment === undefined) throw notFound('environment', environmentId);
  const deployments = await db
    .selectFrom('deployment')
    .selectAll()
    .where('queue', '=', environmentId)
    .orderBy('seq', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  const services = await servicesByDeployment(db, deployments);
  return {
    page,
    page_size: pageSize,
    results: deployments.map((deployment) =>
      environmentItem(deployment, services.get(deployment.id) ?? [], environment.name, now),
    ),
  };
}
