import * as z from 'zod';
import type { LenientServiceStatus } from './deployment-progress.ts';
import { maybe } from './lenient.ts';

const amount = maybe(z.number().nonnegative());

const Usage = z.object({
  measured_at: maybe(z.string()),
  seconds: amount,
  instances: amount,
  cpu: amount,
  cpu_worst: amount,
  cpu_limit: amount,
  memory: amount,
  memory_worst: amount,
  memory_limit: amount,
  received_per_second: amount,
  sent_per_second: amount,
  requests_per_second: amount,
  error_percent: amount,
  p95_milliseconds: amount,
  missing: maybe(z.array(z.string())),
});
type Usage = z.output<typeof Usage>;

/** Figures older than this, in milliseconds, say nothing about the present. */
const oldMilliseconds = 120_000;

const minute = 60;

const span = (seconds: number): string =>
  seconds < 2 * minute ? `${Math.round(seconds)} s` : `${Math.round(seconds / minute)} min`;

const percent = (used: number, limit: number): number => Math.round((used / limit) * 100);

/**
 * The usage of the busiest instance, as a percentage of its share: alert rules compare that, and the total may hide it.
 * Empty if there is only one.
 */
const worstText = ({ instances }: Usage, worst: number | null | undefined, limit: number): string =>
  worst == null || instances == null || instances < 2 ? '' : `, one instance at ${percent(worst, limit / instances)} %`;

const cpuText = (usage: Usage): string | undefined => {
  const { cpu, cpu_worst: worst, cpu_limit: limit } = usage;
  if (cpu == null) return undefined;
  return limit ? `CPU ${percent(cpu, limit)} % of ${limit}m${worstText(usage, worst, limit)}` : `CPU ${cpu}m`;
};

const memoryText = (usage: Usage): string | undefined => {
  const { memory, memory_worst: worst, memory_limit: limit } = usage;
  if (memory == null) return undefined;
  return limit ? `memory ${memory} of ${limit} MB${worstText(usage, worst, limit)}` : `memory ${memory} MB`;
};

/** Bytes per second. */
const rateText = (bytes: number): string =>
  bytes < 1e6 ? `${Number((bytes / 1e3).toPrecision(2))} kB/s` : `${Number((bytes / 1e6).toPrecision(3))} MB/s`;

const networkText = ({ received_per_second: received, sent_per_second: sent }: Usage): string | undefined =>
  received == null || sent == null ? undefined : `network ${rateText(received)} in, ${rateText(sent)} out`;

const requestsText = ({
  requests_per_second: perSecond,
  error_percent: errors,
  p95_milliseconds: p95,
}: Usage): readonly (string | undefined)[] =>
  perSecond == null
    ? []
    : [
        `${perSecond} requests/s`,
        errors == null ? undefined : `${errors} % errors`,
        p95 == null ? undefined : `p95 ${p95} ms`,
      ];

const restartsText = (restarts: unknown): string | undefined =>
  typeof restarts === 'number' && restarts > 0 ? `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : undefined;

/** What was measured of a service, with how often its instances ended unexpectedly; undefined if nothing was. */
export function usageFigures(
  status: LenientServiceStatus | null | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const usage = Usage.safeParse(status?.running?.usage).data;
  return usage && { ...usage, restarts: status?.running?.restarts };
}

/**
 * The resource usage of a service, in one line, with anything that could not be measured; undefined if the platform
 * doesn't report it, or the service doesn't run.
 * @param now milliseconds since the epoch
 */
export function usageText(status: LenientServiceStatus | null | undefined, now: number): string | undefined {
  const usage = Usage.safeParse(status?.running?.usage).data;
  if (usage === undefined) return undefined;
  const missing = (usage.missing ?? []).join(' ');
  const facts = [
    cpuText(usage),
    memoryText(usage),
    networkText(usage),
    restartsText(status?.running?.restarts),
    ...requestsText(usage),
  ].filter((fact) => fact !== undefined);
  if (facts.length === 0) return `not measured${missing === '' ? '' : `: ${missing}`}`;
  const age = now - Date.parse(usage.measured_at ?? '');
  const when = [
    usage.seconds ? `over ${span(usage.seconds)}` : undefined,
    Number.isNaN(age) ? undefined : `${span(Math.max(0, age) / 1000)} ago`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  return `${age > oldMilliseconds ? 'not measured lately; before: ' : ''}${facts.join(', ')}${when === '' ? '' : ` (${when})`}${missing === '' ? '' : `. ${missing}`}`;
}

/**
 * The same for one service, where nothing must be taken for little: says that usage is not measured, and disk never.
 * @param now milliseconds since the epoch
 */
export function usageOrNot(status: LenientServiceStatus | null | undefined, now: number): string {
  const usage = usageText(status, now);
  return usage === undefined ? 'not measured, nor is disk' : `${usage}; disk: not measured`;
}
