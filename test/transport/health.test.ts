import { afterEach, describe, expect, test } from 'vitest';
import { closeTestServers, startTestServer } from './test-server.ts';

afterEach(closeTestServers);

describe('health', () => {
  test('/livez answers whoever asks, under any name', async () => {
    const { url } = await startTestServer();
    const answer = await fetch(new URL('/livez', url));
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
    expect((await fetch(new URL('/livez', url), { method: 'POST' })).status).toBe(405);
  });

  test('/readyz asks the platform once in five minutes, however often it is asked', async () => {
    let now = 0;
    let asked = 0;
    let broken = true;
    const askPlatform = async (): Promise<void> => {
      asked += 1;
      if (broken) throw new Error('connection refused, token secret-token');
    };
    const { url, log } = await startTestServer({ askPlatform, clock: { now: () => now } });
    const ready = async () => fetch(new URL('/readyz', url));
    const first = await Promise.all(Array.from({ length: 20 }, ready));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([503]));
    expect(await first[0]!.text()).not.toContain('secret');
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    broken = false;
    now = 299_999;
    expect((await ready()).status).toBe(503);
    expect(asked).toBe(1);
    now = 300_000;
    expect(await (await ready()).json()).toEqual({ status: 'ready', checked: '1970-01-01T00:05:00.000Z' });
    broken = true;
    expect((await ready()).status).toBe(200);
    expect(asked).toBe(2);
  });
});
