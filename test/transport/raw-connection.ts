import { connect, type Socket } from 'node:net';

/** A TCP connection on which a test sends raw text. */
export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** Everything received so far. */
  received(): string;
  /** Resolves when the connection is closed. */
  readonly ended: Promise<void>;
}

/** @param from the loopback address to connect from. */
export async function openRawConnection(port: number, from = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  // A reset connection counts as closed.
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, send: (more) => void socket.write(more), received: () => text, ended };
}

/** Sends one raw request, and returns everything received until the connection is closed. */
export async function exchangeRaw(port: number, request: string, from?: string): Promise<string> {
  const connection = await openRawConnection(port, from);
  connection.send(request);
  await connection.ended;
  return connection.received();
}

/** The status code of a raw HTTP response. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
