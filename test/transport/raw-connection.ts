import { connect, type Socket } from 'node:net';

/** A connection on which a test says exactly what it wants to say. */
export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** All that has come so far. */
  received(): string;
  /** Settles when the other side ends the connection. */
  readonly ended: Promise<void>;
}

/** @param from the loopback address that it comes from. */
export async function openRawConnection(port: number, from = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  // Being reset is one way of being ended.
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, send: (more) => void socket.write(more), received: () => text, ended };
}

/** One request, said as it is, and everything that comes back until the connection ends. */
export async function exchangeRaw(port: number, request: string, from?: string): Promise<string> {
  const wire = await openRawConnection(port, from);
  wire.send(request);
  await wire.ended;
  return wire.received();
}

/** The status that an answer on a wire begins with. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
