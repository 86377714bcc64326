/** Codes of the JSON-RPC errors that the host answers itself. */
export const rpcErrorCodes = { parse: -32700, invalidRequest: -32600, refused: -32000, unknownSession: -32001 } as const;

/** Id of a JSON-RPC request, where the one that is answered is known. */
export type RequestId = string | number | undefined;

/** What the host has to say against a request. */
export interface ErrorResponseOptions {
  readonly status: number;
  /** What happened and what to do, for whoever reads the client's log. */
  readonly message: string;
  readonly code?: number;
  readonly id?: RequestId;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a refusal: a JSON-RPC error like those of the MCP library. */
export const rpcError = ({ message, code = rpcErrorCodes.refused, id }: Pick<ErrorResponseOptions, 'message' | 'code' | 'id'>): object => ({
  jsonrpc: '2.0',
  error: { code, message },
  id: id ?? null,
});

/** An answer that says why a request isn't served. */
export const errorResponse = (refusal: ErrorResponseOptions): Response => Response.json(rpcError(refusal), { status: refusal.status, headers: refusal.headers });

/** 503: come back in so many seconds. */
export const retryLater = (seconds: number, message: string, id?: RequestId): Response =>
  errorResponse({ status: 503, message, id, headers: { 'Retry-After': String(seconds) } });

/** 503: the host is about to end. */
export const shuttingDown = (): Response => retryLater(5, 'This server is stopping and takes no new calls. Connect again in a moment.');

/** What a call is told that was still running when the host had to end. */
export const interruptedMessage = 'This server stopped before the call ended. What it asked for may or may not happen: look at the present state before you call again.';
