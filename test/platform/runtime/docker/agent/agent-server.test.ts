import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { agentName, createAgentAuthority } from '../../../../../src/platform/runtime/docker/agent/authority.ts';
import { createAgentServer } from '../../../../../src/platform/runtime/docker/agent/program/serve.ts';
import { startFakeEngine } from '../fake-engine.ts';

const platformId = '11111111-2222-4333-8444-555555555555';
const ours = { 'io.infra-mcp.platform': platformId };
const theirs = { 'io.infra-mcp.platform': 'another' };
const secret = 'hunter2-in-a-variable';
const authority = createAgentAuthority(randomBytes(32));
const hour = 3_600_000;

const container = (id: string, labels: object, running = true) => ({
  Id: id,
  Name: `/${id}`,
  Created: '2026-01-01T00:00:00Z',
  Args: [secret],
  Path: secret,
  State: { Running: running, OOMKilled: true, ExitCode: 137 },
  Mounts: [{ Source: secret }],
  HostConfig: { Binds: [secret], ExtraHosts: null },
  Config: { Image: 'web', Env: [`PASSWORD=${secret}`], Cmd: [secret], Labels: labels },
  NetworkSettings: { Networks: { shop: { IPAddress: secret } } },
});
const image = (tags: readonly string[], labels: object | null) => ({
  Id: 'sha256:1',
  RepoTags: tags,
  RepoDigests: [],
  Created: 1,
  Size: 2,
  Labels: labels,
  Config: { Labels: labels, Env: [secret] },
});

/** What the engine of a node answers, by method and path without version and query. */
const answers: Readonly<Record<string, unknown>> = {
  'GET /info': {
    ID: 'x',
    Name: 'node-2',
    Swarm: { NodeID: 'n2', Cluster: { secret } },
    Labels: [secret],
    HttpProxy: secret,
  },
  'GET /containers/json': [{ Id: 'a1', Names: ['/a1'], Command: secret, Labels: ours, Mounts: [secret] }],
  'GET /containers/own/json': container('own', ours),
  'GET /containers/ended/json': container('ended', ours, false),
  'GET /containers/strange/json': container('strange', theirs),
  'GET /containers/own/stats': { memory_stats: { usage: 7 } },
  'GET /volumes': {
    Volumes: [{ Name: 'v', Driver: 'local', Labels: ours, Mountpoint: secret, Options: { password: secret } }],
  },
  'GET /volumes/own': { Name: 'own', Labels: ours },
  'GET /volumes/strange': { Name: 'strange', Labels: null },
  'GET /images/json': [
    image(['<none>:<none>'], null),
    image([`infra-mcp-${platformId}/web:1`], ours),
    image(['redis:7'], null),
    image([], theirs),
  ],
  'GET /distribution/registry.example:5000/infra-mcp/doctor:missing/json': { Descriptor: { digest: secret } },
  'GET /images/registry.example:5000/web@sha256:HASH/json': image([], null),
  'GET /images/redis:7/json': image(['redis:7'], null),
};
const hash = 'a'.repeat(64);

async function startAgent() {
  const engine = await startFakeEngine((response, { method, url }) => {
    const key = `${method} ${url
      .replace(/^\/v1\.\d+/, '')
      .replace(/\?.*/, '')
      .replace(hash, 'HASH')}`;
    if (method === 'GET' && answers[key] === undefined) response.statusCode = 404;
    response.end(JSON.stringify(answers[key] ?? {}));
  });
  const { cert, key } = authority.issue('server', hour, Date.now());
  const server = createAgentServer({
    platformId,
    socketPath: engine.address.slice('unix://'.length),
    ca: authority.certificate,
    cert,
    key,
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const mine = authority.issue('client', hour, Date.now());

  /** Sends bytes, and reads all that comes back. @param more replaces what a platform would connect with */
  const raw = async (bytes: string, more: ConnectionOptions = {}): Promise<string> => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: agentName,
      ca: authority.certificate,
      cert: mine.cert,
      key: mine.key,
      ...more,
    });
    socket.on('error', () => undefined);
    socket.write(bytes);
    return text(socket).catch((error: NodeJS.ErrnoException) => `ended: ${error.code}`);
  };
  const ask = async (
    method: string,
    target: string,
    more: ConnectionOptions = {},
  ): Promise<{ readonly status: number; readonly body: string }> => {
    const answer = await raw(`${method} ${target} HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n\r\n`, more);
    return {
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0),
      body: answer.split('\r\n\r\n')[1] ?? answer,
    };
  };
  return { engine, raw, ask };
}

