import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What a proxy does with connections: passes them on, keeps them open without passing anything on, or ends them at
 * once.
 */
type ProxyMode = 'open' | 'stalled' | 'refusing';

/** A proxy on loopback between a process and its database. */
export interface TcpProxy {
  readonly port: number;
  /** The address of a database behind it. */
  addressOf(database: string): string;
  /**
   * Cuts a connection once the database has got a commit on it, so that nobody hears of it: the next one that has
   * carried a statement or a parameter with this text.
   */
  cutCommitAfter(text: string): void;
  /** Ends all connections, as a network does that forgets them. New ones are passed on. */
  cut(): void;
  /** Passes nothing on any more, in either direction, and ends nothing. New connections hang too. */
  stall(): void;
  /** Passes nothing on any more over the connections that there are, and ends none. New ones are passed on. */
  forget(): void;
  /** Ends all connections and refuses new ones. */
  refuse(): void;
  /** Passes everything on again, what waited included. */
  open(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a Unix socket. */
export async function startTcpProxy(socketPath: string): Promise<TcpProxy> {
  let mode: ProxyMode = 'open';
  let textBeforeCut: string | undefined;
  const pairs = new Set<readonly [Socket, Socket]>();
  let forgotten: readonly (readonly [Socket, Socket])[] = [];

  const cut = (): void => {
    for (const pair of [...pairs, ...forgotten]) for (const socket of pair) socket.destroy();
  };
  const setMode = (next: ProxyMode): void => {
    mode = next;
    for (const socket of [...pairs].flat()) {
      if (next === 'stalled') socket.pause();
      else socket.resume();
    }
  };

  const join = (near: Socket): void => {
    if (mode === 'refusing') {
      near.destroy();
      return;
    }
    const far = connect(socketPath);
    const pair = [near, far] as const;
    pairs.add(pair);
    let [isMeant, isCut] = [false, false];
    near.on('data', (chunk: Buffer) => {
      if (textBeforeCut === undefined) return;
      isMeant ||= chunk.includes(textBeforeCut);
      if (!isMeant || !chunk.includes('commit\0')) return;
      isCut = true;
      textBeforeCut = undefined;
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => void (from === far && isCut ? to.destroy() : to.write(chunk)));
      from.on('end', () => void to.end());
      from.on('error', () => void to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (mode === 'stalled') from.pause();
    }
  };

  const server = createServer(join).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    addressOf: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    cutCommitAfter: (text) => {
      textBeforeCut = text;
    },
    cut,
    stall: () => setMode('stalled'),
    forget: () => {
      setMode('stalled');
      forgotten = [...forgotten, ...pairs];
      pairs.clear();
      setMode('open');
    },
    refuse: () => {
      setMode('refusing');
      cut();
    },
    open: () => setMode('open'),
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
