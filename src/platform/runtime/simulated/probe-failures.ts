import type { Healthchecks } from '../../../contract/resources/service.ts';
import type * as z from 'zod';
import { event, times } from './events.ts';
import { conclusion, podOf, probeKind, refusedProbe, rolloutLimitSeconds, rollingOut } from './failures.ts';
import { colored, type Scene, type Script } from './script.ts';
import { patienceOf } from './known.ts';
import { voices } from './voices.ts';
import type { Program } from './world.ts';

type Probe = NonNullable<z.output<typeof Healthchecks>['readiness_probe']>;

// Lines of failing probes that are shown one by one.
const shown = 9;

/** Instances that run but never become ready. */
const unready = (scene: Scene, program: Program, probe: Probe, said: string, meanwhile: readonly string[] = []): Script => {
  const { failure_threshold: threshold, period_seconds: period, initial_delay_seconds: delay } = probe;
  const failure = `0 of 1 instances became ready: ${podOf(scene)} is running, not ready`;
  const checks = Array.from({ length: Math.min(threshold, shown) }, (_, index) => [
    ...meanwhile.slice(index, index + 1),
    event('Warning', 'Unhealthy', times(index + 1, 0, delay + index * period), 'kubelet', `Readiness probe failed: ${said}`),
  ]).flat();
  return {
    seconds: Math.min(patienceOf(probe), rolloutLimitSeconds),
    lines: [
      ...rollingOut(scene),
      ...voices[program.language].boot(scene),
      ...(program.listens ? [voices[program.language].listening(program.listens.port)] : []),
      ...checks,
      colored.yellow(`warning: ${podOf(scene)} has been unready for ${Math.min(patienceOf(probe), rolloutLimitSeconds)}s`),
      ...conclusion(failure),
    ],
    failure,
  };
};

/** Asked at a port where nobody listens. */
export function askedElsewhere(scene: Scene, program: Program, probe: Probe, listens: number): Script {
  const { http, tcp, grpc } = probe.type;
  const port = (http ?? tcp ?? grpc)?.port ?? 0;
  return unready(scene, { ...program, listens: { port: listens } }, probe, refusedProbe(probeKind(probe), port, http?.path ?? '/'));
}

const refusal = (status: number): string => `HTTP probe failed with statuscode: ${status}`;

/** Answered, but not with what counts as ready. */
export const answeredWith = (scene: Scene, program: Program, probe: Probe, status: number): Script => unready(scene, program, probe, refusal(status));

/** Still warming up when the probe gives up. */
export function warmingUp(scene: Scene, program: Program, probe: Probe): Script {
  const { seconds: whole, loads } = program.warmUp!;
  const { initial_delay_seconds: delay, period_seconds: period, failure_threshold: threshold } = probe;
  const segments = 48;
  const progress = Array.from({ length: threshold }, (_, index) => Math.floor((segments * (delay + index * period)) / whole));
  return unready(scene, program, probe, refusal(503), progress.map((done, index) =>
    `${colored.cyan('INFO')} ${loads}: ${done}/${segments} segments loaded, ${Math.max(1, Math.round(whole - delay - index * period))}s to go`));
}
