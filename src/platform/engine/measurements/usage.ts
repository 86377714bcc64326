import { mebibyte } from '../../common/index.ts';
import type { ServiceStatusAnswer } from '../engine.ts';
import { iso } from '../context.ts';
import type { ServiceFigures } from './figures.ts';

type Usage = NonNullable<NonNullable<ServiceStatusAnswer['running']>['usage']>;

const whole = (value: number | undefined, unit = 1): number | undefined =>
  value === undefined ? undefined : Math.round(value / unit);
const tenths = (value: number): number => Math.round(value * 10) / 10;

/** Removes undefined members. */
const known = <Fields extends object>(fields: Fields): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/**
 * The resource usage of a service in responses.
 * @param at when it was last measured, in milliseconds since the epoch
 */
export function usageOf(figures: ServiceFigures, at: number): Usage {
  const {
    seconds,
    instances,
    cpu,
    worstCpu,
    cpuLimit,
    memory,
    worstMemory,
    memoryLimit,
    received,
    sent,
    requests,
    missing,
    requestsMissing,
  } = figures;
  const ofInstances =
    instances === 0
      ? {}
      : {
          cpu: whole(cpu),
          cpu_worst: whole(worstCpu),
          cpu_limit: whole(cpuLimit),
          memory: whole(memory, mebibyte),
          memory_worst: whole(worstMemory, mebibyte),
          memory_limit: whole(memoryLimit, mebibyte),
          received_per_second: whole(received),
          sent_per_second: whole(sent),
        };
  const ofRequests = requests && {
    requests_per_second: tenths(requests.perSecond),
    error_percent: requests.errorRatio === undefined ? undefined : tenths(requests.errorRatio * 100),
    p95_milliseconds: whole(requests.p95),
  };
  return {
    measured_at: iso(at),
    seconds,
    instances,
    ...known(ofInstances),
    ...(ofRequests && known(ofRequests)),
    missing: [...missing, ...(requestsMissing === undefined ? [] : [requestsMissing])],
  };
}

/** The usage if nothing was measured since the service was deployed. */
export const unmeasured: Usage = { missing: ['It was not measured yet: that takes up to a minute.'] };
