import { deploymentsOf, isOver, phaseOf, stateOf } from './deployments.ts';
import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';
import { serviceType } from './service-answers.ts';
import { statusDetails } from './statuses.ts';
import type { Deployment, Environment, Service } from './store.ts';

/** A span as histories write it. */
function duration(deployment: Deployment, now: number): string {
  return `PT${Math.max(0, Math.round((Math.min(now, deployment.end_at) - deployment.start_at) / 1000))}S`;
}

const iconOf = (service: Service) => `https://icons.example.com/${service.kind}.svg`;

function auditing(platform: Platform, deployment: Deployment): Members {
  return {
    created_at: platform.date(deployment.created_at),
    updated_at: platform.date(Math.min(platform.now(), deployment.end_at)),
    triggered_by: deployment.triggered_by,
    origin: deployment.origin,
  };
}

function serviceItem(
  platform: Platform,
  deployment: Deployment,
  { service, name, details }: Deployment['services'][number],
): Members {
  return {
    identifier: {
      name,
      service_id: service.id,
      service_type: serviceType(platform, service),
      execution_id: deployment.execution_id,
    },
    status: stateOf(deployment, platform.now(), service),
    auditing_data: auditing(platform, deployment),
    details,
    status_details: statusDetails(platform, deployment, service),
    icon_uri: iconOf(service),
    total_duration: duration(deployment, platform.now()),
  };
}

/** The deployments of a service, the latest first. */
export function serviceHistory(platform: Platform, service: Service): Members[] {
  return deploymentsOf(platform, service).flatMap((deployment) =>
    deployment.services
      .filter((part) => part.service.id === service.id)
      .map((part) => serviceItem(platform, deployment, part)),
  );
}

/** The word for how far a stage of a deployment is. */
function stageStatus(platform: Platform, deployment: Deployment): string {
  return {
    queued: 'QUEUED',
    running: 'ONGOING',
    canceling: 'ONGOING',
    canceled: 'CANCELED',
    succeeded: 'DONE',
    failed: 'ERROR',
  }[phaseOf(deployment, platform.now())];
}

export function stagesOf(platform: Platform, deployment: Deployment): Members[] {
  const data = deployment.services.filter(({ service }) => service.kind === 'database');
  const rest = deployment.services.filter(({ service }) => service.kind !== 'database');
  return [
    { name: 'DATABASE', parts: data },
    { name: 'APPLICATION', parts: rest },
  ]
    .filter(({ parts }) => parts.length > 0)
    .map(({ name, parts }) => ({
      name,
      status: stageStatus(platform, deployment),
      duration: duration(deployment, platform.now()),
      services: parts.map((part) => serviceItem(platform, deployment, part)),
    }));
}

/**
 * The deployments of an environment, the latest first: with their services at hand, or inside the stages they went
 * through.
 */
export function environmentHistory(platform: Platform, environment: Environment): Members[] {
  const now = platform.now();
  return platform.store.deployments
    .filter((deployment) => deployment.environment_id === environment.id)
    .toReversed()
    .map((deployment) => {
      const row = {
        identifier: { execution_id: deployment.execution_id, environment_id: environment.id },
        auditing_data: auditing(platform, deployment),
        status: stateOf(deployment, now),
        total_duration: duration(deployment, now),
      };
      if (platform.on('environmentHistoryStages')) {
        const over = isOver(phaseOf(deployment, now));
        return {
          ...row,
          trigger_action: deployment.action,
          action_status: over ? (phaseOf(deployment, now) === 'succeeded' ? 'SUCCESS' : 'ERROR') : 'ONGOING',
          stages: stagesOf(platform, deployment),
        };
      }
      const services = deployment.services.map((part) => serviceItem(platform, deployment, part));
      return {
        ...row,
        details: {},
        status_details: statusDetails(platform, deployment),
        icon_uri: 'https://icons.example.com/environment.svg',
        services,
      };
    });
}
