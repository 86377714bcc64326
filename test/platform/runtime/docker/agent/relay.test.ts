import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { installPrograms, runnableKinds } from '../../../../support/container-programs.ts';

if (runnableKinds.length === 0) test.skip('what passes a connection on, which runs on Linux only', () => {});

describe.each(runnableKinds)('what passes a connection on, for $architecture', async (kind) => {
  const { relay } = await installPrograms(kind);

  test('passes on what it reads, and what comes back until the server ends', async () => {
    const large = 'x'.repeat(300_000);
    const server = createServer((socket) => {
      let got = '';
      socket
        .setEncoding('utf8')
        .on('data', (text) => {
          got += text;
          if (got.length === large.length) socket.end(`${got.length} of ${got[0]!}${large}`);
        })
        .on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { code, output, errors } = await relay(['127.0.0.1', String((server.address() as AddressInfo).port)], {
      input: large,
      keepsInput: true,
    });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toBe(`300000 of x${large}`);
  });

  test('ends when its input does', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    expect(await relay(['127.0.0.1', String((server.address() as AddressInfo).port)], { input: 'text' })).toMatchObject(
      { code: 0, output: '' },
    );
  });

  test('says why there is no connection', async () => {
    expect(await relay(['127.0.0.1', '1'])).toMatchObject({ code: 1, output: '', errors: 'connection refused\n' });
    for (const args of [
      [],
      ['127.0.0.1'],
      ['localhost', '80'],
      ['127.0.0.1', '0'],
      ['127.0.0.1', '65536'],
      ['127.0.0.1', '80', 'x'],
    ]) {
      expect(await relay(args)).toMatchObject({
        code: 2,
        errors: 'infra-relay: an IPv4 address and a port are needed\n',
      });
    }
  });
});
