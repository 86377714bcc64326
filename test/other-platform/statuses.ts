import { currentOf, deploymentsOf, isOver, phaseOf, stateOf } from './deployments.ts';
import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';
import { serviceType } from './service-answers.ts';
import { KINDS, type Deployment, type Environment, type Phase, type Service } from './store.ts';

const seconds = (from: number, to: number) => Math.max(0, Math.round((to - from) / 1000));

const ACTION_STATUS: Record<Phase, string> = {
  queued: 'QUEUED',
  running: 'ONGOING',
  canceling: 'CANCELING',
  canceled: 'CANCELED',
  succeeded: 'SUCCESS',
  failed: 'ERROR',
};

/** What a deployment does and how far it is, in the words this platform has for it. */
export function statusDetails(
  platform: Platform,
  deployment: Deployment | undefined,
  service?: Service,
): Members | null {
  const words = platform.on('words');
  if (deployment === undefined) return words ? { action: 'UNKNOWN', status: 'NEVER', sub_action: 'NONE' } : null;
  const phase = phaseOf(deployment, platform.now(), service);
  const running = words && service?.kind === 'job' && phase === 'running' ? 'EXECUTING' : undefined;
  return {
    action: deployment.action,
    status: running ?? (phase === 'canceling' && !words ? 'ONGOING' : ACTION_STATUS[phase]),
    sub_action: deployment.sub_action,
  };
}

function stepsOf(platform: Platform, deployment: Deployment, service: Service): Members {
  const over = isOver(phaseOf(deployment, platform.now(), service));
  const words = platform.on('words');
  const ends: Partial<Record<Phase, string>> = { failed: 'ERROR', canceled: words ? 'CANCEL' : 'CANCELED' };
  const end = ends[phaseOf(deployment, platform.now(), service)] ?? 'SUCCESS';
  const total = over ? seconds(deployment.start_at, deployment.end_at) : null;
  const built = service.kind === 'application' || service.kind === 'job';
  const build = [
    { step_name: words ? 'BUILD_QUEUEING' : 'BUILD', status: words && !built ? 'SKIP' : 'SUCCESS', duration_sec: 3 },
  ];
  return {
    total_duration_sec: platform.on('absentStatusMembers')
      ? total
      : (total ?? seconds(deployment.start_at, platform.now())),
    total_computing_duration_sec: seconds(deployment.start_at, Math.min(platform.now(), deployment.end_at)),
    details: over
      ? [
          ...build,
          {
            step_name: deployment.action === 'DEPLOY' || words ? 'DEPLOYMENT' : deployment.action,
            status: end,
            duration_sec: total ?? 0,
          },
        ]
      : [],
  };
}

/** The state words of a service that no deployment tells about. */
function restingState(service: Service): string {
  return service.kind === 'agentic' || service.kind === 'synced' ? 'DEPLOYED' : 'READY';
}

export function serviceState(platform: Platform, service: Service): string {
  const current = currentOf(deploymentsOf(platform, service), platform.now());
  return current === undefined ? restingState(service) : stateOf(current, platform.now(), service);
}

/** The status of a service, as its own status, the environment's statuses and the answers of actions have it. */
export function serviceStatus(platform: Platform, service: Service): Members {
  const now = platform.now();
  const all = deploymentsOf(platform, service);
  const current = currentOf(all, now);
  const state = serviceState(platform, service);
  const last = all.find((deployment) => isOver(phaseOf(deployment, now, service)));
  const newest = platform.store.deployments.findLast(
    ({ environment_id: environment }) => environment === service.environment_id,
  );
  const deployed = restingState(service) === 'DEPLOYED' || all.some((deployment) => deployment.action === 'DEPLOY');
  const outdated = last !== undefined && Date.parse(service.updated_at) > last.created_at;
  const maybe: Members = {
    last_deployment_date: last === undefined ? null : platform.date(last.end_at),
    execution_id: current?.execution_id ?? null,
    steps: current === undefined ? null : stepsOf(platform, current, service),
  };
  const absent = platform.on('absentStatusMembers');
  const present = absent ? Object.fromEntries(Object.entries(maybe).filter(([, value]) => value !== null)) : maybe;
  return {
    id: service.id,
    state,
    service_deployment_status: deployed ? (outdated ? 'OUT_OF_DATE' : 'UP_TO_DATE') : 'NEVER_DEPLOYED',
    is_part_last_deployment: newest !== undefined && newest === all[0],
    status_details: statusDetails(platform, current, service),
    deployment_request_id: current?.request_id ?? null,
    deployment_requests_count: all.filter((deployment) => !isOver(phaseOf(deployment, now))).length,
    ...present,
  };
}

