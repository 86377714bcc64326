import type { Platform } from './platform.ts';
import { Failure, type Members } from './schema.ts';
import type { Deployment, Phase, Service } from './store.ts';
import { versionDetails } from './versions.ts';
import { announce } from './webhook-deliveries.ts';

const QUEUED_SHARE = 0.25;

/** Words of the states an action passes through. */
const STATES = {
  DEPLOY: { queued: 'DEPLOYMENT_QUEUED', running: 'DEPLOYING', succeeded: 'DEPLOYED', failed: 'DEPLOYMENT_ERROR' },
  RESTART: { queued: 'RESTART_QUEUED', running: 'RESTARTING', succeeded: 'RESTARTED', failed: 'RESTART_ERROR' },
  STOP: { queued: 'STOP_QUEUED', running: 'STOPPING', succeeded: 'STOPPED', failed: 'STOP_ERROR' },
  DELETE: { queued: 'DELETE_QUEUED', running: 'DELETING', succeeded: 'DELETED', failed: 'DELETE_ERROR' },
  UNINSTALL: { queued: 'STOP_QUEUED', running: 'STOPPING', succeeded: 'READY', failed: 'STOP_ERROR' },
} as const;

const fromSource = (service: Service) =>
  service.spec.git_repository !== undefined || JSON.stringify(service.spec.source ?? '').includes('"docker"');

function failsAt(service: Service, action: Deployment['action']): boolean {
  return service.fails !== undefined && (action === 'DEPLOY' || (action === 'RESTART' && service.fails === 'start'));
}

/** How far a deployment is, for one of its services or, without one, for all of them. */
export function phaseOf(deployment: Deployment, now: number, service?: Service): Phase {
  if (deployment.canceled) return now < deployment.end_at ? 'canceling' : 'canceled';
  const length = deployment.end_at - deployment.start_at;
  if (now < deployment.start_at + length * QUEUED_SHARE) return 'queued';
  if (now < deployment.end_at) return 'running';
  const concerned = service === undefined ? deployment.services.map((part) => part.service) : [service];
  return concerned.some((part) => failsAt(part, deployment.action)) ? 'failed' : 'succeeded';
}

export const isOver = (phase: Phase) => !['queued', 'running', 'canceling'].includes(phase);

export function stateOf(deployment: Deployment, now: number, service?: Service): string {
  const phase = phaseOf(deployment, now, service);
  if (phase === 'canceling') return 'CANCELING';
  if (phase === 'canceled') return 'CANCELED';
  if (deployment.action === 'DEPLOY' && service !== undefined && fromSource(service)) {
    const half = deployment.start_at + (deployment.end_at - deployment.start_at) * 0.6;
    if (phase === 'running' && now < half) return 'BUILDING';
    if (phase === 'failed' && service.fails === 'build') return 'BUILD_ERROR';
  }
  return STATES[deployment.action][phase];
}

/** The deployments of a service, the latest first. */
export function deploymentsOf(platform: Platform, service: Service): Deployment[] {
  return platform.store.deployments
    .filter(({ services }) => services.some((part) => part.service.id === service.id))
    .toReversed();
}

/** What tells the state of a service: the oldest that is still under way, else the last one. */
export function currentOf(all: readonly Deployment[], now: number): Deployment | undefined {
  return all.findLast((deployment) => !isOver(phaseOf(deployment, now))) ?? all[0];
}

/** Does what is due: takes away what was deleted, and tells the webhooks of starts and ends. */
export function settle(platform: Platform): void {
  for (const deployment of platform.store.deployments) {
    const phase = phaseOf(deployment, platform.now());
    if (deployment.ended || !isOver(phase)) continue;
    deployment.ended = true;
    announce(platform, deployment, phase);
    if (deployment.action !== 'DELETE' || phase !== 'succeeded') continue;
    if (deployment.takesEnvironment === true)
      platform.store.environments = platform.store.environments.filter(({ id }) => id !== deployment.environment_id);
    const all =
      deployment.takesEnvironment === true
        ? platform.store.services.filter((service) => service.environment_id === deployment.environment_id)
        : [];
    const gone = new Set([...deployment.services.map(({ service }) => service), ...all].map(({ id }) => id));
    platform.store.services = platform.store.services.filter(({ id }) => !gone.has(id));
    platform.store.variables = platform.store.variables.filter(({ parent_id: parent }) => !gone.has(parent));
  }
}

interface Order {
  environment: string;
  services: readonly Service[];
  action: Deployment['action'];
  subAction?: string;
  origin?: string;
}

/** Starts a deployment, behind those that the environment is still busy with. */
export function start(
  platform: Platform,
  { environment, services, action, subAction = 'NONE', origin = 'API' }: Order,
): Deployment {
  const now = platform.now();
  const busy = platform.store.deployments.filter(
    (one) => one.environment_id === environment && !isOver(phaseOf(one, now)),
  );
  const concerned = new Set(services.map(({ id }) => id));
  if (platform.on('conflicts') && busy.some((one) => one.services.some(({ service }) => concerned.has(service.id)))) {
    throw new Failure(409, 'A deployment is under way there: wait for its end or cancel it');
  }
  const startAt = Math.max(now, ...busy.map((one) => one.end_at));
  const deployment: Deployment = {
    request_id: platform.newId(),
    execution_id: `${environment}-${platform.store.deployments.length + 1}`,
    environment_id: environment,
    action,
    sub_action: subAction,
    origin,
    triggered_by: 'token of the tests',
    created_at: now,
    start_at: startAt,
    end_at: startAt + platform.deploymentMs,
    canceled: false,
    ended: false,
    services: services.map((service) => ({
      service,
      name: String(service.spec.name),
      details: versionDetails(platform, service),
    })),
  };
  platform.store.deployments.push(deployment);
  announce(platform, deployment, 'queued');
  setTimeout(() => settle(platform), deployment.end_at - now + 5).unref();
  return deployment;
}

/** Ends a deployment before its time. */
export function cancel(platform: Platform, deployment: Deployment): void {
  const now = platform.now();
  if (deployment.canceled || isOver(phaseOf(deployment, now))) return;
  deployment.canceled = true;
  deployment.end_at = now + platform.deploymentMs * QUEUED_SHARE;
  setTimeout(() => settle(platform), platform.deploymentMs * QUEUED_SHARE + 5).unref();
}

/** A past deployment, as it lies in the history at the start. */
export function past(
  platform: Platform,
  services: readonly Service[],
  minutesAgo: number,
  more: Partial<Deployment> & Members = {},
): void {
  const first = services[0];
  if (first === undefined) return;
  const at = platform.now() - minutesAgo * 60_000;
  platform.store.deployments.push({
    request_id: platform.newId(),
    execution_id: `${first.environment_id}-${platform.store.deployments.length + 1}`,
    environment_id: first.environment_id,
    action: 'DEPLOY',
    sub_action: 'NONE',
    origin: 'CONSOLE',
    triggered_by: 'ada@example.com',
    created_at: at,
    start_at: at,
    end_at: at + 42_000,
    canceled: false,
    ended: true,
    services: services.map((service) => ({
      service,
      name: String(service.spec.name),
      details: versionDetails(platform, service),
    })),
    ...more,
  });
}
