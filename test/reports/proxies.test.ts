import { createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { createPrometheus } from '../../src/platform/engine/index.ts';
import { sendDelivery } from '../../src/platform/engine/webhooks/send.ts';
import {
  type AddressPolicy,
  anyAddress,
  connectionsWithin,
  publicOnly,
  type ResolveHost,
} from '../../src/platform/engine/webhooks/target.ts';
import { tryPush } from '../../src/platform/runtime/docker/doctor/registry-push.ts';
import {
  fetchHistory,
  type GitAddress,
  inTemporaryDirectory,
  inWords,
  parseGitAddress,
} from '../../src/platform/runtime/docker/git/index.ts';
import { parseWebhookUrl, createWaitingWebhook } from '../../src/server/guard/index.ts';
import { otlpExporter } from '../../src/telemetry/traces/otlp-exporter.ts';
import { discoverJwksUri } from '../../src/transport/http/oauth.ts';
import { apiErrorOf, connectClient, ids, startStubServer } from '../client/stub-server.ts';
import { approvalRequest } from '../server/guard/approvals/approvals-fixture.ts';
import { memoryLog } from '../support/call-context.ts';
import { type ForwardProxyOptions, startForwardProxy } from '../support/forward-proxy.ts';
import { startGitServer } from '../support/git-server.ts';
import { startHttpsHost } from '../support/https-host.ts';

/** What the name servers of this machine say in these tests. */
const addresses: Readonly<Record<string, string>> = { 'public.test': '93.184.216.34', 'inside.test': '10.1.2.3' };
const resolveHost: ResolveHost = async (host) => [
  { address: addresses[host] ?? host, family: isIP(host) === 6 ? 6 : 4 },
];

const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

/** Starts a proxy, and names it to this process. */
async function throughProxy(options: ForwardProxyOptions) {
  const proxy = await startForwardProxy(options);
  vi.stubEnv('ALL_PROXY', proxy.urlWithCredentials);
  return proxy;
}

/** Trusts an authority until the end of the test. */
function trust(authority: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, authority]);
  onTestFinished(() => setDefaultCACertificates(before));
}

const password = 'geheim%20123';
/** A reserved port, which no other test listens at. */
const nobody = '127.0.0.1:1';
const read = [operations.get_environment, { environment_id: ids.environment }] as const;
const { signal } = new AbortController();

/** A plain server on loopback that answers everything with a JSON value. */
async function startJsonServer(value: unknown, status = 200) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      bodies.push(await text(request));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    void answer();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, bodies };
}

const startPlatform = async () => {
  const { port, authority } = await startHttpsHost('platform.test', (_, response) =>
    response.end(JSON.stringify({ id: ids.environment })),
  );
  trust(authority);
  return port;
};

const failing = async (address: string) => {
  vi.stubEnv('HTTPS_PROXY', address.replace('://', `://user:${password}@`));
  const error = await apiErrorOf(connectClient('https://platform.test').call(...read));
  const { reason, next } = error;
  expect(error).toMatchObject({ kind: 'unreachable', outcomeUnknown: false });
  expect(reason).toContain(`through the proxy ${address}`);
  expect(next).toContain('HTTPS_PROXY');
  expect(`${reason} ${next}`).not.toMatch(/geheim|base URL|user:/);
  return reason;
};

const announce = () => {
  const log = memoryLog();
  const webhook = createWaitingWebhook({
    target: parseWebhookUrl('https://hooks.test/a'),
    key: Buffer.alloc(32, 7),
    log,
    times: { pauses: [], timeout: 10_000, grace: 200 },
  });
  onTestFinished(() => webhook.close());
  const now = Date.now();
  webhook.announce({ ...approvalRequest(), code: 'K7QM-2XRD', askedAt: now, expiresAt: now + 900_000 });
  return log;
};

const deliver = async (url: string, policy: AddressPolicy) => {
  const connections = connectionsWithin(policy, resolveHost);
  onTestFinished(() => connections.close());
  return sendDelivery({ connections, timeoutMilliseconds: 10_000 }, { url, deliveryId: '1', body: '{}' }, signal);
};

