import * as z from 'zod';

/** Status codes from the API document's Errors section, with their status texts. */
export const statusTexts = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
} as const;

/** Status codes of operations outside the API document: a name that is taken, or an operation in progress. */
export const extensionStatusTexts = { 409: 'Conflict' } as const;

/** The status code of any operation while the platform can't access its records. The API document has none for that. */
const unavailableStatusText = { 503: 'Service Unavailable' } as const;

export type ErrorStatus =
  | keyof typeof statusTexts
  | keyof typeof extensionStatusTexts
  | keyof typeof unavailableStatusText;

/** Body of every error response. `detail` repeats `message`, because some clients read that member. */
export const ErrorBody = z.object({ status: z.int(), error: z.string(), message: z.string(), detail: z.string() });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Creates the body of an error response. */
export const errorBody = (status: ErrorStatus, message: string): ErrorBody => ({
  status,
  error: { ...statusTexts, ...extensionStatusTexts, ...unavailableStatusText }[status],
  message,
  detail: message,
});
