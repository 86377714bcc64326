import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeTestServers, connectModernHttp } from './test-server.ts';
import { startFullServer } from './full-server.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';

let fixture: Awaited<ReturnType<typeof startFullServer>>;
beforeAll(async () => {
  fixture = await startFullServer();
});
afterAll(async () => {
  await closeTestServers();
  await fixture.close();
});

test('a caller has 20 calls wait for the operator, whatever token it sends; one more is told so, and the others stay', async () => {
  const { server, platform } = fixture;
  const clients = [
    await connectModernHttp(server.url),
    await connectModernHttp(server.url, { headers: { 'x-infra-api-token': platform.token } }),
  ] as const;
  const lock = (number: number) =>
    clients[number % 2]!.call('lock_cluster', {
      cluster_id: platform.seed['cluster_id'],
      reason: `reason ${number}`,
      ttl_in_days: 1,
    });
  const codes = [];
  for (let number = 0; number < 20; number += 1) codes.push(/under code (\S+)\./.exec(textOf(await lock(number)))?.[1]);
  expect(new Set(codes).size).toBe(20);
  expect(failureIn(await lock(20))).toEqual({ kind: 'not_confirmed', why: 'too_many_of_caller', outcome: 'refused' });
  expect(textOf(await lock(0))).toContain(codes[0]);
});
