import type { AnyOperation, InputOf, ResponseOf } from '../contract/operation.ts';
import type { Tolerant } from '../contract/tolerant.ts';
import type { Budget } from './budget.ts';
import type { Credential } from './credential.ts';

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
  /** Latest end of the call, retries and waits included, in milliseconds since the epoch. */
  readonly deadline?: number;
  /** Sent as X-Request-Id and written to the log. */
  readonly requestId?: string;
  readonly log?: Logger;
}

type ReadName = `get_${string}` | `list_${string}`;

/** What a call gives. Reads always have an answer; a change may be accepted without a body, which is undefined. */
export type Answer<Op extends AnyOperation> =
  | Tolerant<ResponseOf<Op>>
  | (Op['name'] extends ReadName ? never : undefined);

export interface Client {
  /**
   * Carries out one operation of the contract.
   * @throws ApiError and nothing else.
   */
  call<Op extends AnyOperation>(operation: Op, input: InputOf<Op>, options?: CallOptions): Promise<Answer<Op>>;
  /** What is left of a credential's requests; undefined until the platform has said so. Default: the client's own credential. */
  budget(credential?: Credential): Budget | undefined;
  /** Ends every connection; calls still running fail as `canceled`. */
  close(): Promise<void>;
}
