import { sum } from '../../common/index.ts';
import { durationBounds, type InstanceUse, type Measured, type RequestCounts } from '../../runtime/index.ts';
import { type NodeFigures, type RequestFigures, type ServiceFigures, windowMilliseconds } from './figures.ts';

/** The measurements of the last few minutes. */
export interface Window {
  /** Adds a round, and drops rounds that are too old. @param at milliseconds since the epoch */
  add(at: number, measured: Measured): void;
  /**
   * The current resource usage of services, by service id: of those that were measured or should have been in the last
   * round.
   */
  services(): ReadonlyMap<string, ServiceFigures>;
  /** The current figures of nodes, by node id: of those that were present in the last round. */
  nodes(): ReadonlyMap<string, NodeFigures>;
}

/** The resource usage of an instance per second; undefined with one sample. */
interface Rate {
  readonly cpu: number;
  readonly received: number;
  readonly sent: number;
}

/** The total and current resource usage of an instance. */
interface Used {
  readonly use: InstanceUse;
  readonly rate: Rate | undefined;
}

/** The sum of all numbers; undefined if one is missing. */
const sumOfAll = (numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.length > 0 && numbers.every((each) => each !== undefined) ? sum(numbers) : undefined;

/** The minimum time between two samples that give a rate, in milliseconds. */
const leastSpan = 500;

/** Counters only grow while an instance runs: a smaller value means that a clock or an engine was reset. */
function rateBetween(earlier: InstanceUse | undefined, later: InstanceUse): Rate | undefined {
  const seconds = earlier === undefined ? 0 : (later.at - earlier.at) / 1000;
  if (earlier === undefined || seconds * 1000 < leastSpan) return undefined;
  const [nanoseconds, received, sent] = [
    later.cpuNanoseconds - earlier.cpuNanoseconds,
    later.received - earlier.received,
    later.sent - earlier.sent,
  ];
  return nanoseconds < 0 || received < 0 || sent < 0
    ? undefined
    : { cpu: nanoseconds / 1e6 / seconds, received: received / seconds, sent: sent / seconds };
}

/**
 * A percentile of request durations, in milliseconds, assuming that they are spread evenly within their bucket. Those
 * beyond the last bound count as that bound.
 * @param part from 0 to 1
 */
export function durationAt(part: number, byDuration: readonly number[]): number | undefined {
  const total = sum(byDuration);
  if (total === 0) return undefined;
  let passed = 0;
  for (const [index, bound] of durationBounds.entries()) {
    const here = byDuration[index] ?? 0;
    const lower = durationBounds[index - 1] ?? 0;
    if (here > 0 && passed + here >= part * total)
      return lower + (bound - lower) * Math.max(0, (part * total - passed) / here);
    passed += here;
  }
  return durationBounds.at(-1);
}

const added = (one: readonly number[], other: readonly number[]): number[] =>
  Array.from({ length: durationBounds.length + 1 }, (_, index) => (one[index] ?? 0) + (other[index] ?? 0));

function requestFigures(counts: readonly RequestCounts[], milliseconds: number): RequestFigures {
  const [requests, errors] = [sum(counts.map((each) => each.requests)), sum(counts.map((each) => each.errors))];
  const p95 = durationAt(0.95, counts.map((each) => each.byDuration).reduce(added, []));
  return {
    perSecond: requests / (milliseconds / 1000),
    ...(requests > 0 && { errorRatio: errors / requests }),
    ...(p95 !== undefined && { p95 }),
  };
}

const missingText = (unmeasured: Measured['unmeasured'], serviceId: string): string[] => {
  const byNode = Map.groupBy(
    unmeasured.filter((each) => each.serviceId === serviceId),
    ({ node }) => node,
  );
  return [...byNode].map(
    ([node, [first, ...others]]) =>
      `${others.length === 0 ? 'An instance' : `${others.length + 1} instances`} on the node ${node} can't be measured: ${first!.reason}.`,
  );
};

/** The total usage of instances on one node. */
function useOnNode(all: readonly Used[]): Pick<NodeFigures, 'cpu' | 'memory' | 'received' | 'sent'> {
  const [cpu, received, sent] =
    all.length === 0
      ? [0, 0, 0]
      : [
          sumOfAll(all.map(({ rate }) => rate?.cpu)),
          sumOfAll(all.map(({ rate }) => rate?.received)),
          sumOfAll(all.map(({ rate }) => rate?.sent)),
        ];
  return {
    memory: sum(all.map(({ use }) => use.memory)),
    ...(cpu !== undefined && { cpu }),
    ...(received !== undefined && { received }),
    ...(sent !== undefined && { sent }),
  };
}

/** Creates an empty window. */
export function createWindow(): Window {
  let rounds: readonly { readonly at: number; readonly measured: Measured }[] = [];

  const last = (): Measured | undefined => rounds.at(-1)?.measured;

  const rates = (): Used[] => {
    // For duplicate ids the last entry wins: that of the earliest round.
    const first = new Map(
      rounds.toReversed().flatMap(({ measured }) => measured.instances.map((use) => [use.id, use] as const)),
    );
    return (last()?.instances ?? []).map((use) => ({ use, rate: rateBetween(first.get(use.id), use) }));
  };

  const isPublic = (serviceId: string): boolean =>
    rounds.some(
      ({ measured: { requests } }) => requests?.services.some((each) => each.serviceId === serviceId) === true,
    );

  const requestsOf = (serviceId: string): RequestFigures | undefined => {
    const isCountedNow = last()?.requests?.services.some((each) => each.serviceId === serviceId) === true;
    const read = isCountedNow ? rounds.flatMap(({ measured: { requests } }) => requests ?? []) : [];
    // Requests weren't counted before the service was reachable from outside.
    const counted = read.flatMap(({ milliseconds, services }) =>
      services.filter((each) => each.serviceId === serviceId).map((counts) => ({ milliseconds, counts })),
    );
    return counted.length === 0
      ? undefined
      : requestFigures(
          counted.map(({ counts }) => counts),
          sum(counted.map(({ milliseconds }) => milliseconds)),
        );
  };

  return {
    add: (at, measured) => {
      rounds = [...rounds.filter((round) => round.at > at - windowMilliseconds && round.at < at), { at, measured }];
    },
    services: () => {
      const measured = last();
      if (measured === undefined) return new Map();
      const seconds = Math.round((rounds.at(-1)!.at - rounds[0]!.at) / 1000);
      const byService = Map.groupBy(rates(), ({ use }) => use.serviceId);
      const ids = new Set([...byService.keys(), ...measured.unmeasured.map(({ serviceId }) => serviceId)]);
      return new Map(
        [...ids].map((id): [string, ServiceFigures] => {
          const instances = byService.get(id) ?? [];
          const known = instances.flatMap(({ rate }) => rate ?? []);
          const [cpuLimit, memoryLimit] = [
            sumOfAll(instances.map(({ use }) => use.cpuLimit)),
            sumOfAll(instances.map(({ use }) => use.memoryLimit)),
          ];
          const requests = requestsOf(id);
          return [
            id,
            {
              seconds,
              instances: instances.length,
              memory: sum(instances.map(({ use }) => use.memory)),
              worstMemory: Math.max(0, ...instances.map(({ use }) => use.memory)),
              // An instance that has just started has no rate yet: the sum of the others alone would be too low.
              ...(known.length > 0 &&
                known.length === instances.length && {
                  cpu: sum(known.map(({ cpu }) => cpu)),
                  worstCpu: Math.max(...known.map(({ cpu }) => cpu)),
                  received: sum(known.map(({ received }) => received)),
                  sent: sum(known.map(({ sent }) => sent)),
                }),
              ...(cpuLimit !== undefined && { cpuLimit }),
              ...(memoryLimit !== undefined && { memoryLimit }),
              ...(requests && { requests }),
              missing: missingText(measured.unmeasured, id),
              ...(measured.requestsProblem !== undefined &&
                isPublic(id) && { requestsMissing: measured.requestsProblem }),
            },
          ];
        }),
      );
    },
    nodes: () => {
      const unmeasured = new Set(last()?.unmeasured.map(({ node }) => node));
      const used = Map.groupBy(rates(), ({ use }) => use.node);
      const ended = rounds.flatMap(({ measured }) => measured.nodes);
      return new Map(
        (last()?.nodes ?? []).map(({ id, name, isReady }): [string, NodeFigures] => {
          const restarts = sum(ended.filter((node) => node.id === id).map((node) => node.restarts));
          return [id, { name, isReady, restarts, ...(!unmeasured.has(name) && useOnNode(used.get(id) ?? [])) }];
        }),
      );
    },
  };
}
