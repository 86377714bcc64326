import { wellFormed } from '../../contract/index.ts';

/** JSON-RPC error codes of responses that the HTTP host creates itself. */
export const rpcErrorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  refused: -32000,
  unknownSession: -32001,
} as const;

/** Id of a JSON-RPC request; undefined if the request is not known. */
export type RequestId = string | number | undefined;

/** An error response. */
export interface ErrorResponseOptions {
  readonly status: number;
  /** Describes the error and what to do, for the reader of the client's log. */
  readonly message: string;
  readonly code?: number;
  readonly id?: RequestId;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of an error response: a JSON-RPC error like those of the MCP library. */
export const rpcError = ({
  message,
  code = rpcErrorCodes.refused,
  id,
}: Pick<ErrorResponseOptions, 'message' | 'code' | 'id'>): object =>
  wellFormed({ jsonrpc: '2.0', error: { code, message }, id: id ?? null });

/** An HTTP response with a JSON-RPC error as its body. */
export const errorResponse = (options: ErrorResponseOptions): Response =>
  Response.json(rpcError(options), { status: options.status, headers: options.headers });

/** 403: the request may not be sent in this way. */
export const refusal = (message: string): Response => errorResponse({ status: 403, message });

/** 503 with Retry-After in seconds. */
export const retryLater = (seconds: number, message: string, id?: RequestId): Response =>
  errorResponse({ status: 503, message, id, headers: { 'Retry-After': String(seconds) } });

/** 503: the host is shutting down. */
export const shuttingDown = (): Response =>
  retryLater(5, 'This server is stopping and takes no new calls. Connect again in a moment.');

/** The error message for a call that was still running when the host closed its connections. */
export const interruptedMessage =
  'This server stopped before the call ended. What it asked for may or may not happen: look at the present state before you call again.';
