import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../support/free-port.ts';
import { installPrograms, runnableKinds } from '../../../support/container-programs.ts';

if (runnableKinds.length === 0) test.skip('what sends a request, which runs on Linux only', () => {});

describe.each(runnableKinds)('what sends a request, for $architecture', async (kind) => {
  const { 'send-request': sendRequest } = await installPrograms(kind);
  const env = { REQUEST: 'DELETE /thing HTTP/1.0\r\nHost: localhost\r\nAuthorization: Basic abc\r\n\r\n' };

  test('sends it as it is, and prints the whole answer', async () => {
    const body = 'x'.repeat(100_000);
    const server = createServer((request, response) =>
      response.writeHead(202).end(`${request.method} ${request.url} ${request.headers.authorization} ${body}`),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { code, output, errors } = await sendRequest([String((server.address() as AddressInfo).port), '10000'], {
      env,
    });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^HTTP\/1\.[01] 202 Accepted\r\n/);
    expect(output.endsWith(`\r\n\r\nDELETE /thing Basic abc ${body}`)).toBe(true);
  });

  test('tells why nothing was answered', async () => {
    expect(await sendRequest([String(await freePort()), '1000'], { env })).toMatchObject({
      code: 1,
      output: '',
      errors: 'infra-send-request: connection refused\n',
    });
  });

  test.each([[[]], [['80']], [['0', '1000']], [['70000', '1000']], [['80', 'soon']]])(
    'takes no arguments such as %j',
    async (args) => {
      expect(await sendRequest(args, { env })).toMatchObject({
        code: 2,
        output: '',
        errors: 'infra-send-request: a port, a timeout and the variable REQUEST are needed\n',
      });
    },
  );
});
