import { repeated, type ErrorStatus } from '../../contract/index.ts';

/** The message of an error. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The message of an error, as part of a sentence. */
export const reasonOf = (error: unknown): string => errorMessage(error).replace(/\.$/, '');

/**
 * A refused request: the response status, and a message for the caller. Thrown anywhere; the API's error handler
 * responds.
 */
export class ApiProblem extends Error {
  readonly status: ErrorStatus;

  constructor(status: ErrorStatus, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
  }
}

/** 400 for one member of the request, such as `name: is required`. */
export const invalid = (field: string, message: string): ApiProblem =>
  new ApiProblem(400, `${repeated(field)}: ${message}`);

/** 400 for a request that is well formed but can't be carried out now. */
export const refused = (message: string): ApiProblem => new ApiProblem(400, message);

/** 409 for a name that is already taken. Only operations outside the API document respond with it. */
export const taken = (field: string, message: string): ApiProblem => new ApiProblem(409, `${field}: ${message}`);

/** 404 for an id that doesn't exist. The message names the kind and the id. */
export const notFound = (kind: string, id: string): ApiProblem =>
  new ApiProblem(404, `No ${kind.replaceAll('_', ' ')} has the id ${repeated(id)}.`);

/** 429 for a caller that has used up the rate limit. @param resetAt end of the window, in Unix seconds */
export const rateLimitExceeded = (limit: number, resetAt: number): ApiProblem =>
  new ApiProblem(
    429,
    `All ${limit} calls of this window are used. Call again at ${new Date(resetAt * 1000).toISOString()}.`,
  );

/** 500 for a failure of the platform itself. The message reveals no details. */
export const internalError = (): ApiProblem => new ApiProblem(500, 'The platform failed to answer. Its log says why.');
