import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { tryPush } from '../../../../../src/platform/runtime/docker/doctor/registry-push.ts';

const credentials = { username: 'pusher', password: 'hidden-word' };
const basic = `Basic ${Buffer.from('pusher:hidden-word').toString('base64')}`;

/** A registry that answers like this. @returns its address, and what it was asked */
async function registryThat(answer: (request: IncomingMessage, response: ServerResponse, url: string) => void) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    answer(request, response, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const takesUploads = (request: IncomingMessage, response: ServerResponse): unknown =>
  request.method === 'POST'
    ? response.writeHead(202, { location: '/v2/built/x/blobs/uploads/1?state=a' }).end()
    : response.writeHead(204).end();

test('an upload is begun and canceled', async () => {
  const { url, seen } = await registryThat(takesUploads);
  expect(await tryPush({ url, repository: 'built/x', credentials })).toEqual({ is: 'taken' });
  expect(seen).toEqual([
    `POST /v2/built/x/blobs/uploads/ ${basic}`,
    `DELETE /v2/built/x/blobs/uploads/1?state=a ${basic}`,
  ]);
});

test('a token is fetched where a registry wants one, for this name only', async () => {
  const { url, seen } = await registryThat((request, response, own) => {
    if (request.url?.startsWith('/token')) return response.end(JSON.stringify({ token: 'abc' }));
    if (request.headers.authorization !== 'Bearer abc')
      return response.writeHead(401, { 'www-authenticate': `Bearer realm="${own}/token",service="ours"` }).end();
    return takesUploads(request, response);
  });
  expect(await tryPush({ url, repository: 'built/x', credentials })).toEqual({ is: 'taken' });
  expect(seen[1]).toBe(`GET /token?service=ours&scope=repository%3Abuilt%2Fx%3Apull%2Cpush ${basic}`);
  expect(seen.slice(2).every((each) => each.endsWith('Bearer abc'))).toBe(true);
});

test('credentials go to nobody else over plain http', async () => {
  const other = await registryThat((_, response) => response.end('{}'));
  const { url } = await registryThat((_, response) =>
    response
      .writeHead(401, { 'www-authenticate': `Bearer realm="${other.url.replace('127.0.0.1', 'localhost')}/token"` })
      .end(),
  );
  expect(await tryPush({ url, repository: 'built/x', credentials })).toMatchObject({
    is: 'unknown',
    why: expect.stringContaining('could be intercepted'),
  });
  expect(other.seen).toEqual([]);
});

test('a refusal is told apart from a registry that this machine does not reach', async () => {
  const { url } = await registryThat((_, response) => response.writeHead(403).end());
  expect(await tryPush({ url, repository: 'built/x', credentials: undefined })).toEqual({
    is: 'refused',
    why: 'the status 403 at the start of an upload',
  });
  expect(await tryPush({ url: 'http://127.0.0.1:1', repository: 'built/x', credentials })).toMatchObject({
    is: 'unknown',
    why: expect.not.stringContaining('hidden-word'),
  });
});
