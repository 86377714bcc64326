import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultRateLimit, defaultRateWindowSeconds, rateHeaders } from '../../../src/contract/index.ts';
import { createRateLimiter } from '../../../src/platform/api/index.ts';
import { createCallWindows } from '../../../src/platform/store/call-windows.ts';
import { type TestPlatform, type PlatformResponse, startTestPlatform } from '../../support/test-platform.ts';

let now = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { now: () => now };
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ clock, rateLimit: 5, rateWindowSeconds: 60 });
});

afterAll(() => platform.close());

const budgetOf = ({ status, headers }: PlatformResponse) => ({
  status,
  ...Object.fromEntries(
    Object.entries(rateHeaders).map(([name, header]) => [name, Number(headers[header.toLowerCase()])]),
  ),
});

const ask = async (authorization: string | null, path = '/organization') =>
  budgetOf(await platform.send('GET', path, { authorization }));

test('each token and each address without a valid one has a budget of its own, on every kind of answer', async () => {
  const reset = now / 1000 + 60;
  const read = `Token ${platform.tokens.read}`;
  expect(await ask(read)).toEqual({ status: 200, limit: 5, remaining: 4, reset });
  expect(await ask(read, '/nowhere')).toEqual({ status: 404, limit: 5, remaining: 3, reset });
  expect(await ask(read, '/project/x/environment')).toEqual({ status: 400, limit: 5, remaining: 2, reset });
  expect(
    budgetOf(
      await platform.call(
        'create_project',
        { organization_id: platform.organizationId, name: 'x' },
        { authorization: read },
      ),
    ),
  ).toEqual({ status: 403, limit: 5, remaining: 1, reset });
  expect(await ask(read, '/openapi.json')).toEqual({ status: 200, limit: 5, remaining: 0, reset });
  expect(await ask(read)).toEqual({ status: 429, limit: 5, remaining: 0, reset });

  expect(await ask(`Bearer ${platform.tokens.write}`)).toEqual({ status: 200, limit: 5, remaining: 4, reset });

  expect(await ask(null)).toEqual({ status: 401, limit: 5, remaining: 4, reset });
  expect(await ask('Token one')).toEqual({ status: 401, limit: 5, remaining: 3, reset });
  expect(await ask('Token another')).toEqual({ status: 401, limit: 5, remaining: 2, reset });
});

test('too many calls are refused with when to come back, and change nothing', async () => {
  now += 1000;
  const authorization = `Token ${platform.tokens.deploy}`;
  for (let call = 0; call < 5; call++) expect((await ask(authorization)).status).toBe(200);
  const before = platform.dump();
  const refused = await platform.call(
    'deploy_application',
    { application_id: platform.seed['application_id'] },
    { authorization },
  );
  expect(refused.status).toBe(429);
  expect(refused.body['message']).toContain(new Date(now + 60_000).toISOString());
  expect(platform.dump()).toEqual(before);
});

test('a window that is over gives the whole budget back', async () => {
  const authorization = `Token ${platform.tokens.deploy}`;
  now += 59_999;
  expect((await ask(authorization)).status).toBe(429);
  now += 1;
  expect(await ask(authorization)).toMatchObject({ status: 200, remaining: 4, reset: Math.ceil(now / 1000) + 60 });
});

test('the document says how many calls and how long', async () => {
  const count = createRateLimiter(createCallWindows(), clock);
  expect(await count('somebody')).toEqual({
    limit: 1000,
    remaining: 999,
    resetAt: Math.ceil(now / 1000) + 3600,
    exceeded: false,
  });
  expect([defaultRateLimit, defaultRateWindowSeconds]).toEqual([1000, 3600]);
});

test('callers that are gone are forgotten, those of now are not', async () => {
  let moment = 0;
  const count = createRateLimiter(createCallWindows(), { now: () => moment }, 2, 1);
  await Promise.all(Array.from({ length: 9_999 }, (_, caller) => count(`old ${caller}`)));
  moment = 500;
  await count('recent');
  moment = 1200;
  await count('new');
  expect((await count('recent')).remaining).toBe(0);
  expect((await count('old 1')).remaining).toBe(1);
});
