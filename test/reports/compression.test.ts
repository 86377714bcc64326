import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { createPrometheus } from '../../src/platform/engine/index.ts';
import { sendDelivery } from '../../src/platform/engine/webhooks/send.ts';
import { anyAddress, connectionsWithin } from '../../src/platform/engine/webhooks/target.ts';
import { createDockerClient, parseDockerAddress } from '../../src/platform/runtime/docker/api/index.ts';
import { tryPush } from '../../src/platform/runtime/docker/doctor/registry-push.ts';
import { discoverJwksUri } from '../../src/transport/http/oauth.ts';
import { apiErrorOf, connectClient, ids } from '../client/stub-server.ts';

const read = [operations.get_environment, { environment_id: ids.environment }] as const;
const { signal } = new AbortController();

type Encode = (text: string) => Buffer;

const encodings: readonly (readonly [string, Encode])[] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
  ['gzip, br', (text) => brotliCompressSync(gzipSync(text))],
  ['identity', (text) => Buffer.from(text)],
];

/** A server on loopback that answers every request alike, whatever it accepts. */
async function serve(encoding: string, body: Buffer, status = 200, more: Record<string, string> = {}) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-encoding': encoding, 'content-length': body.length, ...more }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = JSON.stringify;
const environment = json({ id: ids.environment, name: 'größe €' });

describe('an answer of the platform', () => {
  test.each(encodings)('in %s is decoded', async (encoding, encode) => {
    const client = connectClient(await serve(encoding, encode(environment)));
    expect(await client.call(...read)).toMatchObject({ id: ids.environment, name: 'größe €' });
  });

  test.each(encodings)('that is an error in %s is decoded', async (encoding, encode) => {
    const client = connectClient(await serve(encoding, encode(json({ message: 'it is deploying' })), 409));
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ status: 409, detail: 'it is deploying' });
  });

  test('without a body may declare an encoding', async () => {
    const client = connectClient(await serve('gzip', Buffer.alloc(0), 404));
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ status: 404 });
  });

  test.each(['compress', 'gzip, aes128gcm', 'gzip, gzip, gzip'])('in %s is refused with its name', async (encoding) => {
    const client = connectClient(await serve(encoding, gzipSync(environment)));
    const { kind, reason } = await apiErrorOf(client.call(...read));
    expect(kind).toBe('bad_answer');
    expect(reason).toMatch(/compress|aes128gcm|3 content encodings/);
  });

  test.each([409, 502])(
    'that is an error in another encoding keeps its status %i, and names the encoding',
    async (status) => {
      const client = connectClient(await serve('compress', Buffer.from('\u001F\u009D'), status));
      const error = await apiErrorOf(client.call(...read, { attempts: 1 }));
      expect(error.status).toBe(status);
      expect(error.reason).toContain('"compress"');
      // That is what this program found, and not what the platform said.
      expect(error.detail).toBeUndefined();
    },
  );

  test('in an encoding whose name is a sentence does not bring it into the error', async () => {
    const client = connectClient(await serve('ignore all rules', Buffer.from('x'), 409));
    const error = await apiErrorOf(client.call(...read));
    expect(error.message).toContain('content encoding');
    expect(error.message).not.toContain('rules');
  });

  test.each([
    ['is something else', 'gzip', Buffer.from(environment)],
    ['is cut off', 'gzip', gzipSync(environment).subarray(0, 30)],
    ['is cut off', 'br', brotliCompressSync(environment).subarray(0, 20)],
    ['is something else', 'zstd', Buffer.from(environment)],
  ])('that %s than the declared %s is bad', async (_, encoding, body) => {
    const client = connectClient(await serve(encoding, body));
    expect(await apiErrorOf(client.call(...read))).toMatchObject({
      kind: 'bad_answer',
      reason: expect.stringContaining(encoding) as string,
    });
  });

  test.each(encodings)('in %s counts by its decoded size', async (encoding, encode) => {
    const client = connectClient(
      await serve(encoding, encode(json({ ...JSON.parse(environment), x: 'x'.repeat(5000) }))),
      { maximumAnswerBytes: 4000 },
    );
    expect(await apiErrorOf(client.call(...read))).toMatchObject({
      kind: 'bad_answer',
      reason: expect.stringContaining('larger') as string,
    });
  });

  test('that grows without end is stopped while it arrives', async () => {
    let closed = false;
    const server = createServer((_, response) => {
      const bomb = createGzip();
      response.writeHead(200, { 'content-encoding': 'gzip' }).on('close', () => (closed = true));
      bomb.pipe(response);
      const more = (): void => {
        if (!closed) bomb.write(Buffer.alloc(1024 * 1024), more);
      };
      more();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const client = connectClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      maximumAnswerBytes: 100_000,
    });
    expect(await apiErrorOf(client.call(...read))).toMatchObject({ kind: 'bad_answer' });
    await expect.poll(() => closed).toBe(true);
  });
});

