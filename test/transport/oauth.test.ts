import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bearerAuthentication } from '../../src/transport/index.ts';
import { resourceMetadata, resourceMetadataUrl } from '../../src/transport/http/resource-metadata.ts';
import type { OAuthOptions } from '../../src/transport/http/oauth.ts';
import {
  audience,
  oauthOf,
  startAuthorizationServer,
  type AuthorizationServer,
  type TokenOptions,
} from './authorization-server.ts';
import { memoryLog } from '../support/call-context.ts';
import {
  closeTestServers,
  connectLegacyHttp,
  connectModernHttp,
  initialize,
  modernCall,
  modernHeaders,
  startTestServer,
} from './test-server.ts';
import { textOf } from '../support/mcp-clients.ts';

let authority: AuthorizationServer;

beforeEach(async () => {
  authority = await startAuthorizationServer();
});

afterEach(async () => {
  await closeTestServers();
  await authority.close();
});

/** What each tool of the server needs. */
const levels = { who: 'read', hold: 'deploy', greet: 'admin' } as const;

const startGuarded = (options: Partial<OAuthOptions> = {}) =>
  startTestServer({
    authenticate: bearerAuthentication({ oauth: oauthOf(authority, options) }),
    levelOf: (tool) => levels[tool as keyof typeof levels],
    publicUrl: new URL(audience),
  });

const authorization = async (wishes?: TokenOptions) => ({ authorization: `Bearer ${await authority.token(wishes)}` });

const call = async (server: Awaited<ReturnType<typeof startGuarded>>, tool: string, headers: Record<string, string>) =>
  server.post(modernCall(tool, { label: 'x' }), { ...modernHeaders(tool), ...headers });

const challengeIn = (answer: Response): string => answer.headers.get('www-authenticate') ?? '';

