import { ApiError } from '../../client/errors.ts';
import type { AnyOperation, InputOf, ResponseOf } from '../../contract/operation.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import type { JsonRecord } from '../json/values.ts';

/** The answer of an operation, as platforms send it: they leave members out. */
export type AnswerOf<Op extends AnyOperation> = Tolerant<ResponseOf<Op>>;

/** Sends a read to the platform. @throws ApiError as the platform fails. */
export type SendRead = (operation: AnyOperation, input: JsonRecord) => Promise<unknown>;

/** Reads the platform on behalf of one call. The same read is sent once. */
export interface Reader {
  /** @throws ApiError as the platform fails, and what the reader's own check throws. */
  readonly read: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op>>;
  /** The same for a read that the caller can do without: undefined where it can't be made. @throws ApiError for every other failure. */
  readonly attempt: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op> | undefined>;
  /** Drops what was read: the next read asks the platform again. */
  readonly forget: () => void;
  /** A reader of the same call with other rules. It shares the answers read so far. */
  readonly under: (rules: ReadRules) => Reader;
}

/** What a reader allows and shows. */
export interface ReadRules {
  /** Throws where a read may not be made. Default: every read may. */
  readonly assertAllowed?: (operation: AnyOperation, input: JsonRecord) => Promise<void>;
  /** What is seen of an answer. Default: all of it. */
  readonly view?: (operation: AnyOperation, answer: unknown) => unknown;
  /** Why `attempt` does without a read that failed; undefined where it can't. Default: the platform does not offer or forbids it. */
  readonly reasonUnread?: (error: unknown) => string | undefined;
  /** Reports a read that `attempt` did without. */
  readonly onUnread?: (operation: AnyOperation, reason: string) => void;
}

/** Why the platform can't be asked for something; undefined where the failure means something else. */
export function reasonUnreadable(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.kind === 'not_offered') return 'this platform does not offer it';
  return error.kind === 'forbidden' ? 'the token may not read it' : undefined;
}

type Answers = Map<string, Promise<unknown>>;

/** @param answers read before, which the reader may use. */
export function createReader(send: SendRead, rules: ReadRules = {}, answers: Answers = new Map()): Reader {
  const { assertAllowed, view = (_, answer) => answer, reasonUnread = reasonUnreadable, onUnread } = rules;
  let known = answers;

  const sendOnce: SendRead = (operation, input) => {
    const key = JSON.stringify([operation.name, input]);
    const answer = known.get(key) ?? send(operation, input);
    known.set(key, answer);
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
      known = new Map();
    },
    under: (others) => createReader(send, others, known),
  };
}
