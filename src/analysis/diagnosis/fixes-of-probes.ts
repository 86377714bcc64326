import * as z from 'zod';
import { isRecord } from '../../contract/index.ts';
import { ProbeTiming } from '../recorded-changes.ts';
import { type CallBuilder } from './next-calls.ts';
import { update, previous, takesBack } from './fixes.ts';

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** A probe with its port changed from `from` to `to`, if it had that port. */
const probeWithPort = (probe: unknown, from: number, to: number): unknown => {
  const type = Object.entries(record(record(probe)['type'])).map(
    ([kind, check]) => [kind, record(check)['port'] === from ? { ...record(check), port: to } : check] as const,
  );
  return { ...record(probe), type: Object.fromEntries(type) };
};

export const useListeningPort: CallBuilder = ({ evidence: { service } }, facts) => {
  const { ports, port, healthchecks } = record(service.configuration);
  const [from, to] = [Number(facts['asked']), Number(facts['listens'])];
  // Another port doesn't help an app that listens only inside its instance.
  if (facts['loopback'] !== undefined || !(from > 0 && to > 0 && from !== to)) return undefined;
  const declared = Array.isArray(ports) ? ports : [];
  const isDeclared = (wanted: number): boolean =>
    declared.some((one: unknown) => record(one)['internal_port'] === wanted);
  const checks = Object.entries(record(healthchecks)).map(
    ([name, probe]) => [name, probeWithPort(probe, from, to)] as const,
  );
  const settings = {
    // A probe may connect to an undeclared port instead of the declared one: then only the probe is wrong.
    ...(isDeclared(from) &&
      !isDeclared(to) && {
        ports: declared.map((one: unknown) =>
          record(one)['internal_port'] === from ? { ...record(one), internal_port: to } : record(one),
        ),
      }),
    ...(service.kind === 'job' && port === from && { port: to }),
    ...(checks.length > 0 && { healthchecks: Object.fromEntries(checks) }),
  };
  return Object.keys(settings).length === 0
    ? undefined
    : update(service, ['application', 'container', 'job'], settings, { why: `the app listens on ${to}` });
};

/** Seconds until a probe gives up. */
const secondsUntilFailure = (timing: z.infer<typeof ProbeTiming>): number =>
  timing.initial_delay_seconds + timing.period_seconds * timing.failure_threshold;

/**
 * Restores the timing of a probe from before a change, or else the default timing, if that gives up later. Useless if
 * the probe gets a 4xx response.
 */
export const waitLongerForProbe =
  (name: 'readiness_probe' | 'liveness_probe'): CallBuilder =>
  ({ evidence: { service, recorded } }, facts) => {
    const now = ProbeTiming.safeParse(record(record(service.configuration)['healthchecks'])[name]).data;
    if (!now || facts['status']?.startsWith('4')) return undefined;
    const { value: changed, by } = previous(recorded, name);
    const before = ProbeTiming.parse({ ...now, ...changed });
    const usual = ProbeTiming.parse({});
    const [wanted, why] =
      secondsUntilFailure(before) > secondsUntilFailure(now)
        ? [
            before,
            takesBack(
              by,
              `the probe gives up after ${secondsUntilFailure(now)} s; before, after ${secondsUntilFailure(before)} s`,
            ),
          ]
        : [
            usual,
            `the probe gives up after ${secondsUntilFailure(now)} s; the usual is ${secondsUntilFailure(usual)} s`,
          ];
    return secondsUntilFailure(wanted) > secondsUntilFailure(now)
      ? update(service, ['application', 'container', 'job'], { healthchecks: { [name]: wanted } }, { why })
      : undefined;
  };