describe('an access token', () => {
  test('lets its subject in, with both protocol versions', async () => {
    const { url } = await startGuarded();
    const headers = await authorization();
    for (const connect of [connectModernHttp, connectLegacyHttp]) {
      const client = await connect(url, { headers });
      expect(JSON.parse(textOf(await client.call('who')))).toMatchObject({ principal: 'oauth:user:ann' });
    }
  });

  test("may be for several audiences, name its scopes otherwise, and be a client's own", async () => {
    const server = await startGuarded();
    const good: TokenOptions[] = [
      { claims: { aud: ['https://other.example.com', audience] } },
      { claims: { scp: ['read'] }, without: ['scope'] },
      { claims: { client_id: 'robot' }, without: ['sub'] },
      { claims: { scope: 'openid write' } },
    ];
    for (const wishes of good) expect((await call(server, 'who', await authorization(wishes))).status).toBe(200);
  });

  const now = Math.floor(Date.now() / 1000);
  const bad: [string, TokenOptions, string][] = [
    ['for another audience', { claims: { aud: 'https://other.example.com' } }, 'its aud is wrong'],
    ['for a part of this audience', { claims: { aud: 'https://mcp.example.com' } }, 'its aud is wrong'],
    ['for no audience', { without: ['aud'] }, 'no aud'],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, 'its iss is wrong'],
    ['that has expired', { claims: { exp: now - 60 } }, 'expired'],
    ['that never expires', { without: ['exp'] }, 'no exp'],
    ['that is not valid yet', { claims: { nbf: now + 600 } }, 'its nbf is wrong'],
    ['of nobody', { without: ['sub'] }, 'no sub'],
    ['of a number', { claims: { sub: 7 as unknown as string } }, 'its sub is not a text that names somebody'],
    ['of a list', { claims: { sub: ['ann'] as unknown as string } }, 'its sub is not a text that names somebody'],
    [
      'of null',
      { claims: { sub: null as unknown as string, client_id: 'robot' } },
      'its sub is not a text that names somebody',
    ],
    ['of an empty name', { claims: { sub: '', client_id: 'robot' } }, 'its sub is not a text that names somebody'],
    ['of a blank name', { claims: { sub: ' ' } }, 'its sub is not a text that names somebody'],
    ['of half a character', { claims: { sub: 'ann\uD800' } }, 'its sub is not a text that names somebody'],
    [
      'of a client without a name',
      { claims: { client_id: '' }, without: ['sub'] },
      'its client_id is not a text that names somebody',
    ],
    ['that is forged', { forged: true }, 'not signed by the issuer'],
  ];
  test.each(bad)('%s is refused with a challenge', async (_, wishes, why) => {
    const server = await startGuarded();
    const answer = await call(server, 'who', await authorization(wishes));
    expect(answer.status).toBe(401);
    expect(challengeIn(answer)).toMatch(/^Bearer error="invalid_token"/);
    expect(challengeIn(answer)).toContain(why);
    expect(challengeIn(answer)).toContain(
      'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    );
  });

  test.each<[string, TokenOptions, string]>([
    ['a user', { claims: { sub: 'robot', client_id: 'console' } }, 'oauth:user:robot'],
    ['a client that names nobody else', { claims: { client_id: 'robot' }, without: ['sub'] }, 'oauth:client:robot'],
    ['a client by its own name', { claims: { sub: 'robot', client_id: 'robot' } }, 'oauth:client:robot'],
    ['a user with a name like a client', { claims: { sub: 'client:robot' } }, 'oauth:user:client%3Arobot'],
    ['a user with a name like one with a token', { claims: { sub: 'ann+0123' } }, 'oauth:user:ann%2B0123'],
  ])('of %s is told apart from all others', async (_, wishes, principal) => {
    const server = await startGuarded();
    const client = await connectModernHttp(server.url, { headers: await authorization(wishes) });
    expect(JSON.parse(textOf(await client.call('who')))).toMatchObject({ principal });
  });

  test.each([
    ['unsigned', `${btoa('{"alg":"none"}')}.${btoa('{}')}.`],
    ['signed with a shared secret', `${btoa('{"alg":"HS256"}')}.${btoa('{}')}.AAAA`],
    ['no token at all', 'nonsense'],
  ])('that is %s is refused', async (_, token) => {
    const server = await startGuarded();
    expect((await call(server, 'who', { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test('missing, or sent in another way, is asked for', async () => {
    const server = await startGuarded();
    const token = await authority.token();
    const ways: Record<string, string>[] = [
      {},
      { authorization: `Token ${token}` },
      { authorization: token },
      { authorization: 'Bearer' },
      { 'x-authorization': `Bearer ${token}` },
    ];
    for (const headers of ways) {
      const answer = await call(server, 'who', headers);
      expect(answer.status).toBe(401);
      expect(challengeIn(answer)).toContain('scope="read"');
    }
  });

  test('is needed for everything under /mcp, before a body is read', async () => {
    const { url, post } = await startGuarded();
    expect((await post(initialize)).status).toBe(401);
    expect((await post('no json')).status).toBe(401);
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(401);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(401);
  });

  test('never shows up in the log or in an answer', async () => {
    const server = await startGuarded();
    const tokens = [await authority.token(), await authority.token({ forged: true })];
    const texts = await Promise.all(
      tokens.map(async (token) => (await call(server, 'who', { authorization: `Bearer ${token}` })).text()),
    );
    const said = JSON.stringify([server.log.lines, texts]);
    for (const token of tokens) for (const part of token.split('.')) expect(said).not.toContain(part);
  });
});

describe('scopes', () => {
  test.each([
    ['read', 'who', 200],
    ['read', 'hold', 403],
    ['read', 'greet', 403],
    ['deploy', 'who', 200],
    ['deploy', 'greet', 403],
    ['write', 'who', 200],
    ['write', 'greet', 403],
    ['admin', 'who', 200],
    ['admin', 'greet', 200],
  ])('%s, calling %s: %i', async (scope, tool, status) => {
    const server = await startGuarded();
    const answer = await call(server, tool, await authorization({ claims: { scope } }));
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(challengeIn(answer)).toMatch(/^Bearer error="insufficient_scope"/);
      expect(challengeIn(answer)).toContain(`scope="${levels[tool as keyof typeof levels]}"`);
      expect(challengeIn(answer)).toContain('resource_metadata=');
    }
  });

  test('that are none of ours are not enough for anything', async () => {
    const server = await startGuarded();
    for (const scope of ['', 'openid profile', 'reader', 'READ']) {
      const answer = await call(server, 'who', await authorization({ claims: { scope } }));
      expect(answer.status).toBe(403);
      expect(challengeIn(answer)).toContain('scope="read"');
    }
  });

  test('are checked with every message of a session', async () => {
    const server = await startGuarded();
    const headers = await authorization();
    const session = (await server.post(initialize, headers)).headers.get('mcp-session-id')!;
    const legacy = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet', arguments: {} } };
    expect((await server.post(legacy, { ...headers, 'mcp-session-id': session })).status).toBe(403);
    expect((await server.post([legacy], { ...headers, 'mcp-session-id': session })).status).toBe(403);
    const more = await authorization({ claims: { scope: 'read admin' } });
    expect((await server.post(legacy, { ...more, 'mcp-session-id': session })).status).toBe(200);
  });
});

describe('keys of the issuer', () => {
  test('are found through its description, once', async () => {
    const server = await startGuarded();
    const headers = await authorization();
    for (let count = 0; count < 5; count += 1) expect((await call(server, 'who', headers)).status).toBe(200);
    expect(authority.requests).toEqual([
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/keys',
    ]);
  });

  test('may change', async () => {
    const server = await startGuarded({ jwksCooldown: 0 });
    const old = await authorization();
    expect((await call(server, 'who', old)).status).toBe(200);
    await authority.rotate();
    expect((await call(server, 'who', await authorization())).status).toBe(200);
    expect((await call(server, 'who', old)).status).toBe(401);
  });

  test('are not asked for again and again by tokens that name unknown ones', async () => {
    const server = await startGuarded();
    await call(server, 'who', await authorization());
    await authority.rotate();
    for (let count = 0; count < 20; count += 1)
      expect((await call(server, 'who', await authorization())).status).toBe(401);
    expect(authority.requests.filter((path) => path === '/tenant/keys')).toHaveLength(1);
  });

  test('that are too weak are reported as such, to the caller and in the log', async () => {
    const log = memoryLog();
    const server = await startGuarded({ log, jwksCooldown: 0 });
    authority.rotateToRsa(1024);
    const refused = await call(server, 'who', await authorization());
    expect(refused.status).toBe(401);
    expect(challengeIn(refused)).toContain('an RSA key of 1024 bits is too weak: at least 2048 are needed');
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('RSA key that is too weak'),
        fields: expect.objectContaining({ bits: 1024 }),
      }),
    );
    authority.rotateToRsa(2048);
    expect((await call(server, 'who', await authorization())).status).toBe(200);
  });

  test('that can not be had are no fault of the token: 503, and good again afterwards', async () => {
    const server = await startGuarded();
    authority.broken = 500;
    const headers = await authorization();
    const answer = await call(server, 'who', headers);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(answer.headers.get('www-authenticate')).toBeNull();
    authority.broken = undefined;
    expect((await call(server, 'who', headers)).status).toBe(200);
  });

  test('that can not be reached are no fault of the token either', async () => {
    const gone = await startAuthorizationServer();
    await gone.close();
    for (const options of [{ issuer: gone.issuer }, { jwksUri: new URL(`${gone.issuer}/keys`) }]) {
      const server = await startGuarded(options);
      expect((await call(server, 'who', await authorization())).status).toBe(503);
    }
  });

  test("of somebody else are not taken from a description that is not the issuer's", async () => {
    const server = await startGuarded({ issuer: authority.issuer.replace('/tenant', '/tenant/') });
    const answer = await call(server, 'who', await authorization());
    expect(answer.status).toBe(503);
    expect(authority.requests).not.toContain('/tenant/keys');
  });
});

describe('the metadata', () => {
  const resource = new URL('https://mcp.example.com/infra/mcp');

  test("is where the resource's own path says, and names the issuer as it calls itself", async () => {
    const issuer = 'https://login.example.com/tenant';
    const path = resourceMetadataUrl(resource).pathname;
    expect(path).toBe('/.well-known/oauth-protected-resource/infra/mcp');
    const { url } = await startTestServer({
      publicUrl: resource,
      routes: { [path]: resourceMetadata(resource, issuer) },
    });
    const answer = await fetch(new URL(path, url));
    expect(await answer.json()).toEqual({
      resource: resource.href,
      authorization_servers: [issuer],
      scopes_supported: ['read', 'deploy', 'write', 'admin'],
      resource_name: 'infra-mcp',
    });
    expect((await fetch(new URL('/.well-known/oauth-protected-resource', url))).status).toBe(404);
  });

  test.each(['http://login.example.com', 'https://login.example.com?x=1', 'https://login.example.com#x'])(
    'does not exist for the issuer %s',
    (issuer) => {
      expect(() => resourceMetadata(resource, issuer)).toThrow(/[Ii]ssuer/);
    },
  );
});
