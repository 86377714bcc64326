import type { AskingFailure, ClientMemory, Clock } from '../../context/index.ts';
import { monotonicClock } from '../storage/clock.ts';
import { questionLifetime } from './confirmation.ts';

/**
 * How long silence is remembered, in milliseconds: as long as a question could still be answered. A user who was away
 * is asked again later.
 */
export const silenceLifetime = questionLifetime * 1000;

/** How long a client's failure is remembered if the protocol has no sessions, in milliseconds. */
export const failureLifetime = 3_600_000;

/** Unanswered questions about one call, and about one waiting code, after which a client counts as silent. */
const mostUnanswered = { form: 2, page: 1 } as const;

/**
 * Maximum number of calls whose questions are remembered per client, and of clients in total. The oldest are forgotten,
 * so that they are asked again.
 */
const mostRemembered = { calls: 100, clients: 1_000 } as const;

/** Removes the oldest entries of a map beyond a number. */
function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

/**
 * Creates the memory of one client and one kind of question.
 * @param lifetime of a failure other than silence, in milliseconds.
 */
function createMemory(clock: Clock, lifetime: number, most: number): ClientMemory {
  const questions = new Map<string, { count: number; until: number }>();
  let known: { readonly why: AskingFailure; readonly until: number } | undefined;

  const failed = (why: AskingFailure): void => {
    known = { why, until: clock.now() + (why === 'unanswered' ? silenceLifetime : lifetime) };
    questions.clear();
  };
  return {
    failure: (call) => {
      if (known && known.until <= clock.now()) known = undefined;
      const question = call === undefined || known ? undefined : questions.get(call);
      // A client that lost a question doesn't report it if questions are results: the same call comes again as if it
      // were new.
      if (question && question.until > clock.now() && question.count >= most) failed('unanswered');
      return known?.why;
    },
    asked: (call) => {
      const before = questions.get(call);
      questions.delete(call);
      questions.set(call, {
        count: (before && before.until > clock.now() ? before.count : 0) + 1,
        until: clock.now() + silenceLifetime,
      });
      dropOldest(questions, mostRemembered.calls);
    },
    answered: () => {
      known = undefined;
      questions.clear();
    },
    failed,
  };
}

/** The server's memory of one client: whether its user answers forms, and opens pages. */
export interface ClientMemories {
  readonly forms: ClientMemory;
  readonly pages: ClientMemory;
}

const memoriesOf = (steady: Clock, lifetime: number, mostForms: number): ClientMemories => ({
  forms: createMemory(steady, lifetime, mostForms),
  pages: createMemory(steady, lifetime, mostUnanswered.page),
});

/** Creates the memory of one client, for as long as it is connected. */
export const createSessionMemories = (clock: Clock): ClientMemories =>
  memoriesOf(monotonicClock(clock), Number.POSITIVE_INFINITY, mostUnanswered.form);

/**
 * Creates a process's memory of clients of the 2026 revision, which has no sessions. Clients of different principals
 * share nothing, even if they are the same program.
 * @param isAlone whether every answer comes to this process. Otherwise a question without an answer may have been
 *   answered at another server, and isn't counted.
 * @returns the memory of a principal's client. The client's description of itself may be anything.
 */
export function createStatelessMemories(
  clock: Clock,
  isAlone: boolean,
): (principal: string, client: unknown) => ClientMemories {
  const steady = monotonicClock(clock);
  const memories = new Map<string, ClientMemories>();
  return (principal, client) => {
    const key = JSON.stringify([principal, (JSON.stringify(client) ?? '').slice(0, 500)]);
    const memory =
      memories.get(key) ??
      memoriesOf(steady, failureLifetime, isAlone ? mostUnanswered.form : Number.POSITIVE_INFINITY);
    memories.delete(key);
    memories.set(key, memory);
    dropOldest(memories, mostRemembered.clients);
    return memory;
  };
}
