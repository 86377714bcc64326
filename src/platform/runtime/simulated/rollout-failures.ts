import { instanceName } from './instances.ts';
import { between, colored, type PhaseContext, type PhaseResult, slug } from './phase-context.ts';
import type { Probe } from './simulation-context.ts';

/** Longest that a rollout waits for an instance to become ready, in seconds. */
export const rolloutLimitSeconds = 300;

/** Name of the first instance that a scene brings. */
export const podOf = ({ task, version }: PhaseContext): string => instanceName(task.service, version, task.deploymentId);

/** The first lines of a rollout. */
export const rolloutStartLines = (context: PhaseContext): string[] => [
  `Rolling out ${slug(context.task.service.name)}:${context.version}`,
  `Scheduled ${podOf(context)} on node-${between(context.random, 1, 6)}`,
  `Started container ${slug(context.task.service.name)} in ${podOf(context)}`,
];

/** The last lines of a deployment that failed. */
export const failureLines = (failure: string): string[] => [colored.red('Deployment failed'), `${failure}. The previous version, if there was one, keeps running.`];

/** Which of the kinds a probe is. */
export const probeKind = (probe: Probe): string => Object.keys(probe.type).find((kind) => probe.type[kind as keyof Probe['type']]) ?? 'tcp';

/** What the cluster says when a probe finds nobody behind its port. */
export const connectionRefused = (kind: string, port: number, path: string): string =>
  kind === 'http'
    ? `Get "http://10.42.0.17:${port}${path}": dial tcp 10.42.0.17:${port}: connect: connection refused`
    : `dial tcp 10.42.0.17:${port}: connect: connection refused`;

/** Instances whose readiness probe asks at a port where nobody listens: never ready, until the limit. */
function simulateNeverReady(context: PhaseContext, probe: Probe, port: number, listening: readonly number[]): PhaseResult {
  const { failure_threshold: threshold, period_seconds: period, initial_delay_seconds: delay } = probe;
  const failure = `${podOf(context)} never became ready: the readiness probe asks at port ${port}, the service listens on ${listening.join(', ')}`;
  const path = probe.type.http?.path ?? '/';
  return {
    seconds: Math.min(delay + threshold * period, rolloutLimitSeconds),
    lines: [
      ...rolloutStartLines(context),
      ...listening.map((each) => `${colored.cyan('INFO')} listening on 0.0.0.0:${each}`),
      ...Array.from({ length: Math.min(threshold, 10) }, (_, count) =>
        `Warning  Unhealthy  Readiness probe failed (${count + 1}/${threshold}): ${connectionRefused(probeKind(probe), port, path)}`),
      ...failureLines(failure),
    ],
    failure,
  };
}

/** Instances that are killed over and over because their liveness probe asks at a port where nobody listens. */
function simulateLivenessKills(context: PhaseContext, probe: Probe, port: number, listening: readonly number[]): PhaseResult {
  const failure = `${podOf(context)} keeps being restarted: the liveness probe asks at port ${port}, the service listens on ${listening.join(', ')}`;
  const round = [
    `Warning  Unhealthy  Liveness probe failed: ${connectionRefused(probeKind(probe), port, probe.type.http?.path ?? '/')}`,
    `Normal   Killing    Container ${slug(context.task.service.name)} failed liveness probe, will be restarted`,
  ];
  return {
    seconds: Math.min(probe.initial_delay_seconds + probe.failure_threshold * probe.period_seconds, rolloutLimitSeconds),
    lines: [...rolloutStartLines(context), ...round, ...round, 'Warning  BackOff    Back-off restarting failed container (CrashLoopBackOff)', ...failureLines(failure)],
    failure,
  };
}

/** Instances that need more memory than they may have. */
function simulateOutOfMemory(context: PhaseContext, memory: number): PhaseResult {
  const failure = `${podOf(context)} was killed for exceeding its memory of ${memory} MB (OOMKilled, exit code 137), again and again`;
  const round = [
    `${colored.cyan('INFO')} starting ${context.task.service.name} ${context.version}`,
    `Last state: Terminated, reason OOMKilled, exit code 137, limit ${memory}Mi`,
    'Warning  BackOff    Back-off restarting failed container (CrashLoopBackOff)',
  ];
  return { seconds: between(context.random, 20, 40), lines: [...rolloutStartLines(context), ...round, ...round, ...round, ...failureLines(failure)], failure };
}

/** Less memory than any runtime starts in, in MB. */
const minimumMemory = 64;

const portOf = ({ type }: Probe): number | undefined => (type.http ?? type.tcp ?? type.grpc)?.port;

/** The port a probe asks at although the service says that it listens on others. A service that names no port may listen anywhere. */
const mismatchedPort = (probe: Probe | undefined, listening: readonly number[]): number | undefined => {
  const port = probe && portOf(probe);
  return port !== undefined && listening.length > 0 && !listening.includes(port) ? port : undefined;
};

/** What the configuration itself makes go wrong when instances of an application or container start, if anything. */
export function simulateConfigurationFailure(context: PhaseContext): PhaseResult | undefined {
  const { service } = context.task;
  if (service.kind !== 'application' && service.kind !== 'container') return undefined;
  const { memory, min_running_instances, ports, healthchecks } = service.spec;
  if (min_running_instances === 0) return undefined;
  if (memory < minimumMemory) return simulateOutOfMemory(context, memory);
  const listening = ports.map((port) => port.internal_port);
  const { readiness_probe: readiness, liveness_probe: liveness } = healthchecks ?? {};
  const unready = mismatchedPort(readiness, listening);
  if (readiness && unready !== undefined) return simulateNeverReady(context, readiness, unready, listening);
  const dead = mismatchedPort(liveness, listening);
  return liveness && dead !== undefined ? simulateLivenessKills(context, liveness, dead, listening) : undefined;
}
