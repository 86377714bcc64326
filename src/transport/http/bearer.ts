import { refuse } from './answers.ts';
import type { Authenticate } from './identity.ts';
import { holderOf, type Keys } from './keys.ts';
import type { OAuth } from './oauth.ts';

/** Who is let in. */
export interface Admission {
  readonly keys?: Keys;
  readonly oauth?: OAuth;
}

const withoutOAuth = (message: string): Response => refuse({ status: 401, message, headers: { 'WWW-Authenticate': 'Bearer realm="infra-mcp"' } });

const bearerIn = ({ headers }: Request): string | undefined => /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];

/** Lets in whoever brings a key of the file or an access token of the authorization server, as a bearer. */
export const bearer =
  ({ keys, oauth }: Admission): Authenticate =>
  async (request) => {
    const turnAway = oauth?.challenge ?? withoutOAuth;
    const token = bearerIn(request);
    if (token === undefined) return turnAway('Send "Authorization: Bearer" with a token of this server');
    const holder = keys && holderOf(keys, token);
    return holder ?? oauth?.verify(token) ?? turnAway('The key is not known');
  };
