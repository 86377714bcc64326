import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeTestServers, connectModernHttp } from './test-server.ts';
import { startFullServer } from './full-server.ts';
import { textOf } from '../support/mcp-clients.ts';

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
  const clients = [await connectModernHttp(server.url), await connectModernHttp(server.url, { headers: { 'x-infra-api-token': platform.token } })] as const;
  const stop = async (number: number) => textOf(await clients[number % 2]!.call('lock_cluster', { cluster_id: platform.seed['cluster_id'], reason: `reason ${number}`, ttl_in_days: 1 }));
  const codes = [];
  for (let number = 0; number < 20; number += 1) codes.push(/under code (\S+)\./.exec(await stop(number))?.[1]);
  expect(new Set(codes).size).toBe(20);
  const refused = await stop(20);
  expect(refused).toContain('lock_cluster was not carried out and nothing has changed: somebody has to agree to this first, and 20 calls of yours wait for the operator already');
  expect(refused).toContain('can approve or refuse what waits with infra-mcp approve, and each call that nobody decides expires after 15 minutes');
  expect(await stop(0)).toContain(`under code ${codes[0]}`);
});
