import { condition } from '../../../contract/index.ts';
import { instanceName } from './instances.ts';
import { between, colored, type PhaseContext, type PhaseResult, slug } from './phase-context.ts';
import type { SimulatedProbe } from './simulation-context.ts';

/** How long a rollout waits for an instance to become ready, in seconds. */
export const rolloutLimitSeconds = 300;

/** The name of the first instance of a rollout. */
export const podOf = ({ task, version }: PhaseContext): string =>
  instanceName(task.service, version, task.deploymentId);

/** The first log lines of a rollout. */
export const rolloutStartLines = (context: PhaseContext): string[] => [
  `Rolling out ${slug(context.task.service.name)}:${context.version}`,
  `Scheduled ${podOf(context)} on node-${between(context.random, 1, 6)}`,
  `Started container ${slug(context.task.service.name)} in ${podOf(context)}`,
];

/** The last log lines of a failed deployment. Whether an earlier version runs on is not known here: it isn't said. */
export const failureLines = (failure: string): string[] => [colored.red('Deployment failed'), `${failure}.`];

/** The kind of a probe, such as `http`. */
export const probeKind = (probe: SimulatedProbe): string =>
  Object.keys(probe.type).find((kind) => probe.type[kind as keyof SimulatedProbe['type']]) ?? 'tcp';

/** The cluster's message for a probe on a port that nothing listens on. */
export const connectionRefused = (kind: string, port: number, path: string): string =>
  kind === 'http'
    ? `Get "http://10.42.0.17:${port}${path}": dial tcp 10.42.0.17:${port}: connect: connection refused`
    : `dial tcp 10.42.0.17:${port}: connect: connection refused`;

/** Simulates instances that never become ready, because nothing listens on the readiness probe's port. */
function simulateNeverReady(
  context: PhaseContext,
  probe: SimulatedProbe,
  port: number,
  listening: readonly number[],
): PhaseResult {
  const { failure_threshold: threshold, period_seconds: period, initial_delay_seconds: delay } = probe;
  const why = condition('PROBE_AT_WRONG_PORT', {
    instance: podOf(context),
    probe: 'readiness',
    port,
    listening: [...listening],
  });
  const path = probe.type.http?.path ?? '/';
  return {
    seconds: Math.min(delay + threshold * period, rolloutLimitSeconds),
    lines: [
      ...rolloutStartLines(context),
      ...listening.map((each) => `${colored.cyan('INFO')} listening on 0.0.0.0:${each}`),
      ...Array.from(
        { length: Math.min(threshold, 10) },
        (_, count) =>
          `Warning  Unhealthy  Readiness probe failed (${count + 1}/${threshold}): ${connectionRefused(probeKind(probe), port, path)}`,
      ),
      ...failureLines(why.message),
    ],
    failure: why.message,
    condition: why,
  };
}

/** Simulates instances that are killed repeatedly, because nothing listens on the liveness probe's port. */
function simulateLivenessKills(
  context: PhaseContext,
  probe: SimulatedProbe,
  port: number,
  listening: readonly number[],
): PhaseResult {
  const why = condition('PROBE_AT_WRONG_PORT', {
    instance: podOf(context),
    probe: 'liveness',
    port,
    listening: [...listening],
  });
  const round = [
    `Warning  Unhealthy  Liveness probe failed: ${connectionRefused(probeKind(probe), port, probe.type.http?.path ?? '/')}`,
    `Normal   Killing    Container ${slug(context.task.service.name)} failed liveness probe, will be restarted`,
  ];
  return {
    seconds: Math.min(
      probe.initial_delay_seconds + probe.failure_threshold * probe.period_seconds,
      rolloutLimitSeconds,
    ),
    lines: [
      ...rolloutStartLines(context),
      ...round,
      ...round,
      'Warning  BackOff    Back-off restarting failed container (CrashLoopBackOff)',
      ...failureLines(why.message),
    ],
    failure: why.message,
    condition: why,
  };
}

/** Simulates instances that are killed for exceeding their memory limit. */
function simulateOutOfMemory(context: PhaseContext, memory: number): PhaseResult {
  const failure = `${podOf(context)} was killed for exceeding its memory of ${memory} MB (OOMKilled, exit code 137), again and again`;
  const round = [
    `${colored.cyan('INFO')} starting ${context.task.service.name} ${context.version}`,
    `Last state: Terminated, reason OOMKilled, exit code 137, limit ${memory}Mi`,
    'Warning  BackOff    Back-off restarting failed container (CrashLoopBackOff)',
  ];
  return {
    seconds: between(context.random, 20, 40),
    lines: [...rolloutStartLines(context), ...round, ...round, ...round, ...failureLines(failure)],
    failure,
  };
}

/** The minimum memory of any program, in MB. */
const minimumMemory = 64;

const portOf = ({ type }: SimulatedProbe): number | undefined => (type.http ?? type.tcp ?? type.grpc)?.port;

/** The probe's port, if the service declares ports but not this one. A service that declares none may listen on any. */
const mismatchedPort = (probe: SimulatedProbe | undefined, listening: readonly number[]): number | undefined => {
  const port = probe && portOf(probe);
  return port !== undefined && listening.length > 0 && !listening.includes(port) ? port : undefined;
};

/**
 * Simulates a start that fails because of the configuration of an application or container; undefined if the
 * configuration is fine.
 */
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
