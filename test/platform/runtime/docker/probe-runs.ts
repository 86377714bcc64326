import { join } from 'node:path';
import { expect } from 'vitest';
import { installPrograms, type ProgramEnd, runnableKinds } from '../../../support/container-programs.ts';

interface Timing {
  readonly delay?: number;
  readonly period?: number;
  readonly timeout?: number;
  readonly successes?: number;
  readonly failures?: number;
}

type Check = readonly (string | number)[];

/** The arguments of a probe, with times in milliseconds. */
export const probe = (
  name: 'ready' | 'live',
  check: Check,
  { delay = 0, period = 20, timeout = 5000, successes = 1, failures = 3 }: Timing = {},
): string[] => [name, delay, period, timeout, successes, failures, ...check].map(String);

/** The arguments of the kinds of checks, on loopback. */
export const http = (port: number, path = '/'): Check => ['http', '127.0.0.1', port, path];
export const tcp = (port: number): Check => ['tcp', '127.0.0.1', port];
export const grpc = (port: number, service = ''): Check => ['grpc', '127.0.0.1', port, service];
export const exec = (...command: readonly string[]): Check => ['exec', command.length, ...command];

/** How a run ends that has waited in vain. @param why as a pattern */
export const notReady = (why: string) => ({
  code: 1,
  errors: '',
  output: expect.stringMatching(new RegExp(String.raw`^not ready: ${why}(, \d+ times in a row)?\n$`)) as string,
});

/** How a run ends when the container is ready. */
export const isReady = { code: 0, output: 'ready\n', errors: '' };

interface ContainerOptions {
  /** How long a run lasts, in milliseconds. */
  readonly hold?: number;
  /** How long failures are not counted, in milliseconds. */
  readonly grace?: number;
  /** The file with further variables. */
  readonly variables?: string;
}

/** Installs the probe for a kind of CPU. */
export async function installProbe(kind: (typeof runnableKinds)[number]) {
  const { directory, probe: run } = await installPrograms(kind);
  const env = { PATH: process.env['PATH']! };
  let containers = 0;

  /** A container, in which each call is a run of the probe that an engine would begin. */
  const container = ({ hold = 60, grace = 1e10, variables = join(directory, 'none') }: ContainerOptions = {}) => {
    const state = join(directory, `state-${containers++}`);
    return (...probes: readonly string[][]): Promise<ProgramEnd> =>
      run([state, variables, String(hold), String(grace), ...probes.flat()], { env });
  };
  return {
    directory,
    container,
    once: (...probes: readonly string[][]): Promise<ProgramEnd> => container()(...probes),
    run: (args: readonly string[]) => run(args, { env }),
  };
}
