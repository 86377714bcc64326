import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import {
  constants,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const listen = async (server: Pick<Server, 'listen' | 'close' | 'address' | 'on' | 'once'>): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server as Server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server as Server, 'close');
  });
  return (server.address() as AddressInfo).port;
};

/** A server that answers its nth request with a status; 0 means never. */
export async function httpServer(
  statusOf: (count: number) => number,
): Promise<{ readonly port: number; readonly requests: readonly IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const port = await listen(
    createHttpServer((request, response) => {
      requests.push(request);
      const status = statusOf(requests.length);
      if (status !== 0) response.writeHead(status, { location: '/elsewhere' }).end('text '.repeat(10_000));
    }),
  );
  return { port, requests };
}

/** A server over TCP that does this with its connections. */
export const tcpServer = (serve: (socket: Socket) => void): Promise<number> => listen(createServer(serve));

/** The field of a message with the name of a service. */
const serviceIn = (message: Buffer): string => {
  // Of the field, one byte is its number and the next ones its length, of which the last has no bit for more.
  const begin = [...message].findIndex((byte, index) => index > 5 && byte < 0x80) + 1;
  return message.subarray(begin).toString('utf8');
};

/**
 * A server with gRPC health checks, which pads what it sends.
 * @param statusOf the status of a service; undefined if the call is refused with a code instead
 */
export async function grpcServer(statusOf: (service: string) => number | undefined): Promise<number> {
  const server = createHttp2Server({ paddingStrategy: constants.PADDING_STRATEGY_MAX });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const parts: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const isCheck =
        headers[':method'] === 'POST' &&
        headers[':path'] === '/grpc.health.v1.Health/Check' &&
        headers['content-type'] === 'application/grpc' &&
        headers['te'] === 'trailers';
      const status = isCheck ? statusOf(serviceIn(Buffer.concat(parts))) : undefined;
      if (status === undefined) {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' }, { endStream: true });
        return;
      }
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      const message = status === 0 ? Buffer.alloc(0) : Buffer.from([8, status]);
      // In two parts, as a server may send it.
      stream.write(Buffer.from([0, 0, 0]));
      stream.end(Buffer.concat([Buffer.from([0, message.length]), message]));
    });
  });
  return listen(server);
}
