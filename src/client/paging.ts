import { defaultPageSizes, isRecord, maximumPageSize, type AnyOperation } from '../contract/index.ts';
import { ApiError } from './errors.ts';
import { missingOperationTtl } from './limits.ts';
import type { OperationInput } from './request.ts';

type Answer = Readonly<Record<string, unknown>> & { readonly results: readonly unknown[] };

/** Sends the same read with another input. */
type Reread = (input: OperationInput) => Promise<unknown>;

const isList = (answer: unknown): answer is Answer => isRecord(answer) && Array.isArray(answer['results']);

const numberIn = (record: OperationInput, name: string): number | undefined =>
  typeof record[name] === 'number' ? record[name] : undefined;

const pageOf = (rows: readonly unknown[], page: number, size: number): readonly unknown[] =>
  rows.slice((page - 1) * size, page * size);

const without = (input: OperationInput, ...names: readonly string[]): OperationInput =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));

/** The requested newest lines, from a platform that always returns all. */
function newestLines(answer: Answer, tail: number): Answer {
  return answer.results.length > tail ? { ...answer, results: answer.results.slice(-tail) } : answer;
}

/** A page of a list that the platform returned as a whole. */
const cutPage = (answer: Answer, page: number, size: number): Answer => ({
  ...answer,
  results: pageOf(answer.results, page, size),
  pagination: {
    page,
    page_size: size,
    total_count: answer.results.length,
    total_pages: Math.ceil(answer.results.length / size),
  },
});

/**
 * The requested page. A platform that ignores pages returns the whole list, without `pagination`. If the response alone
 * doesn't show that, it is compared with the list requested without a page.
 */
async function pageOfList(answer: Answer, input: OperationInput, reread: Reread): Promise<Answer> {
  const [page = 1, size = maximumPageSize] = [numberIn(input, 'page'), numberIn(input, 'page_size')];
  if (isRecord(answer['pagination'])) return answer;
  if (answer.results.length > size) return cutPage(answer, page, size);
  if (page === 1 || answer.results.length === 0) return answer;
  const whole = await reread(without(input, 'page', 'page_size'));
  return JSON.stringify(whole) === JSON.stringify(answer) ? cutPage(answer, page, size) : answer;
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.kind === 'invalid_input';

/**
 * The requested page of a history. Platforms without such pages return the newest deployments, as many as `pageSize`
 * says: for a later page more are requested. `without_pages` marks this in the answer.
 */
async function pageOfHistory(answer: Answer, input: OperationInput, reread: Reread): Promise<Answer> {
  const [page = 1, size = defaultPageSizes.rows] = [numberIn(input, 'page'), numberIn(input, 'page_size')];
  if (answer['page'] === page) return answer;
  const answered = (rows: readonly unknown[]): Answer => ({
    ...answer,
    results: pageOf(rows, page, size),
    page: undefined,
    page_size: size,
    without_pages: true,
  });
  if (page === 1 || answer.results.length > size) return answered(answer.results);
  const longer = await reread({ ...without(input, 'page'), page_size: page * size }).catch((error: unknown) =>
    isRefusal(error) ? undefined : Promise.reject(error as Error),
  );
  return answered(isList(longer) ? longer.results : answer.results);
}

const isHistory = ({ query }: AnyOperation): boolean => Object.hasOwn(query as object, 'pageSize');

/** The kinds of parts that a read may ask for. A platform that refuses one for a read refuses it for the others. */
type Part = 'tail' | 'page' | 'page of a history';

const partOf = (operation: AnyOperation): Part =>
  isHistory(operation) ? 'page of a history' : Object.hasOwn(operation.query as object, 'tail') ? 'tail' : 'page';

/** The input of the first request: histories start with page 1 anyway, and not every platform has pages for them. */
const firstInput = (operation: AnyOperation, input: OperationInput): OperationInput =>
  isHistory(operation) && input['page'] === 1 ? without(input, 'page') : input;

/**
 * The same read for a platform that refuses requests for a part: more of a history, all of a list or log; undefined if
 * no part was requested.
 */
function wholeInput(operation: AnyOperation, input: OperationInput): OperationInput | undefined {
  const parts = ['page', 'page_size', 'tail'].filter((name) => input[name] !== undefined);
  if (operation.method !== 'GET' || parts.length === 0) return undefined;
  if (!isHistory(operation)) return without(input, ...parts);
  const [page = 1, size = defaultPageSizes.rows] = [numberIn(input, 'page'), numberIn(input, 'page_size')];
  return page === 1 ? undefined : { ...without(input, 'page'), page_size: page * size };
}

/** What is known of the parts that a platform answers. */
export interface KnownParts {
  /** The kinds that it refused, with the time in milliseconds until which that is remembered. */
  readonly refused: Map<Part, number>;
  /** The names of the lists that have pages nevertheless. */
  readonly paged: Set<string>;
}

/** Nothing is known yet. */
export const createKnownParts = (): KnownParts => ({ refused: new Map(), paged: new Set() });

/** Whether an answer shows pages after all: then the refusal was about the page, not about pages. */
const showsPages = (answer: unknown): boolean => isRecord(answer) && isRecord(answer['pagination']);

/**
 * Sends a read and, if the platform refuses the request for a part, requests the whole; immediately if it refused
 * such a part before, for this read or another.
 * @throws ApiError
 */
async function sendOrAskForAll(
  operation: AnyOperation,
  input: OperationInput,
  send: Reread,
  { refused, paged }: KnownParts,
  now: number,
): Promise<unknown> {
  const first = firstInput(operation, input);
  const whole = wholeInput(operation, first);
  if (!whole) return send(first);
  const part = partOf(operation);
  const isKnown = (refused.get(part) ?? 0) > now && !paged.has(operation.name);
  const inTurn = isKnown ? [whole, first] : [first, whole];
  try {
    const answer = await send(inTurn[0]!);
    if (!isKnown || !showsPages(answer)) return answer;
    // Other lists have no pages here, and this one has.
    paged.add(operation.name);
    return await send(first);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const answer = await send(inTurn[1]!);
    if (inTurn[1] === whole && !showsPages(answer)) refused.set(part, now + missingOperationTtl);
    return answer;
  }
}

/**
 * The requested part of an answer, whether or not the platform supports `tail` and pages.
 * @param reread for the few answers that don't show by themselves whether it does.
 * @throws ApiError if another read was necessary and failed.
 */
async function cutToQuery(
  operation: AnyOperation,
  input: OperationInput,
  answer: unknown,
  reread: Reread,
): Promise<unknown> {
  if (operation.method !== 'GET' || !isList(answer)) return answer;
  const names = Object.keys(operation.query as object);
  const tail = numberIn(input, 'tail');
  if (names.includes('tail')) return tail === undefined ? answer : newestLines(answer, tail);
  if (isHistory(operation)) return pageOfHistory(answer, input, reread);
  const asksForPage = names.includes('page') && (input['page'] !== undefined || input['page_size'] !== undefined);
  return asksForPage ? pageOfList(answer, input, reread) : answer;
}

/** The function that sends reads, and the known refusals of the platform. */
interface PartialReads {
  readonly send: Reread;
  readonly parts: KnownParts;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Calls an operation and returns the part that its input requests, whether or not the platform supports such parts.
 * @throws ApiError
 */
export const callForPart = async (
  operation: AnyOperation,
  input: OperationInput,
  { send, parts, now }: PartialReads,
): Promise<unknown> => cutToQuery(operation, input, await sendOrAskForAll(operation, input, send, parts, now), send);
