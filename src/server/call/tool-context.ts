import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyOperation } from '../../contract/index.ts';
import { reasonUnreadable, reasonUnusable, wholeRows, type Reader } from '../context/index.ts';
import { fail, isDenied, type CallFailure } from '../failure/index.ts';
import { assertReadAllowed, withoutHiddenRows } from '../guard/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { hidesAny } from '../redaction/index.ts';
import { answerSchema, type PlannedOperation, type ToolContext } from '../tool/index.ts';
import type { AssessedCall, Call } from './call.ts';

const reasonDenied = (error: unknown): string | undefined =>
  isDenied(error) ? `${error.failure.denial.rule} (${error.failure.denial.setBy})` : undefined;

/** A line about a read that left something out. */
const unreadLine = (operation: string, reason: string): string => `Not read: ${operation}, because ${reason}.`;

/** Leaves out of answers what the caller may not see, and collects notes about it. */
const narrowing =
  (call: Call, notes: Set<string>): ToolCall['visible'] =>
  async <Answer>(operation: AnyOperation, input: JsonRecord, answer: Answer): Promise<Answer> => {
    const { answer: narrowed, note } = await withoutHiddenRows(call, operation, input, answer);
    if (note !== undefined) notes.add(note);
    return narrowed as Answer;
  };

/** Waits in real time. */
const wait = (milliseconds: number, signal: AbortSignal): Promise<void> => sleep(milliseconds, undefined, { signal });

/** The context of a tool's code, and what it could not read. */
interface ToolCall {
  readonly toolContext: ToolContext;
  /**
   * An answer without the rows that the policy or the scope hides from the caller.
   * @param input that the operation was given
   */
  readonly visible: <Answer>(operation: AnyOperation, input: JsonRecord, answer: Answer) => Promise<Answer>;
  /** The reads that failed and why, one line each. */
  readonly unread: () => readonly string[];
}

interface ToolCallOptions {
  readonly shown: boolean;
  readonly hasChanged?: boolean;
  readonly carriedOut?: readonly PlannedOperation[];
  readonly replacements?: ToolContext['replacements'];
}

/**
 * The context of a tool's code during a call. It reads only what the policy allows.
 * @param shown whether it sees only what may be shown. Otherwise it sees everything, to act on it, and may report none
 *   of it.
 * @param carriedOut the operations that were sent. After a change, earlier reads are dropped.
 */
export function toolContextOf(
  call: Call,
  { shown, hasChanged = false, carriedOut = [], replacements = () => [] }: ToolCallOptions,
): ToolCall {
  const { context, resolved, redactor } = call;
  const { clock, deadline, signal } = context;
  const pause = clock.pause ?? wait;
  const missing = new Map<string, string>();
  const notes = new Set<string>();
  const denials = new Map<string, CallFailure>();
  const timeLeft = (): number => deadline - clock.now();
  const visible = narrowing(call, notes);
  const rules: Parameters<typeof call.reader.under>[0] = {
    assertAllowed: (operation, input) =>
      assertReadAllowed(call, operation, input).catch((error: unknown) => {
        if (isDenied(error)) denials.set(operation.name, error);
        throw error;
      }),
    narrow: visible,
    view: async (operation, answer) => (shown ? redactor.valueInPieces(answer, answerSchema(operation)) : answer),
    // A change can't be planned without what the policy hides: the caller then sees the denial.
    reasonUnread: (error) =>
      reasonUnreadable(error) ?? (shown ? (reasonDenied(error) ?? reasonUnusable(error)) : undefined),
    onUnread: ({ name }, reason) => missing.set(name, reason),
    // A change to send is never based on an incomplete answer.
    onResponseIssue: shown ? call.onResponseIssue : undefined,
  };
  const { read, attempt, whole, answered, forget } = call.reader.under(rules);
  const { attempt: before } = call.reader.under(rules);
  if (hasChanged) forget();
  return {
    toolContext: {
      resolved,
      notFound: call.notFound,
      done: carriedOut.map(({ operation }) => operation.name),
      sent: carriedOut.map(({ input }) => input),
      read,
      attempt,
      whole,
      answered,
      forget,
      before,
      now: () => clock.now(),
      timeLeft,
      sinceChange: () => clock.now() - (call.deps.recentChanges.last(context.principal) ?? Number.NEGATIVE_INFINITY),
      // An interrupted pause isn't an error: the waiting code checks the time that is left.
      pause: (milliseconds) => pause(Math.max(0, Math.min(milliseconds, timeLeft())), signal).catch(() => undefined),
      isAborted: () => signal.aborted,
      isDenied,
      hiddenIn: (record, schema) =>
        Object.entries(redactor.value(record, schema) as JsonRecord).flatMap(([name, member]) =>
          hidesAny(member) ? [name] : [],
        ),
      replacements,
      progress: (message) => context.progress?.(redactor.text(message)),
      budget: context.budget,
      lacks: context.lacks,
      leftOut: (line) => void notes.add(line),
      refuse: (what, next, seen) => fail({ kind: 'not_possible', what, next, seen }),
      refuseWithout: (operations, what, next) => {
        const denial = operations.map(({ name }) => denials.get(name)).find((one) => one !== undefined);
        if (denial) throw denial;
        return fail({ kind: 'not_possible', what, next });
      },
      notAsAsked: (what, next, seen) => fail({ kind: 'not_as_asked', what, next, seen }),
    },
    visible,
    unread: () =>
      [...missing]
        .map(([operation, reason]) => unreadLine(operation, reason))
        .concat([...notes, ...call.responseIssues]),
  };
}

/**
 * The reader for the lines of a plan that describe the present state. What a call acts upon is read whatever the policy
 * says of reading. Rows of other places, and reads that span places, are left out where the caller may not see them.
 * @returns the reader, and notes on what was left out so far
 */
export function previewReader(call: AssessedCall): { readonly reader: Reader; readonly leftOut: ReadonlySet<string> } {
  const leftOut = new Set<string>();
  const reader = call.reader.under({
    assertAllowed: async (operation, input) => {
      if (!operation.showsEnvironments) return;
      await assertReadAllowed(call, operation, input).catch((error: unknown) => {
        const reason = reasonDenied(error);
        if (reason !== undefined) leftOut.add(unreadLine(operation.name, reason));
        throw error;
      });
    },
    narrow: narrowing(call, leftOut),
    reasonUnread: (error) => wholeRows.reasonUnread?.(error) ?? reasonDenied(error),
  });
  return { reader, leftOut };
}
