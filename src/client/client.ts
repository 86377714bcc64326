import { setTimeout as pause } from 'node:timers/promises';
import {
  createMasker,
  hiddenSecret,
  minimumMaskedLength,
  type AnyOperation,
  type InputOf,
  type ResponseOf,
  type Tolerant,
} from '../contract/index.ts';
import { readAnswer } from './answer.ts';
import { sendWithRetries, type SendResult } from './retry.ts';
import { parseBaseUrl } from './base-url.ts';
import { budgetFromHeaders, createRequestBudgets, type RequestBudget } from './budget.ts';
import type { Credential } from './credential.ts';
import { ApiError, type ApiFailure } from './errors.ts';
import { startLifetime } from './lifetime.ts';
import { defaultMaximumAnswerBytes, defaultTimeouts, type Timeouts } from './limits.ts';
import { createOperationAvailability } from './operation-availability.ts';
import { failureFromResponse } from './error-response.ts';
import { buildRequest, invalidIdFailure, secretsOf, traceHeaders, type OperationInput, type Trace } from './request.ts';
import type { AttemptedRequest, RequestObserver } from './request-observer.ts';
import { safeDetail } from './safe-text.ts';
import { eventWordsFailure } from './reworded-request.ts';
import { createWordings, sendInOtherWords, type FinalResult } from './wordings.ts';
import { createRequestCoalescer } from './request-coalescer.ts';
import { callForPart, createKnownParts } from './paging.ts';
import { createTransport, type SendOutcome, type OutgoingRequest } from './transport.ts';
import { missingProviderFailure } from './missing-provider.ts';

/** Logger of the client; compatible with pino. */
export interface Logger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Options of a single call. */
export interface CallOptions {
  /** Default: the client's credential. */
  readonly credential?: Credential;
  /** Aborts the call and releases its connection. */
  readonly signal?: AbortSignal;
  /**
   * Deadline of the call, including retries and waits, in milliseconds since the epoch. Default: `timeouts.call` from
   * now.
   */
  readonly deadline?: number;
  /** Sent as X-Request-Id and written to the log. */
  readonly requestId?: string;
  /** Trace context to propagate to the platform. */
  readonly trace?: Trace;
  /** Members of the body that the contract doesn't have, sent in addition to the input. */
  readonly carried?: OperationInput;
  /** Maximum number of attempts to send the request. Default: `maximumSendAttempts`. */
  readonly attempts?: number;
  readonly log?: Logger;
  /**
   * Accepts an answer of which only parts can be read, and receives its fault. The parts may lack any member, `id`
   * included. Without this, such an answer is a `bad_answer`.
   */
  readonly onResponseIssue?: (responseIssue: ApiError) => void;
}

type ReadName = `get_${string}` | `list_${string}`;

/** The result of a call. A read always has one; a change may return no body, which is undefined. */
export type Answer<Op extends AnyOperation> =
  | Tolerant<ResponseOf<Op>>
  | (Op['name'] extends ReadName ? never : undefined);

export interface Client {
  /**
   * Calls an operation of the contract. Concurrent identical reads with the same credential share one request.
   * @throws ApiError
   */
  call<Op extends AnyOperation>(operation: Op, input: InputOf<Op>, options?: CallOptions): Promise<Answer<Op>>;
  /** The remaining requests of a credential (default: the client's); undefined until the platform has reported them. */
  budget(credential?: Credential): RequestBudget | undefined;
  /** Whether an earlier call showed that the platform doesn't have the operation. */
  lacks(operation: AnyOperation): boolean;
  /** Closes all connections. Calls in progress fail as `canceled`. */
  close(): Promise<void>;
}

