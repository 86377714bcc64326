import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential, RequestBudget } from '../../../client/index.ts';
import type { Clock } from '../../context/index.ts';

/** The shortest poll interval, in milliseconds, while there are plenty of requests. */
const minimumInterval = { moving: 2_000, still: 10_000 } as const;

/** The share of the remaining requests that all watches of one credential may use together: the rest is for calls. */
const budgetShare = { moving: 1 / 2, still: 1 / 4 } as const;

/**
 * Above this share of the whole budget, the budget doesn't slow down polling during a deployment, because deployments
 * are short. Below it, the remaining requests are spread over time.
 */
const plentyShare = 1 / 2;

const maximumInterval = 300_000;

const mostJitter = 0.25;

/** The conditions that determine the poll interval. */
export interface PollConditions {
  /** Whether something is in progress, in the watched resource or in another one on the same budget. */
  readonly moving: boolean;
  /** The last known request budget. */
  readonly budget?: RequestBudget;
  /** Requests of one poll of every resource that is watched on this budget. */
  readonly requests: number;
  /** Failed polls in a row. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Whether enough requests remain to follow something in progress closely. */
const isPlenty = ({ moving, budget }: PollConditions): boolean =>
  moving && budget !== undefined && budget.remaining > budget.limit * plentyShare;

/**
 * The shortest interval in milliseconds at which a share of the remaining requests lasts until the budget resets; at
 * most the time until then.
 */
function affordableInterval(conditions: PollConditions, share: number): number {
  const { budget, requests, now } = conditions;
  if (!budget || budget.resetAt <= now || isPlenty(conditions)) return 0;
  const untilReset = budget.resetAt - now;
  return Math.min((untilReset * requests) / (share * budget.remaining), untilReset);
}

/**
 * The time until the next poll, in milliseconds: short while something is in progress, longer with fewer remaining
 * requests, more watched resources, and more failures. Random jitter spreads watches that started together.
 */
export function pollIntervalFor(conditions: PollConditions): number {
  const { moving, failures, random } = conditions;
  const activity = moving ? 'moving' : 'still';
  const interval = Math.min(minimumInterval[activity] * 2 ** failures, maximumInterval);
  return Math.max(interval, affordableInterval(conditions, budgetShare[activity])) * (1 + mostJitter * random);
}

/** The result of one poll. */
interface PollResult {
  /** Changes whenever the resource does. */
  readonly state: string;
  /** Whether something is in progress, so that the next poll should come soon. */
  readonly moving: boolean;
  /** Whether there is nothing to watch: the resource doesn't exist, or may not be read. */
  readonly missing?: boolean;
}

/** A resource to watch for one caller, with its credential. */
export interface WatchTarget {
  /** Listeners with equal keys share polls. Contains the principal, its credential and policy, and the resource. */
  readonly key: string;
  /** The identity of the caller, whatever its credential. The number of watches is limited per identity. */
  readonly identity: string;
  /** The request budget that polls use. */
  readonly budgetKey: string;
  /** Requests of one poll. */
  readonly requests: number;
  /** Never rejects: a failed read is a state too. */
  readonly poll: (signal: AbortSignal) => Promise<PollResult & { readonly failed: boolean }>;
  readonly budget: () => RequestBudget | undefined;
}

/** Ends a watch. Safe to call more than once. */
export type Unsubscribe = () => void;

/** All watches of a process. */
export interface Watches {
  /**
   * Calls `changed` for every change from now on.
   * @returns undefined if the identity already has `mostWatched` watches.
   */
  watch(watched: WatchTarget, changed: () => void): Unsubscribe | undefined;
  /** After a change on this budget: polls its watches soon, and often for a while. */
  pollSoon(budgetKey: string): void;
  /**
   * Whether the first poll of this key found that the resource doesn't exist; false if the poll takes longer than
   * `firstPollTimeout`.
   */
  isMissing(key: string): Promise<boolean>;
  /** The number of polled resources. */
  readonly size: () => number;
}

/** Dependencies of the watches; the defaults are the real ones. */
interface WatchesConfig {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** Returns the milliseconds until the next poll. */
  readonly pollInterval?: (conditions: PollConditions) => number;
}

/** The key of a caller's request budget: that of the server if the caller has no credential. */
export const budgetKeyOf = (credential: Credential | undefined): string => credential?.key ?? '';

/** Maximum number of resources watched for one identity: more would hardly ever be polled. */
export const mostWatched = 100;

/**
 * After a change, in milliseconds: the delay until the next poll, and how long to poll often, until a poll itself shows
 * that something is in progress.
 */
const afterChange = { soon: 500, often: 30_000 } as const;

/** Maximum wait for the first poll, in milliseconds. */
const firstPollTimeout = 5_000;

interface Poller {
  readonly watched: WatchTarget;
  readonly listeners: Set<() => void>;
  readonly end: AbortController;
  /** Absent during a poll. */
  timer?: NodeJS.Timeout;
  moving: boolean;
  first?: Promise<PollResult>;
  state?: string;
  failures: number;
}

/** Creates the watches of a process. Each resource is polled once for all its listeners, and only while it has any. */
export function createWatches({ clock, random = Math.random, pollInterval = pollIntervalFor }: WatchesConfig): Watches {
  const pollers = new Map<string, Poller>();

  const busyUntil = new Map<string, number>();

  const pollersOn = (budgetKey: string): Poller[] =>
    [...pollers.values()].filter(({ watched }) => watched.budgetKey === budgetKey);

  // A deployment shows first in a service's status; its logs and environment change with it.
  const isBusy = (budgetKey: string): boolean =>
    (busyUntil.get(budgetKey) ?? 0) > clock.now() || pollersOn(budgetKey).some(({ moving }) => moving);

  const targetsWith = (member: 'budgetKey' | 'identity', watched: WatchTarget): WatchTarget[] =>
    [...pollers.values()].flatMap((poller) => (poller.watched[member] === watched[member] ? [poller.watched] : []));

  const pollAfter = (poller: Poller, wait: number): void => {
    clearTimeout(poller.timer);
    // A watch doesn't keep the process alive.
    poller.timer = setTimeout(() => void poll(poller), wait).unref();
  };

  const schedule = (poller: Poller): void => {
    const { watched, failures } = poller;
    const moving = isBusy(watched.budgetKey);
    const requests = targetsWith('budgetKey', watched).reduce((sum, other) => sum + other.requests, 0);
    pollAfter(
      poller,
      pollInterval({ moving, budget: watched.budget(), requests, failures, now: clock.now(), random: random() }),
    );
  };

  const poll = async (poller: Poller): Promise<void> => {
    poller.timer = undefined;
    const { budgetKey } = poller.watched;
    const polling = poller.watched.poll(poller.end.signal);
    poller.first ??= polling;
    const { state, moving, failed } = await polling;
    if (poller.end.signal.aborted) return;
    poller.failures = failed ? poller.failures + 1 : 0;
    // A single failure may be transient: it is not a change yet.
    const observed = poller.failures === 1 ? poller.state : state;
    const changed = poller.state !== undefined && poller.state !== observed;
    poller.state = observed;
    if (changed) for (const notify of poller.listeners) notify();
    const wasBusy = isBusy(budgetKey);
    poller.moving = moving;
    schedule(poller);
    if (moving && !wasBusy)
      for (const other of pollersOn(budgetKey)) if (other !== poller && other.timer) schedule(other);
  };

  const startPolling = (watched: WatchTarget): Poller | undefined => {
    if (targetsWith('identity', watched).length >= mostWatched) return undefined;
    const poller: Poller = { watched, listeners: new Set(), end: new AbortController(), moving: false, failures: 0 };
    pollers.set(watched.key, poller);
    void poll(poller);
    return poller;
  };

  const removeListener = (poller: Poller, listener: () => void): void => {
    if (!poller.listeners.delete(listener) || poller.listeners.size > 0) return;
    const { key, budgetKey } = poller.watched;
    pollers.delete(key);
    if (pollersOn(budgetKey).length === 0) busyUntil.delete(budgetKey);
    clearTimeout(poller.timer);
    poller.end.abort();
  };

  return {
    watch(watched, changed) {
      const poller = pollers.get(watched.key) ?? startPolling(watched);
      if (!poller) return undefined;
      // A wrapper, because the same function may be passed more than once.
      const listener = (): void => changed();
      poller.listeners.add(listener);
      return () => removeListener(poller, listener);
    },
    pollSoon(budgetKey) {
      const affected = pollersOn(budgetKey);
      if (affected.length === 0) return;
      busyUntil.set(budgetKey, clock.now() + afterChange.often);
      for (const poller of affected) if (poller.timer) pollAfter(poller, afterChange.soon);
    },
    async isMissing(key) {
      const first = await Promise.race([pollers.get(key)?.first, sleep(firstPollTimeout, undefined, { ref: false })]);
      return first?.missing ?? false;
    },
    size: () => pollers.size,
  };
}
