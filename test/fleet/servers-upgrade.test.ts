import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardSchema } from '../../src/server/guard/storage/postgres-store.ts';
import { failureIn } from '../support/mcp-clients.ts';
import { callReplica } from '../transport/replica-calls.ts';
import { openServerFleet, type ServerFleet } from './server-fleet.ts';

let fleet: ServerFleet;
beforeAll(async () => {
  fleet = await openServerFleet();
});
afterAll(() => fleet.close());

/**
 * Records a step of a newer server, which adds nothing else.
 * @param needed how many steps a program has to know from then on
 */
const addStep = (name: string, position: number, needed: number) =>
  fleet.query(
    `insert into guard_schema_step (name, position, compatible_since) values ('${name}', ${position}, ${needed})`,
  );

test('a server goes on beside a newer one until that changes what it needs; then it changes nothing, says so and ends, and starts no more', async () => {
  const server = await fleet.start('old');
  const known = guardSchema.steps.length;
  await addStep('9001-added', known, known);
  expect(
    (await callReplica(server.mcp, 'create_webhook', fleet.webhookCall('beside'))).inputRequests?.confirm,
  ).toBeDefined();

  await addStep('9002-changed', known + 1, known + 2);
  const refused: Awaited<ReturnType<typeof callReplica>> | undefined = await callReplica(
    server.mcp,
    'create_webhook',
    fleet.webhookCall('after'),
  );
  // A server that has found it out by itself stops, and gives no result any more.
  if (refused !== undefined) expect(failureIn(refused)?.kind).toBe('store_unavailable');
  const { code, stderr } = await server.ended;
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringContaining('Start the newer version of infra-mcp'),
  ]);
  expect(await fleet.webhooksTo('after')).toBe(0);
  await expect(fleet.start('again')).rejects.toThrow(/newer version/);
});
