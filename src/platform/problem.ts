import type { ErrorStatus } from '../contract/errors.ts';

/** A refusal of a request: the status to answer with, and a message for whoever sent it. Thrown anywhere, answered in http.ts. */
export class ApiProblem extends Error {
  readonly status: ErrorStatus;

  constructor(status: ErrorStatus, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
  }
}

/** 400 for one member of the request: `name: is required`. */
export const invalid = (field: string, message: string): ApiProblem => new ApiProblem(400, `${field}: ${message}`);

/** 400 where the request is well formed but can't be carried out now. */
export const refused = (message: string): ApiProblem => new ApiProblem(400, message);

/** 404 naming the kind and the id that was asked for. */
export const notFound = (kind: string, id: string): ApiProblem => new ApiProblem(404, `No ${kind.replaceAll('_', ' ')} has the id ${id}.`);

/** 429: every call of the window is used. `resetAt` is Unix time in seconds. */
export const rateLimitExceeded = (limit: number, resetAt: number): ApiProblem =>
  new ApiProblem(429, `All ${limit} calls of this window are used. Call again at ${new Date(resetAt * 1000).toISOString()}.`);

/** 500: the fault is the platform's own, and the caller learns nothing of it. */
export const internalError = (): ApiProblem => new ApiProblem(500, 'The platform failed to answer. Its log says why.');
