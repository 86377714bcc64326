import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { type Answer, fleetOn, send, serverOfTheFile } from './shared-database.ts';

const server = serverOfTheFile();

test('while the database is away requests are answered with 503, and they work again when it is back', async () => {
  const url = await server.createDatabase();
  const fleet = await fleetOn(url);
  const [first, second] = [await fleet.start(['--time-scale', '0.02']), await fleet.start(['--time-scale', '0.02'])];
  const token = first.ready.token!;
  const ask = (to: typeof first, method: string, path: string, body?: unknown): Promise<Answer> =>
    send(to.ready.url, token, method, path, body);
  const projects = `/organization/${first.ready.organization_id}/project`;
  const deployed = await ask(first, 'POST', `/environment/${first.ready.seed['environment_id']!}/deploy`);
  expect(deployed.status).toBeLessThan(300);

  await server.current().crash();
  const answers = await Promise.all([
    ask(first, 'GET', projects),
    ask(second, 'POST', projects, { name: 'while it was away' }),
    ask(second, 'GET', projects),
  ]);
  for (const { status, body } of answers) {
    expect(status).toBe(503);
    expect(body).toEqual({
      status: 503,
      error: 'Service Unavailable',
      message: expect.stringMatching(/database .*Nothing was changed\. Call again/),
      detail: body['message'],
    });
    expect(JSON.stringify(body)).not.toContain('postgres');
  }
  const logged = () => first.output.stderr.split('\n').find((line) => line.includes('the records could not be used'));
  await eventually(() =>
    expect(logged()).toMatch(/"route":"\/organization\/:organizationId\/project".*"cause":"Error: /),
  );
  expect(logged()).not.toContain('stack');
  // Longer than a lease.
  await pause(4000);
  expect((await ask(first, 'GET', projects)).status).toBe(503);

  await server.current().recover();
  for (const platform of [first, second])
    await eventually(async () => expect((await ask(platform, 'GET', projects)).status).toBe(200));
  expect(JSON.stringify((await ask(second, 'GET', projects)).body)).not.toContain('while it was away');
  expect((await ask(second, 'POST', projects, { name: 'when it was back' })).status).toBe(201);
  await eventually(async () =>
    expect(await inDatabase(url, 'select id, status from deployment where ended_at is null')).toEqual([]),
  );
  expect(await inDatabase(url, 'select status from deployment order by seq desc limit 1')).toEqual([
    { status: 'SUCCESS' },
  ]);
});

test('one that is told to end while the database is away ends', async () => {
  const platform = await (await fleetOn(await server.createDatabase())).start();
  await server.current().crash();
  try {
    platform.child.kill('SIGTERM');
    expect((await platform.ended).code).toBe(0);
  } finally {
    await server.current().recover();
  }
});
