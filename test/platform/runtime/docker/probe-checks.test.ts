import { readFile, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runnableKinds } from '../../../support/container-programs.ts';
import { eventually } from '../../../support/eventually.ts';
import { exec, grpc, http, installProbe, isReady, notReady, probe, tcp } from './probe-runs.ts';
import { freePort } from '../../../support/free-port.ts';
import { grpcServer, httpServer, tcpServer } from './probe-servers.ts';

if (runnableKinds.length === 0) test.skip('the probe, which runs on Linux only', () => {});

describe.each(runnableKinds)('the probe for $architecture', async (kind) => {
  const { directory, container, once } = await installProbe(kind);

  describe('over HTTP', () => {
    test.each([200, 204, 302, 399])('is content with status %i', async (status) => {
      const { port } = await httpServer(() => status);
      expect(await once(probe('ready', http(port)))).toMatchObject(isReady);
    });

    test.each([400, 404, 500])('is not content with status %i', async (status) => {
      const { port } = await httpServer(() => status);
      expect(await once(probe('ready', http(port)))).toMatchObject(notReady(`port ${port}: status ${status}`));
    });

    test('sends a request that servers understand', async () => {
      const { port, requests } = await httpServer(() => 200);
      await once(probe('ready', http(port, '/health?full=1')));
      expect(requests[0]).toMatchObject({
        method: 'GET',
        url: '/health?full=1',
        headers: { host: `localhost:${port}`, connection: 'close' },
      });
    });

    test('gives up when there is no answer in time', async () => {
      const { port } = await httpServer(() => 0);
      expect(await once(probe('ready', http(port), { timeout: 150 }))).toMatchObject(
        notReady(String.raw`port ${port}: no answer within 0\.15 s`),
      );
    });

    test.each([
      ['closes', (socket: Socket) => void socket.destroy(), 'the connection was closed before an answer'],
      [
        'speaks another protocol',
        (socket: Socket) => void socket.end('220 mail.example ESMTP\r\n'),
        'the answer is not HTTP',
      ],
    ])('tells of a server that %s', async (_, serve, why) => {
      const port = await tcpServer(serve);
      expect(await once(probe('ready', http(port)))).toMatchObject(notReady(`port ${port}: ${why}`));
    });

    test('puts an answer together that comes byte by byte', async () => {
      const port = await tcpServer((socket) => {
        socket.setNoDelay(true);
        'HTTP/1.0 200 OK\r\n\r\n'
          .split('')
          .forEach((letter, index) => setTimeout(() => socket.write(letter), index * 10));
      });
      expect(await container({ hold: 20_000 })(probe('ready', http(port)))).toMatchObject(isReady);
    });
  });

  describe('over gRPC', () => {
    test('is content with SERVING', async () => {
      const port = await grpcServer(() => 1);
      expect(await once(probe('ready', grpc(port)))).toMatchObject(isReady);
    });

    test('asks for its service, whatever the length of the name', async () => {
      const service = `shop.${'x'.repeat(300)}`;
      const port = await grpcServer((asked) => (asked === service ? 1 : 2));
      expect(await once(probe('ready', grpc(port, service)))).toMatchObject(isReady);
      expect(await once(probe('ready', grpc(port, 'other')))).toMatchObject(
        notReady(`port ${port}: status NOT_SERVING`),
      );
    });

    test.each([
      [0, 'status UNKNOWN'],
      [2, 'status NOT_SERVING'],
      [3, 'status SERVICE_UNKNOWN'],
      [undefined, 'the server answered without a health status: [^,]+, or not have grpc.health.v1'],
    ])('is not content with %j', async (status, why) => {
      const port = await grpcServer(() => status);
      expect(await once(probe('ready', grpc(port)))).toMatchObject(notReady(`port ${port}: ${why}`));
    });

    test('tells of a server that does not speak HTTP/2, or says nothing', async () => {
      const { port } = await httpServer(() => 200);
      expect(await once(probe('ready', grpc(port)))).toMatchObject(
        notReady(`port ${port}: (?:the answer is not HTTP/2 without TLS|the connection was closed before an answer)`),
      );
      const silent = await tcpServer(() => undefined);
      expect(await once(probe('ready', grpc(silent), { timeout: 100 }))).toMatchObject(
        notReady(String.raw`port ${silent}: no answer within 0\.1 s`),
      );
    });
  });

  describe('over TCP', () => {
    test('is content with a connection', async () => {
      expect(await once(probe('ready', tcp(await tcpServer(() => undefined))))).toMatchObject(isReady);
    });

    test('tells of a port on which nobody listens', async () => {
      const port = await freePort();
      expect(await once(probe('ready', tcp(port)))).toMatchObject(notReady(`port ${port}: connection refused`));
    });
  });

  describe('with a command', () => {
    test.each([
      ['fails', ['sh', '-c', 'exit 3'], 'exit code 3'],
      ['is ended by a signal', ['sh', '-c', 'kill -9 $$'], 'signal 9'],
      ['is not there', ['no-such-program'], 'no-such-program was not found'],
      ['can not be started', ['/usr'], "/usr can't be started: it may not be executed"],
    ])('tells that it %s', async (_, command, why) => {
      expect(await once(probe('ready', exec(...command)))).toMatchObject(notReady(why));
    });

    test('gives it its arguments, and the variables of the file', async () => {
      const variables = join(directory, 'variables');
      await writeFile(variables, 'SECRET=hidden\0');
      const target = join(directory, 'written');
      const command = exec('sh', '-c', 'printf "%s|" "$SECRET" "$@" > "$0"', target, 'a b', '', 'live');
      expect(await container({ variables })(probe('ready', command), probe('live', exec('true')))).toMatchObject(
        isReady,
      );
      expect(await readFile(target, 'utf8')).toBe('hidden|a b||live|');
    });

    test('keeps what it prints to itself', async () => {
      expect(await once(probe('ready', exec('sh', '-c', 'echo hidden; echo hidden >&2; exit 1')))).toMatchObject(
        notReady('exit code 1'),
      );
    });

    test('ends it when its time is over, with what it started', async () => {
      const target = join(directory, 'pid');
      /** Ends the command after so many milliseconds. @returns the id of what it started; undefined if it did not come to that */
      const startedWithin = async (timeout: number): Promise<string | undefined> => {
        const command = exec('sh', '-c', 'sleep 1000 & echo $! > "$0"; wait', target);
        const end = await once(probe('ready', command, { timeout, period: 600_000 }));
        expect(end).toMatchObject(notReady(`it did not end within ${timeout / 1000} s`.replace('.', '\\.')));
        return (await readFile(target, 'utf8').catch(() => '')).trim() || undefined;
      };
      const pid = (await startedWithin(200)) ?? (await startedWithin(3000)) ?? (await startedWithin(30_000));
      expect(pid).toBeDefined();
      await eventually(async () => {
        // A process that has ended and that nobody has asked about is a zombie.
        const state = await readFile(`/proc/${pid}/stat`, 'utf8').then(
          (stat) => stat.split(' ')[2],
          () => 'gone',
        );
        expect(['gone', 'Z', 'X']).toContain(state);
      });
    });
  });
});
