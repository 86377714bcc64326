import { phaseOf } from './deployments.ts';
import type { Platform } from './platform.ts';
import { asText, type Members } from './schema.ts';
import { serviceType } from './service-answers.ts';
import type { Deployment, Environment, Service } from './store.ts';
import { imageOf } from './versions.ts';

interface Line {
  /** When, as a share of the deployment. */
  at: number;
  step: string;
  message: string;
  failure?: { tag: string; message: string; hint: string; underlying: string };
}

const good = (name: string): Line[] => [
  { at: 0, step: 'Queueing', message: `${name}: waiting for a free place among the deployments` },
  { at: 0.3, step: 'Build', message: `${name}: fetching the source and its layers` },
  { at: 0.6, step: 'Deploy', message: `${name}: rolling out, 0 of 1 instances ready` },
  { at: 1, step: 'Deployed', message: `${name}: rolled out, 1 of 1 instances ready` },
];

const failedBuild = (name: string): Line[] => [
  ...good(name).slice(0, 2),
  { at: 0.4, step: 'Build', message: '#9 [4/6] RUN npm ci' },
  {
    at: 0.7,
    step: 'Build',
    message: '#9 12.31 npm error code ERESOLVE: could not resolve dependency react@"^19.0.0" from the root project',
  },
  {
    at: 1,
    step: 'BuildError',
    message: '',
    failure: {
      tag: 'BUILDER_DOCKER_CANNOT_BUILD_CONTAINER_IMAGE',
      message: `${name}: the image could not be built`,
      hint: 'Look for the first failing command of the Dockerfile',
      underlying: 'process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
    },
  },
];

const failedStart = (name: string): Line[] => [
  ...good(name).slice(0, 1),
  { at: 0.3, step: 'Deploy', message: `${name}: pulling the image` },
  { at: 0.6, step: 'Deploy', message: `${name}: back-off restarting failed container, exit code 1, 4 restarts` },
  {
    at: 1,
    step: 'DeployedError',
    message: '',
    failure: {
      tag: 'K8S_SERVICE_NOT_READY',
      message: `${name}: the instances did not become ready in time`,
      hint: 'See the last lines of the container: it ended by itself',
      underlying: 'Error: connect ECONNREFUSED 10.0.12.7:5432 (DATABASE_URL points to a host that does not answer)',
    },
  },
];

const linesOf = (service: Service, name: string) =>
  service.fails === 'build' ? failedBuild(name) : service.fails === 'start' ? failedStart(name) : good(name);

function canceledLine(deployment: Deployment, name: string): Line[] {
  return deployment.canceled ? [{ at: 1, step: 'Cancelled', message: `${name}: the deployment was cancelled` }] : [];
}

/**
 * A line of an environment's log in the form with names of its own: who tells it, at which step, and either a message
 * or an error.
 */
function ownForm(platform: Platform, deployment: Deployment, service: Service, name: string, line: Line): Members {
  const environment = platform.store.environments.find(({ id }) => id === deployment.environment_id);
  const cluster = platform.store.clusters.find(({ id }) => id === environment?.cluster_id);
  const { failure } = line;
  return {
    type: failure === undefined ? 'INFO' : 'ERROR',
    timestamp: platform.date(deployment.start_at + line.at * (deployment.end_at - deployment.start_at)),
    details: {
      execution_id: deployment.execution_id,
      transmitter: { id: service.id, name, type: serviceType(platform, service) },
      stage: { step: line.step, id: null, name: null },
      organization_id: cluster?.organization_id,
      cluster_id: cluster?.id,
    },
    message: failure === undefined ? { safe_message: line.message, full_details: null } : null,
    error:
      failure === undefined
        ? null
        : {
            tag: failure.tag,
            user_log_message: failure.message,
            hint_message: failure.hint,
            link: 'https://docs.example.com/errors',
            underlying_error: { message: failure.underlying, full_details: null },
          },
  };
}

function documentedForm(
  platform: Platform,
  deployment: Deployment,
  service: Service,
  name: string,
  line: Line,
  number: number,
): Members {
  const { failure } = line;
  return {
    id: `${deployment.request_id.slice(0, -4)}${number.toString(16).padStart(4, '0')}`,
    created_at: platform.date(deployment.start_at + line.at * (deployment.end_at - deployment.start_at)),
    message: failure === undefined ? line.message : `${failure.message}: ${failure.underlying}`,
    type: failure === undefined ? 'INFO' : 'ERROR',
    service_id: service.id,
    service_name: name,
    step: line.step,
    deployment_request_id: deployment.request_id,
  };
}

function olderForm(
  platform: Platform,
  deployment: Deployment,
  service: Service,
  name: string,
  line: Line,
  number: number,
): Members {
  const row = documentedForm(platform, deployment, service, name, line, number);
  return {
    id: row.id,
    created_at: row.created_at,
    scope: { type: serviceType(platform, service), name, id: service.id },
    state: line.failure === undefined ? 'WAITING' : 'ERROR',
    message: row.message,
    hint: line.failure?.hint ?? null,
    execution_id: deployment.execution_id,
  };
}

/** What an environment's deployments have told so far, the oldest first. */
export function environmentLog(platform: Platform, environment: Environment, asked?: 'older'): Members[] {
  const now = platform.now();
  const newer = platform.on('environmentLogRows') ? ownForm : documentedForm;
  const form = asked === 'older' ? olderForm : newer;
  const all = platform.store.deployments.filter((deployment) => deployment.environment_id === environment.id);
  const told = all.flatMap((deployment) =>
    deployment.services.flatMap(({ service, name }) => {
      const share =
        phaseOf(deployment, now) === 'canceled'
          ? 0.5
          : (now - deployment.start_at) / (deployment.end_at - deployment.start_at);
      const lines = [...linesOf(service, name).filter(({ at }) => at <= share), ...canceledLine(deployment, name)];
      return lines.map((line, number) => form(platform, deployment, service, name, line, number));
    }),
  );
  return told.slice(-1000);
}

/** What a running service printed: one line each minute, as many as it has printed by now. */
export function serviceLog(platform: Platform, service: Service, tail?: number): Members[] {
  const printed = Number(service.spec.printed_lines ?? 60);
  const tag = asText(imageOf(service)?.tag ?? service.commit ?? 'main').slice(0, 12);
  const rows = Array.from({ length: printed }, (_, index) => {
    const last = service.fails !== undefined && index === printed - 1;
    return {
      id: `${service.id.slice(0, -6)}${index.toString(16).padStart(6, '0')}`,
      created_at: platform.date(platform.now() - (printed - index) * 60_000),
      message: last ? 'Error: connect ECONNREFUSED 10.0.12.7:5432' : `GET /orders/${index} 200 ${12 + (index % 7)}ms`,
      pod_name: `${service.id.slice(0, 8)}-7d9f`,
      version: tag,
    };
  });
  return rows.slice(-Math.min(1000, tail ?? 1000));
}
