import { ApiError, type ApiErrorKind, type Client } from '../../../client/index.ts';
import { isRecord, operations, parameterKind, serviceKinds, snakeCase, type AnyOperation, type JsonRecord, type ReferenceKind } from '../../../contract/index.ts';
import { responseKinds } from '../../../server/resolve/index.ts';
import { answerTimeout } from '../current-client.ts';

/** How a read went: answered, failed for a reason, or not tried for one. */
export type ReadResult = { readonly state: 'answered' } | { readonly state: 'failed' | 'not_tried'; readonly why: string };

/** What trying every read showed. */
export interface TriedReads {
  readonly results: ReadonlyMap<AnyOperation, ReadResult>;
  /** How many requests were sent. */
  readonly requests: number;
  /** How many resources were seen, by kind. */
  readonly seen: Readonly<Record<string, number>>;
  /** Why nothing more was tried; undefined if it came to its end. */
  readonly ended?: string;
}

/** The most requests of one examination, however much there is on the platform. */
export const maximumRequests = 60;

/** Failures after which every further request would fail as well. */
const endings: readonly ApiErrorKind[] = ['unauthorized', 'rate_limited', 'unreachable', 'canceled'];

const plainPath = /^[\w.[\]]+$/;

/** Failures in words that name neither resources nor their ids, and repeat nothing of the platform's. */
const failureTexts: Partial<Record<ApiErrorKind, (error: ApiError) => string>> = {
  not_offered: () => 'the platform has no such route',
  not_found: () => 'the platform finds nothing there',
  forbidden: () => 'the token may not read it',
  unauthorized: () => 'the token is refused',
  rate_limited: () => 'no requests are left',
  server_error: () => 'the platform failed',
  timeout: () => 'no answer in time',
  unreachable: () => 'no connection',
  bad_answer: ({ field }) => (field !== undefined && plainPath.test(field) ? `the answer is not as the interface has it: ${field}` : 'the answer is not as the interface has it'),
};

const failureText = (error: ApiError): string => {
  const text = failureTexts[error.kind]?.(error) ?? 'the platform refuses it';
  return error.status === undefined ? text : `${text} (HTTP ${error.status})`;
};

const rowsIn = (answer: unknown): readonly JsonRecord[] => (isRecord(answer) && Array.isArray(answer['results']) ? answer['results'].filter(isRecord) : []);

const kindOfRow = (kinds: readonly ReferenceKind[], row: JsonRecord): ReferenceKind | undefined =>
  kinds.length === 1 ? kinds[0] : serviceKinds.find((kind) => kind === String(row['service_type']).toLowerCase());

/** The few lines or rows that are enough to see whether they can be read. */
const smallQuery = ({ query }: AnyOperation): JsonRecord => ({ ...('tail' in query && { tail: 5 }), ...('pageSize' in query && { page_size: 5 }) });

/**
 * Tries each of these reads once, with ids from the lists among them. Sends nothing but GET requests, one after the
 * other, and at most `maximumRequests`.
 */
export async function tryReads(client: Client, reads: readonly AnyOperation[]): Promise<TriedReads> {
  const results = new Map<AnyOperation, ReadResult>();
  const ids = new Map<ReferenceKind, Set<string>>();
  const failures = { inSuccession: 0 };
  let requests = 0;
  let ended: string | undefined;

  const firstId = (param: string): string | undefined => [...(ids.get(parameterKind(param)) ?? [])][0];
  const note = (kind: ReferenceKind | undefined, id: unknown): void => {
    if (kind !== undefined && typeof id === 'string') ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  };
  const learn = (operation: AnyOperation, answer: unknown): void => {
    const { kinds, list } = responseKinds(operation);
    if (list) for (const row of rowsIn(answer)) note(kindOfRow(kinds, row), row['id']);
    if (operation === operations.get_organization && isRecord(answer)) note('organization', answer['id']);
  };

  const send = async (operation: AnyOperation, input: JsonRecord): Promise<ReadResult> => {
    if (operation.method !== 'GET') throw new Error(`${operation.name} is no read`);
    requests += 1;
    try {
      learn(operation, await client.call(operation, input as never, { attempts: 1, deadline: Date.now() + answerTimeout }));
      failures.inSuccession = 0;
      return { state: 'answered' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const why = failureText(error);
      failures.inSuccession = error.kind === 'timeout' ? failures.inSuccession + 1 : 0;
      if (endings.includes(error.kind) || failures.inSuccession > 1) ended = why;
      return { state: 'failed', why };
    }
  };

  /** Tries what can be tried with the ids that are known, until nothing is left of that. */
  const tryPossible = async (): Promise<void> => {
    const next = (): AnyOperation | undefined => reads.find((operation) => !results.has(operation) && operation.params.every((param: string) => firstId(param) !== undefined));
    for (let operation = next(); operation && ended === undefined && requests < maximumRequests; operation = next()) {
      const input = Object.fromEntries(operation.params.map((param: string) => [snakeCase(param), firstId(param)]));
      // One after the other: ids of one answer are needed by the next request, and a small platform isn't flooded.
      // oxlint-disable-next-line no-await-in-loop
      results.set(operation, await send(operation, { ...input, ...smallQuery(operation) }));
    }
  };

  /** Looks further for resources of which the first lists had none, as long as enough requests remain for the reads themselves. */
  const searchIn = async (list: AnyOperation, param: string): Promise<void> => {
    const remaining = (): number => maximumRequests - requests - reads.filter((operation) => !results.has(operation)).length;
    for (const id of [...(ids.get(parameterKind(param)) ?? [])].slice(1)) {
      const isComplete = reads.every((operation) => results.has(operation) || operation.params.every((one: string) => firstId(one) !== undefined));
      if (isComplete || ended !== undefined || remaining() <= 0 || results.get(list)?.state !== 'answered') return;
      // oxlint-disable-next-line no-await-in-loop
      await send(list, { [snakeCase(param)]: id });
    }
  };

  await tryPossible();
  await searchIn(operations.list_environments, 'projectId');
  await tryPossible();
  await searchIn(operations.list_services, 'environmentId');
  await tryPossible();

  for (const operation of reads.filter((one) => !results.has(one))) {
    const lacking = operation.params.map((param: string) => parameterKind(param)).find((kind: ReferenceKind) => !ids.has(kind));
    const why = ended !== undefined ? `ended early: ${ended}` : lacking === undefined ? 'no requests were left for it' : `no ${lacking.replaceAll('_', ' ')} was found`;
    results.set(operation, { state: 'not_tried', why });
  }
  return { results, requests, seen: Object.fromEntries([...ids].map(([kind, found]) => [kind, found.size])), ended };
}
