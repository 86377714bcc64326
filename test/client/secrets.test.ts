import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { credentialOf, type ApiError } from '../../src/client/index.ts';
import { operations } from '../../src/contract/index.ts';
import { connectClient, apiErrorOf, fakeTime, ids, startStubServer, type StubResponse } from './stub-server.ts';
import { runs } from '../support/runs.ts';

/** Everything a logger, a debugger or a caller might print of an error. */
const shown = (error: ApiError): string =>
  [
    error.message,
    error.stack,
    String(error),
    JSON.stringify(error),
    inspect(error, { depth: 9, showHidden: true, getters: true }),
  ].join('\n');

const tokens = fc.stringMatching(/^[A-Za-z0-9._~+/=-]{12,40}$/);
const plain = fc.string({ maxLength: 12 }).filter((text) => !text.includes('<'));
const filler = fc.oneof(plain, fc.constantFrom(' '.repeat(290), '\u0000', '\n', '"', '<p>', 'x'.repeat(296)));

/** Where a server may put a token back, and how. */
const echoes = fc.record({
  status: fc.constantFrom(200, 301, 302, 400, 401, 403, 404, 405, 409, 429, 500, 503),
  member: fc.constantFrom('message', 'detail', 'error', 'id', 'other', 'raw', 'page', 'location', 'header'),
  spell: fc.constantFrom<(token: string) => string>(
    (text) => text,
    (text) => encodeURIComponent(text),
    (text) => Buffer.from(text).toString('base64'),
    (text) => text.toUpperCase(),
    (text) => `Token ${text}`,
  ),
  before: filler,
  after: filler,
});

const replyOf = (
  { status, member, spell, before, after }: typeof echoes extends fc.Arbitrary<infer T> ? T : never,
  secret: string,
): StubResponse => {
  const text = before + spell(secret) + after;
  if (member === 'raw') return { status, body: text };
  if (member === 'page') return { status, body: `<html><title>${text}</title></html>` };
  if (member === 'location')
    return {
      status,
      headers: { location: `https://${encodeURIComponent(secret)}.example/${encodeURIComponent(secret)}` },
    };
  if (member === 'header')
    return { status, headers: { 'x-request-token': secret, 'retry-after': secret, 'content-type': secret } };
  return { status, body: { [member]: text, nested: { [text]: text } } };
};

describe('a credential that a server sends back', () => {
  test('is nowhere in the error, nor in the log', async () => {
    let reply: StubResponse = {};
    const { url } = await startStubServer(() => reply);
    const logged: unknown[] = [];
    const log = {
      debug: (...line: unknown[]) => void logged.push(line),
      warn: (...line: unknown[]) => void logged.push(line),
    };
    const client = connectClient(url, { ...fakeTime().config, log });
    await fc.assert(
      fc.asyncProperty(tokens, echoes, fc.boolean(), async (secret, echo, isRead) => {
        reply = replyOf(echo, secret);
        const options = { credential: credentialOf(secret) };
        const error = await apiErrorOf(
          isRead
            ? client.call(operations.get_environment, { environment_id: ids.environment }, options)
            : client.call(operations.create_project, { organization_id: ids.organization, name: 'x' }, options),
        ).catch((unexpected: unknown) => {
          // Some of them are good answers: an id alone, or nothing after a change.
          if (echo.status === 200) return undefined;
          throw unexpected;
        });
        const all = (error ? shown(error) : '') + inspect(logged.splice(0), { depth: 9 });
        expect(all.toLowerCase()).not.toContain(secret.toLowerCase());
        expect(all).not.toContain(encodeURIComponent(secret));
        expect(all).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
      }),
      { numRuns: runs(250) },
    );
  });

  test("is masked where it is the client's own and the call had another", async () => {
    const own = credentialOf('own-credential-123');
    const { url } = await startStubServer(() => ({
      status: 400,
      body: { message: `seen ${own.value} and other-credential-456` },
    }));
    const error = await apiErrorOf(
      connectClient(url, { credential: own }).call(
        operations.get_organization,
        {},
        { credential: credentialOf('other-credential-456') },
      ),
    );
    expect(error.detail).toBe('seen [hidden] and [hidden]');
  });

  test('is masked before the text is cut, so that no half of it remains', async () => {
    const secret = 'a-long-credential-of-some-forty-letters';
    const { url } = await startStubServer(() => ({ status: 400, body: { message: `${'x'.repeat(280)}${secret}` } }));
    const error = await apiErrorOf(
      connectClient(url).call(operations.get_organization, {}, { credential: credentialOf(secret) }),
    );
    expect(error.detail).toBe(`${'x'.repeat(280)}[hidden]`);
  });
});

test('a secret in the request that a server sends back is masked too', async () => {
  const { url } = await startStubServer((one) => ({ status: 400, body: { message: `can't store ${one.body}` } }));
  const client = connectClient(url);
  const secret = await apiErrorOf(
    client.call(operations.create_secret, {
      application_id: ids.application,
      key: 'DB_PASSWORD',
      value: 'hunter2"quoted',
    }),
  );
  const registry = await apiErrorOf(
    client.call(operations.create_helm_repository, {
      organization_id: ids.organization,
      name: 'charts',
      kind: 'HTTPS',
      skip_tls_verification: false,
      url: 'https://charts.example.com',
      config: { username: 'ann', password: 'hunter3', secret_access_key: 'hunter4' },
    }),
  );
  const webhook = await apiErrorOf(
    client.call(operations.create_webhook, {
      organization_id: ids.organization,
      target_url: 'https://a.example',
      events: ['DEPLOYMENT_STARTED'],
      enabled: true,
      target_secret: 'hunter5',
    }),
  );
  for (const error of [secret, registry, webhook]) {
    expect(error.detail).toContain('[hidden]');
    expect(shown(error)).not.toMatch(/hunter/);
  }
  expect(secret.detail).toContain('DB_PASSWORD');
  expect(registry.detail).toContain('ann');
});

test('a client shows no credential when it is inspected', async () => {
  const { url } = await startStubServer(() => ({ body: { id: ids.organization } }));
  const client = connectClient(url, { credential: credentialOf('own-credential-123') });
  await client.call(operations.get_organization, {});
  expect(inspect(client, { depth: 9, showHidden: true })).not.toContain('own-credential-123');
});
