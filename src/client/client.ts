import { setTimeout as pause } from 'node:timers/promises';
import type { AnyOperation, InputOf, ResponseOf } from '../contract/operation.ts';
import type { Tolerant } from '../contract/tolerant.ts';
import { readAnswer } from './answer.ts';
import { sendWithRetries, type SendResult } from './retry.ts';
import { parseBaseUrl } from './base-url.ts';
import { budgetFromHeaders, createRequestBudgets, type RequestBudget } from './budget.ts';
import type { Credential } from './credential.ts';
import { ApiError, type ApiFailure } from './errors.ts';
import { mask, createMasker, minimumMaskedLength } from './secret-masking.ts';
import { startLifetime } from './lifetime.ts';
import { defaultMaximumAnswerBytes, defaultTimeouts, type Timeouts } from './limits.ts';
import { createOperationAvailability } from './operation-availability.ts';
import { failureFromResponse } from './error-response.ts';
import { buildRequest, invalidIdFailure, secretsOf, type OperationInput, type Trace } from './request.ts';
import { safeDetail } from './safe-text.ts';
import { createRequestCoalescer } from './request-coalescer.ts';
import { createTransport, type SendOutcome, type OutgoingRequest } from './transport.ts';

/** Where the client writes what it did; a pino logger fits. */
export interface Logger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What may differ from call to call. */
export interface CallOptions {
  /** Default: the client's own. */
  readonly credential?: Credential;
  /** Ends the call and frees its connection. */
  readonly signal?: AbortSignal;
  /** Latest end of the call, retries and waits included, in milliseconds since the epoch. Default: `timeouts.call` from now. */
  readonly deadline?: number;
  /** Sent as X-Request-Id and written to the log. */
  readonly requestId?: string;
  /** The trace that the call is part of; sent on. */
  readonly trace?: Trace;
  /** Most times the request is sent. Default: as often as it makes sense. */
  readonly attempts?: number;
  readonly log?: Logger;
}

type ReadName = `get_${string}` | `list_${string}`;

/** What a call gives. Reads always have an answer; a change may be accepted without a body, which is undefined. */
export type Answer<Op extends AnyOperation> = Tolerant<ResponseOf<Op>> | (Op['name'] extends ReadName ? never : undefined);

export interface Client {
  /**
   * Carries out one operation of the contract. Identical reads under way at once, with one credential, share a request.
   * @throws ApiError
   */
  call<Op extends AnyOperation>(operation: Op, input: InputOf<Op>, options?: CallOptions): Promise<Answer<Op>>;
  /** What is left of a credential's requests; undefined until the platform has said so. Default: the client's own credential. */
  budget(credential?: Credential): RequestBudget | undefined;
  /** Whether the platform is known not to have an operation: it was tried. */
  lacks(operation: AnyOperation): boolean;
  /** Ends every connection; calls still running fail as `canceled`. */
  close(): Promise<void>;
}

