import { instanceName, instancesOf } from './instances.ts';
import { between, colored, digest, type PhaseContext, type PhaseResult, slug, took } from './phase-context.ts';

/** The names of the instances that a rollout creates. */
const instanceNames = ({ task, version }: PhaseContext, count: number): string[] =>
  Array.from({ length: count }, (_, index) => instanceName(task.service, version, task.deploymentId, index));

const instanceCount = ({ task }: PhaseContext): number => instancesOf(task.service);

const startLines = (context: PhaseContext): string[] => {
  const { service } = context.task;
  const ports = service.kind === 'application' || service.kind === 'container' ? service.spec.ports : [];
  return [
    `${colored.cyan('INFO')} starting ${service.name} ${context.version}`,
    `${colored.cyan('INFO')} configuration loaded from environment`,
    ...ports.map(
      (port) => `${colored.cyan('INFO')} listening on 0.0.0.0:${port.internal_port} (${port.protocol ?? 'HTTP'})`,
    ),
    `${colored.cyan('INFO')} ready in ${took(context.random, 0.4, 3.2)}`,
  ];
};

/** Simulates a rollout that replaces the instances of an application or container one by one. */
export function simulateRollout(context: PhaseContext): PhaseResult {
  const pods = instanceNames(context, instanceCount(context));
  const image = `${slug(context.task.service.name)}:${context.version}`;
  const rolled = pods.flatMap((pod) => [
    `Scheduled ${pod} on node-${between(context.random, 1, 6)}`,
    `Pulled image ${image} in ${took(context.random, 0.8, 4)}`,
    `Started container ${slug(context.task.service.name)} in ${pod}`,
    ...startLines(context),
    `${pod} is ready`,
  ]);
  return {
    seconds: context.seconds,
    lines: [
      `Rolling out ${image}, ${pods.length} ${pods.length === 1 ? 'instance' : 'instances'}`,
      ...rolled,
      colored.green(
        pods.length > 0
          ? `Rollout complete: ${pods.length}/${pods.length} instances ready`
          : 'Rollout complete: scaled to none',
      ),
    ],
  };
}

/** Simulates the update of routes to publicly accessible ports. */
export function simulateRouting({ task, seconds }: PhaseContext): PhaseResult {
  const { service } = task;
  const ports =
    service.kind === 'application' || service.kind === 'container'
      ? service.spec.ports.filter((port) => port.publicly_accessible)
      : [];
  const hosts = ports.map(
    (port) => `p${port.internal_port}-${slug(service.name)}.${digest(task.service.environmentId, 8)}.internal`,
  );
  return {
    seconds,
    lines: [
      hosts.length > 0 ? 'Updating routes' : 'No publicly accessible port: no route to update',
      ...hosts.flatMap((host) => [
        `Certificate for ${host} is valid`,
        `Route https://${host} points at the new version`,
      ]),
      colored.green('Deployment succeeded'),
    ],
  };
}

/** Simulates a restart: all instances are replaced, with the same version. */
export function simulateRestart(context: PhaseContext): PhaseResult {
  const pods = instanceNames(context, Math.max(1, instanceCount(context)));
  return {
    seconds: context.seconds,
    lines: [
      `Restarting ${context.task.service.name}: ${pods.length} ${pods.length === 1 ? 'instance' : 'instances'}`,
      ...pods.flatMap((pod) => [
        `Terminating the old instance with SIGTERM, 30s to finish`,
        `Started ${pod}`,
        ...startLines(context),
        `${pod} is ready`,
      ]),
      colored.green('Restart complete'),
    ],
  };
}

/** Simulates a stop: all instances are taken down, volumes stay. */
export function simulateStop({ task, seconds }: PhaseContext): PhaseResult {
  return {
    seconds,
    lines: [
      `Stopping ${task.service.name}`,
      'Received SIGTERM, finishing requests in flight',
      'Connections drained',
      'Scaled to 0 instances; volumes and configuration are kept',
    ],
  };
}
