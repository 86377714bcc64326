import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rateHeaders } from '../../../../src/contract/index.ts';
import { startTestPlatform } from '../../../support/test-platform.ts';
import { type ControlledPlatform, startInstantPlatform } from './controlled-platform.ts';

let platform: ControlledPlatform;
beforeAll(async () => {
  platform = await startInstantPlatform({ rateLimit: 5, rateWindowSeconds: 3600 });
});
afterAll(() => platform.close());

describe('the control endpoints', () => {
  test('are opened by the control token alone, under either scheme', async () => {
    const { token } = platform.control!;
    expect((await platform.sendControl('GET', '/time')).status).toBe(200);
    expect((await platform.sendControl('GET', '/time', undefined, `Token ${token}`)).status).toBe(200);
    for (const authorization of [
      null,
      'Bearer',
      `Bearer ${platform.tokens.admin}`,
      `Token ${platform.tokens.admin}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
    ]) {
      const { status, body } = await platform.sendControl('GET', '/time', undefined, authorization);
      expect([authorization, status, body['message']]).toEqual([
        authorization,
        401,
        expect.stringContaining('control token'),
      ]);
    }
    expect((await platform.sendControl('POST', '/reset', undefined, `Bearer ${platform.tokens.admin}`)).status).toBe(
      401,
    );
  });

  test('have a token that the API does not take', async () => {
    expect(
      (await platform.send('GET', '/organization', { authorization: `Bearer ${platform.control!.token}` })).status,
    ).toBe(401);
  });

  test('are not counted, whatever they answer', async () => {
    for (let turn = 0; turn < 10; turn += 1) await platform.sendControl('GET', '/faults');
    for (let turn = 0; turn < 10; turn += 1)
      expect((await platform.sendControl('GET', '/faults', undefined, null)).status).toBe(401);
    const answer = await platform.send('GET', '/organization', { authorization: `Token ${platform.tokens.read}` });
    expect([answer.status, answer.headers[rateHeaders.remaining.toLowerCase()]]).toEqual([200, '4']);
  });

  test('say which there is not', async () => {
    const { status, body } = await platform.sendControl('GET', '/nowhere?x=1');
    expect([status, body['message']]).toEqual([404, 'There is no control endpoint GET /_control/nowhere.']);
    expect((await platform.sendControl('GET', '')).status).toBe(404);
    // Only what begins with the prefix as a whole is theirs.
    expect((await platform.send('GET', '/_controlled')).body['message']).toContain(
      'GET /openapi.json lists every operation',
    );
  });

  test('are not described to callers of the API', async () => {
    expect((await platform.send('GET', '/openapi.json', { authorization: null })).text).not.toContain('_control');
  });
});

test('without being asked for, there are none', async () => {
  const plain = await startTestPlatform();
  expect(plain.control).toBe(undefined);
  for (const authorization of [`Token ${plain.tokens.admin}`, null]) {
    expect((await plain.send('GET', '/_control/time', { authorization })).status).toBe(authorization ? 404 : 401);
  }
  await plain.close();
});
