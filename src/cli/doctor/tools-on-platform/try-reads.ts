import { ApiError, type ApiErrorKind, type Client } from '../../../client/index.ts';
import {
  operations,
  parameterKind,
  snakeCase,
  type AnyOperation,
  type JsonRecord,
  hasVariablePaths,
  isRecord,
  recordsIn,
  scopeOfOwner,
  serviceKinds,
  variableOwnerKinds,
  type ReferenceKind,
} from '../../../contract/index.ts';
import { answerTimeout } from '../current-client.ts';
import { responseKinds } from '../../../server/resolve/index.ts';

/** Ids of a platform's resources, from its lists. */
export interface KnownIds {
  /** Records the ids in an answer. */
  learn(operation: AnyOperation, answer: unknown): void;
  of(kind: ReferenceKind): readonly string[];
  /** The members that an operation needs, with the first id of each kind; undefined if one is unknown. */
  inputFor(operation: AnyOperation): JsonRecord | undefined;
  /** The first kind of which an operation needs an unknown id. */
  lackingFor(operation: AnyOperation): ReferenceKind | undefined;
  /** The number of ids, by kind. */
  counts(): Readonly<Record<string, number>>;
}

const rowsIn = (answer: JsonRecord): readonly JsonRecord[] => recordsIn(answer['results']);

const kindOfRow = (kinds: readonly ReferenceKind[], row: JsonRecord): ReferenceKind | undefined =>
  kinds.length === 1 ? kinds[0] : serviceKinds.find((kind) => kind === String(row['service_type']).toLowerCase());

const paramsOf = ({ params }: AnyOperation): readonly string[] => params;

const paramKinds = (operation: AnyOperation): readonly ReferenceKind[] => paramsOf(operation).map(parameterKind);

/** Kinds of owners of variables. Those without their own path for variables come first. */
const owners = variableOwnerKinds.toSorted(
  (one, other) => Number(hasVariablePaths(one)) - Number(hasVariablePaths(other)),
);

/** Creates an empty collection of ids. */
export function createKnownIds(): KnownIds {
  const ids = new Map<ReferenceKind, Set<string>>();
  const keep = (kind: ReferenceKind | undefined, id: unknown): void => {
    if (kind !== undefined && typeof id === 'string' && id !== '') ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  };
  const of = (kind: ReferenceKind): readonly string[] => [...(ids.get(kind) ?? [])];
  const ownerIn = ({ targetBy }: AnyOperation): JsonRecord | undefined => {
    const kind = targetBy && owners.find((one) => ids.has(one));
    return kind && { [targetBy.scope]: scopeOfOwner(kind), [targetBy.id]: of(kind)[0] };
  };
  const lackingFor = (operation: AnyOperation): ReferenceKind | undefined =>
    paramKinds(operation).find((kind) => !ids.has(kind)) ??
    (operation.targetBy && !ownerIn(operation) ? owners[0] : undefined);
  return {
    of,
    lackingFor,
    learn: (operation, answer) => {
      if (!isRecord(answer)) return;
      const { kinds, list } = responseKinds(operation);
      if (list) for (const row of rowsIn(answer)) keep(kindOfRow(kinds, row), row['id']);
      if (operation === operations.get_organization) keep('organization', answer['id']);
    },
    inputFor: (operation) =>
      lackingFor(operation) === undefined
        ? {
            ...Object.fromEntries(paramsOf(operation).map((param) => [snakeCase(param), of(parameterKind(param))[0]])),
            ...ownerIn(operation),
          }
        : undefined,
    counts: () => Object.fromEntries([...ids].map(([kind, found]) => [kind, found.size])),
  };
}

const plainPath = /^[\w.[\]]+$/;

const texts: Partial<Record<ApiErrorKind, (error: ApiError) => string>> = {
  not_offered: () => 'the platform has no such route',
  not_found: () => 'the platform finds nothing there',
  forbidden: () => 'the token may not read it',
  unclear_organization: () => 'the token has several organizations, and none of them is chosen with INFRA_ORGANIZATION',
  unauthorized: () => 'the token is refused',
  rate_limited: () => 'no requests are left',
  server_error: () => 'the platform failed',
  timeout: () => 'no answer in time',
  unreachable: () => 'no connection',
  bad_answer: ({ field }) =>
    field !== undefined && plainPath.test(field)
      ? `the answer is not as the interface has it, at ${field}`
      : 'the answer is not as the interface has it',
};

/** Describes a failed read without names or ids of resources, and without text from the platform. */
function readFailureText(error: ApiError): string {
  const text = texts[error.kind]?.(error) ?? 'the platform refuses it';
  return error.status === undefined || error.status < 300 ? text : `${text} (HTTP ${error.status})`;
}

/** The result of a read: answered, possibly in part for a reason; failed for a reason; or not tried for a reason. */
export type ReadResult =
  | { readonly state: 'answered'; readonly why?: string }
  | { readonly state: 'failed'; readonly why: string; readonly kind: ApiErrorKind }
  | { readonly state: 'not_tried'; readonly why: string };

/** The results of trying every read. */
export interface TriedReads {
  readonly results: ReadonlyMap<AnyOperation, ReadResult>;
  /** The number of requests sent. */
  readonly requests: number;
  /** The number of resources seen, by kind. */
  readonly seen: Readonly<Record<string, number>>;
  /** Why it ended early; undefined if it was completed. */
  readonly ended?: string;
  /** The failure that ended it before anything was read. It may name the platform. */
  readonly failure?: ApiError;
}

