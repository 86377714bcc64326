import { OAuthError, OAuthErrorCode, bearerAuthChallengeResponse } from '@modelcontextprotocol/server';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import * as z from 'zod';
import { permissionLevels, type PermissionLevel } from '../../contract/index.ts';
import { sendRequest } from '../../outgoing/index.ts';
import type { Clock, ServerLogger } from '../../server/context/index.ts';
import { retryLater } from './error-response.ts';
import type { Identity } from './identity.ts';
import { unrestricted } from './restriction.ts';

/** Timeout of a request to the authorization server, in milliseconds. */
const requestTimeout = 5000;

/** Maximum size of its metadata and of its keys, in bytes. */
const maximumBytes = 1024 * 1024;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** URLs at which an authorization server may publish its metadata: RFC 8414 first, then OpenID Connect Discovery. */
const metadataUrls = (issuer: string): URL[] => {
  const path = new URL(issuer).pathname.replace(/\/$/, '');
  return [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ]
    .filter((candidate, index, candidates) => candidates.indexOf(candidate) === index)
    .map((candidate) => new URL(candidate, issuer));
};

async function jwksUriAt(url: URL, issuer: string): Promise<URL | undefined> {
  const { ok, text } = await sendRequest(url, {
    signal: AbortSignal.timeout(requestTimeout),
    headers: { accept: 'application/json' },
    limit: maximumBytes,
  });
  if (!ok) return undefined;
  const metadata = Metadata.parse(JSON.parse(text));
  // Metadata of another issuer could point to that issuer's keys.
  if (metadata.issuer !== issuer) throw new Error(`${url.href} describes the issuer ${metadata.issuer}, not ${issuer}`);
  return new URL(metadata.jwks_uri);
}

/**
 * Discovers the JWKS URL of an authorization server.
 * @throws AggregateError if the server can't be reached or publishes no metadata.
 */
export async function discoverJwksUri(issuer: string): Promise<URL> {
  const failures: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    const found = await jwksUriAt(url, issuer).catch((error: unknown) => void failures.push(error));
    if (found) return found;
  }
  throw new AggregateError(failures, `The authorization server ${issuer} doesn't say where its keys are.`);
}

