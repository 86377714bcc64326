import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpsHost } from '../../support/https-host.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ allowPrivateWebhookTargets: true });
});
afterAll(() => platform.close());

const password = 'only-the-repository-knows-it';
const index =
  'apiVersion: v1\nentries:\n  cache:\n  - version: 19.2.0\n  - version: 19.1.0\n  queue:\n  - version: 1.0\n';

let number = 0;

/** A repository on a server of its own that answers so. @returns what it is asked with, and its charts */
async function repositoryOf(listener: RequestListener, more: Json = {}) {
  const { port } = await startHttpsHost('charts.test', listener);
  const organization = { organization_id: platform.organizationId };
  const { id } = await platform.must('create_helm_repository', {
    ...organization,
    name: `charts ${(number += 1)}`,
    kind: 'HTTPS',
    url: `https://127.0.0.1:${port}/stable/`,
    skip_tls_verification: true,
    config: { username: 'reader', password },
    ...more,
  });
  return (query: Json = {}) => platform.call('list_helm_charts', { ...organization, helm_repository_id: id, ...query });
}

const answering = (text: string, status = 200): RequestListener => {
  return (_, response) => {
    response.statusCode = status;
    response.end(text);
  };
};

test('charts and their versions are read from the index, with the credentials of the repository', async () => {
  const asked: unknown[] = [];
  const charts = await repositoryOf((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    response.end(index);
  });
  expect(rowsOf((await charts()).body)).toEqual([
    { chart_name: 'cache', versions: ['19.2.0', '19.1.0'] },
    { chart_name: 'queue', versions: ['1'] },
  ]);
  expect(asked).toEqual([['/stable/index.yaml', `Basic ${Buffer.from(`reader:${password}`).toString('base64')}`]]);
  expect(rowsOf((await charts({ chart_name: 'queue' })).body)).toHaveLength(1);
});

test('a repository without charts is told from one that can not be read', async () => {
  expect((await (await repositoryOf(answering('apiVersion: v1\nentries: {}\n')))()).body).toEqual({ results: [] });
  for (const [listener, says] of [
    [answering('no', 403), 'answered 403'],
    [answering('entries: [a'), 'no YAML'],
    [answering('just text'), 'no index of charts'],
    [answering('a'.repeat(3 * 2 ** 20)), 'more than 2 MB'],
    [((_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end()) as RequestListener, 'https'],
  ] as const) {
    const { status, body } = await (await repositoryOf(listener))();
    expect([status, body['message']]).toEqual([400, expect.stringContaining(says)]);
    expect(body['message']).toContain('Whether it has any is not known.');
  }
});

test('a redirect to another server takes no credentials along', async () => {
  const seen: unknown[] = [];
  const { port } = await startHttpsHost('mirror.test', (request, response) => {
    seen.push(request.headers.authorization);
    response.end(index);
  });
  const charts = await repositoryOf((_, response) => {
    response.writeHead(302, { location: `https://127.0.0.1:${port}/index.yaml` }).end();
  });
  expect(rowsOf((await charts()).body)).toHaveLength(2);
  expect(seen).toEqual([undefined]);
});

test('certificates are verified, unless the repository says otherwise', async () => {
  const charts = await repositoryOf(answering(index), { skip_tls_verification: false });
  const { status, text } = await charts();
  expect([status, text]).toEqual([400, expect.stringMatching(/certificate/i)]);
});

test('private addresses are refused where the operator does not allow them', async () => {
  const charts = await repositoryOf(() => expect.unreachable());
  platform = await platform.restart({ allowPrivateWebhookTargets: false });
  const { status, text } = await charts();
  expect([status, text]).toEqual([400, expect.stringContaining('private or reserved address')]);
  expect(text).not.toContain(password);
});
