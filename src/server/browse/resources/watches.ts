import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestBudget } from '../../../client/budget.ts';
import type { Credential } from '../../../client/credential.ts';
import type { Clock } from '../../context/call-context.ts';
import { pollIntervalFor, type PollConditions } from './poll-interval.ts';

/** What a look found. */
export interface PollResult {
  /** Equal as long as nothing changed. */
  readonly state: string;
  /** Whether something is under way there, so that it is worth looking again soon. */
  readonly moving: boolean;
  /** Whether there is nothing to be looked at. */
  readonly missing?: boolean;
}

/** Something to be watched for one caller, with its right on the platform. */
export interface WatchTarget {
  /** Listeners with an equal key share the looking: it has to name the principal, what it is held to, and what is looked at. */
  readonly key: string;
  /** Who watches it, whatever right on the platform it brought along: by it is counted how much. */
  readonly identity: string;
  /** Whose request budget the looking is on. */
  readonly budgetKey: string;
  /** Requests of one look. */
  readonly requests: number;
  /** Never fails: that it can't be read is something to be seen too. */
  readonly poll: (signal: AbortSignal) => Promise<PollResult & { readonly failed: boolean }>;
  readonly budget: () => RequestBudget | undefined;
}

/** Ends what it was given for. Safe to call more than once. */
export type Unsubscribe = () => void;

/** Everything that is watched in a process. */
export interface Watches {
  /** Tells of every change from now on. @returns undefined where that would be too much for one identity. */
  watch(watched: WatchTarget, changed: () => void): Unsubscribe | undefined;
  /** Something was changed on this budget: what is watched on it is looked at soon, and often for a while. */
  pollSoon(purse: string): void;
  /** Whether the first look at what has this key found that there is nothing; false as well where that takes long to be known. */
  isMissing(key: string): Promise<boolean>;
  /** How much is being looked at. */
  readonly size: () => number;
}

/** What watching works with; whatever is left out is real. */
export interface WatchesConfig {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** Milliseconds until the next look. */
  readonly pollInterval?: (circumstances: PollConditions) => number;
}

/** On whose request budget something is: the server's own where a caller brings no credential. */
export const budgetKeyOf = (credential: Credential | undefined): string => credential?.key ?? '';

/** Most things watched for one identity: more would hardly ever be looked at. */
export const mostWatched = 100;

/** After a change what it changes is looked at so soon, in milliseconds, and often for so long, until it shows by itself that something is under way. */
const afterChange = { soon: 500, often: 30_000 } as const;

/** Longest that the first look is waited for, in milliseconds. */
const firstPollTimeout = 5_000;

interface Poller {
  readonly watched: WatchTarget;
  readonly listeners: Set<() => void>;
  readonly end: AbortController;
  /** Absent while it is looked at. */
  timer?: NodeJS.Timeout;
  moving: boolean;
  first?: Promise<PollResult>;
  state?: string;
  failures: number;
}

/** Nothing watched yet. Each thing is looked at once, however many listen, and only while somebody does. */
export function createWatches({ clock, random = Math.random, pollInterval: pace = pollIntervalFor }: WatchesConfig): Watches {
  const pollers = new Map<string, Poller>();

  const stirred = new Map<string, number>();

  const around = (purse: string): Poller[] => [...pollers.values()].filter(({ watched }) => watched.budgetKey === purse);

  // A deployment shows in the status of a service first; its logs and its environment change with it.
  const isBusy = (purse: string): boolean => (stirred.get(purse) ?? 0) > clock.now() || around(purse).some(({ moving }) => moving);

  const alike = (member: 'budgetKey' | 'identity', watched: WatchTarget): WatchTarget[] =>
    [...pollers.values()].flatMap((poller) => (poller.watched[member] === watched[member] ? [poller.watched] : []));

  const lookIn = (poller: Poller, wait: number): void => {
    clearTimeout(poller.timer);
    // Watching keeps no process alive.
    poller.timer = setTimeout(() => void look(poller), wait).unref();
  };

  const again = (poller: Poller): void => {
    const { watched, failures } = poller;
    const moving = isBusy(watched.budgetKey);
    const requests = alike('budgetKey', watched).reduce((sum, other) => sum + other.requests, 0);
    lookIn(poller, pace({ moving, budget: watched.budget(), requests, failures, now: clock.now(), random: random() }));
  };

  const look = async (poller: Poller): Promise<void> => {
    poller.timer = undefined;
    const { budgetKey: purse } = poller.watched;
    const looking = poller.watched.poll(poller.end.signal);
    poller.first ??= looking;
    const { state, moving, failed } = await looking;
    if (poller.end.signal.aborted) return;
    poller.failures = failed ? poller.failures + 1 : 0;
    // The first failure may be a hiccup: it says nothing yet.
    const seen = poller.failures === 1 ? poller.state : state;
    const changed = poller.state !== undefined && poller.state !== seen;
    poller.state = seen;
    if (changed) for (const tell of poller.listeners) tell();
    const wasBusy = isBusy(purse);
    poller.moving = moving;
    again(poller);
    if (moving && !wasBusy) for (const other of around(purse)) if (other !== poller && other.timer) again(other);
  };

  const begin = (watched: WatchTarget): Poller | undefined => {
    if (alike('identity', watched).length >= mostWatched) return undefined;
    const poller: Poller = { watched, listeners: new Set(), end: new AbortController(), moving: false, failures: 0 };
    pollers.set(watched.key, poller);
    void look(poller);
    return poller;
  };

  const leave = (poller: Poller, listener: () => void): void => {
    if (!poller.listeners.delete(listener) || poller.listeners.size > 0) return;
    const { key, budgetKey: purse } = poller.watched;
    pollers.delete(key);
    if (around(purse).length === 0) stirred.delete(purse);
    clearTimeout(poller.timer);
    poller.end.abort();
  };

  return {
    watch(watched, changed) {
      const poller = pollers.get(watched.key) ?? begin(watched);
      if (!poller) return undefined;
      // One function may listen more than once.
      const listener = (): void => changed();
      poller.listeners.add(listener);
      return () => leave(poller, listener);
    },
    pollSoon(purse) {
      const all = around(purse);
      if (all.length === 0) return;
      stirred.set(purse, clock.now() + afterChange.often);
      for (const poller of all) if (poller.timer) lookIn(poller, afterChange.soon);
    },
    async isMissing(key) {
      const first = await Promise.race([pollers.get(key)?.first, sleep(firstPollTimeout, undefined, { ref: false })]);
      return first?.missing ?? false;
    },
    size: () => pollers.size,
  };
}