const history = async (host: string) => {
  const request = { address: parseGitAddress(`http://${host}/shop`) as GitAddress, branch: 'main' };
  return inTemporaryDirectory(join(tmpdir(), 'proxied-git-'), (directory) =>
    inWords(request, () => fetchHistory({ [host]: { isPrivate: true } }, request, directory, 5, 1024 * 1024, signal)),
  );
};

describe('the platform', () => {
  test('is called through the proxy, with its credentials', async () => {
    const proxy = await throughProxy({
      hosts: { 'platform.test:443': await startPlatform() },
      credentials: 'user:geheim',
    });
    await connectClient('https://platform.test').call(...read);
    expect(proxy.requests).toEqual(['CONNECT platform.test:443']);
  });

  test('on this machine is never called through it', async () => {
    const proxy = await throughProxy({ hosts: {} });
    const { url } = await startStubServer(() => ({ body: { id: ids.environment } }));
    await connectClient(url).call(...read);
    expect(proxy.requests).toEqual([]);
  });

  test.each([
    [403, 'HTTP 403'],
    [502, 'HTTP 502'],
    [407, 'HTTP 407'],
  ])('is not reached through a proxy that answers %i, which is named', async (refusesWith, said) => {
    const credentials = refusesWith === 407 ? 'other:password' : `user:${decodeURIComponent(password)}`;
    const { url } = await startForwardProxy({ hosts: {}, credentials, refusesWith });
    expect(await failing(url)).toContain(said);
  });

  test('is not reached through a proxy that is not there, which is named', async () => {
    expect(await failing(`http://${nobody}`)).toContain('nothing listens');
  });

  test('with a certificate that is not trusted is named with the proxy, which may have made it', async () => {
    const { port } = await startHttpsHost('platform.test', (_, response) => response.end());
    const proxy = await throughProxy({ hosts: { 'platform.test:443': port } });
    const { reason } = await apiErrorOf(connectClient('https://platform.test').call(...read));
    expect(reason).toMatch(/certificate/);
    expect(reason).toContain(`through the proxy ${proxy.url}`);
  });
});

