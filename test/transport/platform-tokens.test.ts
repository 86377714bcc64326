import { afterEach, describe, expect, test } from 'vitest';
import { unrestricted } from '../../src/transport/http/restriction.ts';
import {
  closeTestServers,
  connectLegacyHttp,
  connectModernHttp,
  initialize,
  modernCall,
  modernHeaders,
  startTestServer,
  type TestServer,
} from './test-server.ts';
import { textOf } from '../support/mcp-clients.ts';

afterEach(closeTestServers);

const as = (tool: string, headers: Record<string, string> = {}) =>
  [modernCall(tool), { ...modernHeaders(tool), ...headers }] as const;

const who = async ({ post }: TestServer, headers?: Record<string, string>) => {
  const answer = await post(...as('who', headers));
  return JSON.parse(
    ((await answer.json()) as { result: { content: { text: string }[] } }).result.content[0]!.text,
  ) as Record<string, unknown>;
};

const rules = async (server: TestServer, headers?: Record<string, string>) => (await who(server, headers))['rules'];

const stepUp = () => new Response(null, { status: 403 });

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const open = async ({ post }: TestServer, headers: Record<string, string> = {}) => ({
  'mcp-session-id': (await post(initialize, headers)).headers.get('mcp-session-id')!,
});

describe("a platform token of the caller's own", () => {
  test("is handed on as the caller's right, and makes a principal of its own", async () => {
    const server = await startTestServer();
    const [ann, bob, nobody] = await Promise.all([
      who(server, { 'x-infra-api-token': 'ann-token' }),
      who(server, { 'x-infra-api-token': 'bob-token' }),
      who(server),
    ]);
    expect(ann['key']).toMatch(/^[0-9a-f]{16}$/);
    expect(ann['principal']).toBe(`local+${ann['key'] as string}`);
    expect(bob['principal']).not.toBe(ann['principal']);
    expect(nobody).toMatchObject({ principal: 'local' });
    expect(nobody['key']).toBeUndefined();
    expect(JSON.stringify([ann, server.log.lines])).not.toContain('ann-token');
  });

  test('is asked for where the server has none itself', async () => {
    const server = await startTestServer({ holdsToken: false });
    const answer = await server.post(...as('who'));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^X-Infra-Api-Token /);
    expect((await server.post(...as('who', { 'x-infra-api-token': 'ann-token' }))).status).toBe(200);
  });

  test('that can be none is refused, and not shown', async () => {
    const { post } = await startTestServer();
    for (const token of ['', '  ', 'two words', 'ümlaut-secret', 'INFRA_API_TOKEN=secret']) {
      const answer = await post(...as('who', { 'x-infra-api-token': token }));
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toMatch(/words|secret/);
    }
  });

  test.each([
    ['2026', connectModernHttp],
    ['2025', connectLegacyHttp],
  ])('that the platform refuses is reported to its %s client, which goes on', async (_, connect) => {
    const { url } = await startTestServer();
    const client = await connect(url, { headers: { 'x-infra-api-token': 'expired-token' } });
    const refusal = await client.call('refuse_credential').catch((error: unknown) => error);
    expect(String(refusal)).toContain('The platform refused the token in X-Infra-Api-Token');
    expect(textOf(await client.call('greet'))).toBe('hello');
  });

  test('that the platform refuses is a 401 with a challenge of its own', async () => {
    const { post } = await startTestServer();
    const token = { 'x-infra-api-token': 'expired-token' };
    const session = { ...token, 'mcp-session-id': (await post(initialize, token)).headers.get('mcp-session-id')! };
    const legacy = {
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: { name: 'refuse_credential', arguments: {} },
    };
    for (const answer of [await post(...as('refuse_credential', token)), await post(legacy, session)]) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('X-Infra-Api-Token realm="platform", error="invalid_token"');
    }
  });

  test('is not reported to a caller without one: the call itself says what is wrong', async () => {
    const { post } = await startTestServer();
    const answer = await post(...as('refuse_credential'));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('the platform refused the credential');
  });
});

describe('a request that wants nothing but reads', () => {
  test('says so in a header or in the address', async () => {
    const server = await startTestServer();
    expect(await rules(server)).toBe(0);
    expect(await rules(server, { 'x-infra-read-only': 'true' })).toBe(1);
    expect(await rules(server, { 'x-infra-read-only': 'false' })).toBe(0);
    const client = await connectModernHttp(new URL('?read_only=true', server.url));
    expect(JSON.parse(textOf(await client.call('who')))).toMatchObject({ rules: 1 });
  });

  test('can not take back what its caller is held to', async () => {
    const restriction = { name: 'bound', rules: [{ readOnly: 'a key', deny: [], freezes: [] }] };
    const server = await startTestServer({
      authenticate: async () => ({ principal: 'ann', level: 'admin', restriction, stepUp }),
    });
    expect(await rules(server, { 'x-infra-read-only': 'false' })).toBe(1);
    expect(await rules(server, { 'x-infra-read-only': 'true' })).toBe(2);
  });

  test('but says it in another way is refused, not overlooked', async () => {
    const { post, url } = await startTestServer();
    for (const wish of ['TRUE', 'yes', '1', '', 'true, false'])
      expect((await post(...as('who', { 'x-infra-read-only': wish }))).status).toBe(400);
    for (const query of [
      '?readonly=true',
      '?read-only=true',
      '?read_only=1',
      '?read_only',
      '?read_only=false&x=1',
      '?read_only=maybe&read_only=true',
    ]) {
      const answer = await fetch(new URL(query, url), { method: 'POST' });
      expect(answer.status).toBe(400);
    }
  });
});

describe('a session', () => {
  test('belongs to who opened it', async () => {
    const server = await startTestServer({
      authenticate: async ({ headers }) => ({
        principal: headers.get('authorization') ?? '',
        level: 'admin',
        restriction: unrestricted,
        stepUp,
      }),
    });
    const ann = { authorization: 'ann' };
    const session = await open(server, ann);
    expect((await server.post(list, { ...session, ...ann })).status).toBe(200);
    const thieves: Record<string, string>[] = [{}, { authorization: 'bob' }, { ...ann, 'x-infra-api-token': 'other' }];
    for (const thief of thieves) {
      expect((await server.post(list, { ...session, ...thief })).status).toBe(404);
      expect((await fetch(server.url, { headers: { ...session, ...thief, accept: 'text/event-stream' } })).status).toBe(
        404,
      );
      expect((await fetch(server.url, { method: 'DELETE', headers: { ...session, ...thief } })).status).toBe(404);
    }
    expect((await server.post(list, { ...session, ...ann })).status).toBe(200);
  });

  test('is held to what it was opened with', async () => {
    const server = await startTestServer();
    const readOnly = { 'x-infra-read-only': 'true' };
    expect((await server.post(list, { ...(await open(server)), ...readOnly })).status).toBe(404);
    expect((await server.post(list, await open(server, readOnly))).status).toBe(404);
    expect((await server.post(list, { ...(await open(server, readOnly)), ...readOnly })).status).toBe(200);
  });

  test("ends when the operator's policy changes", async () => {
    let version = 'one';
    const server = await startTestServer({ policyVersion: () => version });
    const session = await open(server);
    expect((await server.post(list, session)).status).toBe(200);
    version = 'two';
    expect((await server.post(list, session)).status).toBe(404);
  });
});
