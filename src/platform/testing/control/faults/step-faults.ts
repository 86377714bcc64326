import type { StepName } from '../../../../contract/index.ts';
import {
  between,
  colored,
  type Fault,
  type PhaseContext,
  type PhaseResult,
  podOf,
  rolloutStartLines,
  slug,
} from '../../../runtime/simulated/index.ts';
import type { FaultRegistry } from './registry.ts';
import type { StepEffect } from './effects.ts';

const memoryOf = ({ service }: PhaseContext['task']): number => ('memory' in service.spec ? service.spec.memory : 512);

const failed = (seconds: number, lines: readonly string[], failure: string): PhaseResult => ({
  seconds,
  lines: [...lines, colored.red(failure)],
  failure,
});

const repeat = (count: number, round: readonly string[]): string[] => Array.from({ length: count }, () => round).flat();

const buildError = (context: PhaseContext): PhaseResult =>
  failed(
    context.seconds,
    [
      `Building registry.internal/${slug(context.task.service.name)}:${context.version}`,
      '#1 [internal] load build definition from Dockerfile',
      '#1 DONE 0.1s',
      '#8 [5/6] COPY . .',
      '#8 DONE 0.2s',
      '#9 [6/6] RUN npm run build',
      "#9 4.118 src/checkout/total.ts(41,18): error TS2339: Property 'amount' does not exist on type 'Price'.",
      '#9 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2',
    ],
    'The build failed: "npm run build" ended with exit code 2',
  );

const failingProbe = (context: PhaseContext): PhaseResult =>
  failed(
    between(context.random, 60, 120),
    [
      ...rolloutStartLines(context),
      ...repeat(5, ['Warning  Unhealthy  Readiness probe failed: HTTP probe failed with statuscode: 503']),
    ],
    `${podOf(context)} never became ready: its readiness probe was answered with 503`,
  );

const outOfMemory = (context: PhaseContext): PhaseResult => {
  const limit = memoryOf(context.task);
  const end = [`Last state: Terminated, reason OOMKilled, exit code 137, limit ${limit}Mi`];
  const isRun = context.task.phase.step === 'EXECUTING';
  const lines = isRun
    ? end
    : repeat(3, [...end, 'Warning  BackOff    Back-off restarting failed container (CrashLoopBackOff)']);
  return failed(
    between(context.random, 10, 40),
    [...rolloutStartLines(context), ...lines],
    `${podOf(context)} was killed for exceeding its memory of ${limit} MB (OOMKilled, exit code 137)`,
  );
};

const crashLoop = (context: PhaseContext): PhaseResult =>
  failed(
    between(context.random, 30, 60),
    [
      ...rolloutStartLines(context),
      ...repeat(3, [
        `${colored.red('ERROR')} unhandled exception, shutting down\n    at start (/app/dist/main.js:17:11)\n    at node:internal/main/run_main_module:36:49`,
        'Last state: Terminated, reason Error, exit code 1',
        'Warning  BackOff    Back-off restarting failed container (CrashLoopBackOff)',
      ]),
    ],
    `${podOf(context)} keeps ending with exit code 1 right after its start (CrashLoopBackOff)`,
  );

const stepLabels: Readonly<Partial<Record<StepName, string>>> = {
  GIT_CLONE: 'git clone',
  MIRROR_IMAGE: 'mirroring the image',
  STOP: 'scaling down',
};

const stepError = (context: PhaseContext): PhaseResult => {
  const { step } = context.task.phase;
  const operation = stepLabels[step] ?? step.toLowerCase().replaceAll('_', ' ');
  return failed(
    context.seconds,
    [`error: ${operation}: connection to the cluster's API timed out (i/o timeout)`],
    `The step ${step} failed: ${operation} timed out`,
  );
};

const results: Readonly<Record<StepEffect, (context: PhaseContext) => PhaseResult>> = {
  build_error: buildError,
  failing_probe: failingProbe,
  out_of_memory: outOfMemory,
  crash_loop: crashLoop,
  step_error: stepError,
};

/** Injects the faults of a registry into the steps of simulated deployments. */
export const stepFaults =
  (registry: Pick<FaultRegistry, 'forStep'>): Fault =>
  async (context) => {
    const fault = await registry.forStep(context.task);
    return fault && results[fault.effect](context);
  };
