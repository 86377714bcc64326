import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPrometheus, type Prometheus, valuesIn } from '../../../src/platform/engine/prometheus.ts';

let server: Server;
let prometheus: Prometheus;
let asked: { url?: string; authorization?: string; body: string };
let answer = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request
      .on('data', (chunk: Buffer) => (body += chunk.toString()))
      .on('end', () => {
        asked = { url: request.url!, authorization: request.headers.authorization!, body };
        response.end(answer);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  prometheus = createPrometheus({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/below`,
    authorization: 'Bearer hidden',
  });
});
afterAll(async () => {
  await prometheus.close();
  server.close();
});

const { signal } = new AbortController();
const success = (resultType: string, result: unknown): string =>
  JSON.stringify({ status: 'success', data: { resultType, result } });

test('an expression is sent as it is, and its values come back', async () => {
  answer = success('vector', [
    { metric: { job: 'shop', odd: 7 }, value: [1, '0.5'] },
    { value: [1, '+Inf'] },
    { value: [1, 'NaN'] },
  ]);
  expect(await prometheus.query('a{b="&c"} > 1', signal)).toMatchObject({
    kind: 'series',
    values: [{ labels: { job: 'shop' }, value: 0.5 }, { value: Infinity }, { value: Number.NaN }],
  });
  expect(asked).toMatchObject({ url: '/below/api/v1/query', authorization: 'Bearer hidden' });
  expect(new URLSearchParams(asked.body).get('query')).toBe('a{b="&c"} > 1');
  expect(valuesIn(success('scalar', [1, '3']))).toEqual({ kind: 'number', values: [{ labels: {}, value: 3 }] });
});

test.each([
  ['{"status":"error","error":"parse error"}', 'it says: parse error'],
  ['<html>', 'not a Prometheus'],
  ['null', 'not a Prometheus'],
  [success('matrix', []), 'returns a matrix'],
  [success('vector', {}), 'an instant vector'],
  ['x'.repeat(2 ** 20 + 1), 'more than 1048576 bytes'],
])('what gives no values says so: %.30s', async (text, says) => {
  answer = text;
  const failure = await prometheus.query('up', signal).then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(failure).toContain(says);
  expect(failure).toMatch(/^The Prometheus at http:\/\/127\.0\.0\.1:\d+\/below could not evaluate it: /);
  expect(failure).not.toContain('hidden');
});

test('an error that repeats the credentials is told without them, also where it is cut', async () => {
  for (const echoed of [
    'Bearer hush-hush-42',
    Buffer.from('Bearer hush-hush-42').toString('base64'),
    `${'x'.repeat(185)} hush-hush-42 is not known`,
  ]) {
    const { port } = server.address() as AddressInfo;
    const guarded = createPrometheus({ url: `http://127.0.0.1:${port}`, authorization: 'Bearer hush-hush-42' });
    answer = JSON.stringify({ status: 'error', error: echoed });
    await expect(guarded.query('up', signal)).rejects.toThrow(/^(?!.*(?:hush|QmVhcmVy)).*\[hidden/);
    await guarded.close();
  }
});

test('one that is not there is not reached', async () => {
  const nobody = createPrometheus({ url: 'http://127.0.0.1:1' });
  await expect(nobody.query('up', signal)).rejects.toThrow('could not evaluate it: ');
  await nobody.close();
});
