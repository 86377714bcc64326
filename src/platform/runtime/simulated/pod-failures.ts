import {
  failureLines,
  podOf,
  rolloutStartLines,
  probeKind,
  connectionRefused,
  rolloutLimitSeconds,
} from './rollout-failures.ts';
import { between, colored, digest, type PhaseContext, type PhaseResult, slug } from './phase-context.ts';
import { logTemplates } from './log-templates.ts';
import type { SimulatedProbe, Program } from './simulation-context.ts';
import { readinessTimeoutOf } from './fact-lookup.ts';
const columns = [9, 18, 18, 19] as const;

/** Formats a cluster event like `kubectl describe`. `age` is like `12s` or `4s (x3 over 58s)`. */
export const clusterEvent = (
  type: 'Normal' | 'Warning',
  reason: string,
  age: string,
  from: string,
  message: string,
): string => [type, reason, age, from].map((cell, index) => `${cell} `.padEnd(columns[index]!)).join('') + message;

/** Formats the age of a repeated event. */
export const eventAge = (count: number, lastSeconds: number, overSeconds: number): string =>
  count === 1 ? `${lastSeconds}s` : `${lastSeconds}s (x${count} over ${overSeconds}s)`;

/** Formats a log line of a cluster component: severity, UTC date and time, source location, message. */
export const componentLogLine = (severity: 'I' | 'W', at: number, source: string, message: string): string => {
  const [, month, day, time] = /-(\d\d)-(\d\d)T([\d:.]+)Z/.exec(new Date(at).toISOString()) ?? [];
  return `${severity}${month}${day} ${time}114       1 ${source}] ${message}`;
};

const startAttempts = 4;

/** The cluster-internal IP address of a name. The same name always gives the same address. */
const clusterAddress = (name: string): string => {
  const number = Number.parseInt(digest(name, 6), 16);
  return `10.43.${number % 250}.${(number >> 8) % 250}`;
};

/** Unrelated lines of other cluster components, which appear in the log of every rollout. */
const unrelatedLines = ({ task }: PhaseContext): string[] => [
  componentLogLine(
    'I',
    task.beganAt + 1482,
    'reflector.go:376',
    'Caches populated for *v1.ConfigMap from k8s.io/client-go/informers/factory.go:160',
  ),
  componentLogLine(
    'W',
    task.beganAt + 2019,
    'warnings.go:70',
    'spec.template.spec.containers[0].env[6]: hides previous definition of "TZ", which may be dropped when using apply',
  ),
];

/** A crash: the program's last output, and how the cluster reports its exit. */
interface Crash {
  /** Called for every exit. */
  readonly finalOutput: () => readonly string[];
  readonly exitCode: number;
  readonly reason: 'Error' | 'OOMKilled';
}

/** Simulates instances that crash and are restarted with increasing delays, until the rollout is given up. */
function simulateCrashLoop(
  context: PhaseContext,
  program: Program,
  { finalOutput, exitCode, reason }: Crash,
): PhaseResult {
  const pod = podOf(context);
  const name = slug(context.task.service.name);
  const boot = logTemplates[program.language].boot(context);
  const rounds = Array.from({ length: startAttempts }, (_, index) => index + 1).flatMap((count) => [
    ...(count === 1
      ? []
      : [clusterEvent('Normal', 'Started', eventAge(count, 1, count * 12), 'kubelet', `Started container ${name}`)]),
    ...boot,
    ...finalOutput(),
    `Last State:     Terminated\n  Reason:       ${reason}\n  Exit Code:    ${exitCode}\n  Restart Count:  ${count - 1}`,
    clusterEvent(
      'Warning',
      'BackOff',
      eventAge(count * 2, 0, count * 13),
      'kubelet',
      `Back-off restarting failed container ${name} in pod ${pod}_${digest(context.task.service.environmentId, 8)}`,
    ),
  ]);
  const failure = `${pod} keeps ending with exit code ${exitCode} (CrashLoopBackOff)`;
  return {
    seconds: between(context.random, 48, 70),
    lines: [...rolloutStartLines(context), ...unrelatedLines(context), ...rounds, ...failureLines(failure)],
    failure,
  };
}

const errorExit = (finalOutput: readonly string[]): Crash => ({
  finalOutput: () => finalOutput,
  exitCode: 1,
  reason: 'Error',
});

/** Simulates a program that exits because required variables are missing. */
export const simulateMissingVariables = (
  context: PhaseContext,
  program: Program,
  names: readonly string[],
): PhaseResult => simulateCrashLoop(context, program, errorExit(logTemplates[program.language].variableMissing(names)));

/** Simulates a program that exits because a configured host doesn't exist. */
export const simulateUnknownHost = (context: PhaseContext, program: Program, host: string): PhaseResult =>
  simulateCrashLoop(context, program, errorExit(logTemplates[program.language].hostUnknown(host)));

/** Simulates a program that exits because its database doesn't respond. */
export const simulateDatabaseDown = (
  context: PhaseContext,
  program: Program,
  host: string,
  port: number,
): PhaseResult =>
  simulateCrashLoop(
    context,
    program,
    errorExit(
      logTemplates[program.language].databaseDown(
        host,
        clusterAddress(`${context.task.service.environmentId}/${host}`),
        port,
      ),
    ),
  );

/** Simulates a program that exits because its database has not been migrated. */
export const simulateOutdatedSchema = (
  context: PhaseContext,
  program: Program,
  has: string,
  needs: string,
): PhaseResult =>
  simulateCrashLoop(context, program, errorExit(logTemplates[program.language].schemaBehind(has, needs)));

