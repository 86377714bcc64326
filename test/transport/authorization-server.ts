import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair, type JWK, type JWTPayload } from 'jose';
import { createOAuth, type OAuth, type OAuthOptions } from '../../src/transport/http/oauth.ts';
import { memoryLog } from '../support/call-context.ts';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** What a test may say about a token; the rest is as it should be. */
export interface TokenOptions {
  readonly claims?: JWTPayload;
  /** Claims to leave out. */
  readonly without?: readonly string[];
  /** Signed by a key that the server doesn't have. */
  readonly forged?: boolean;
}

/** An authorization server on loopback: its description, its keys, and tokens as a test wants them. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Requests it got, by path. */
  readonly requests: string[];
  readonly token: (wishes?: TokenOptions) => Promise<string>;
  /** From now on signs with a new key, and forgets the old one. */
  readonly rotate: () => Promise<void>;
  /** From now on signs with a new RSA key of so many bits, and forgets the old one. */
  readonly rotateToRsa: (bits: number) => void;
  /** What it answers from now on instead of its keys; undefined for the keys. */
  broken?: number;
  readonly close: () => Promise<unknown>;
}

export const audience = 'https://mcp.example.com/mcp';

const signedWith = (privateKey: PrivateKey, kid: string) => (payload: JWTPayload) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' }).sign(privateKey);

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const seen: string[] = [];
  let current: { jwk: JWK; sign: (payload: JWTPayload) => Promise<string> };
  const rotate = async (): Promise<void> => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const kid = `key-${Math.random()}`;
    current = {
      sign: signedWith(privateKey, kid),
      jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    };
  };
  // By hand: no library signs with a key that is too short.
  const rotateToRsa = (bits: number): void => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    const kid = `key-${Math.random()}`;
    current = {
      jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' },
      sign: async (payload) => {
        const signed = `${part({ alg: 'RS256', kid, typ: 'at+jwt' })}.${part(payload)}`;
        return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
      },
    };
  };
  await rotate();
  const server = createServer((request, response) => {
    seen.push(request.url!);
    const { issuer } = self;
    const pages: Record<string, unknown> = {
      '/.well-known/openid-configuration/tenant': { issuer, jwks_uri: `${issuer}/keys` },
      '/tenant/keys': { keys: [current.jwk] },
    };
    const page = pages[request.url!];
    const status = self.broken ?? (page ? 200 : 404);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(page ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: AuthorizationServer = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`,
    requests: seen,
    rotate,
    rotateToRsa,
    token: async ({ claims, without = [], forged = false } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const whole = { iss: self.issuer, aud: audience, sub: 'ann', scope: 'read', iat: now, exp: now + 300, ...claims };
      const payload = Object.fromEntries(Object.entries(whole).filter(([name]) => !without.includes(name)));
      if (!forged) return current.sign(payload);
      const { privateKey } = await generateKeyPair('ES256');
      return signedWith(privateKey, current.jwk.kid!)(payload);
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

/** The resource server's side of it, as configured for these tests. */
export const oauthOf = ({ issuer }: AuthorizationServer, options: Partial<OAuthOptions> = {}): OAuth =>
  createOAuth({
    issuer,
    audience,
    metadataUrl: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
    clock: { now: Date.now },
    log: memoryLog(),
    ...options,
  });
