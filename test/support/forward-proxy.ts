import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A proxy on loopback that forwards plain requests and opens tunnels. It ends with the test. */
export interface ForwardProxy {
  /** Without credentials. */
  readonly url: string;
  /** With the user name and password that it requires. */
  readonly urlWithCredentials: string;
  /** What it was asked for, such as `CONNECT platform.test:443` and `GET http://platform.test/a`. */
  readonly requests: string[];
}

/** Settings of a proxy. */
export interface ForwardProxyOptions {
  /** The ports on loopback by the host and port that are asked for. No name server is used. */
  readonly hosts: Readonly<Record<string, number>>;
  /** User name and password to require, separated by a colon. */
  readonly credentials?: string;
  /** The status with which every tunnel is refused. */
  readonly refusesWith?: number;
}

/** Starts a proxy. */
export async function startForwardProxy({
  hosts,
  credentials,
  refusesWith,
}: ForwardProxyOptions): Promise<ForwardProxy> {
  const requests: string[] = [];
  const sockets = new Set<Duplex>();
  const expected = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((request, response): void => {
    requests.push(`${request.method} ${request.url}`);
    const url = new URL(request.url!);
    const port = hosts[`${url.hostname}:${url.port || 80}`];
    const { 'proxy-authorization': given, ...headers } = request.headers;
    if (given !== expected) return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
    if (port === undefined) return void response.writeHead(502).end();
    const onwards = send({ host: '127.0.0.1', port, method: request.method, path: url.pathname + url.search, headers });
    onwards.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  server.on('connect', (request, socket: Duplex, head: Buffer): void => {
    requests.push(`CONNECT ${request.url}`);
    sockets.add(socket);
    socket.on('error', () => undefined);
    const port = hosts[request.url!];
    const refusal =
      request.headers['proxy-authorization'] === expected
        ? (refusesWith ?? (port === undefined ? 502 : undefined))
        : 407;
    if (refusal !== undefined || port === undefined)
      return void socket.end(
        `HTTP/1.1 ${refusal} Refused\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\n\r\n`,
      );
    const onwards = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onwards.write(head);
      onwards.pipe(socket).pipe(onwards);
    });
    sockets.add(onwards);
    onwards.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address}`,
    urlWithCredentials: `http://${credentials === undefined ? '' : `${credentials}@`}${address}`,
    requests,
  };
}
