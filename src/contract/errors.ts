import * as z from 'zod';

/** Status codes of the document's Errors section, with their status texts. */
export const statusTexts = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
} as const;
export type ErrorStatus = keyof typeof statusTexts;

/** Body of every error answer. `detail` repeats the message for clients of another wording. */
export const ErrorBody = z.object({ status: z.int(), error: z.string(), message: z.string(), detail: z.string() });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The error body for a status and a message. */
export const errorBody = (status: ErrorStatus, message: string): ErrorBody => ({
  status,
  error: statusTexts[status],
  message,
  detail: message,
});