export interface ClientConfig {
  /** For the accepted forms see `parseBaseUrl`. */
  readonly baseUrl: string;
  readonly credential: Credential;
  /** Id or name of the organization to use. Default: the only one that the token has. */
  readonly organization?: string;
  readonly timeouts?: Partial<Timeouts>;
  /** Largest response body accepted, in bytes. */
  readonly maximumAnswerBytes?: number;
  readonly log?: Logger;
  /** Observes every request. Default: none. */
  readonly observer?: RequestObserver;
  /** Current time in milliseconds since the epoch. Default: the system clock. */
  readonly clock?: { now(): number };
  /** Random number from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
  /** Waits for this many milliseconds; rejects when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Longest secret that is searched for in a platform's texts, in characters. Searching for longer ones would take too
 * much memory.
 */
const longestMaskedSecret = 65_536;

/** Masks the secrets of a call, or the whole text if one of them is too long to search for. */
const maskingOf = (secrets: readonly string[]): ((text: string) => string) =>
  secrets.some(({ length }) => length > longestMaskedSecret)
    ? () => hiddenSecret
    : createMasker(secrets.filter(({ length }) => length >= minimumMaskedLength));

/** The log fields of an outcome. */
const describe = ({ response, fault }: SendOutcome, masked: (text: string) => string): object =>
  fault ? { fault: fault.kind, reason: masked(fault.reason) } : { status: response.status };

/**
 * Creates a client of one platform. It connects on the first call.
 * @throws Error if the base URL is invalid; see `parseBaseUrl`.
 */
export function createClient(config: ClientConfig): Client {
  const base = parseBaseUrl(config.baseUrl);
  const {
    observer,
    clock = Date,
    random = Math.random,
    sleep = (milliseconds, signal) => pause(milliseconds, undefined, { signal }),
  } = config;
  const timeouts = { ...defaultTimeouts, ...config.timeouts };
  const transport = createTransport(base, timeouts, config.maximumAnswerBytes ?? defaultMaximumAnswerBytes);
  const budgets = createRequestBudgets();
  const availability = createOperationAvailability(base.origin);
  const reads = createRequestCoalescer<SendOutcome>();
  const parts = createKnownParts();
  const wordings = createWordings();
  const now = () => clock.now();
  observer?.watchBudget(() => budgets.lowest(now()));

  const sendOnce = async (
    outgoing: OutgoingRequest,
    attempted: AttemptedRequest,
    credential: Credential,
    signal: AbortSignal,
  ): Promise<SendOutcome> => {
    const observed = observer?.begin(attempted);
    const outcome = await transport.send(
      observed?.trace ? { ...outgoing, headers: { ...outgoing.headers, ...traceHeaders(observed.trace) } } : outgoing,
      signal,
    );
    observed?.end(outcome.response ? { status: outcome.response.status } : { fault: outcome.fault.kind });
    if (outcome.response) budgets.record(credential.key, budgetFromHeaders(outcome.response.headers, now()));
    return outcome;
  };

  const send = (
    outgoing: OutgoingRequest,
    attempted: AttemptedRequest,
    credential: Credential,
    signal: AbortSignal,
  ): Promise<SendOutcome> =>
    outgoing.method === 'GET'
      ? reads.join(`${credential.key} ${outgoing.target}`, signal, (shared) =>
          sendOnce(outgoing, attempted, credential, shared),
        )
      : sendOnce(outgoing, attempted, credential, signal).finally(() => reads.forgetInFlight());

  /** Converts the outcome of a request into its answer or failure. */
  const settle = (
    operation: AnyOperation,
    input: OperationInput,
    { outcome, outcomeUnknown, ...sent }: FinalResult,
    inParts: boolean,
  ): { answer?: unknown; responseIssue?: ApiFailure; failure?: ApiFailure } => {
    const { response, fault } = outcome;
    if (fault) return { failure: { kind: fault.kind, reason: fault.reason, next: fault.next, outcomeUnknown } };
    if (response.status < 200 || response.status > 299) {
      const refused = { operation, input, response, origin: base.origin, now: now() };
      return {
        failure: availability.recordFailure(refused) ?? {
          ...failureFromResponse(refused),
          ...eventWordsFailure(operation, sent, response),
          ...missingProviderFailure(operation, sent, response),
          outcomeUnknown,
        },
      };
    }
    availability.recordSuccess(operation);
    return readAnswer(operation, response, { inParts, organization: config.organization });
  };

  /** One request with its retries. */
  const callOnce = async (
    operation: AnyOperation,
    input: OperationInput,
    options: CallOptions & { readonly deadline: number },
  ): Promise<unknown> => {
    const {
      credential = config.credential,
      log = config.log,
      signal,
      requestId,
      trace,
      carried,
      attempts,
      deadline,
      onResponseIssue,
    } = options;
    // Created when first needed: most calls have no text to mask.
    let masks: ((text: string) => string) | undefined;
    const masked = (text: string): string =>
      (masks ??= maskingOf([config.credential.value, credential.value, ...secretsOf(operation, input)]))(text);
    const fail = ({ reason, detail = '', ...rest }: ApiFailure): ApiError =>
      new ApiError(operation.name, { ...rest, reason: masked(reason), detail: safeDetail(detail, masked) });

    const knownFailure = invalidIdFailure(operation, input) ?? availability.unavailability(operation, now());
    if (knownFailure) throw fail(knownFailure);

    const began = now();
    const lifetime = startLifetime(deadline - began, signal);
    const built = buildRequest(operation, input, credential, { requestId, trace, carried });
    const outgoing = { ...built, body: wordings.asAccepted(operation, built.body) };
    const logFields = { operation: operation.name, requestId };
    const sendRequest = (request: OutgoingRequest): Promise<SendResult> =>
      sendWithRetries({
        method: operation.method,
        maxAttempts: attempts,
        lifetime,
        deadline,
        now,
        random,
        sleep,
        send: (stop, attempt) => send(request, { operation, attempt, trace }, credential, stop),
        onRetry: (outcome, wait) =>
          log?.warn({ ...logFields, ...describe(outcome, masked), wait }, 'platform call retried'),
      });
    const sendReworded = (first: SendResult): Promise<FinalResult> =>
      sendInOtherWords(operation, { ...first, sentBody: outgoing.body }, wordings, (body, refused) => {
        log?.warn({ ...logFields, ...describe(refused.outcome, masked) }, 'platform call sent again with other words');
        return sendRequest({ ...outgoing, body });
      });
    const result = await sendRequest(outgoing)
      .then(sendReworded)
      .finally(() => lifetime.end());
    log?.debug(
      { ...logFields, ...describe(result.outcome, masked), attempts: result.attempts, duration: now() - began },
      'platform called',
    );

    const { answer, responseIssue, failure } = settle(operation, input, result, onResponseIssue !== undefined);
    if (failure) throw fail(failure);
    if (responseIssue) onResponseIssue?.(fail(responseIssue));
    return answer;
  };

  const call = async (operation: AnyOperation, input: OperationInput, options: CallOptions = {}): Promise<unknown> => {
    const limited = { ...options, deadline: options.deadline ?? now() + timeouts.call };
    return callForPart(operation, input, { send: (sent) => callOnce(operation, sent, limited), parts, now: now() });
  };

  return {
    call: call as Client['call'],
    budget: (credential = config.credential) => budgets.get(credential.key),
    lacks: (operation) => availability.unavailability(operation, now()) !== undefined,
    close: () => transport.close(),
  };
}