test('what is on the list is carried out, and only what the platform needs of it leaves the node', async () => {
  const { engine, ask } = await startAgent();
  const allowed = [
    'GET /_ping',
    'GET /version',
    'GET /v1.41/info',
    'GET /v1.41/containers/json?all=true',
    'GET /v1.41/containers/own/json',
    'GET /v1.41/containers/own/stats?stream=false&one-shot=true',
    'GET /v1.41/volumes',
    'GET /v1.41/images/json',
    'DELETE /v1.41/containers/ended?v=true',
    'DELETE /v1.41/volumes/own',
    `DELETE /v1.41/images/registry.example:5000/web@sha256:${hash}`,
    'GET /v1.41/distribution/registry.example:5000/infra-mcp/doctor:missing/json',
  ];
  for (const each of allowed) {
    const [method = '', target = ''] = each.split(' ');
    const { status, body } = await ask(method, target);
    expect({ each, status }).toEqual({ each, status: 200 });
    expect(body).not.toContain(secret);
  }
  expect(JSON.parse((await ask('GET', '/v1.41/containers/own/json')).body)).toEqual({
    Id: 'own',
    Name: '/own',
    Created: '2026-01-01T00:00:00Z',
    State: { Running: true, OOMKilled: true, ExitCode: 137 },
    HostConfig: { ExtraHosts: null },
    Config: { Image: 'web', Labels: ours },
    NetworkSettings: { Networks: {} },
  });
  expect((JSON.parse((await ask('GET', '/v1.41/images/json')).body) as unknown[]).length).toBe(2);
  expect(engine.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual([
    '/v1.41/containers/ended?v=true',
    '/v1.41/volumes/own',
    `/v1.41/images/registry.example:5000/web@sha256:${hash}`,
  ]);
});

test('lists are of what the platform made, whatever else is asked for', async () => {
  const { engine, ask } = await startAgent();
  await ask(
    'GET',
    `/v1.41/containers/json?all=true&filters=${encodeURIComponent('{"label":["com.example"],"status":["exited"]}')}`,
  );
  expect(new URL(engine.seen.at(-1)!.url, 'http://x').searchParams.get('filters')).toBe(
    `{"status":["exited"],"label":["com.example","io.infra-mcp.platform=${platformId}"]}`,
  );
  for (const filters of ['{"volume":["x"]}', '{"label":{"x":true}}', '[]x', '"text"', '{"__proto__":["x"]}']) {
    expect((await ask('GET', `/v1.41/volumes?filters=${encodeURIComponent(filters)}`)).status).toBe(400);
  }
});

test('what others made looks as if it were not there, and what runs is not removed', async () => {
  const { engine, ask } = await startAgent();
  for (const target of [
    'GET /v1.41/containers/strange/json',
    'GET /v1.41/containers/strange/stats?stream=0',
    'DELETE /v1.41/containers/strange',
    'DELETE /v1.41/volumes/strange',
    'DELETE /v1.41/images/redis:7',
    'GET /v1.41/containers/none/json',
  ]) {
    const [method = '', path = ''] = target.split(' ');
    expect({ target, status: (await ask(method, path)).status }).toEqual({ target, status: 404 });
  }
  expect((await ask('DELETE', '/v1.41/containers/own')).status).toBe(409);
  expect(engine.seen.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test.each([
  'POST /v1.41/containers/create',
  'POST /v1.41/containers/own/exec',
  'POST /v1.41/exec/x/start',
  'POST /v1.41/containers/own/start',
  'PUT /v1.41/containers/own/archive?path=/',
  'GET /v1.41/containers/own/archive?path=/',
  'GET /v1.41/containers/own/logs?stdout=1',
  'GET /v1.41/containers/own/top',
  'GET /v1.41/containers/own/export',
  'GET /v1.41/secrets',
  'GET /v1.41/swarm',
  'GET /v1.41/nodes',
  'GET /v1.41/events',
  'POST /v1.41/build/prune',
  'GET /v1.41/system/df',
  'HEAD /_ping',
  'GET /v1.41/containers/own/stats?stream=1',
  'DELETE /v1.41/containers/ended?force=true',
  'DELETE /v1.41/containers/ended?v=true&force=1',
  'DELETE /v1.41/volumes/own?force=1',
  `DELETE /v1.41/images/web?force=1`,
  'GET /v1.41/containers/json?all=1&all=0',
  'GET /v1.41/containers/json?size=1',
  'GET /v1.41/containers/json?all=1;force=1',
  'GET /v1.41/containers/json?all=true%26force%3D1',
  'GET /v1.41/../v1.41/info',
  'GET /v1.41/containers/../info',
  'GET /v1.41/./info',
  'GET //v1.41/info',
  'GET /v1.41//info',
  'GET /v1.41/info/',
  'GET /v1.41/containers/own%2Fjson',
  'GET /v1.41/containers%2fown/json',
  'GET /v1.41/containers/%2e%2e/json',
  'GET /v1.41/containers/own/json%00',
  'GET /v1.41/containers/own\\json',
  'GET /v1.41/containers/own/json;x=1',
  'GET /v1.41/containers/own/json#x',
  'GET http://docker/v1.41/info',
  'GET *',
  'OPTIONS *',
  'GET /v1.41/containers/own/../../secrets',
  'GET /v1.41/v1.41/info',
  'GET /v2.41/info',
  'GET /v1.4100/info',
  'GET /V1.41/INFO',
  'DELETE /v1.41/images/../containers/own',
  'DELETE /v1.41/images/web/../../volumes/own',
  'DELETE /v1.41/images/a:b/c',
  'PATCH /v1.41/info',
  'TRACE /v1.41/info',
  'GET /v1.41/distribution/registry.example/web:1/json',
  'GET /v1.41/distribution/registry.example/other/infra-mcp/doctor:missing/json',
  'GET /v1.41/distribution/infra-mcp/doctor:missing/json',
  'GET /v1.41/distribution/registry.example/infra-mcp/doctor:missing/json?x=1',
])('%s is refused, and the engine is not asked', async (request) => {
  const { engine, ask } = await startAgent();
  const [method = '', target = ''] = request.split(' ');
  expect([400, 403, 501, 0]).toContain((await ask(method, target)).status);
  expect(engine.seen).toEqual([]);
});

test.each([
  ['a body', 'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'],
  ['a chunked body', 'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  [
    'two lengths',
    'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\nPOST /v1.41/containers/create HTTP/1.1\r\n',
  ],
  [
    'a length and chunks',
    'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST / HTTP/1.1\r\n\r\n',
  ],
  ['an obfuscated encoding', 'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
  ['a bare line feed', 'GET /v1.41/info HTTP/1.1\nHost: a\nX: y\n\n'],
  ['an upgrade', 'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'],
  ['HTTP/2 in the open', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  [
    'an upgrade to HTTP/2',
    'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  ],
  ['a tunnel', 'CONNECT localhost:2375 HTTP/1.1\r\nHost: localhost:2375\r\n\r\n'],
  ['an expectation', 'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n'],
])('%s is refused, and the engine is not asked', async (_, bytes) => {
  const { engine, raw } = await startAgent();
  expect(await raw(bytes)).not.toMatch(/^HTTP\/1\.1 (?:200|101)/);
  expect(engine.seen).toEqual([]);
});

test('nothing of a connection is read after a request that is refused', async () => {
  const { engine, raw } = await startAgent();
  const next = 'GET /v1.41/info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const statuses = async (first: string): Promise<(string | undefined)[]> =>
    [...(await raw(`${first}${next}`)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
  expect(await statuses('GET /v1.41/secrets HTTP/1.1\r\nHost: a\r\n\r\n')).toEqual(['403']);
  expect(await statuses(`GET /v1.41/info HTTP/1.1\r\nHost: a\r\nContent-Length: ${next.length}\r\n\r\n`)).toEqual([
    '403',
  ]);
  expect(engine.seen).toEqual([]);
  expect(await statuses('GET /v1.41/info HTTP/1.1\r\nHost: a\r\n\r\n')).toEqual(['200', '200']);
});

test('only a certificate of the authority that is for clients and good now gets an answer', async () => {
  const { engine, ask } = await startAgent();
  const now = Date.now();
  const foreign = createAgentAuthority(randomBytes(32));
  const refused: Readonly<Record<string, ConnectionOptions>> = {
    none: { cert: undefined, key: undefined },
    'of another authority': foreign.issue('client', hour, now),
    'of an agent': authority.issue('server', hour, now),
    expired: authority.issue('client', hour, now - 2 * hour),
    'not good yet': authority.issue('client', 3 * hour, now + 2 * hour),
    'of TLS 1.2': { maxVersion: 'TLSv1.2' },
  };
  for (const [name, options] of Object.entries(refused)) {
    expect({ name, ...(await ask('GET', '/v1.41/info', options)) }).toMatchObject({ name, status: 0 });
  }
  expect(engine.seen).toEqual([]);
  expect((await ask('GET', '/v1.41/info')).status).toBe(200);
});

test('a platform takes no agent whose certificate is not of its authority, or is for clients', async () => {
  const { ask } = await startAgent();
  expect((await ask('GET', '/v1.41/info', { ca: createAgentAuthority(randomBytes(32)).certificate })).body).toContain(
    'ended: ',
  );
  expect((await ask('GET', '/v1.41/info', { servername: 'other' })).body).toContain(
    'ended: ERR_TLS_CERT_ALTNAME_INVALID',
  );
});