/** Simulates a program that is killed for exceeding its memory limit. */
export function simulateMemoryExhaustion(context: PhaseContext, program: Program): PhaseResult {
  const { service } = context.task;
  const limit = service.kind === 'application' || service.kind === 'container' ? service.spec.memory : 0;
  return simulateCrashLoop(context, program, {
    finalOutput: () => [
      ...logTemplates[program.language].memoryShort(limit, context.random),
      `[${between(context.random, 70_000, 99_000)}.${between(context.random, 100_000, 999_999)}] Memory cgroup out of memory: Killed process ${between(context.random, 8_000, 32_000)} (${program.language}) total-vm:${program.memory! * 3 * 1024}kB, anon-rss:${limit * 1024 - 2_312}kB, file-rss:0kB, oom_score_adj:${between(context.random, 940, 999)}`,
    ],
    exitCode: 137,
    reason: 'OOMKilled',
  });
}

/** Simulates pods that are evicted from nodes whose disk is full. */
export function simulateEviction(context: PhaseContext): PhaseResult {
  const pod = podOf(context);
  const nodes = [1, 4, 2].map((node) => `node-${node}`);
  const rounds = nodes.flatMap((node, index) => [
    clusterEvent('Normal', 'Scheduled', '0s', 'default-scheduler', `Successfully assigned ${pod} to ${node}`),
    clusterEvent(
      'Warning',
      'Evicted',
      '0s',
      'kubelet',
      `The node was low on resource: ephemeral-storage. Threshold quantity: 10%, available: ${6 - index}%. Container ${slug(context.task.service.name)} was using 84Ki, request is 0, has larger consumption of ephemeral-storage.`,
    ),
    clusterEvent(
      'Warning',
      'FreeDiskSpaceFailed',
      '3s',
      'kubelet',
      `Failed to garbage collect required amount of images. Attempted to free ${between(context.random, 4, 9)}81231872 bytes, but only found 0 bytes eligible to free.`,
    ),
  ]);
  const failure = `${pod} could not be placed`;
  return {
    seconds: between(context.random, 80, 110),
    lines: [
      `Rolling out ${slug(context.task.service.name)}:${context.version}`,
      ...unrelatedLines(context),
      ...rounds,
      clusterEvent(
        'Warning',
        'FailedScheduling',
        eventAge(6, 2, 74),
        'default-scheduler',
        '0/6 nodes are available: 6 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.',
      ),
      'Conditions:\n  Type             Status  Reason\n  MemoryPressure   False   KubeletHasSufficientMemory\n  DiskPressure     True    KubeletHasDiskPressure\n  PIDPressure      False   KubeletHasSufficientPID\n  Ready            True    KubeletReady',
      colored.yellow('warning: rollout has not progressed for 60s'),
      ...failureLines(failure),
    ],
    failure,
  };
}

// How many probe failures get a log line.
const shownProbeFailures = 9;

/** Simulates instances that run but never become ready. */
const simulateUnready = (
  context: PhaseContext,
  program: Program,
  probe: SimulatedProbe,
  probeError: string,
  progressLines: readonly string[] = [],
): PhaseResult => {
  const { failure_threshold: threshold, period_seconds: period, initial_delay_seconds: delay } = probe;
  const failure = `0 of 1 instances became ready: ${podOf(context)} is running, not ready`;
  const checks = Array.from({ length: Math.min(threshold, shownProbeFailures) }, (_, index) => [
    ...progressLines.slice(index, index + 1),
    clusterEvent(
      'Warning',
      'Unhealthy',
      eventAge(index + 1, 0, delay + index * period),
      'kubelet',
      `Readiness probe failed: ${probeError}`,
    ),
  ]).flat();
  return {
    seconds: Math.min(readinessTimeoutOf(probe), rolloutLimitSeconds),
    lines: [
      ...rolloutStartLines(context),
      ...logTemplates[program.language].boot(context),
      ...(program.listens ? [logTemplates[program.language].listening(program.listens.port)] : []),
      ...checks,
      colored.yellow(
        `warning: ${podOf(context)} has been unready for ${Math.min(readinessTimeoutOf(probe), rolloutLimitSeconds)}s`,
      ),
      ...failureLines(failure),
    ],
    failure,
  };
};

/** Simulates a readiness probe on a port that nothing listens on. */
export function simulateProbeOnWrongPort(
  context: PhaseContext,
  program: Program,
  probe: SimulatedProbe,
  listens: number,
): PhaseResult {
  const { http, tcp, grpc } = probe.type;
  const port = (http ?? tcp ?? grpc)?.port ?? 0;
  return simulateUnready(
    context,
    { ...program, listens: { port: listens } },
    probe,
    connectionRefused(probeKind(probe), port, http?.path ?? '/'),
  );
}

const badStatusMessage = (status: number): string => `HTTP probe failed with statuscode: ${status}`;

/** Simulates a readiness probe that gets an error status. */
export const simulateProbeStatus = (
  context: PhaseContext,
  program: Program,
  probe: SimulatedProbe,
  status: number,
): PhaseResult => simulateUnready(context, program, probe, badStatusMessage(status));

/** Simulates a program that is still warming up when the readiness probe gives up. */
export function simulateSlowWarmUp(context: PhaseContext, program: Program, probe: SimulatedProbe): PhaseResult {
  const { seconds: whole, loads } = program.warmUp!;
  const { initial_delay_seconds: delay, period_seconds: period, failure_threshold: threshold } = probe;
  const segments = 48;
  const progress = Array.from({ length: threshold }, (_, index) =>
    Math.floor((segments * (delay + index * period)) / whole),
  );
  return simulateUnready(
    context,
    program,
    probe,
    badStatusMessage(503),
    progress.map(
      (done, index) =>
        `${colored.cyan('INFO')} ${loads}: ${done}/${segments} segments loaded, ${Math.max(1, Math.round(whole - delay - index * period))}s to go`,
    ),
  );
}
