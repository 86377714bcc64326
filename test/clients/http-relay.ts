import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a client and a server said to each other, as it was sent. */
export interface Traffic {
  readonly sent: string;
  readonly received: string;
}

/** An HTTP server that passes everything on to another one, and records both directions. */
export interface HttpRelay {
  readonly url: string;
  readonly traffic: () => Traffic;
  close(): Promise<void>;
}

/** Starts a relay on loopback in front of an MCP server. @param target the URL of the server's endpoint. */
export async function startHttpRelay(target: string): Promise<HttpRelay> {
  const traffic = { sent: '', received: '' };

  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers, url } = incoming;
    const body = await buffer(incoming);
    traffic.sent += `${body.toString()}\n`;
    const onward = request(new URL(url!, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.on('data', (chunk: Buffer) => (traffic.received += chunk.toString()));
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  };

  const server = createServer((incoming, response) => void forward(incoming, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(new URL(target).pathname, `http://127.0.0.1:${port}`).href,
    traffic: () => traffic,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * The protocol revision of the calls: the one that each names, or else the one that the server agreed to at the start.
 * Undefined if there was no call.
 */
export function revisionIn({ sent, received }: Traffic): string | undefined {
  const call = sent.split('\n').find((line) => line.includes('"tools/call"'));
  if (call === undefined) return undefined;
  return (
    /"io\.modelcontextprotocol\/protocolVersion":"([\d-]+)"/.exec(call) ??
    /"result":\{"protocolVersion":"([\d-]+)"/.exec(received)
  )?.[1];
}
