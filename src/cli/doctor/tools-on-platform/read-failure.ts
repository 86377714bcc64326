import type { ApiError, ApiErrorKind } from '../../../client/index.ts';

const plainPath = /^[\w.[\]]+$/;

const texts: Partial<Record<ApiErrorKind, (error: ApiError) => string>> = {
  not_offered: () => 'the platform has no such route',
  not_found: () => 'the platform finds nothing there',
  forbidden: () => 'the token may not read it',
  unclear_organization: () => 'the token has several organizations, and none of them is chosen with INFRA_ORGANIZATION',
  unauthorized: () => 'the token is refused',
  rate_limited: () => 'no requests are left',
  server_error: () => 'the platform failed',
  timeout: () => 'no answer in time',
  unreachable: () => 'no connection',
  bad_answer: ({ field }) => (field !== undefined && plainPath.test(field) ? `the answer is not as the interface has it, at ${field}` : 'the answer is not as the interface has it'),
};

/** A failed read in words that name neither resources nor their ids, and repeat nothing that the platform says. */
export function readFailureText(error: ApiError): string {
  const text = texts[error.kind]?.(error) ?? 'the platform refuses it';
  return error.status === undefined || error.status < 300 ? text : `${text} (HTTP ${error.status})`;
}