export interface ClientConfig {
  /** See `parseBaseUrl` for what it may be. */
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly timeouts?: Partial<Timeouts>;
  /** Largest answer taken, in bytes. */
  readonly maximumAnswerBytes?: number;
  readonly log?: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: { now(): number };
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** Waits so many milliseconds; rejects when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** Longest secret that is looked for in what a platform says, in characters: what is longer would take too much memory. */
const longestMaskedSecret = 65_536;

/** Hides the secrets of a call; where one is too long to be looked for, everything. */
const maskingOf = (secrets: readonly string[]): ((text: string) => string) =>
  secrets.some(({ length }) => length > longestMaskedSecret) ? () => mask : createMasker(secrets.filter(({ length }) => length >= minimumMaskedLength));

/** An outcome as the log shows it. */
const describe = ({ response: exchange, fault }: SendOutcome, masked: (text: string) => string): object =>
  fault ? { fault: fault.kind, reason: masked(fault.reason) } : { status: exchange.status };

/**
 * A client of one platform; it connects with the first call.
 * @throws Error when the base URL can't be used.
 */
export function createClient(config: ClientConfig): Client {
  const base = parseBaseUrl(config.baseUrl);
  const { clock = Date, random = Math.random, sleep = (milliseconds, signal) => pause(milliseconds, undefined, { signal }) } = config;
  const timeouts = { ...defaultTimeouts, ...config.timeouts };
  const transport = createTransport(base, timeouts, config.maximumAnswerBytes ?? defaultMaximumAnswerBytes);
  const budgets = createRequestBudgets();
  const offered = createOperationAvailability(base.origin);
  const reads = createRequestCoalescer<SendOutcome>();
  const now = () => clock.now();

  const sendOnce = async (outgoing: OutgoingRequest, credential: Credential, signal: AbortSignal): Promise<SendOutcome> => {
    const outcome = await transport.send(outgoing, signal);
    if (outcome.response) budgets.record(credential.key, budgetFromHeaders(outcome.response.headers, now()));
    return outcome;
  };

  const send = (outgoing: OutgoingRequest, credential: Credential, signal: AbortSignal): Promise<SendOutcome> =>
    outgoing.method === 'GET'
      ? reads.join(`${credential.key} ${outgoing.target}`, signal, (shared) => sendOnce(outgoing, credential, shared))
      : sendOnce(outgoing, credential, signal).finally(() => reads.forgetInFlight());

  /** What came of it, as the answer or the failure it stands for. */
  const settle = (operation: AnyOperation, input: OperationInput, { outcome, outcomeUnknown }: SendResult): { answer?: unknown; failure?: ApiFailure } => {
    const { response: exchange, fault } = outcome;
    if (fault) return { failure: { kind: fault.kind, reason: fault.reason, next: fault.next, outcomeUnknown } };
    if (exchange.status < 200 || exchange.status > 299) {
      const refused = { operation, input, response: exchange, origin: base.origin, now: now() };
      return { failure: offered.recordFailure(refused) ?? { ...failureFromResponse(refused), outcomeUnknown } };
    }
    offered.recordSuccess(operation);
    return readAnswer(operation, exchange);
  };

  const call = async (operation: AnyOperation, input: OperationInput, options: CallOptions = {}): Promise<unknown> => {
    const { credential = config.credential, log = config.log, signal, requestId, trace, attempts } = options;
    // Made when something is to be said: most calls say nothing.
    let masks: ((text: string) => string) | undefined;
    const masked = (text: string): string => (masks ??= maskingOf([config.credential.value, credential.value, ...secretsOf(operation, input)]))(text);
    const fail = ({ reason, detail = '', ...rest }: ApiFailure): ApiError =>
      new ApiError(operation.name, { ...rest, reason: masked(reason), detail: safeDetail(detail, masked) });

    const needless = invalidIdFailure(operation, input) ?? offered.unavailability(operation, now());
    if (needless) throw fail(needless);

    const began = now();
    const deadline = options.deadline ?? began + timeouts.call;
    const lifetime = startLifetime(deadline - began, signal);
    const outgoing = buildRequest(operation, input, credential, { requestId, trace });
    const about = { operation: operation.name, requestId };
    const arrival = await sendWithRetries({
      method: operation.method, maxAttempts: attempts, lifetime, deadline, now, random, sleep,
      send: (stop) => send(outgoing, credential, stop),
      onRetry: (outcome, wait) => log?.warn({ ...about, ...describe(outcome, masked), wait }, 'platform call repeated'),
    }).finally(() => lifetime.end());
    log?.debug({ ...about, ...describe(arrival.outcome, masked), attempts: arrival.attempts, duration: now() - began }, 'platform called');

    const { answer, failure } = settle(operation, input, arrival);
    if (failure) throw fail(failure);
    return answer;
  };

  return {
    call: call as Client['call'],
    budget: (credential = config.credential) => budgets.get(credential.key),
    lacks: (operation) => offered.unavailability(operation, now()) !== undefined,
    close: () => transport.close(),
  };
}
