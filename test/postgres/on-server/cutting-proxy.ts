import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresAddress } from '../../../src/postgres/index.ts';

/** A way to a server that can cut a connection once the server has got its commit, so that nobody hears of it. */
export async function cuttingProxy({ host, port }: PostgresAddress) {
  const directory = await mkdtemp(join(tmpdir(), 'proxy-'));
  const sockets = new Set<Socket>();
  let awaited: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    let [isMeant, isCut] = [false, false];
    client.on('data', (data) => {
      isMeant ||= awaited !== undefined && data.includes(awaited);
      if (isMeant && awaited !== undefined && data.includes('commit\0')) {
        isCut = true;
        awaited = undefined;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => void (isCut ? client.destroy() : client.write(data)));
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await once(server.listen(`${directory}/.s.PGSQL.${port}`), 'listening');
  return {
    host: directory,
    /** Cuts the next commit on a connection that has carried a statement or a parameter with this text before. */
    cutCommitAfter: (text: string) => {
      awaited = text;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}