/** The accepted issuer and audience of access tokens. */
export interface OAuthOptions {
  /** The issuer, exactly as the authorization server writes it. */
  readonly issuer: string;
  /** The required audience of tokens. */
  readonly audience: string;
  /** URL of the issuer's keys. Default: discovered from its metadata. */
  readonly jwksUri?: URL;
  /** URL of this server's resource metadata, sent with every challenge. */
  readonly metadataUrl: string;
  /** Minimum time between two fetches of the keys for an unknown key id, in milliseconds. */
  readonly jwksCooldown?: number;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** Verifies the access tokens of an authorization server. */
export interface OAuth {
  /** The identity a token was issued to, or the response that rejects it. */
  readonly verify: (token: string) => Promise<Identity | Response>;
  /** The 401 response to a missing or invalid token. */
  readonly challenge: (description: string) => Response;
}

// No HMAC algorithms: a party that can verify with a shared secret can also sign.
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Accepted clock difference between the servers, in seconds. */
const clockTolerance = 5;

/** Descriptions of token errors, safe in a header. */
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

/** The fault of the token; undefined if the error has another cause. */
const tokenErrorOf = (error: unknown): string | undefined => {
  if (error instanceof errors.JWTClaimValidationFailed) return claimError(error);
  return error instanceof errors.JOSEError ? tokenErrors[error.code] : undefined;
};

const textsIn = (claim: unknown): string[] =>
  Array.isArray(claim) ? claim.map(String) : typeof claim === 'string' ? claim.split(' ') : [];

/** The highest permission level among the scopes of a token. Some authorization servers call the claim `scp`. */
const levelIn = (claims: JWTPayload): PermissionLevel | undefined => {
  const scopes = [...textsIn(claims['scope']), ...textsIn(claims['scp'])];
  return permissionLevels.findLast((level) => scopes.includes(level));
};

/** Whether a claim is a usable name: a non-blank, well-formed string. */
const isName = (claim: unknown): claim is string =>
  typeof claim === 'string' && claim.trim() !== '' && claim.isWellFormed();

/**
 * The principal a token was issued to, or the fault of its claims. A token that a client got for itself names no user:
 * by RFC 9068 its `sub` is the client id, and some authorization servers omit it. The name is encoded, so that it can't
 * look like another principal.
 */
function principalOf({
  sub,
  client_id: client,
}: JWTPayload): { readonly principal: string } | { readonly fault: string } {
  if (sub === undefined && client === undefined) return { fault: 'The token has no sub' };
  const [claim, name] = sub === undefined ? ['client_id', client] : ['sub', sub];
  if (!isName(name)) return { fault: `The token is not valid here: its ${claim} is not a text that names somebody` };
  return { principal: `oauth:${name === client ? 'client' : 'user'}:${encodeURIComponent(name)}` };
}

/** Minimum size of an RSA key in bits, by RFC 7518. */
const minRsaBits = 2048;

/** The issuer signs with an RSA key that is too short. */
class WeakKey extends Error {
  override readonly name = 'WeakKey';
  readonly bits: number;
  constructor(bits: number) {
    super(`an RSA key of ${bits} bits is too weak: at least ${minRsaBits} are needed`);
    this.bits = bits;
  }
}

/** @throws WeakKey for an RSA key that is too short. */
function assertStrongKey(key: Awaited<ReturnType<JWTVerifyGetKey>>): void {
  const bits = 'algorithm' in key ? (key.algorithm as { readonly modulusLength?: number }).modulusLength : undefined;
  if (bits !== undefined && bits < minRsaBits) throw new WeakKey(bits);
}

/** Fetches the issuer's keys for jose. */
const fetchKeys: FetchImplementation = async (url, { headers, signal }) => {
  const { status, text } = await sendRequest(url, {
    headers: Object.fromEntries(new Headers(headers)),
    signal,
    limit: maximumBytes,
  });
  return new Response(status === 200 ? text : null, { status });
};

/** The issuer's keys. Discovered on first use, and again after a failure. */
function issuerKeys({ issuer, jwksUri, jwksCooldown = 10_000 }: OAuthOptions): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const find = async (): Promise<JWTVerifyGetKey> =>
    createRemoteJWKSet(jwksUri ?? (await discoverJwksUri(issuer)), {
      cooldownDuration: jwksCooldown,
      [customFetch]: fetchKeys,
    });
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
 * The resource server role of OAuth 2.1. Accepts tokens of one issuer for one audience, with an expiry, signed with the
 * issuer's keys. The scopes are the permission levels; each includes those before it.
 */
export function createOAuth(options: OAuthOptions): OAuth {
  const { issuer, audience, metadataUrl, clock, log } = options;
  const keys = issuerKeys(options);

  const refuse = (code: OAuthErrorCode, description: string, scope: PermissionLevel): Response =>
    bearerAuthChallengeResponse(new OAuthError(code, description), {
      requiredScopes: [scope],
      resourceMetadataUrl: metadataUrl,
    });

  const challenge = (description: string): Response => refuse(OAuthErrorCode.InvalidToken, description, 'read');

  const identityOf = (claims: JWTPayload): Identity | Response => {
    const who = principalOf(claims);
    if ('fault' in who) return challenge(who.fault);
    const level = levelIn(claims);
    if (level === undefined)
      return refuse(OAuthErrorCode.InsufficientScope, 'The token has none of the scopes of this server', 'read');
    return {
      principal: who.principal,
      level,
      restriction: unrestricted,
      // Every accepted token has an expiry.
      validUntil: (claims.exp! + clockTolerance) * 1000,
      stepUp: (needed, tool) => refuse(OAuthErrorCode.InsufficientScope, `${tool} needs the scope ${needed}`, needed),
    };
  };

  return {
    challenge,
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms,
          clockTolerance,
          requiredClaims: ['exp'],
          currentDate: new Date(clock.now()),
        });
        return identityOf(payload);
      } catch (error) {
        const fault = tokenErrorOf(error);
        if (fault !== undefined) return challenge(fault);
        if (error instanceof WeakKey) {
          log.error(
            { issuer, bits: error.bits },
            'access tokens are refused: the authorization server signs them with an RSA key that is too weak',
          );
          return challenge(`The token is signed with a key that is not accepted: ${error.message}`);
        }
        // The token may be valid. An `invalid_token` response would make the client fetch new tokens in a loop.
        log.error({ err: error, issuer }, 'tokens can not be verified');
        return retryLater(
          10,
          'Access tokens can not be verified at the moment: the authorization server does not give its keys. Try again in a moment.',
        );
      }
    },
  };
}
