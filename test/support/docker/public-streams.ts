import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { patience } from '../eventually.ts';

/** Where a connection goes on this machine, and which host it asks for. */
interface PublicHost {
  readonly host: string;
  readonly port: number;
}

/** Bounds every wait for the other side. */
const inTime = () => ({ signal: AbortSignal.timeout(patience) });

/** A WebSocket of a client. */
export interface OpenWebSocket {
  /** Sends a short text, and waits for the next one that comes. */
  exchange(text: string): Promise<string>;
  /** When it was closed from the other side, in milliseconds since the epoch; undefined while it is open. */
  readonly closedAt: () => number | undefined;
  close(): void;
}

/** Opens a WebSocket through the proxy. @throws Error if it isn't taken */
export async function openWebSocket({ host, port }: PublicHost): Promise<OpenWebSocket> {
  const asked = request({
    host: '127.0.0.1',
    port,
    agent: false,
    headers: {
      host,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    },
  }).end();
  asked.on('response', (response) => asked.destroy(new Error(`answered with ${response.statusCode}`)));
  const [, socket] = (await once(asked, 'upgrade', inTime())) as [unknown, Socket];
  let closedAt: number | undefined;
  socket
    .on('error', () => undefined)
    .on('close', () => (closedAt ??= Date.now()))
    .resume();
  return {
    exchange: async (text) => {
      const mask = randomBytes(4);
      const answer = once(socket, 'data', inTime()) as Promise<[Buffer]>;
      socket.write(
        Buffer.concat([
          Buffer.from([0x81, 0x80 | text.length]),
          mask,
          Buffer.from(text).map((byte, index) => byte ^ mask[index % 4]!),
        ]),
      );
      return (await answer)[0].subarray(2).toString('utf8');
    },
    closedAt: () => closedAt,
    close: () => socket.destroy(),
  };
}

/** A call of gRPC that was begun. */
export interface GrpcCall {
  readonly version: unknown;
  /** The first message, with what goes before it. */
  readonly message: Buffer;
  /** How it ended: its status, or that it broke. */
  readonly end: Promise<{ readonly status: unknown }>;
  close(): void;
}

/** Calls a method of the health service through the proxy, and waits for its first message. */
export async function callHealth({ host, port }: PublicHost, method: 'Check' | 'Watch'): Promise<GrpcCall> {
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
  const call = session.request({
    ':method': 'POST',
    ':authority': host,
    ':path': `/grpc.health.v1.Health/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let status: unknown;
  call.on('trailers', (trailers) => (status = trailers['grpc-status'])).on('error', () => undefined);
  const { promise: end, resolve } = Promise.withResolvers<Awaited<GrpcCall['end']>>();
  call.on('close', () => {
    session.destroy();
    resolve({ status: status ?? 'broken' });
  });
  const response = once(call, 'response', inTime()) as Promise<[Record<string, unknown>]>;
  const message = once(call, 'data', inTime()) as Promise<[Buffer]>;
  call.end(Buffer.from([0, 0, 0, 0, 0]));
  const [headers] = await response;
  if (headers[':status'] !== 200) throw new Error(`answered with ${String(headers[':status'])}`);
  return { version: headers['x-version'], message: (await message)[0], end, close: () => session.destroy() };
}
