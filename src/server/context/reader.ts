import { ApiError } from '../../client/index.ts';
import type { AnyOperation, Incomplete, InputOf, ResponseOf } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';

/** The answer of an operation as platforms send it, with members possibly missing. */
export type AnswerOf<Op extends AnyOperation> = Incomplete<ResponseOf<Op>>;

/**
 * Sends a read to the platform.
 * @throws ApiError if the platform fails.
 * @param onResponseIssue accepts an answer of which only parts can be read, and receives the problem.
 */
export type SendRead = (
  operation: AnyOperation,
  input: JsonRecord,
  onResponseIssue?: (responseIssue: ApiError) => void,
) => Promise<unknown>;

/** Reads the platform on behalf of one call. Equal reads are sent once. */
export interface Reader {
  /** @throws ApiError if the platform fails, and the errors of `assertAllowed`. */
  readonly read: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op>>;
  /** An optional read: undefined if `reasonUnread` explains its failure. @throws ApiError for every other failure. */
  readonly attempt: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op> | undefined>;
  /**
   * A read in whose place others tell the same: its answer if the platform gave it, and every part of it could be read;
   * undefined otherwise. It reports nothing: those others do.
   */
  readonly whole: <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => Promise<AnswerOf<Op> | undefined>;
  /** The complete answers that the call already has from an operation, for inputs with these members. Sends nothing. */
  readonly answered: <Op extends AnyOperation>(operation: Op, members?: JsonRecord) => Promise<readonly AnswerOf<Op>[]>;
  /** Drops cached answers: the next read is sent again. */
  readonly forget: () => void;
  /** A reader of the same call with other rules. It shares the cached answers. */
  readonly under: (rules: ReadRules) => Reader;
}

export interface ReadRules {
  /** Throws if a read is not allowed. Default: every read is. */
  readonly assertAllowed?: (operation: AnyOperation, input: JsonRecord) => Promise<void>;
  /** The rows of an answer that the caller may see. Default: all of them. */
  readonly narrow?: (operation: AnyOperation, input: JsonRecord, answer: unknown) => Promise<unknown>;
  /** The visible part of an answer, after `narrow`. Default: all of it. */
  readonly view?: (operation: AnyOperation, answer: unknown) => Promise<unknown>;
  /**
   * Why `attempt` may skip a failed read; undefined if it must throw. Default: the platform does not offer or forbids
   * it.
   */
  readonly reasonUnread?: (error: unknown) => string | undefined;
  /** Reports a read that `attempt` skipped. */
  readonly onUnread?: (operation: AnyOperation, reason: string) => void;
  /**
   * Accepts answers of which only parts can be read, and receives the problems. It may throw. Without it such answers
   * are failures.
   */
  readonly onResponseIssue?: (operation: AnyOperation, responseIssue: ApiError) => void;
}

/** Whether an error is a failure of the platform. */
export const isPlatformFailure = (error: unknown): error is ApiError => error instanceof ApiError;

const isBadAnswer = (error: unknown): error is ApiError => error instanceof ApiError && error.kind === 'bad_answer';

/** Why an answer can't be read; undefined for every other failure. */
export const reasonUnusable = (error: unknown): string | undefined => (isBadAnswer(error) ? error.reason : undefined);

/** Why a read is not possible at all: not offered, or forbidden; undefined for every other failure. */
export function reasonUnreadable(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.kind === 'not_offered') return 'this platform does not offer it';
  return error.kind === 'forbidden' ? 'the token may not read it' : undefined;
}

/**
 * The rules by which the guard reads: what can't be read counts as unknown. A list is unknown as a whole if a row can't
 * be read, since nothing shows which resource that row describes.
 */
export const wholeRows: ReadRules = {
  reasonUnread: (error) => reasonUnreadable(error) ?? reasonUnusable(error),
  onResponseIssue: (_, responseIssue) => {
    if (responseIssue.rowsLost) throw responseIssue;
  },
};

/** An answer, and its problem if only parts of it were read. */
interface CachedAnswer {
  readonly answer: unknown;
  readonly responseIssue?: ApiError;
}

type Answers = Map<string, Promise<CachedAnswer>>;

/** Creates a reader. @param answers cached answers to share. */
export function createReader(send: SendRead, rules: ReadRules = {}, answers: Answers = new Map()): Reader {
  const {
    assertAllowed,
    narrow = (_, __, answer) => Promise.resolve(answer),
    view = (_, answer) => Promise.resolve(answer),
    reasonUnread = reasonUnreadable,
    onUnread,
    onResponseIssue,
  } = rules;
  let cached = answers;

  const request = async (operation: AnyOperation, input: JsonRecord): Promise<CachedAnswer> => {
    let responseIssue: ApiError | undefined;
    const answer = await send(operation, input, onResponseIssue && ((found) => (responseIssue = found)));
    return { answer, responseIssue };
  };

  const sendOnce = (operation: AnyOperation, input: JsonRecord): Promise<CachedAnswer> => {
    const key = JSON.stringify([operation.name, input, onResponseIssue !== undefined]);
    const result = cached.get(key) ?? request(operation, input);
    cached.set(key, result);
    return result;
  };

  /** The answer to the same read under the other rules, if it was complete. */
  const sentOtherwise = async (operation: AnyOperation, input: JsonRecord): Promise<CachedAnswer | undefined> => {
    const other = await cached
      .get(JSON.stringify([operation.name, input, onResponseIssue === undefined]))
      ?.catch((error: unknown) => (isBadAnswer(error) ? undefined : Promise.reject(error)));
    return other && other.responseIssue === undefined ? other : undefined;
  };

  const read: Reader['read'] = async <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => {
    await assertAllowed?.(operation, input);
    const { answer, responseIssue } = (await sentOtherwise(operation, input)) ?? (await sendOnce(operation, input));
    if (responseIssue) onResponseIssue?.(operation, responseIssue);
    return (await view(operation, await narrow(operation, input, answer))) as AnswerOf<Op>;
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
    whole: async <Op extends AnyOperation>(operation: Op, input: InputOf<Op>) => {
      try {
        await assertAllowed?.(operation, input);
        const found = (await sentOtherwise(operation, input)) ?? (await sendOnce(operation, input));
        if (found.responseIssue) return undefined;
        return view(operation, await narrow(operation, input, found.answer)) as AnswerOf<Op>;
      } catch (error) {
        if (error instanceof ApiError || reasonUnread(error) !== undefined) return undefined;
        throw error;
      }
    },
    answered: async <Op extends AnyOperation>(operation: Op, members: JsonRecord = {}) => {
      const inputs = [...cached].flatMap(([key, answer]) => {
        const [name, input] = JSON.parse(key) as [string, JsonRecord];
        return name === operation.name && Object.entries(members).every(([member, value]) => input[member] === value)
          ? [{ input, answer }]
          : [];
      });
      const all = await Promise.all(
        inputs.map(async ({ input, answer }) => {
          const found = await answer.catch(() => undefined);
          if (!found || found.responseIssue) return [];
          await assertAllowed?.(operation, input);
          return [(await view(operation, await narrow(operation, input, found.answer))) as AnswerOf<Op>];
        }),
      );
      return all.flat();
    },
    forget: () => {
      cached = new Map();
    },
    under: (otherRules) => createReader(send, { ...rules, ...otherRules }, cached),
  };
}
