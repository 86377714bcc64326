import { ApiError } from '../../client/index.ts';
import type { AnyOperation, InputOf, ResponseOf, Tolerant } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';

/** The answer of an operation as platforms send it, with members possibly missing. */
export type AnswerOf<Op extends AnyOperation> = Tolerant<ResponseOf<Op>>;

/** Sends a read to the platform. @throws ApiError if the platform fails. */
export type SendRead = (operation: AnyOperation, input: JsonRecord) => Promise<unknown>;

/** Reads the platform on behalf of one call. Equal reads are sent once. */
export interface Reader {
  /** @throws ApiError if the platform fails, and the errors of `assertAllowed`. */
  readonly read: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op>>;
  /** An optional read: undefined if `reasonUnread` explains its failure. @throws ApiError for every other failure. */
  readonly attempt: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op> | undefined>;
  /** Drops cached answers: the next read is sent again. */
  readonly forget: () => void;
  /** A reader of the same call with other rules. It shares the cached answers. */
  readonly under: (rules: ReadRules) => Reader;
}

export interface ReadRules {
  /** Throws if a read is not allowed. Default: every read is. */
  readonly assertAllowed?: (operation: AnyOperation, input: JsonRecord) => Promise<void>;
  /** The visible part of an answer. Default: all of it. */
  readonly view?: (operation: AnyOperation, answer: unknown) => unknown;
  /** Why `attempt` may skip a failed read; undefined if it must throw. Default: the platform does not offer or forbids it. */
  readonly reasonUnread?: (error: unknown) => string | undefined;
  /** Reports a read that `attempt` skipped. */
  readonly onUnread?: (operation: AnyOperation, reason: string) => void;
}

/** Whether an error is a failure of the platform. */
export const isPlatformFailure = (error: unknown): error is ApiError => error instanceof ApiError;

const isBadAnswer = (error: unknown): error is ApiError => error instanceof ApiError && error.kind === 'bad_answer';

/** The reason why an answer can't be read; undefined for every other failure. */
export const reasonUnusable = (error: unknown): string | undefined => (isBadAnswer(error) ? error.reason : undefined);

/** The reason why a read is not possible at all: not offered, or forbidden; undefined for every other failure. */
export function reasonUnreadable(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.kind === 'not_offered') return 'this platform does not offer it';
  return error.kind === 'forbidden' ? 'the token may not read it' : undefined;
}

type Answers = Map<string, Promise<unknown>>;

/** Creates a reader. @param answers cached answers to share. */
export function createReader(send: SendRead, rules: ReadRules = {}, answers: Answers = new Map()): Reader {
  const { assertAllowed, view = (_, answer) => answer, reasonUnread = reasonUnreadable, onUnread } = rules;
  let cached = answers;

  const sendOnce: SendRead = (operation, input) => {
    const key = JSON.stringify([operation.name, input]);
    const answer = cached.get(key) ?? send(operation, input);
    cached.set(key, answer);
    return answer;
  };

  const read: Reader['read'] = async <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => {
    await assertAllowed?.(operation, input);
    return view(operation, await sendOnce(operation, input)) as AnswerOf<Op>;
  };

  return {
    read,
    attempt: async (operation, input) => {
      try {
        return await read(operation, input);
      } catch (error) {
        const reason = reasonUnread(error);
        if (reason === undefined) throw error;
        onUnread?.(operation, reason);
        return undefined;
      }
    },
    forget: () => {
      cached = new Map();
    },
    under: (otherRules) => createReader(send, otherRules, cached),
  };
}
