import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/built-program.ts';
import { eventually } from '../../support/eventually.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { fleetOn, send, serverOfTheFile } from './shared-database.ts';

const server = serverOfTheFile();

interface Controlled {
  readonly control_url: string;
  readonly control_token: string;
}

/** Three platforms on a database of their own, of which the first has a control, and what sends requests to them. */
async function threePlatforms(args: readonly string[] = [], argsOfAll: readonly string[] = []) {
  const url = await server.createDatabase();
  const fleet = await fleetOn(url);
  const platforms = await Promise.all([
    fleet.start(['--control', ...args, ...argsOfAll]),
    fleet.start(argsOfAll),
    fleet.start(argsOfAll),
  ]);
  const token = platforms.map(({ ready }) => ready.token).find((each) => each !== null)!;
  const control = platforms[0].ready as unknown as Controlled;
  return {
    url,
    fleet,
    platforms,
    seed: platforms[0].ready.seed,
    control: (method: string, path: string, body?: unknown) =>
      send(control.control_url, control.control_token, method, path, body),
    /** Sends the same to each of them, again and again and at once, and gives the statuses. */
    statuses: async (times: number, method: string, path: string) =>
      (
        await Promise.all(
          Array.from({ length: times }, (_, index) => send(platforms[index % 3]!.ready.url, token, method, path)),
        )
      ).map(({ status }) => status),
    deploy: (index: number, service: string) =>
      send(platforms[index]!.ready.url, token, 'POST', `/application/${service}/deploy`, {}),
  };
}

const failed = (all: readonly number[]): number => all.filter((status) => status === 500).length;

test('a rule for requests that is given to one platform holds at all of them at once, and counts once', async () => {
  const { control, statuses } = await threePlatforms();
  for (const count of [1, 4]) {
    expect(
      (await control('PUT', '/faults/broken', { effect: 'status_500', operation: 'get_organization', count })).status,
    ).toBe(200);
    expect(failed(await statuses(30, 'GET', '/organization'))).toBe(count);
    expect((await control('GET', '/faults')).body['results']).toMatchObject([{ name: 'broken', struck: count }]);
  }
  // Without a count, at each of them, until it is removed.
  await control('PUT', '/faults/broken', { effect: 'status_500', operation: 'get_organization' });
  expect(failed(await statuses(9, 'GET', '/organization'))).toBe(9);
  await control('DELETE', '/faults/broken');
  expect(failed(await statuses(9, 'GET', '/organization'))).toBe(0);
  // What is drawn by chance is drawn once for all: the same number as in a platform alone.
  await control('PUT', '/faults/broken', { effect: 'status_500', operation: 'get_organization', probability: 0.5 });
  const drawn = failed(await statuses(30, 'GET', '/organization'));
  expect((await control('GET', '/faults')).body['results']).toMatchObject([{ struck: drawn }]);
});

test('a rule for steps that counts once fails one deployment, whichever platform carries it out', async () => {
  const { url, control, deploy, seed } = await threePlatforms();
  await control('PUT', '/faults/build', { effect: 'build_error', count: 1 });
  for (const index of [1, 2, 0]) {
    expect((await deploy(index, seed['application_id']!)).status).toBeLessThan(300);
    await eventually(async () =>
      expect(await inDatabase(url, 'select id from deployment where ended_at is null')).toEqual([]),
    );
  }
  const ends = await inDatabase(url, 'select status from deployment order by seq desc limit 3');
  expect(ends.map(({ status }) => status).toReversed()).toEqual(['ERROR', 'SUCCESS', 'SUCCESS']);
  expect((await control('GET', '/faults')).body['results']).toMatchObject([{ name: 'build', struck: 1 }]);
});

test('rules of a file that all of them start with count once, go on with their counts at a restart, and are told of', async () => {
  const file = join(await temporaryDirectory(), 'faults.yaml');
  await writeFile(
    file,
    'faults:\n  - name: once\n    effect: status_500\n    operation: get_organization\n    count: 1\n',
  );
  const { fleet, platforms, statuses } = await threePlatforms([], ['--faults', file]);
  expect(failed(await statuses(12, 'GET', '/organization'))).toBe(1);
  const later = await fleet.start(['--faults', file]);
  const withoutFile = await fleet.start();
  expect(failed(await statuses(6, 'GET', '/organization'))).toBe(0);
  await eventually(() => expect(withoutFile.output.stderr).toContain('"rules":["once"]'));
  for (const { child } of [...platforms, later]) child.kill('SIGTERM');
});

test('what replaces or copies records is refused, with what to do instead', async () => {
  const { control } = await threePlatforms();
  for (const [method, path, body] of [
    ['POST', '/snapshots', { name: 'one' }],
    ['POST', '/restore', { name: 'one' }],
    ['POST', '/reset', {}],
  ] as const) {
    expect(await control(method, path, body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('use a dump of the database') },
    });
  }
});
