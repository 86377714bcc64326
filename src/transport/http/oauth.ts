import { OAuthError, OAuthErrorCode, bearerAuthChallengeResponse } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { permissionLevels, type PermissionLevel } from '../../contract/operation.ts';
import type { Clock, ServerLogger } from '../../server/context/call-context.ts';
import { retryLater } from './error-response.ts';
import type { Identity } from './identity.ts';
import { discoverJwksUri } from './jwks-discovery.ts';
import { unrestricted } from './restriction.ts';

/** Whose access tokens are taken, and what for. */
export interface OAuthOptions {
  /** The authorization server, exactly as it calls itself. */
  readonly issuer: string;
  /** What tokens have to be issued for. */
  readonly audience: string;
  /** Where its keys are, if not where it says. */
  readonly jwksUri?: URL;
  /** Address of this server's metadata, told in every challenge. */
  readonly metadataUrl: string;
  /** Shortest time between two looks for a key that isn't known, in milliseconds. */
  readonly jwksCooldown?: number;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** Verifies bearer tokens of an authorization server. */
export interface OAuth {
  /** Who a token was issued to, or the answer that turns it away. */
  readonly verify: (token: string) => Promise<Identity | Response>;
  /** The answer to whoever brings no token, or none that is any good. */
  readonly challenge: (description: string) => Response;
}

// Shared secrets are no option: whoever could verify with one could also sign.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** How far the clocks of two servers may be apart, in seconds. */
const clockTolerance = 5;

/** What can be wrong with a token, in words that may stand in a header. */
const tokenErrors: Readonly<Record<string, string>> = {
  [errors.JWTExpired.code]: 'The token has expired',
  [errors.JWTInvalid.code]: 'The token is malformed',
  [errors.JWSInvalid.code]: 'The token is malformed',
  [errors.JWSSignatureVerificationFailed.code]: 'The token is not signed by the issuer',
  [errors.JWKSNoMatchingKey.code]: 'The token is not signed with a key of the issuer',
  [errors.JWKSMultipleMatchingKeys.code]: 'The token does not say which key it is signed with',
  [errors.JOSEAlgNotAllowed.code]: 'The token is signed with an algorithm that is not accepted',
  [errors.JOSENotSupported.code]: 'The token is signed with an algorithm that is not accepted',
};

const claimError = ({ claim, reason }: errors.JWTClaimValidationFailed): string =>
  reason === 'missing' ? `The token has no ${claim}` : `The token is not valid here: its ${claim} is wrong`;

/** What is wrong with the token; undefined when the fault lies elsewhere. */
const tokenErrorOf = (error: unknown): string | undefined => {
  if (error instanceof errors.JWTClaimValidationFailed) return claimError(error);
  return error instanceof errors.JOSEError ? tokenErrors[error.code] : undefined;
};

const textsIn = (claim: unknown): string[] => (Array.isArray(claim) ? claim.map(String) : typeof claim === 'string' ? claim.split(' ') : []);

/** The highest level among the scopes of a token. Some authorization servers call the claim scp. */
const levelIn = (claims: JWTPayload): PermissionLevel | undefined => {
  const scopes = [...textsIn(claims['scope']), ...textsIn(claims['scp'])];
  return permissionLevels.findLast((level) => scopes.includes(level));
};

/** Whether a claim is a text that can name somebody. */
const isName = (claim: unknown): claim is string => typeof claim === 'string' && claim.trim() !== '' && claim.isWellFormed();

/**
 * Who a token was issued to, or what is wrong with what it says of that. A client that got it for itself is no user: by RFC 9068 such
 * a token's sub is the client's own id, and some authorization servers leave it out. Encoded, so that no name can look like another principal.
 */
function principalOf({ sub, client_id: client }: JWTPayload): { readonly principal: string } | { readonly fault: string } {
  if (sub === undefined && client === undefined) return { fault: 'The token has no sub' };
  const [claim, name] = sub === undefined ? ['client_id', client] : ['sub', sub];
  if (!isName(name)) return { fault: `The token is not valid here: its ${claim} is not a text that names somebody` };
  return { principal: `oauth:${name === client ? 'client' : 'user'}:${encodeURIComponent(name)}` };
}

/** Shortest RSA key whose signatures count, in bits: by RFC 7518 what is shorter must not be used. */
const minRsaBits = 2048;

/** The issuer signs with a key that others could find out. */
class WeakKey extends Error {
  override readonly name = 'WeakKey';
  readonly bits: number;
  constructor(bits: number) {
    super(`an RSA key of ${bits} bits is too weak: at least ${minRsaBits} are needed`);
    this.bits = bits;
  }
}

/** @throws WeakKey */
function assertStrongKey(key: Awaited<ReturnType<JWTVerifyGetKey>>): void {
  const bits = 'algorithm' in key ? (key.algorithm as { readonly modulusLength?: number }).modulusLength : undefined;
  if (bits !== undefined && bits < minRsaBits) throw new WeakKey(bits);
}

/** The keys of the issuer, looked for when first needed, and again after a failure. */
function issuerKeys({ issuer, jwksUri, jwksCooldown: lookAgainAfter = 10_000 }: OAuthOptions): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const find = async (): Promise<JWTVerifyGetKey> => createRemoteJWKSet(jwksUri ?? (await discoverJwksUri(issuer)), { cooldownDuration: lookAgainAfter });
  return async (header, token) => {
    keys ??= find().catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    const key = await (await keys)(header, token);
    assertStrongKey(key);
    return key;
  };
}

/**
 * An OAuth 2.1 resource server's part: tokens of one issuer, for this audience, with an expiry, signed with its keys.
 * Scopes are the permission levels, each including those before it.
 */
export function createOAuth(options: OAuthOptions): OAuth {
  const { issuer, audience, metadataUrl, clock, log } = options;
  const keys = issuerKeys(options);

  const refuse = (code: OAuthErrorCode, description: string, scope: PermissionLevel): Response =>
    bearerAuthChallengeResponse(new OAuthError(code, description), { requiredScopes: [scope], resourceMetadataUrl: metadataUrl });

  const challenge = (description: string): Response => refuse(OAuthErrorCode.InvalidToken, description, 'read');

  const identityOf = (claims: JWTPayload): Identity | Response => {
    const who = principalOf(claims);
    if ('fault' in who) return challenge(who.fault);
    const level = levelIn(claims);
    if (level === undefined) return refuse(OAuthErrorCode.InsufficientScope, 'The token has none of the scopes of this server', 'read');
    return {
      principal: who.principal,
      level,
      restriction: unrestricted,
      stepUp: (needed, tool) => refuse(OAuthErrorCode.InsufficientScope, `${tool} needs the scope ${needed}`, needed),
    };
  };

  return {
    challenge,
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer, audience, algorithms, clockTolerance, requiredClaims: ['exp'], currentDate: new Date(clock.now()),
        });
        return identityOf(payload);
      } catch (error) {
        const fault = tokenErrorOf(error);
        if (fault !== undefined) return challenge(fault);
        if (error instanceof WeakKey) {
          log.error({ issuer, bits: error.bits }, 'access tokens are refused: the authorization server signs them with an RSA key that is too weak');
          return challenge(`The token is signed with a key that is not accepted: ${error.message}`);
        }
        // Not the token's fault: calling it invalid would send the client to fetch a new one, again and again.
        log.error({ err: error, issuer }, 'tokens can not be verified');
        return retryLater(10, 'Access tokens can not be verified at the moment: the authorization server does not give its keys. Try again in a moment.');
      }
    },
  };
}