function metricsOf(platform: Platform, deployment: Deployment): Members[] {
  const over = isOver(phaseOf(deployment, platform.now()));
  const total = over ? seconds(deployment.start_at, deployment.end_at) : null;
  const names = platform.on('words') ? ['TOTAL', 'QUEUEING', 'PROVISION_BUILDER'] : ['TOTAL'];
  return [
    {
      stage_id: deployment.request_id,
      total_duration_sec: platform.on('absentStatusMembers') ? total : (total ?? 0),
      details: names.map((step) => ({
        stage_id: deployment.request_id,
        step_name: step,
        status: 'SUCCESS',
        duration_sec: total ?? 0,
      })),
    },
  ];
}

/** The status of an environment: its last or running deployment, and whether what runs is what is wanted. */
export function environmentStatus(platform: Platform, environment: Environment): Members {
  const now = platform.now();
  const all = platform.store.deployments
    .filter((deployment) => deployment.environment_id === environment.id)
    .toReversed();
  const current = currentOf(all, now);
  const last = all.find((deployment) => isOver(phaseOf(deployment, now)));
  const services = platform.store.services.filter((service) => service.environment_id === environment.id);
  const outdated = services.some(
    (service) => serviceStatus(platform, service).service_deployment_status === 'OUT_OF_DATE',
  );
  return {
    id: environment.id,
    state: current === undefined ? 'READY' : stateOf(current, now),
    last_deployment_state: last === undefined ? 'READY' : stateOf(last, now),
    last_deployment_date: last === undefined ? null : platform.date(last.end_at),
    last_deployment_id: last?.execution_id ?? null,
    total_deployment_duration_in_seconds: last === undefined ? null : seconds(last.start_at, last.end_at),
    origin: current?.origin ?? null,
    triggered_by: current?.triggered_by ?? null,
    deployment_status: all.length === 0 ? 'NEVER_DEPLOYED' : outdated ? 'OUT_OF_DATE' : 'UP_TO_DATE',
    deployment_request_id: current?.request_id ?? null,
    metrics: current === undefined ? null : metricsOf(platform, current),
  };
}

/** The statuses of all services of an environment, each kind in a list of its own. */
export function statusesByKind(platform: Platform, services: readonly Service[]): Members {
  const of = (kind: Service['kind']) =>
    services.filter((service) => service.kind === kind).map((service) => serviceStatus(platform, service));
  return {
    ...Object.fromEntries(KINDS.map((kind) => [`${kind}s`, of(kind)])),
    [platform.words.syncedList]: of('synced'),
    ...(platform.on('unknownServiceTypes') ? { agentic_workflows: of('agentic') } : {}),
  };
}

/** A row of the lists of services of an environment or an organization. */
export function serviceRow(platform: Platform, service: Service): Members {
  const environment = platform.store.environments.find(({ id }) => id === service.environment_id);
  const project = platform.store.projects.find(({ id }) => id === environment?.project_id);
  const { schedule } = service.spec as { schedule?: Members };
  const jobKind = service.kind === 'job' ? { job_type: schedule?.cronjob === undefined ? 'LIFECYCLE' : 'CRON' } : {};
  return {
    id: service.id,
    name: service.spec.name,
    description: service.spec.description ?? '',
    service_type: serviceType(platform, service),
    ...jobKind,
    icon_uri: `https://icons.example.com/${service.kind}.svg`,
    project_id: project?.id,
    project_name: project?.name,
    environment_id: environment?.id,
    environment_name: environment?.name,
    cluster_id: environment?.cluster_id,
  };
}
