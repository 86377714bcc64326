import type { Budget } from '../../client/budget.ts';
import type { Clock } from '../context.ts';
import { nextLook, type Circumstances } from './pace.ts';

/** What a look found. */
export interface Sighting {
  /** Equal as long as nothing changed. */
  readonly state: string;
  /** Whether something is under way there, so that it is worth looking again soon. */
  readonly moving: boolean;
}

/** Something to be watched for one principal, with its right on the platform. */
export interface Watched {
  /** Listeners with an equal key share the looking: it has to name the principal, what it is held to, and what is looked at. */
  readonly key: string;
  /** For whom it is watched. */
  readonly principal: string;
  /** Whose request budget the looking is on. */
  readonly purse: string;
  /** Requests of one look. */
  readonly requests: number;
  /** Never fails: that it can't be read is something to be seen too. */
  readonly look: (signal: AbortSignal) => Promise<Sighting & { readonly failed: boolean }>;
  readonly budget: () => Budget | undefined;
}

/** Ends what it was given for. Safe to call more than once. */
export type Stop = () => void;

/** Everything that is watched in a process. */
export interface Watches {
  /** Tells of every change from now on. @returns undefined where that would be too much for one principal. */
  watch(watched: Watched, changed: () => void): Stop | undefined;
  /** How much is being looked at. */
  readonly size: () => number;
}

/** What watching works with; whatever is left out is real. */
export interface WatchesConfig {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** Milliseconds until the next look. */
  readonly pace?: (circumstances: Circumstances) => number;
}

/** Most things watched for one principal: more would hardly ever be looked at. */
export const mostWatched = 100;

interface Poller {
  readonly watched: Watched;
  readonly listeners: Set<() => void>;
  readonly end: AbortController;
  timer?: NodeJS.Timeout;
  state?: string;
  failures: number;
}

/** Nothing watched yet. Each thing is looked at once, however many listen, and only while somebody does. */
export function createWatches({ clock, random = Math.random, pace = nextLook }: WatchesConfig): Watches {
  const pollers = new Map<string, Poller>();

  const alike = (member: 'purse' | 'principal', watched: Watched): Watched[] =>
    [...pollers.values()].flatMap((poller) => (poller.watched[member] === watched[member] ? [poller.watched] : []));

  const again = (poller: Poller, moving: boolean): void => {
    const { watched, failures } = poller;
    const requests = alike('purse', watched).reduce((sum, other) => sum + other.requests, 0);
    const wait = pace({ moving, budget: watched.budget(), requests, failures, now: clock.now(), random: random() });
    // Watching keeps no process alive.
    poller.timer = setTimeout(() => void look(poller), wait).unref();
  };

  const look = async (poller: Poller): Promise<void> => {
    const { state, moving, failed } = await poller.watched.look(poller.end.signal);
    if (poller.end.signal.aborted) return;
    poller.failures = failed ? poller.failures + 1 : 0;
    // The first failure may be a hiccup: it says nothing yet.
    const seen = poller.failures === 1 ? poller.state : state;
    const changed = poller.state !== undefined && poller.state !== seen;
    poller.state = seen;
    if (changed) for (const tell of poller.listeners) tell();
    again(poller, moving);
  };

  const begin = (watched: Watched): Poller | undefined => {
    if (alike('principal', watched).length >= mostWatched) return undefined;
    const poller: Poller = { watched, listeners: new Set(), end: new AbortController(), failures: 0 };
    pollers.set(watched.key, poller);
    void look(poller);
    return poller;
  };

  const leave = (poller: Poller, listener: () => void): void => {
    if (!poller.listeners.delete(listener) || poller.listeners.size > 0) return;
    pollers.delete(poller.watched.key);
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
    size: () => pollers.size,
  };
}
