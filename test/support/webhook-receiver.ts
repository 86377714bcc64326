import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Starts a receiver of webhooks on loopback. It ends with the test.
 * @param answer to the nth request, from 0; default:
 * 204.
 */
export async function startReceiver(
  answer: (response: ServerResponse, index: number) => void = (response) => response.writeHead(204).end(),
) {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ method: request.method!, path: request.url!, headers: request.headers, body });
      answer(response, received.length - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { received, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hooks?for=operators` };
}

/** A host and port on loopback where nothing listens. Ports below 1024 won't do: fetch refuses some of them itself. */
export async function refusingHost(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}
