import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ProgramEnd, runnableKinds } from '../../../support/container-programs.ts';
import { exec, http, installProbe, isReady, notReady, probe, tcp } from './probe-runs.ts';
import { freePort } from '../../../support/free-port.ts';
import { httpServer } from './probe-servers.ts';

if (runnableKinds.length === 0) test.skip('the probe, which runs on Linux only', () => {});

describe.each(runnableKinds)('the probe for $architecture', async (kind) => {
  const { directory, container, once, run } = await installProbe(kind);

  describe('until a container is ready', () => {
    test('goes on in one run', async () => {
      const { port, requests } = await httpServer((count) => (count > 3 ? 200 : 503));
      expect(await container({ hold: 20_000 })(probe('ready', http(port)))).toEqual({
        ...isReady,
        pid: expect.any(Number),
      });
      expect(requests).toHaveLength(4);
    });

    test('wants as many successes in a row as configured', async () => {
      const { port, requests } = await httpServer((count) => (count === 2 ? 503 : 200));
      expect(await container({ hold: 20_000 })(probe('ready', http(port), { successes: 2 }))).toMatchObject(isReady);
      expect(requests).toHaveLength(4);
    });

    test('says after a while what it waits for, and goes on where it was', async () => {
      let status = 503;
      const { port } = await httpServer(() => status);
      const next = container();
      const times = async (): Promise<number> => {
        const end = await next(probe('ready', http(port)));
        expect(end).toMatchObject(notReady(`port ${port}: status 503`));
        return Number(/(?<times>\d+) times/.exec(end.output)?.groups?.['times'] ?? 1);
      };
      expect(await times()).toBeLessThan(await times());
      status = 200;
      expect(await next(probe('ready', http(port)))).toMatchObject(isReady);
    });

    test('waits for the initial delay, over several runs', async () => {
      const { port, requests } = await httpServer(() => 200);
      const next = container();
      const ready = probe('ready', http(port), { delay: 250 });
      const ends = [await next(ready)];
      expect(ends[0]).toMatchObject(notReady(String.raw`its initial delay of 0\.25 s is not over`));
      expect(requests).toHaveLength(0);
      while (ends.at(-1)!.code !== 0) ends.push(await next(ready));
      expect(ends.at(-1)).toMatchObject(isReady);
      expect(requests).toHaveLength(1);
    });

    test('goes on after the grace, until there is something to tell', async () => {
      const { port, requests } = await httpServer((count) => (count > 20 ? 200 : 503));
      expect(await container({ grace: 0 })(probe('ready', http(port)))).toMatchObject(isReady);
      expect(requests).toHaveLength(21);
    });

    test('ends a run when the grace ends, so that the next one counts', async () => {
      const port = await freePort();
      expect(await container({ hold: 60_000, grace: 100 })(probe('ready', tcp(port)))).toMatchObject(
        notReady(`port ${port}: connection refused`),
      );
    });

    test('watches liveness too, from its initial delay on', async () => {
      const port = await freePort();
      const end = await container({ grace: 0 })(
        probe('ready', tcp(port)),
        probe('live', exec('false'), { delay: 200, failures: 2 }),
      );
      expect(end).toMatchObject({ code: 1, output: 'not alive: exit code 1, 2 times in a row\n' });
    });
  });

  describe('when a container was ready', () => {
    test('watches liveness, and counts failures over several runs', async () => {
      let status = 200;
      const { port } = await httpServer(() => status);
      const next = container();
      const probes = [probe('ready', tcp(port)), probe('live', http(port), { period: 50, failures: 4 })];
      expect(await next(...probes)).toMatchObject(isReady);
      expect(await next(...probes)).toMatchObject(isReady);
      status = 500;
      const ends: ProgramEnd[] = [];
      while (ends.at(-1)?.code !== 1) ends.push(await next(...probes));
      expect(ends.at(-1)!.output).toBe(`not alive: port ${port}: status 500, 4 times in a row\n`);
      expect(ends.length).toBeGreaterThan(1);
      // An engine that didn't count it is told again.
      expect((await next(...probes)).output).toBe(ends.at(-1)!.output);
    });

    test('forgets failures after a success', async () => {
      const { port, requests } = await httpServer((count) => (count % 3 === 0 ? 200 : 500));
      const next = container();
      while (requests.length < 7) expect(await next(probe('live', http(port)))).toMatchObject(isReady);
    });

    test('tells of a readiness probe that fails, and of its recovery, but ends no container', async () => {
      let status = 200;
      const { port } = await httpServer(() => status);
      const next = container({ hold: 20_000 });
      const ready = probe('ready', http(port));
      expect(await next(ready)).toMatchObject(isReady);
      status = 503;
      expect(await next(ready)).toMatchObject({
        code: 0,
        output: `not ready: port ${port}: status 503, 3 times in a row\n`,
      });
      status = 200;
      expect(await next(ready)).toMatchObject(isReady);
    });

    test('has a container without a readiness probe as ready at once', async () => {
      const port = await freePort();
      const next = container({ hold: 20_000 });
      const live = probe('live', tcp(port));
      expect(await next(live)).toMatchObject(isReady);
      expect(await next(live)).toMatchObject({
        code: 1,
        output: `not alive: port ${port}: connection refused, 3 times in a row\n`,
      });
    });
  });

  test.each([
    [['ready']],
    [[]],
    [['ready', '0', '0', '1', '1', '1', 'tcp', '127.0.0.1', '1']],
    [probe('ready', ['tcp', 'host.example', 1])],
    [probe('ready', tcp(0))],
    [probe('ready', tcp(65536))],
    [probe('ready', ['udp', '127.0.0.1', 1])],
    [probe('ready', ['exec', 2, 'true'])],
    [probe('ready', ['exec', 0])],
    [[...probe('ready', tcp(1)), ...probe('ready', tcp(1))]],
    [[...probe('ready', tcp(1)), 'more']],
    [probe('ready', ['http', '127.0.0.1', 1])],
  ])('refuses %j', async (args) => {
    expect(await once([...args])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^infra-probe: argument \d+ can't be used\n$/),
    });
  });

  test('does not follow a link in the place of its state', async () => {
    const target = join(directory, 'precious');
    const state = join(directory, 'link');
    await writeFile(target, 'precious');
    await symlink(target, state);
    const end = await run([state, '/nowhere', '100', '0', ...probe('ready', exec('true'))]);
    expect(end).toMatchObject({
      code: 1,
      output: expect.stringContaining(`the state can't be kept in ${state}: error `),
    });
    expect(await readFile(target, 'utf8')).toBe('precious');
  });
});