describe('other requests go through the proxy', () => {
  test('to Prometheus, with its own authority', async () => {
    const answer = { status: 'success', data: { resultType: 'scalar', result: [0, '7'] } };
    const { port } = await startJsonServer(answer);
    const secure = await startHttpsHost('metrics.test', (_, response) => response.end(JSON.stringify(answer)));
    const proxy = await throughProxy({ hosts: { 'metrics.test:9090': port, 'metrics.test:443': secure.port } });
    for (const settings of [
      { url: 'http://metrics.test:9090' },
      { url: 'https://metrics.test', ca: secure.authority },
    ]) {
      const prometheus = createPrometheus(settings);
      onTestFinished(() => prometheus.close());
      expect((await prometheus.query('up', signal)).values).toEqual([{ labels: {}, value: 7 }]);
    }
    expect(proxy.requests).toEqual(['POST http://metrics.test:9090/api/v1/query', 'CONNECT metrics.test:443']);
  });

  test('to an authorization server', async () => {
    const issuer = 'http://issuer.test';
    const { port } = await startJsonServer({ issuer, jwks_uri: 'http://issuer.test/keys' });
    const proxy = await throughProxy({ hosts: { 'issuer.test:80': port } });
    expect((await discoverJwksUri(issuer)).href).toBe('http://issuer.test/keys');
    expect(proxy.requests).toEqual(['GET http://issuer.test/.well-known/oauth-authorization-server']);
  });

  test('to a receiver of traces', async () => {
    const { port } = await startJsonServer({});
    const proxy = await throughProxy({ hosts: { 'traces.test:4318': port } });
    const logged: unknown[] = [];
    const exporter = otlpExporter(
      {
        url: new URL('http://traces.test:4318/v1/traces'),
        headers: [],
        protocol: 'http/json',
        compression: 'gzip',
        timeout: 10_000,
      },
      { warn: (fields) => logged.push(fields) },
    );
    const exported = () => new Promise<void>((resolve) => exporter.export([], () => resolve()));
    await exported();
    expect(proxy.requests).toEqual(['POST http://traces.test:4318/v1/traces']);
    expect(logged).toEqual([]);
  });

  test('to a registry', async () => {
    const { port } = await startJsonServer({}, 403);
    const proxy = await throughProxy({ hosts: { 'registry.test:80': port } });
    await tryPush({ url: 'http://registry.test', repository: 'built/x', credentials: undefined });
    expect(proxy.requests).toEqual(['POST http://registry.test/v2/built/x/blobs/uploads/']);
  });

  test('to the receiver of the approvals webhook', async () => {
    const { port, authority } = await startHttpsHost('hooks.test', (_, response) => response.end());
    trust(authority);
    const proxy = await throughProxy({ hosts: { 'hooks.test:443': port } });
    const { lines } = announce();
    await expect.poll(() => lines.map(({ message }) => message)).toEqual(['approvals webhook: delivered']);
    expect(proxy.requests).toEqual(['CONNECT hooks.test:443']);
  });

  test('and the log names a proxy that is not there, without its password', async () => {
    const host = nobody;
    vi.stubEnv('ALL_PROXY', `http://user:geheim@${host}`);
    const { lines } = announce();
    await expect.poll(() => lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain(`the proxy http://${host} (ALL_PROXY)`);
    expect(JSON.stringify(lines)).not.toContain('geheim');
  });
});

describe('webhooks', () => {
  test('over http reach the address that was checked, whatever the proxy takes the name for', async () => {
    const { port, bodies } = await startJsonServer({});
    const proxy = await throughProxy({ hosts: { '93.184.216.34:80': port } });
    expect(await deliver('http://public.test/hook', publicOnly)).toMatchObject({ outcome: 'delivered' });
    expect(proxy.requests).toEqual(['CONNECT 93.184.216.34:80']);
    expect(bodies).toEqual(['{}']);
  });

  test('over https reach the host that has the certificate', async () => {
    const { port, authority } = await startHttpsHost('public.test', (_, response) => response.end());
    trust(authority);
    const proxy = await throughProxy({ hosts: { 'public.test:443': port } });
    expect(await deliver('https://public.test/hook', publicOnly)).toMatchObject({ outcome: 'delivered' });
    expect(proxy.requests).toEqual(['CONNECT public.test:443']);
  });

  test.each(['http://inside.test/', 'https://inside.test/', 'http://10.0.0.1/', 'https://[fd00::1]/'])(
    'to the private %s never reach the proxy',
    async (url) => {
      const proxy = await throughProxy({ hosts: {} });
      const { outcome, body } = await deliver(url, publicOnly);
      expect(outcome).toBe('give up');
      expect(body).toContain('private or reserved');
      expect(proxy.requests).toEqual([]);
    },
  );

  test('are resolved by the proxy where the operator allows every address', async () => {
    const { port } = await startJsonServer({});
    const proxy = await throughProxy({ hosts: { 'inside.test:80': port } });
    expect(await deliver('http://inside.test/hook', anyAddress)).toMatchObject({ outcome: 'delivered' });
    expect(proxy.requests).toEqual(['POST http://inside.test/hook']);
  });

  test('tell their organization of the proxy, and not where it is', async () => {
    vi.stubEnv('ALL_PROXY', `http://user:geheim@${nobody}`);
    const { body } = await deliver('https://public.test/hook', publicOnly);
    expect(body).toContain("the platform's proxy");
    expect(body).not.toMatch(/127\.0\.0\.1|geheim/);
  });
});

describe('git', () => {
  test('fetches through the proxy, with its credentials, from a host that only the proxy knows', async () => {
    const server = await startGitServer();
    onTestFinished(() => server.close());
    server.commit('shop', 'First', { a: 'b' });
    const proxy = await throughProxy({
      hosts: { 'git.test:80': Number(server.host.split(':')[1]) },
      credentials: 'user:geheim',
    });
    expect(await history('git.test')).toHaveLength(1);
    expect(proxy.requests[0]).toContain('GET http://git.test/');
  });

  test('says that it was the proxy, without its password', async () => {
    vi.stubEnv('HTTP_PROXY', `http://user:geheim@${nobody}`);
    const failed = await history('git.test').then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failed).toContain("the platform's proxy can't be reached");
    expect(failed).not.toContain('geheim');
  });
});