/** The maximum number of requests of one examination, whatever the size of the platform. */
export const maximumRequests = 100;

/** Failures after which further requests would fail too, or reveal little. Without an organization, most calls fail. */
const endings: readonly ApiErrorKind[] = [
  'unauthorized',
  'unclear_organization',
  'rate_limited',
  'unreachable',
  'canceled',
];

/** Timeouts in succession after which it ends early. */
const maximumTimeouts = 2;

/** The number of first reads of which one has to be answered. Otherwise nothing of the platform can be said. */
const firstReads = 2;

/** Called after each read, with the number of tried reads and of all reads. */
export type OnReadTried = (tried: number, of: number) => void;

/** An examination under way. */
interface Examination {
  readonly client: Client;
  readonly reads: readonly AnyOperation[];
  readonly ids: KnownIds;
  readonly results: Map<AnyOperation, ReadResult>;
  readonly onProgress: OnReadTried;
  requests: number;
  timeouts: number;
  /** The number of answered requests. */
  answers: number;
  ended?: string;
  failure?: ApiError;
  /** The latest failure. */
  latest?: { readonly ended: string; readonly failure: ApiError };
}

const isOver = ({ ended, requests }: Examination): boolean => ended !== undefined || requests >= maximumRequests;

async function send(operation: AnyOperation, input: JsonRecord, examination: Examination): Promise<ReadResult> {
  if (operation.method !== 'GET') throw new Error(`${operation.name} is no read`);
  examination.requests += 1;
  let responseIssue: ApiError | undefined;
  try {
    // As in tools, the readable parts of an answer count.
    const answer = await examination.client.call(operation, input, {
      attempts: 1,
      deadline: Date.now() + answerTimeout,
      onResponseIssue: (found) => (responseIssue = found),
    });
    examination.ids.learn(operation, answer);
    examination.timeouts = 0;
    examination.answers += 1;
    return {
      state: 'answered',
      ...(responseIssue && { why: `${readFailureText(responseIssue)}, so only a part of it is read` }),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = readFailureText(error);
    examination.timeouts = error.kind === 'timeout' ? examination.timeouts + 1 : 0;
    const isSilent = examination.answers === 0 && examination.requests >= firstReads;
    if (endings.includes(error.kind) || examination.timeouts >= maximumTimeouts || isSilent)
      Object.assign(examination, { ended: why, failure: error });
    examination.latest = { ended: why, failure: error };
    return { state: 'failed', why, kind: error.kind };
  }
}

/** The next read that can be tried with the known ids. */
const nextOf = ({ reads, results, ids }: Examination): AnyOperation | undefined =>
  reads.find((operation) => !results.has(operation) && ids.lackingFor(operation) === undefined);

/** Tries all reads that are possible with the known ids, including ids found on the way. */
async function tryPossible(examination: Examination): Promise<void> {
  for (let operation = nextOf(examination); operation && !isOver(examination); operation = nextOf(examination)) {
    // One after the other, because the next request may need ids of this answer, and a small platform must not be
    // flooded.
    examination.results.set(operation, await send(operation, examination.ids.inputFor(operation) ?? {}, examination));
    examination.onProgress(examination.results.size, examination.reads.length);
  }
}

/**
 * Searches further resources for kinds that the first lists didn't contain, while enough requests remain for the reads
 * themselves.
 */
async function searchFurther(list: AnyOperation, param: string, examination: Examination): Promise<void> {
  const { reads, results, ids } = examination;
  if (results.get(list)?.state !== 'answered') return;
  for (const id of ids.of(parameterKind(param)).slice(1)) {
    const untried = reads.filter((operation) => !results.has(operation));
    const isComplete = untried.every((operation) => ids.lackingFor(operation) === undefined);
    if (isComplete || isOver(examination) || examination.requests + untried.length >= maximumRequests) return;
    await send(list, { [snakeCase(param)]: id }, examination);
  }
}

function reasonNotTried(operation: AnyOperation, { ids, ended }: Examination): string {
  const lacking = ids.lackingFor(operation);
  if (ended !== undefined) return `it ended early: ${ended}`;
  return lacking === undefined ? 'no requests were left for it' : `no ${lacking.replaceAll('_', ' ')} was found`;
}

/**
 * Tries each of these reads once, with ids from the lists among them. Sends only GET requests, one after the other, and
 * at most `maximumRequests`.
 */
export async function tryReads(
  client: Client,
  reads: readonly AnyOperation[],
  onProgress: OnReadTried = () => undefined,
): Promise<TriedReads> {
  const examination: Examination = {
    client,
    reads,
    ids: createKnownIds(),
    results: new Map(),
    onProgress,
    requests: 0,
    timeouts: 0,
    answers: 0,
  };
  await tryPossible(examination);
  // Without any id, fewer reads may be possible than have to fail.
  if (examination.answers === 0 && !isOver(examination)) Object.assign(examination, examination.latest);
  await searchFurther(operations.list_environments, 'projectId', examination);
  await tryPossible(examination);
  await searchFurther(operations.list_services, 'environmentId', examination);
  await tryPossible(examination);
  const { results, requests, ids, ended, failure } = examination;
  const isAnything = [...results.values()].some(({ state }) => state === 'answered');
  for (const operation of reads.filter((one) => !results.has(one)))
    results.set(operation, { state: 'not_tried', why: reasonNotTried(operation, examination) });
  return { results, requests, seen: ids.counts(), ended, ...(!isAnything && failure && { failure }) };
}
