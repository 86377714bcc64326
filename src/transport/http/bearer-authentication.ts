import { errorResponse } from './error-response.ts';
import type { AuthenticateCaller } from './identity.ts';
import { identityForKey, type ApiKeys } from './api-keys.ts';
import type { OAuth } from './oauth.ts';
import type { HttpRequest } from './http-request.ts';

/** The accepted credentials. */
export interface BearerOptions {
  readonly keys?: ApiKeys;
  readonly oauth?: OAuth;
}

const withoutOAuth = (message: string): Response =>
  errorResponse({ status: 401, message, headers: { 'WWW-Authenticate': 'Bearer realm="infra-mcp"' } });

const bearerIn = ({ headers }: HttpRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];

/** Accepts an API key of the keys file, or an access token of the authorization server, as bearer token. */
export const bearerAuthentication =
  ({ keys, oauth }: BearerOptions): AuthenticateCaller =>
  async (request) => {
    const challenge = oauth?.challenge ?? withoutOAuth;
    const token = bearerIn(request);
    if (token === undefined) return challenge('Send "Authorization: Bearer" with a token of this server');
    const holder = keys && identityForKey(keys, token);
    return holder ?? oauth?.verify(token) ?? challenge('The key is not known');
  };
