import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../client/errors.ts';
import type { AnyOperation, InputOf } from '../../contract/operation.ts';
import { ask, type Call } from './call.ts';
import { fail } from '../failure/failure.ts';
import { guardRead } from '../guard/guard.ts';
import { hidesAny } from '../redaction/index.ts';
import { answerSchema } from '../tool/schema.ts';
import type { AnswerOf, Sight } from '../tool/sight.ts';
import type { JsonRecord } from '../json/values.ts';
import { CallFailure } from '../failure/failure.ts';
import type { Read } from '../context/reads.ts';

/** The same read, asked only once for the same thing. */
export function once(read: Read): Read {
  const answers = new Map<string, Promise<unknown>>();
  return (operation, input) => {
    const asked = JSON.stringify([operation.name, input]);
    const answer = answers.get(asked) ?? read(operation, input);
    answers.set(asked, answer);
    return answer;
  };
}

/** What of an operation's answer may be shown. */
export const protect = ({ redactor }: Pick<Call, 'redactor'>, operation: AnyOperation, answer: unknown): unknown => redactor.value(answer, answerSchema(operation));

/** Why a read came to nothing that a tool can do without; undefined where it can't. */
function whyMissing(error: unknown): string | undefined {
  if (error instanceof CallFailure && error.failure.kind === 'denied') return `${error.failure.denial.rule} (${error.failure.denial.setBy})`;
  if (!(error instanceof ApiError)) return undefined;
  if (error.kind === 'not_offered') return 'this platform does not offer it';
  return error.kind === 'forbidden' ? 'the token may not read it' : undefined;
}

/** Sight of a call, and what could not be seen. */
export interface Looking {
  readonly sight: Sight;
  /** What could not be read and why, one line each. */
  readonly missing: () => readonly string[];
}

/**
 * What the code of a tool sees of the platform.
 * @param shown whether it sees what may be shown. Otherwise it sees everything, to act upon, and nothing of it may be told.
 * @param done names of the operations that were carried out.
 * @param anew whether what was read before is old, because something was changed since.
 */
export function lookAround(call: Call, { shown, anew = false, done = [] }: { shown: boolean; anew?: boolean; done?: readonly string[] }): Looking {
  const { context, addresses, redactor } = call;
  const { clock, deadline, signal } = context;
  const missing = new Map<string, string>();
  const fresh = (): Read => once((operation, input) => ask(operation, input, call));
  let look = anew ? fresh() : call.look;

  async function read<Op extends AnyOperation>(operation: Op, input: InputOf<Op>): Promise<AnswerOf<Op>> {
    const given = input as JsonRecord;
    await guardRead(call, operation, given);
    const answer = await look(operation, given);
    return (shown ? protect(call, operation, answer) : answer) as AnswerOf<Op>;
  }

  async function attempt<Op extends AnyOperation>(operation: Op, input: InputOf<Op>): Promise<AnswerOf<Op> | undefined> {
    try {
      return await read(operation, input);
    } catch (error) {
      const why = whyMissing(error);
      // What a change is made of is not done without: who is denied a read is told so.
      if (why === undefined || (!shown && error instanceof CallFailure)) throw error;
      missing.set(operation.name, why);
      return undefined;
    }
  }

  const timeLeft = (): number => deadline - clock.now();
  return {
    sight: {
      addresses,
      done,
      read,
      attempt,
      forget: () => {
        look = fresh();
      },
      now: () => clock.now(),
      timeLeft,
      // Giving up isn't an error: whoever waits looks at the time that is left.
      pause: (milliseconds) => sleep(Math.max(0, Math.min(milliseconds, timeLeft())), undefined, { signal }).catch(() => undefined),
      isAborted: () => signal.aborted,
      hiddenIn: (record, schema) => Object.entries(redactor.value(record, schema) as JsonRecord).flatMap(([name, member]) => (hidesAny(member) ? [name] : [])),
      progress: (message) => context.progress?.(redactor.text(message)),
      budget: context.budget,
      lacks: context.lacks,
      refuse: (what, next, seen) => fail({ kind: 'not_possible', what, next, seen }),
    },
    missing: () => [...missing].map(([operation, why]) => `Not read: ${operation}, because ${why}.`),
  };
}
