import { credentialOf, type Credential } from '../../client/index.ts';
import { errorResponse, type RequestId } from './error-response.ts';
import type { HttpRequest } from './http-request.ts';

/** The header for a caller's own platform token. */
export const platformTokenHeader = 'X-Infra-Api-Token';

/** The platform credential in a request; undefined if there is none, or the response that rejects an invalid one. */
export function platformTokenIn({ headers }: HttpRequest): Credential | undefined | Response {
  const text = headers.get(platformTokenHeader);
  if (text === null) return undefined;
  try {
    return credentialOf(text);
  } catch (error) {
    return errorResponse({ status: 400, message: `${platformTokenHeader}: ${(error as Error).message}` });
  }
}

/** 401: the platform refused the token that the caller sent. */
export const platformTokenRefused = (id: RequestId): Response =>
  errorResponse({
    status: 401,
    id,
    message: `The platform refused the token in ${platformTokenHeader}: it is unknown, expired or revoked. Send a valid one.`,
    headers: { 'WWW-Authenticate': `${platformTokenHeader} realm="platform", error="invalid_token"` },
  });

/** 401: neither the caller nor this server has a platform token. */
export const platformTokenNeeded = (): Response =>
  errorResponse({
    status: 401,
    message: `This server holds no token for the platform. Send your own in ${platformTokenHeader}.`,
    headers: { 'WWW-Authenticate': `${platformTokenHeader} realm="platform"` },
  });
