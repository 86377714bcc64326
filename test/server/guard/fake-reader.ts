import { ApiError } from '../../../src/client/index.ts';
import type { OperationName } from '../../../src/contract/index.ts';
import { createReader, type Reader } from '../../../src/server/context/index.ts';

/** What a platform answers to reads, by operation; a function is given the input. */
export type Answers = Partial<Record<OperationName, object | ((input: Record<string, unknown>) => object)>>;

/** Reads from prepared answers. What has none isn't offered. */
export const fakeReader = (answers: Answers, onRead?: () => void): Reader =>
  createReader(async ({ name }, input) => {
    onRead?.();
    const answer = answers[name as OperationName];
    if (answer === undefined)
      throw new ApiError(name, { kind: 'not_offered', reason: 'there is no such path', next: '', status: 404 });
    return typeof answer === 'function' ? (answer as (input: object) => object)(input) : answer;
  });
