import { condition, killed, type Condition, type DataOf } from '../../../../contract/index.ts';
import type { ServiceToRun } from '../../index.ts';
import type { DockerContainer, DockerHealthcheck } from '../api/index.ts';
import { programPath } from '../programs/programs.ts';
import { secretVariablesPath } from './secret-variables.ts';

type Healthchecks = Extract<ServiceToRun, { kind: 'container' }>['spec']['healthchecks'];
type Probe = NonNullable<Healthchecks['readiness_probe']>;

/** In milliseconds, unless they say otherwise. */
const nanoseconds = 1e6;
const second = 1000;
/** Used as "unlimited": engines require a number. */
const year = 365 * 24 * 3600 * second;

/** The path of the probe's state. Every container has this folder in memory, even if its image is empty. */
const statePath = '/dev/shm/.infra-probe';

/** How long a run of the probe lasts if nothing changes. Each costs about 50 ms of CPU time. */
const lock = 30 * second;

/** Added to limits because engines count from the start of a container, and the probe from its own. */
const margin = 10 * second;

const inMilliseconds = (seconds: number): number => Math.min(seconds * second, year);

/** Converts a path for the request line: characters that could end it are escaped. */
const requestPath = (path: string): string =>
  [...Buffer.from(path.startsWith('/') ? path : `/${path}`)]
    .map((byte) =>
      byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

const loopback = '127.0.0.1';

/** Returns the arguments for a probe's check. Without a host, the check uses the container's address on its network. */
function checkArguments({ tcp, http, grpc, exec }: Probe['type']): readonly string[] {
  if (tcp) return ['tcp', tcp.host === 'localhost' ? loopback : tcp.host || 'self', String(tcp.port)];
  // Certificates are not checked, and nothing else in TLS shows whether a program is healthy.
  if (http)
    return http.scheme.toUpperCase() === 'HTTPS'
      ? ['tcp', 'self', String(http.port)]
      : ['http', 'self', String(http.port), requestPath(http.path)];
  if (grpc) return ['grpc', 'self', String(grpc.port), grpc.service ?? ''];
  return ['exec', String(exec!.command.length), ...exec!.command];
}

const probeArguments = (name: 'ready' | 'live', probe: Probe | undefined): readonly string[] =>
  probe === undefined
    ? []
    : [
        name,
        ...[probe.initial_delay_seconds, probe.period_seconds, probe.timeout_seconds].map((seconds) =>
          String(inMilliseconds(seconds)),
        ),
        ...[probe.success_threshold, probe.failure_threshold].map((times) => String(Math.min(times, 1e9))),
        ...checkArguments(probe.type),
      ];

/**
 * Returns how long the probe may fail without the container being stopped, in milliseconds. A readiness probe never
 * stops one. A liveness probe stops it after enough failures, which takes at least this long.
 */
function graceOf({ readiness_probe: ready, liveness_probe: live }: Healthchecks): number {
  if (ready === undefined) return 0;
  return live === undefined
    ? year
    : Math.min(
        inMilliseconds(live.initial_delay_seconds) + (live.failure_threshold - 1) * inMilliseconds(live.period_seconds),
        year,
      );
}

/**
 * Returns the timeout of a probe run, in milliseconds. While a container is not ready, the run also checks liveness,
 * for as long as that takes.
 */
function runTimeout({ readiness_probe: ready, liveness_probe: live }: Healthchecks): number {
  if (ready && live) return year;
  return Math.max(70 * second, lock + inMilliseconds((ready ?? live)!.timeout_seconds) + margin);
}

/**
 * Returns the health check of a container. It needs the program `probe` as a file of the container.
 *
 * Until the readiness probe has passed, the engine treats the container as starting, and gives it no DNS name. Without
 * a readiness probe, the container is ready at once. The liveness probe works after its initial delay: when it fails
 * too often, the engine stops the container. A readiness probe that fails later is only reported: an engine can't keep
 * a container running and exclude it from requests.
 * @returns undefined if the service has no probes: then the image's health check applies
 */
export function probeHealthcheck(
  healthchecks: Healthchecks,
): (DockerHealthcheck & { readonly StartInterval: number }) | undefined {
  const { readiness_probe: ready, liveness_probe: live } = healthchecks;
  if (ready === undefined && live === undefined) return undefined;
  const grace = graceOf(healthchecks);
  const interval = 300 * nanoseconds;
  return {
    Test: [
      'CMD',
      programPath('probe'),
      statePath,
      secretVariablesPath,
      String(lock),
      String(grace),
      ...probeArguments('ready', ready),
      ...probeArguments('live', live),
    ],
    Interval: interval,
    // Newer engines use a separate interval until the container is healthy.
    StartInterval: interval,
    Timeout: runTimeout(healthchecks) * nanoseconds,
    StartPeriod: grace === 0 ? 0 : Math.min(grace + margin, year) * nanoseconds,
    // The probe itself counts failures.
    Retries: 1,
  };
}

/** Whether a text is an IPv4 address other than 0.0.0.0. */
const isAddress = (host: string): boolean =>
  host !== '0.0.0.0' && /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(host);

/** Returns why these probes aren't possible in a container; undefined if they are. */
export function probeRefusal({ readiness_probe: ready, liveness_probe: live }: Healthchecks): string | undefined {
  const probes = [ready, live].filter((probe) => probe !== undefined);
  if (probes.some(({ type: { tcp } }) => tcp?.host && tcp.host !== 'localhost' && !isAddress(tcp.host))) {
    return `Probes on this cluster can't resolve names: set "host" of the tcp probe to an IPv4 address or "localhost", or leave it out for the container itself.`;
  }
  if (
    probes.some(({ type: { exec, grpc } }) =>
      [...(exec?.command ?? []), grpc?.service ?? ''].some((text) => text.includes('\0')),
    )
  )
    return 'A probe has a zero byte in its command or service, which no command line can have: remove it.';
  return undefined;
}

/** Parses the reason that `probe.c` reports: a port refuses connections, or answers with a status. */
function probeFacts(why: string): Pick<DataOf<'PROBE_FAILED'>, 'why' | 'port' | 'status' | 'isRefused'> {
  const { port, status, refused } =
    /^port (?<port>\d+): (?:status (?<status>\d+)|(?<refused>connection refused))/.exec(why)?.groups ?? {};
  return {
    why,
    ...(port !== undefined && { port: Number(port) }),
    ...(status !== undefined && { status: Number(status) }),
    ...(refused !== undefined && { isRefused: true }),
  };
}

/** A problem with the health of a container. */
export interface HealthProblem {
  /** Whether the engine stops a container for it. A readiness probe is never a reason. */
  readonly isDeadly: boolean;
  readonly condition: Condition;
}

/**
 * Returns the problem with the health of a container, from its last checks; undefined if there is none, or if it was
 * not checked yet. The status can't be used: engines report every ended container as unhealthy.
 */
export function healthProblem(health: DockerContainer['State']['Health']): HealthProblem | undefined {
  // The last check may have been killed with its container, and then shows nothing.
  const last = health?.Log?.findLast(({ ExitCode: code, Output: output }) => code !== killed || output !== '');
  if (last === undefined) return undefined;
  const line = last.Output.trim().split('\n')[0]!.trim();
  const [, state, why] = /^not (ready|alive): (.+)$/.exec(line) ?? [];
  if (state === 'alive')
    return {
      isDeadly: true,
      condition: condition('PROBE_FAILED', { probe: 'liveness', how: 'failed', ...probeFacts(why!) }),
    };
  if (state === 'ready')
    return {
      isDeadly: false,
      condition: condition('PROBE_FAILED', {
        probe: 'readiness',
        how: last.ExitCode === 0 ? 'failing since start' : 'not passed',
        ...probeFacts(why!),
      }),
    };
  if (last.ExitCode === 0) return undefined;
  return { isDeadly: true, condition: condition('HEALTH_CHECK_FAILED', { code: last.ExitCode, said: line }) };
}