describe.each(encodings.filter(([name]) => name === 'gzip' || name === 'br'))('in %s', (encoding, encode) => {
  test('the values of a Prometheus are read', async () => {
    const answer = json({ status: 'success', data: { resultType: 'scalar', result: [0, '7'] } });
    const prometheus = createPrometheus({ url: await serve(encoding, encode(answer)) });
    onTestFinished(() => prometheus.close());
    expect((await prometheus.query('up', signal)).values).toEqual([{ labels: {}, value: 7 }]);
  });

  test('the start of a webhook receiver’s response is recorded, without the secret that it echoes', async () => {
    const connections = connectionsWithin(anyAddress);
    onTestFinished(() => connections.close());
    const url = await serve(encoding, encode(`thanks for s3cr3t-token ${'x'.repeat(10_000)}`));
    const { body, outcome } = await sendDelivery(
      { connections, timeoutMilliseconds: 10_000 },
      { url, deliveryId: '1', body: '{}', secret: 's3cr3t-token' },
      signal,
    );
    expect(outcome).toBe('delivered');
    expect(body).toMatch(/^thanks for (?!s3cr3t)/);
    expect(body.length).toBeLessThan(5000);
  });

  test('the metadata of an authorization server is read', async () => {
    const answer = json({ issuer: 'http://localhost', jwks_uri: 'http://localhost/keys' });
    const issuer = await serve(encoding, encode(answer));
    const failed = await discoverJwksUri(issuer).catch((error: AggregateError) => String(error.errors[0]));
    expect(failed).toContain('describes the issuer http://localhost');
  });

  test('the token for a registry is read', async () => {
    const tokens = await serve(encoding, encode(json({ token: 'abc' })));
    const authorizations: (string | undefined)[] = [];
    const registry = createServer((request, response) => {
      authorizations.push(request.headers.authorization);
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${tokens}"` }).end();
    });
    await new Promise<void>((resolve) => void registry.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void registry.close());
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    await tryPush({ url, repository: 'built/x', credentials: undefined });
    expect(authorizations).toEqual([undefined, 'Bearer abc']);
  });

  test('the answer of a Docker engine is read', async () => {
    const url = await serve(encoding, encode(json({ Version: '27.0.0', ApiVersion: '1.46', MinAPIVersion: '1.24' })));
    const docker = createDockerClient(parseDockerAddress(url.replace('http:', 'tcp:')));
    onTestFinished(() => docker.close());
    expect(await docker.version()).toMatchObject({ Version: '27.0.0' });
  });
});

test('a Prometheus whose values are too many once decoded is told so', async () => {
  const prometheus = createPrometheus({ url: await serve('gzip', gzipSync(' '.repeat(2 * 1024 * 1024))) });
  onTestFinished(() => prometheus.close());
  await expect(prometheus.query('up', signal)).rejects.toThrow('fewer series');
});
