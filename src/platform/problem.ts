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
